/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The report as a directory of static pages: an index with a table of functions,
 * and one page per function that ran.  Pages are written into a new directory
 * beside the target, which then takes its place in one step.
 */
#include "tool/html.h"
#include "tool/report.h"
#include "tool/steps.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a page can hold and still open at once; --json has everything. */
enum { DETAILED_PATHS = 200, LISTED_PATHS = 2000, OPEN_PATHS = 5 };

struct site {
	const struct wm_story *story;
	const struct wm_report_options *options;
	struct wm_sources sources;
	struct wm_steps steps;
	char *directory; /* the new one */
	FILE *out;	   /* the page being written */
};

static void escape_bytes(FILE *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		switch (text[i]) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		default:
			if ((unsigned char)text[i] >= ' ' || text[i] == '\t' || text[i] == '\n')
				fputc(text[i], out);
		}
	}
}

static void escape(FILE *out, const char *text)
{
	escape_bytes(out, text, strlen(text));
}

static void open_page(struct site *site, const char *name)
{
	char *path = wm_xprintf("%s/%s", site->directory, name);
	site->out = fopen(path, "we");
	if (!site->out)
		wm_fail("cannot write %s: %s", path, strerror(errno));
	free(path);
}

static void close_page(struct site *site)
{
	bool failed = ferror(site->out);
	if (fclose(site->out) != 0 || failed)
		wm_fail("cannot write the report into %s: %s", site->directory, strerror(errno));
	site->out = NULL;
}

static void begin_html(struct site *site, const char *title, const char *root)
{
	fprintf(site->out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
			   "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>");
	escape(site->out, title);
	fprintf(site->out, "</title><link rel=\"stylesheet\" href=\"%sstyle.css\"></head><body><main>\n", root);
}

static void end_html(struct site *site)
{
	fprintf(site->out, "<footer>Counts are exact; what could not be told exactly is listed as refused or "
			   "skipped.</footer></main></body></html>\n");
}

static void card(struct site *site, const char *number, const char *what)
{
	fprintf(site->out, "<div class=\"card\"><b>%s</b><span>%s</span></div>\n", number, what);
}

static void share_bar(struct site *site, double percent)
{
	fprintf(site->out, "<span class=\"share\"><i style=\"width:%.2f%%\"></i><b>%.2f%%</b></span>", percent,
		percent);
}

static const char *total_possible(const struct wm_story *story)
{
	static char text[64];
	if (story->paths_possible < 0x1p53)
		return wm_thousands((uint64_t)story->paths_possible);
	snprintf(text, sizeof text, "10<sup>%.1f</sup>", log10(story->paths_possible));
	return text;
}

static const char *possible_markup(const struct wm_story_function *function)
{
	static char text[64];
	if (function->countable)
		return wm_thousands(function->path_count);
	snprintf(text, sizeof text, "10<sup>%.1f</sup>", function->log10_paths);
	return text;
}

/* The page of one function */

static const char *outcome_class(const char *outcome)
{
	if (strcmp(outcome, "true") == 0)
		return "tag true";
	if (strcmp(outcome, "false") == 0)
		return "tag false";
	if (strcmp(outcome, "threw") == 0)
		return "tag bad";
	if (strcmp(outcome, "returned") == 0)
		return "tag";
	return "tag case";
}

static void outcome_tags(struct site *site, const struct wm_row *row)
{
	for (size_t i = row->first; i < row->end; i++) {
		const struct wm_step *step = &site->steps.step[i];
		if (!step->outcome[0])
			continue;
		fprintf(site->out, "<span class=\"%s\"", outcome_class(step->outcome));
		if (step->column)
			fprintf(site->out, " title=\"column %u\"", step->column);
		fputc('>', site->out);
		escape(site->out, step->outcome);
		fputs("</span> ", site->out);
	}
}

static void step_label(struct site *site, const struct wm_story_function *function, const struct wm_step *step)
{
	const char *home = wm_story_file(function);
	if (!step->line) {
		fprintf(site->out, "block %u", step->block);
		return;
	}
	if (step->file && home && strcmp(step->file, home) != 0) {
		escape(site->out, wm_short_file(step->file));
		fputc(':', site->out);
	}
	fprintf(site->out, "%u", step->line);
}

