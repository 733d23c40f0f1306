/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Path segments with their source lines: what `waymark segments` and `waymark wpp --segments N --html` print. */
#include "view/recording/segments_view.h"
#include "support/xalloc.h"
#include "view/document/document.h"
#include "view/document/json_elements.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- What is known of all segments --------------------------------------------------------- */

static void tell_shares(struct wm_document *d, const struct wm_untested_segments *u, uint64_t depth)
{
	wm_document_say(d, "",
		"%s of %s segment%s of depth %" PRIu64
		" that ran in the field %s never tested: %.2f%% of the segments, "
		"%.2f%% of their executions",
		wm_thousands(u->untested), wm_thousands(u->executed), wm_plural(u->executed), depth,
		u->untested == 1 ? "was" : "were", wm_share(u->untested, u->executed),
		wm_share(u->untested_executions, u->executions));
}

static void tell_perhaps(struct wm_document *d, const struct wm_untested_segments *u)
{
	if (u->perhaps_tested)
		wm_document_say(d, "",
			"%s more segment%s %s perhaps tested: the tests executed a call on %s that is not inlined, or "
			"abandoned a path that may contain %s, or their recording is not whole",
			wm_thousands(u->perhaps_tested), wm_plural(u->perhaps_tested),
			u->perhaps_tested == 1 ? "is" : "are", u->perhaps_tested == 1 ? "it" : "them",
			u->perhaps_tested == 1 ? "it" : "them");
}

/* The question of thesis07, section 3.6.3. */
static void tell_hidden(struct wm_document *d, const struct wm_untested_segments *u)
{
	if (!u->paths_known) {
		wm_document_say(d, "",
			"whether functions have untested paths is not known: add profiles of the same runs of a build "
			"without -fwaymark-segments, for the field and for the tests, and its binary");
		return;
	}
	size_t known = u->untested - u->without_paths;
	if (known || !u->without_paths)
		wm_document_say(d, "",
			"%s untested segment%s (%.2f%%%s) %s without an untested path; %s function%s %s untested "
			"paths",
			wm_thousands(u->hidden), wm_plural(u->hidden), wm_share(u->hidden, known),
			u->without_paths ? " of those that are known" : "",
			u->hidden == 1 ? "lies in functions" : "lie in functions",
			wm_thousands(u->functions_with_paths), wm_plural(u->functions_with_paths),
			u->functions_with_paths == 1 ? "has" : "have");
	if (u->without_paths)
		wm_document_say(d, "",
			"whether functions have untested paths is not known of %s untested segment%s: the build "
			"without -fwaymark-segments lacks their functions, as it may after link-time optimisation, "
			"which makes functions local and changes their keys",
			wm_thousands(u->without_paths), wm_plural(u->without_paths));
}

/* The lines of a text on the heap, which is freed. */
static void tell_lines(struct wm_document *d, char *text)
{
	char *rest = text, *line;
	while ((line = strsep(&rest, "\n")))
		if (*line)
			wm_document_say(d, "", "%s", line);
	free(text);
}

static void tell_lacks(struct wm_document *d, const struct wm_segment_set *set, const struct wm_untested_segments *u)
{
	if (set->segments.incomplete)
		tell_lines(d,
			wm_xprintf("%s>= marks counts of segments that may have been executed more often", set->lacks));
	if (u && u->tests->segments.incomplete)
		tell_lines(d, wm_xprintf("of the tests: %s", u->tests->lacks));
}

