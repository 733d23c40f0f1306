/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "view/untested/sightings_view.h"
#include "support/string_builder.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MICROSECONDS_OF_DAY (INT64_C(86400) * 1000000)

static const struct wm_sighting *find(
	const struct wm_sightings *sightings, const struct wm_story_function *function, uint64_t id)
{
	return wm_sightings_find(
		sightings, function->map->key, wm_story_crosses_calls(function), wm_story_hash(function), id);
}

/* The sightings in versions, which follow that in all of them. */
static bool is_next(const struct wm_sightings *sightings, const struct wm_sighting *all, const struct wm_sighting *next)
{
	return next < sightings->sighting + sightings->count && wm_sighting_is_of(all, next);
}

static void print_day(char text[16], int64_t seconds)
{
	time_t time = (time_t)seconds;
	struct tm date;
	if (!gmtime_r(&time, &date) || !strftime(text, 16, "%Y-%m-%d", &date))
		snprintf(text, 16, "?");
}

/* "1.0, 1.1", or "" if no run has a version; heap. */
static char *versions_text(const struct wm_sightings *sightings, const struct wm_sighting *all)
{
	struct wm_string text = {0};
	for (const struct wm_sighting *s = all + 1; is_next(sightings, all, s); s++) {
		if (!*s->version)
			continue;
		wm_string_add(&text, "%s%s", text.length ? ", " : "", s->version);
	}
	return wm_string_text(&text);
}

/* "3", or "3 to 5" if it is not known; heap. */
static char *runs_text(const struct wm_sighting *all)
{
	if (all->least_runs == all->most_runs)
		return wm_xstrdup(wm_thousands(all->most_runs));
	char *least = wm_xstrdup(wm_thousands(all->least_runs));
	char *text = wm_xprintf("%s to %s", least, wm_thousands(all->most_runs));
	free(least);
	return text;
}

void wm_sightings_tell(struct wm_document *d, const struct wm_sightings *sightings,
	const struct wm_story_function *function, uint64_t id)
{
	const struct wm_sighting *all = find(sightings, function, id);
	char first[16], last[16];
	if (!all)
		return;
	char *versions = versions_text(sightings, all), *runs = runs_text(all);
	print_day(first, all->first / 1000000);
	print_day(last, all->last);
	char *sentence = wm_xprintf("seen on %s machine%s in %s run%s%s%s, first %s, last %s",
		wm_thousands(all->machines), wm_plural(all->machines), runs, wm_plural(all->most_runs),
		*versions ? ", in version " : "", versions, first, last);
	d->form->remark(d, sentence, NULL);
	free(sentence);
	free(versions);
	free(runs);
}

json_t *wm_sightings_json(const struct wm_sightings *sightings, const struct wm_story_function *function, uint64_t id)
{
	const struct wm_sighting *all = find(sightings, function, id);
	if (!all)
		return json_null();
	json_t *versions = wm_json_checked(json_array());
	for (const struct wm_sighting *s = all + 1; is_next(sightings, all, s); s++)
		if (*s->version)
			json_array_append_new(versions, wm_json_text(s->version));
	return wm_json_checked(json_pack("{s:o, s:o, s:o, s:I, s:I, s:o}", "machines", wm_json_count(all->machines),
		"least_runs", wm_json_count(all->least_runs), "most_runs", wm_json_count(all->most_runs), "first",
		(json_int_t)(all->first / 1000000), "last", (json_int_t)all->last, "versions", versions));
}

/* ---- Tables -------------------------------------------------------------------------------- */

/* Calls `take` for each untested path with a sighting. */
static void each_path(const struct wm_untested *u,
	void (*take)(void *closure, const struct wm_sightings *sightings, const struct wm_sighting *all), void *closure)
{
	for (size_t f = 0; f < u->function_count; f++)
		for (size_t i = 0; i < u->function[f].path_count; i++) {
			const struct wm_sighting *all =
				find(u->sightings, u->function[f].field, u->function[f].path[i].path->id);
			if (all)
				take(closure, u->sightings, all);
		}
}

struct of_version {
	const char *name;
	uint64_t paths, news; /* news: no version had it before */
};

static void count_version(void *closure, const struct wm_sightings *sightings, const struct wm_sighting *all)
{
	struct of_version *count = closure;
	for (const struct wm_sighting *s = all + 1; is_next(sightings, all, s); s++)
		if (!strcmp(s->version, count->name)) {
			count->paths++;
			count->news += s->first == all->first;
		}
}

static void write_versions(struct wm_document *d, const struct wm_untested *u)
{
	fputs("<h2>Versions</h2>\n<div class=\"wide\"><table class=\"rest\" id=\"versions\"><thead><tr><th>Version</th>"
	      "<th class=\"num\">Untested paths</th><th class=\"num\">New in it</th><th class=\"num\">Machines</th>"
	      "<th>First run</th><th>Last run</th></tr></thead><tbody>\n",
		d->out);
	for (size_t i = 0; i < u->sightings->version_count; i++) {
		const struct wm_version *version = &u->sightings->version[i];
		struct of_version count = {.name = version->name};
		char first[16], last[16];
		each_path(u, count_version, &count);
		print_day(first, version->first);
		print_day(last, version->last);
		wm_html_print(d->out, "<tr><td>%s</td>", *version->name ? version->name : "without a label");
		wm_html_number(d, count.paths, true);
		wm_html_number(d, count.news, true);
		wm_html_number(d, version->machines, true);
		wm_html_print(d->out, "<td>%s</td><td>%s</td></tr>\n", first, last);
	}
	fputs("</tbody></table></div>\n", d->out);
}

struct days {
	size_t count;
	int64_t *day; /* of each path */
};

static void take_day(void *closure, const struct wm_sightings *sightings, const struct wm_sighting *all)
{
	struct days *days = closure;
	(void)sightings;
	WM_XGROW(days->day, days->count);
	days->day[days->count++] = all->first / MICROSECONDS_OF_DAY - (all->first % MICROSECONDS_OF_DAY < 0);
}

static int by_day(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
	return (a > b) - (a < b);
}

static void write_days(struct wm_document *d, const struct wm_untested *u)
{
	struct days days = {0};
	each_path(u, take_day, &days);
	if (days.count)
		qsort(days.day, days.count, sizeof *days.day, by_day);
	fputs("<h2>New untested paths by day</h2>\n<div class=\"wide\"><table class=\"rest\" "
	      "id=\"days\"><thead><tr><th>Day (UTC)</th>"
	      "<th class=\"num\">New untested paths</th><th>Of all</th></tr></thead><tbody>\n",
		d->out);
	for (size_t i = 0, next; i < days.count; i = next) {
		char text[16];
		for (next = i; next < days.count && days.day[next] == days.day[i];)
			next++;
		print_day(text, days.day[i] * 86400);
		fprintf(d->out, "<tr><td>%s</td>", text);
		wm_html_number(d, next - i, true);
		fputs("<td>", d->out);
		wm_html_share(d, wm_share(next - i, days.count));
		fputs("</td></tr>\n", d->out);
	}
	fputs("</tbody></table></div>\n<h2>Functions</h2>\n", d->out);
	free(days.day);
}

void wm_sightings_tables(struct wm_document *d, const struct wm_untested *u)
{
	write_versions(d, u);
	write_days(d, u);
}