static void step_row(struct site *site, const struct wm_story_function *function, const struct wm_row *row)
{
	const struct wm_step *step = &site->steps.step[row->first];
	size_t length;
	const char *text = wm_source_line(&site->sources, step->file, step->line, function->object->path, &length);
	fprintf(site->out, "<tr title=\"block %u\"><td class=\"at\">", step->block);
	step_label(site, function, step);
	fputs("</td><td>", site->out);
	outcome_tags(site, row);
	fputs("</td><td class=\"src\">", site->out);
	if (text)
		escape_bytes(site->out, text, length);
	fputs("</td></tr>\n", site->out);
}

static void step_table(struct site *site, const struct wm_story_function *function)
{
	struct wm_row *rows;
	size_t count = wm_steps_rows(&site->steps, &rows);
	count = wm_rows_drop_braces(&site->steps, rows, count, &site->sources, function->object->path);
	fputs("<table class=\"steps mono\"><tbody>\n", site->out);
	for (size_t i = 0; i < count; i++)
		step_row(site, function, &rows[i]);
	fputs("</tbody></table>\n", site->out);
	free(rows);
}

/* The decisions alone, for a closed path. */
static void brief(struct site *site)
{
	size_t shown = 0;
	fputs("<span class=\"brief\">", site->out);
	for (size_t i = 0; i < site->steps.count && shown <= 12; i++) {
		const struct wm_step *step = &site->steps.step[i];
		if (!step->outcome[0] || strcmp(step->outcome, "returned") == 0)
			continue;
		if (shown++ == 12) {
			fputs("<span class=\"tag\">&hellip;</span>", site->out);
			break;
		}
		fprintf(site->out, "<span class=\"%s\">", outcome_class(step->outcome));
		if (step->line)
			fprintf(site->out, "%u ", step->line);
		escape(site->out, step->outcome);
		fputs("</span>", site->out);
	}
	fputs("</span>", site->out);
}

static const char *start_words(unsigned start)
{
	return start == WM_START_ENTRY ? "entry" : start == WM_START_LOOP ? "loop head" : "cut";
}

static const char *end_words(unsigned end)
{
	switch (end) {
	case WM_END_RETURN:
		return "return";
	case WM_END_NORETURN:
		return "a call that does not return";
	case WM_END_UNWIND:
		return "unwinding";
	case WM_END_BACKEDGE:
		return "back edge";
	default:
		return "cut";
	}
}

static void path_end(struct site *site, const struct wm_story_function *function, const struct wm_block_path *path)
{
	fprintf(site->out, "<div class=\"end\">ends at: %s", end_words(path->end));
	if (path->last_edge != WM_NONE) {
		uint32_t target = function->map->graph.edge_to[path->last_edge], line = wm_block_line(function, target);
		if (line)
			fprintf(site->out, " to line %u", line);
		else
			fprintf(site->out, " to block %u", target);
	}
	fputs("</div>", site->out);
}

static void path_details(struct site *site, const struct wm_story_function *function, size_t number)
{
	const struct wm_story_path *path = &function->path[number];
	struct wm_arena arena;
	struct wm_block_path blocks;
	wm_arena_init(&arena);
	wm_story_decode(function, path->id, &blocks, &arena);
	wm_steps_build(&site->steps, function, &blocks);
	fprintf(site->out, "<details class=\"path\" id=\"p%" PRIu64 "\"%s><summary>", path->id,
		number < OPEN_PATHS ? " open" : "");
	share_bar(site, wm_share(path->count, function->executions));
	fprintf(site->out,
		"<span class=\"count\">%s</span><span>path %" PRIu64 "</span><span class=\"soft\">%s &rarr; %s</span>",
		wm_thousands(path->count), path->id, start_words(path->start), end_words(path->end));
	brief(site);
	fputs("</summary>\n", site->out);
	step_table(site, function);
	path_end(site, function, &blocks);
	fputs("</details>\n", site->out);
	wm_arena_release(&arena);
}