static void tell_head(
	struct wm_document *d, const struct wm_segment_set *set, const struct wm_untested_segments *u, uint64_t depth)
{
	if (!u)
		wm_document_say(d, "", "%s segment%s of depth %" PRIu64, wm_thousands(set->segments.count),
			wm_plural(set->segments.count), depth);
	else if (set->residual)
		wm_document_say(d, "",
			"%s untested segment%s of depth %" PRIu64
			" ran in the field, %s time%s; the number of tested segments is not known",
			wm_thousands(u->untested), wm_plural(u->untested), depth, wm_thousands(u->untested_executions),
			wm_plural(u->untested_executions));
	else
		tell_shares(d, u, depth);
	if (u) {
		tell_perhaps(d, u);
		tell_hidden(d, u);
	}
	tell_lacks(d, set, u);
	if (set->inlined)
		wm_document_say(d, "", "calls were inlined into %zu executed function%s", set->inlined,
			wm_plural(set->inlined));
	if (set->stepped_over)
		wm_document_say(d, "",
			"%s executed call%s that may call profiled functions %s not inlined (waymark show --calls says "
			"why); >= marks counts that may miss segments through them",
			wm_thousands(set->stepped_over), wm_plural(set->stepped_over),
			set->stepped_over == 1 ? "was" : "were");
	if (set->cut)
		wm_document_say(d, "",
			"%s path%s %s cut, because functions have too many paths; >= marks counts that may miss "
			"segments on "
			"them",
			wm_thousands(set->cut), wm_plural(set->cut), set->cut == 1 ? "was" : "were");
	if (set->abandoned || set->resumed)
		wm_document_say(d, "",
			"%s path%s %s abandoned and %s resumed (exit, longjmp, exceptions); >= marks counts that may "
			"miss segments on them",
			wm_thousands(set->abandoned), wm_plural(set->abandoned), set->abandoned == 1 ? "was" : "were",
			wm_thousands(set->resumed));
}

/* ---- Segments ------------------------------------------------------------------------------ */

/* The functions that a segment goes through: "main ( parse ) main"; heap. */
static char *way_text(const struct wm_projected_segment *segment)
{
	char *copy = wm_xstrdup(segment->text), *rest = copy, *word;
	char *text = wm_xmalloc(strlen(segment->text) + 2), *end = text;
	const char *last = "";
	*text = 0;
	while ((word = strsep(&rest, " "))) {
		char *colon = strrchr(word, ':');
		if (colon)
			*colon = 0;
		if (strcmp(word, last) != 0)
			end = stpcpy(*last ? stpcpy(end, " ") : end, word);
		last = word;
	}
	free(copy);
	return text;
}

static void tell_segment(struct wm_document *d, const struct wm_segment_set *set, size_t i, uint64_t whole)
{
	const struct wm_projected_segment *segment = &set->segments.segment[i];
	char *count = wm_xprintf("%s%s", segment->at_least ? ">= " : "", wm_thousands(segment->count));
	char *way = way_text(segment);
	d->form->item(d, &(struct wm_item){.percent = wm_share(segment->count, whole),
				 .count = count,
				 .name = way,
				 .words = "",
				 .open = i < WM_HTML_OPEN});
	if (segment->perhaps_tested)
		d->form->remark(d, "perhaps tested", NULL);
	if (segment->hidden)
		d->form->remark(d, "no untested path in these functions", NULL);
	const struct wm_story_function *first = wm_segment_steps(set, segment, &d->steps);
	if (first)
		wm_document_rows(d, first, WM_NONE);
	d->form->item_end(d);
	free(way);
	free(count);
}

static void tell_segments(struct wm_document *d, const struct wm_segment_set *set, uint64_t rows)
{
	const struct wm_projection *segments = &set->segments;
	uint64_t whole = 0;
	size_t wanted = 0, most = wm_document_limit(d, rows, WM_HTML_DETAILED);
	for (size_t i = 0; i < segments->count; i++)
		whole += segments->segment[i].count;
	for (size_t i = 0; i < segments->count; i++)
		if (wm_segment_wanted(set, &segments->segment[i], &d->steps, &d->options->filter) && wanted++ < most)
			tell_segment(d, set, i, whole);
	if (wanted > most)
		wm_document_say(d, "\n", "%s more segment%s (--rows N shows more, --json all)",
			wm_thousands(wanted - most), wm_plural(wanted - most));
}

static void begin_list(struct wm_document *d, const struct wm_report_options *options, const char *title)
{
	wm_document_begin(d, options, stdout);
	const struct wm_document_title head = {"Waymark: path segments", title,
		"Paths through calls, the most frequent first, with their share of the executions of all these "
		"segments.",
		NULL};
	d->form->title(d, &head);
}

void wm_segments_html(const struct wm_segment_set *set, char *head, const struct wm_report_options *options)
{
	struct wm_document d;
	begin_list(&d, options, "Path segments that ran");
	tell_lines(&d, head);
	tell_segments(&d, set, 0);
	wm_document_end(&d);
}