static void rest_of_paths(struct site *site, const struct wm_story_function *function)
{
	size_t end = function->ran_count < LISTED_PATHS ? function->ran_count : LISTED_PATHS;
	if (function->ran_count <= DETAILED_PATHS)
		return;
	fprintf(site->out, "<h2>The other paths</h2><div class=\"wide\"><table class=\"rest\"><tbody>\n");
	for (size_t i = DETAILED_PATHS; i < end; i++) {
		const struct wm_story_path *path = &function->path[i];
		fputs("<tr><td>", site->out);
		share_bar(site, wm_share(path->count, function->executions));
		fprintf(site->out,
			"</td><td class=\"num\">%s</td><td>path %" PRIu64
			"</td><td class=\"soft\">%s &rarr; %s</td></tr>\n",
			wm_thousands(path->count), path->id, start_words(path->start), end_words(path->end));
	}
	fputs("</tbody></table></div>\n", site->out);
	if (end < function->ran_count)
		fprintf(site->out,
			"<p class=\"soft\">%s more paths ran; <code>waymark report --json</code> lists them all.</p>\n",
			wm_thousands(function->ran_count - end));
}

static void balance_note(struct site *site, const struct wm_balance *b)
{
	if (!b->abandoned && !b->inherited && !b->resumed && !site->options->balance)
		return;
	fprintf(site->out,
		"<p class=\"note\">%s inherited + %s entries + %s loop restarts + %s resumed = %s completed + %s "
		"abandoned</p>\n",
		wm_thousands(b->inherited), wm_thousands(b->entries), wm_thousands(b->restarts),
		wm_thousands(b->resumed), wm_thousands(b->completed), wm_thousands(b->abandoned));
}

static void place_text(struct site *site, const struct wm_story_function *function)
{
	const char *file = wm_story_file(function);
	if (!file)
		return;
	escape(site->out, wm_short_file(file));
	if (function->map->line)
		fprintf(site->out, ":%u", function->map->line);
}

static void function_cards(struct site *site, const struct wm_story_function *function)
{
	char text[96];
	fputs("<div class=\"cards\">", site->out);
	snprintf(text, sizeof text, "%.2f%%", wm_share(function->executions, site->story->executions));
	card(site, text, "of all path executions");
	card(site, wm_thousands(function->executions), "path executions");
	card(site, wm_thousands(function->balance.entries), "entries");
	snprintf(text, sizeof text, "of %s possible paths ran", possible_markup(function));
	card(site, wm_thousands(function->ran_count), text);
	snprintf(text, sizeof text, "%s &middot; %s graph &middot; %u blocks",
		function->map->status == WM_SPLIT ? "split where it had too many paths" : function->map->scheme,
		wm_stage_text(function->map->stage), function->map->graph.block_count);
	card(site, wm_story_status(function), text);
	fputs("</div>\n", site->out);
}

static void function_page(struct site *site, const struct wm_story_function *function, size_t number)
{
	char name[32];
	snprintf(name, sizeof name, "f/%zu.html", number);
	open_page(site, name);
	begin_html(site, function->display, "../");
	fputs("<p><a href=\"../index.html\">&larr; all functions</a></p>\n<h1 class=\"mono\" style=\"font-size:20px\">",
		site->out);
	escape(site->out, function->display);
	fputs("</h1><p class=\"sub\">", site->out);
	place_text(site, function);
	fputs("</p>\n", site->out);
	function_cards(site, function);
	balance_note(site, &function->balance);
	fputs("<h2>Paths, hottest first</h2>\n", site->out);
	for (size_t i = 0; i < function->ran_count && i < DETAILED_PATHS; i++)
		path_details(site, function, i);
	rest_of_paths(site, function);
	end_html(site);
	close_page(site);
}

/* The index */

static void index_cards(struct site *site)
{
	const struct wm_story *story = site->story;
	char text[128];
	fputs("<div class=\"cards\">", site->out);
	card(site, wm_thousands(story->executions), "path executions");
	snprintf(text, sizeof text, "of %s functions ran", wm_thousands(story->function_count));
	card(site, wm_thousands(story->functions_ran), text);
	snprintf(text, sizeof text, "of %s possible paths ran", total_possible(story));
	card(site, wm_thousands(story->paths_ran), text);
	card(site, wm_thousands(story->profile->runs), story->profile->runs == 1 ? "raw profile" : "raw profiles");
	fputs("</div>\n", site->out);
}

static void index_notes(struct site *site)
{
	for (size_t i = 0; i < site->story->note_count; i++) {
		fputs("<p class=\"note\">", site->out);
		escape(site->out, site->story->note[i]);
		fputs("</p>\n", site->out);
	}
	if (!site->story->refused_count)
		return;
	fprintf(site->out,
		"<details class=\"note refused\"%s><summary>%zu refused, because the counts would not be "
		"exact</summary><ul>",
		site->story->refused_count <= 5 ? " open" : "", site->story->refused_count);
	for (size_t i = 0; i < site->story->refused_count; i++) {
		char *name = wm_demangle(site->story->refused[i].name);
		fputs("<li><code>", site->out);
		escape(site->out, name);
		fputs("</code>: ", site->out);
		escape(site->out, site->story->refused[i].reason);
		fputs("</li>\n", site->out);
		free(name);
	}
	fputs("</ul></details>\n", site->out);
}

static void index_status(struct site *site, const struct wm_story_function *function)
{
	const char *reason = wm_story_reason(function);
	const char *style = function->state == WM_STORY_REFUSED ? "tag bad"
			    : function->map->status == WM_EXACT ? "tag"
								: "tag false";
	fprintf(site->out, "<td><span class=\"%s\" title=\"", style);
	escape(site->out, reason);
	fprintf(site->out, "\">%s</span></td>", wm_story_status(function));
}

static void index_name(struct site *site, const struct wm_story_function *function, size_t number)
{
	bool ran = function->state == WM_STORY_RAN;
	fputs("<td class=\"name\">", site->out);
	if (ran)
		fprintf(site->out, "<a href=\"f/%zu.html\">", number);
	fputs("<code>", site->out);
	escape(site->out, function->display);
	fprintf(site->out, "</code>%s<small>", ran ? "</a>" : "");
	place_text(site, function);
	if (function->state == WM_STORY_SKIPPED || function->state == WM_STORY_REFUSED) {
		fputs(" &middot; ", site->out);
		escape(site->out, wm_story_reason(function));
	}
	fputs("</small></td>", site->out);
}

static void index_row(struct site *site, const struct wm_story_function *function, size_t number)
{
	bool ran = function->state == WM_STORY_RAN, told = ran || function->state == WM_STORY_IDLE;
	double share = wm_share(function->executions, site->story->executions);
	fprintf(site->out, "<tr%s><td data-key=\"%.9f\">", ran ? " data-ran=\"1\"" : "", share);
	if (ran)
		share_bar(site, share);
	else
		fprintf(site->out, "<span class=\"soft\">%s</span>", told ? "never ran" : "");
	fputs("</td>", site->out);
	fprintf(site->out, "<td class=\"num\" data-key=\"%" PRIu64 "\">%s</td>", function->executions,
		told ? wm_thousands(function->executions) : "");
	fprintf(site->out, "<td class=\"num\" data-key=\"%" PRIu64 "\">%s</td>", function->balance.entries,
		told ? wm_thousands(function->balance.entries) : "");
	fprintf(site->out, "<td class=\"num\" data-key=\"%zu\">%s</td>", function->ran_count,
		told ? wm_thousands(function->ran_count) : "");
	fprintf(site->out, "<td class=\"num\" data-key=\"%.4f\">%s</td>", function->log10_paths,
		told ? possible_markup(function) : "");
	index_status(site, function);
	index_name(site, function, number);
	fputs("</tr>\n", site->out);
}

static void index_page(struct site *site)
{
	static const char *const heads[] = {
		"Share", "Executions", "Entries", "Paths ran", "Possible", "Status", "Function"};
	open_page(site, "index.html");
	begin_html(site, "Waymark report", "");
	fputs("<h1>Which paths ran</h1><p class=\"sub\">", site->out);
	for (size_t i = 0; i < site->story->object_count; i++) {
		fputs(i ? ", " : "", site->out);
		escape(site->out, site->story->object[i].path);
	}
	fputs("</p>\n", site->out);
	index_cards(site);
	index_notes(site);
	fputs("<div class=\"tools\"><input id=\"search\" type=\"search\" placeholder=\"Find functions by name, file or "
	      "status\" aria-label=\"Find functions\">"
	      "<label><input id=\"idle\" type=\"checkbox\" checked> also those that never ran</label><span "
	      "id=\"shown\" class=\"soft\"></span></div>\n"
	      "<div class=\"wide\"><table class=\"functions\"><thead><tr>",
		site->out);
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
		fprintf(site->out, "<th aria-sort=\"%s\"%s><button>%s</button></th>", i ? "none" : "descending",
			i >= 1 && i <= 4 ? " class=\"num\"" : "", heads[i]);
	fputs("</tr></thead><tbody>\n", site->out);
	for (size_t i = 0; i < site->story->function_count; i++)
		if (wm_report_wants(&site->story->function[i], site->options))
			index_row(site, &site->story->function[i], i);
	fputs("</tbody></table></div>\n<script src=\"script.js\"></script>\n", site->out);
	end_html(site);
	close_page(site);
}