static void print_document(const struct wm_segment_set *set, const struct wm_untested_segments *u,
	const struct wm_segments_shown *shown, const struct wm_report_options *options)
{
	struct wm_document d;
	begin_list(&d, options, u ? "Path segments that no test executed" : "Path segments that ran");
	tell_head(&d, set, u, shown->depth);
	tell_segments(&d, set, shown->rows);
	wm_document_end(&d);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static json_t *words(const char *text)
{
	json_t *list = wm_json_checked(json_array());
	char *copy = wm_xstrdup(text), *rest = copy, *word;
	while ((word = strsep(&rest, " ")))
		json_array_append_new(list, wm_json_text(word));
	free(copy);
	return list;
}

static json_t *segment_json(
	const struct wm_segment_set *set, const struct wm_projected_segment *segment, struct wm_steps *steps)
{
	wm_segment_steps(set, segment, steps);
	return wm_json_checked(json_pack("{s:o, s:b, s:o, s:o, s:o}", "count", wm_json_count(segment->count), "exact",
		!segment->at_least, "path", words(segment->text), "lines", wm_json_lines(steps), "decisions",
		wm_json_decisions(steps)));
}

static json_t *summary_json(const struct wm_segment_set *set, const struct wm_untested_segments *u)
{
	bool all = !set->residual, paths = u->paths_known && !u->without_paths;
	return wm_json_checked(json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "segments",
		wm_json_count_if(all, u->executed), "untested_segments", wm_json_count(u->untested),
		"perhaps_tested_segments", wm_json_count(u->perhaps_tested), "untested_percent",
		wm_json_share_if(all, u->untested, u->executed), "untested_frequency_percent",
		wm_json_share_if(all, u->untested_executions, u->executions), "functions_with_untested_paths",
		wm_json_count_if(u->paths_known, u->functions_with_paths),
		"untested_segments_in_functions_without_untested_paths", wm_json_count_if(paths, u->hidden)));
}

/* The document is printed one segment at a time: there may be hundreds of thousands. */
static void print_list(const char *name, const struct wm_segment_set *set, size_t first, size_t end,
	const struct wm_report_options *options)
{
	struct wm_steps steps = {0};
	bool untested = !strcmp(name, "untested"), begun = false;
	printf(",\n\"%s\":[", name);
	for (size_t i = first; i < end; i++) {
		const struct wm_projected_segment *segment = &set->segments.segment[i];
		if (!wm_segment_wanted(set, segment, &steps, &options->filter))
			continue;
		json_t *object = segment_json(set, segment, &steps);
		if (untested)
			json_object_set_new(object, "in_functions_without_untested_paths",
				segment->paths_known ? json_boolean(segment->hidden) : json_null());
		fputs(begun ? ",\n " : "\n ", stdout);
		begun = true;
		wm_json_dump(object, stdout, JSON_COMPACT);
	}
	putchar(']');
	wm_steps_release(&steps);
}

static void print_json(const struct wm_segment_set *set, const struct wm_untested_segments *u,
	const struct wm_segments_shown *shown, const struct wm_report_options *options)
{
	json_t *head = wm_json_document("segments");
	size_t count = set->segments.count;
	json_object_set_new(head, "depth", wm_json_count(shown->depth));
	json_object_set_new(head, "segments_executed", wm_json_count_if(!set->residual, u ? u->executed : count));
	json_object_set_new(head, "stepped_over", wm_json_count(set->stepped_over));
	json_object_set_new(head, "cut", wm_json_count(set->cut));
	json_object_set_new(head, "abandoned", wm_json_count(set->abandoned));
	json_object_set_new(head, "resumed", wm_json_count(set->resumed));
	json_object_set_new(head, "stopped_early", json_boolean(set->stopped));
	if (u) {
		json_object_set_new(head, "tests_stopped_early", json_boolean(u->tests->stopped));
		json_object_set_new(head, "summary", summary_json(set, u));
	}
	putchar('{');
	wm_json_dump(head, stdout, JSON_EMBED | JSON_COMPACT);
	if (u) {
		print_list("untested", set, 0, u->untested, options);
		print_list("perhaps_tested", set, u->untested, count, options);
	} else {
		print_list("segments", set, 0, count, options);
	}
	puts("}");
}

void wm_segments_print(const struct wm_segment_set *set, const struct wm_untested_segments *untested,
	const struct wm_segments_shown *shown, const struct wm_report_options *options)
{
	(options->json ? print_json : print_document)(set, untested, shown, options);
}