static void asset(struct site *site, const char *name, const char *text)
{
	open_page(site, name);
	fputs(text, site->out);
	close_page(site);
}

/* The directory */

static const char marker[] = "waymark-report";

static bool is_ours_or_empty(const char *directory)
{
	size_t others = 0;
	bool marked = false;
	DIR *entries = opendir(directory);
	if (!entries)
		return false;
	for (struct dirent *entry; (entry = readdir(entries));) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		marked |= strcmp(entry->d_name, marker) == 0;
		others++;
	}
	closedir(entries);
	return marked || !others;
}

static void remove_pages(int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *entries = fd >= 0 ? fdopendir(fd) : NULL;
	if (!entries)
		return;
	for (struct dirent *entry; (entry = readdir(entries));)
		if (entry->d_type != DT_DIR)
			unlinkat(fd, entry->d_name, 0);
	closedir(entries);
	unlinkat(parent, name, AT_REMOVEDIR);
}

static void remove_report(const char *directory)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	remove_pages(fd, "f");
	close(fd);
	remove_pages(AT_FDCWD, directory);
}

static char *target_directory(const char *name)
{
	char *real = realpath(name, NULL);
	if (real) {
		struct stat info;
		if (stat(real, &info) == 0 && !S_ISDIR(info.st_mode))
			wm_fail("%s is not a directory", name);
		if (!is_ours_or_empty(real))
			wm_fail("%s holds other files than a Waymark report; choose an empty or new directory", name);
		return real;
	}
	char *plain = wm_xstrdup(name);
	for (size_t length = strlen(plain); length > 1 && plain[length - 1] == '/'; length--)
		plain[length - 1] = 0;
	return plain;
}

static void begin_site(struct site *site, const char *target)
{
	char *pages;
	site->directory = wm_xprintf("%s.XXXXXX", target);
	mode_t mask = umask(0);
	umask(mask);
	if (!mkdtemp(site->directory) || chmod(site->directory, 0777 & ~mask) != 0)
		wm_fail("cannot make a directory beside %s: %s", target, strerror(errno));
	pages = wm_xprintf("%s/f", site->directory);
	if (mkdir(pages, 0777) != 0)
		wm_fail("cannot make %s: %s", pages, strerror(errno));
	free(pages);
}

static void put_in_place(struct site *site, const char *target)
{
	if (rename(site->directory, target) == 0)
		return;
	if (renameat2(AT_FDCWD, site->directory, AT_FDCWD, target, RENAME_EXCHANGE) != 0)
		wm_fail("cannot put the report at %s: %s; it is in %s", target, strerror(errno), site->directory);
	remove_report(site->directory);
}

void wm_report_html(const struct wm_story *story, const struct wm_report_options *options)
{
	struct site site = {.story = story, .options = options};
	char *target = target_directory(options->html);
	site.sources = (struct wm_sources){.directory = options->source_dir, .off = options->no_source};
	begin_site(&site, target);
	asset(&site, "style.css", wm_html_style);
	asset(&site, "script.js", wm_html_script);
	asset(&site, marker, "Written by `waymark report --html`, which replaces this directory.\n");
	for (size_t i = 0; i < story->function_count; i++) {
		wm_progress("writing pages", i, story->function_count);
		if (story->function[i].state == WM_STORY_RAN && wm_report_wants(&story->function[i], options))
			function_page(&site, &story->function[i], i);
	}
	wm_progress_end();
	index_page(&site);
	put_in_place(&site, target);
	wm_sources_release(&site.sources);
	wm_steps_release(&site.steps);
	free(site.directory);
	free(target);
}
