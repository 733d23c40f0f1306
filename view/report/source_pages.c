/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "view/report/source_pages.h"
#include "core/base/search.h"
#include "support/fail.h"
#include "support/progress.h"
#include "support/xalloc.h"
#include "view/report/page_data.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int wm_source_page_number(const struct wm_annotated *annotated, const struct wm_story_function *function, uint32_t file)
{
	if (file >= function->module->file_count)
		return -1;
	char *name = wm_absolute_file(function->module, file);
	const struct wm_annotated_file *found = wm_annotated_find(annotated, name);
	free(name);
	return found ? (int)(found - annotated->file) : -1;
}

/* ---- The tree of directories -------------------------------------------------------------------- */

static void number_cell(struct wm_document *d, uint64_t part, uint64_t whole)
{
	fprintf(d->out, "<td class=\"num\" data-key=\"%" PRIu64 "\">%s<span class=\"soft\">/%s</span></td>", part,
		wm_thousands(part), wm_thousands(whole));
}

static const char *possible_text(double paths, char text[32])
{
	if (paths < 0x1p53)
		return wm_thousands_print((uint64_t)paths, text);
	snprintf(text, 32, "10^%.1f", log10(paths));
	return text;
}

static void share_cell(struct wm_document *d, uint64_t part, uint64_t whole)
{
	fprintf(d->out, "<td data-key=\"%.6f\">", whole ? wm_share(part, whole) : -1);
	if (whole)
		wm_html_share(d, wm_share(part, whole));
	fputs("</td>", d->out);
}

static void sum_cells(struct wm_document *d, const struct wm_file_sums *sums)
{
	char text[32];
	share_cell(d, sums->lines_ran, sums->lines);
	number_cell(d, sums->lines_ran, sums->lines);
	number_cell(d, sums->blocks_ran, sums->blocks);
	fprintf(d->out, "<td class=\"num\" data-key=\"%" PRIu64 "\">%s</td>", sums->half, wm_thousands(sums->half));
	fprintf(d->out, "<td class=\"num\" data-key=\"%" PRIu64 "\">%s<span class=\"soft\">/%s</span></td>",
		sums->paths_ran, wm_thousands(sums->paths_ran), possible_text(sums->paths_possible, text));
	fprintf(d->out, "<td class=\"num\" data-key=\"%" PRIu64 "\">%s</td></tr>\n", sums->executions,
		wm_thousands(sums->executions));
}

/* The file names of the tree, in its order. */
struct tree {
	const struct wm_annotated *annotated;
	char **name; /* short names, per file */
};

static bool is_in(const char *name, const char *directory, size_t length)
{
	return strncmp(name, directory, length) == 0 && name[length] == '/';
}

/* The row of a directory, which is the first `length` bytes of a name. */
static void directory_row(
	struct wm_document *d, const struct tree *tree, const char *name, size_t length, unsigned depth)
{
	struct wm_file_sums sums = {0};
	size_t own = length;
	char *text = wm_xprintf("%.*s", (int)length, name);
	for (size_t i = 0; i < tree->annotated->file_count; i++)
		if (is_in(tree->name[i], name, length))
			wm_file_sums_add(&sums, &tree->annotated->file[i].sums);
	while (depth && own && text[own - 1] != '/')
		own--;
	fprintf(d->out, "<tr class=\"dir\" data-depth=\"%u\"><td class=\"name\" style=\"padding-left:%uem\">", depth,
		depth + 1);
	wm_html_print(d->out, "<code>%s/</code></td>", *text ? text + (depth ? own : 0) : "");
	sum_cells(d, &sums);
	free(text);
}

/* Rows of the directories of a name that the name before it does not have. */
static unsigned directory_rows(struct wm_document *d, const struct tree *tree, const char *before, const char *name)
{
	unsigned depth = 0;
	for (const char *slash = strchr(*name == '/' ? name + 1 : name, '/'); slash; slash = strchr(slash + 1, '/')) {
		size_t length = (size_t)(slash - name);
		bool lone = true;
		/* A directory with only one entry, which is a directory, is told with that one. */
		for (size_t i = 0; i < tree->annotated->file_count && lone; i++)
			if (is_in(tree->name[i], name, length)) {
				const char *next = strchr(slash + 1, '/');
				lone = next && is_in(tree->name[i], name, (size_t)(next - name));
			}
		if (lone)
			continue;
		if (!before || !is_in(before, name, length))
			directory_row(d, tree, name, length, depth);
		depth++;
	}
	return depth;
}

static void file_row(struct wm_document *d, const struct tree *tree, size_t index, unsigned depth)
{
	const struct wm_annotated_file *file = &tree->annotated->file[index];
	const char *slash = depth ? strrchr(tree->name[index], '/') : NULL;
	fprintf(d->out, "<tr data-ran=\"%d\" data-depth=\"%u\"><td class=\"name\" style=\"padding-left:%uem\">",
		file->sums.lines_ran != 0, depth, depth + 1);
	fprintf(d->out, "<a href=\"s/%zu.html\">", index);
	wm_html_print(d->out, "<code title=\"%s\">%s</code></a></td>", tree->name[index],
		slash ? slash + 1 : tree->name[index]);
	sum_cells(d, &file->sums);
}

void wm_source_tree(struct wm_document *d, const struct wm_annotated *annotated)
{
	static const char *const heads[] = {
		"File", "Lines run", "Lines", "Blocks", "Half-taken", "Paths", "Executions"};
	struct tree tree = {annotated, wm_xmalloc((annotated->file_count + 1) * sizeof *tree.name)};
	for (size_t i = 0; i < annotated->file_count; i++)
		tree.name[i] = wm_xstrdup(wm_short_file(annotated->file[i].name));
	if (annotated->file_count) {
		fputs("<h2>Source files</h2>\n<div class=\"wide\"><table class=\"tree sortable\"><thead><tr>", d->out);
		for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
			fprintf(d->out, "<th aria-sort=\"%s\"%s><button>%s</button></th>", i ? "none" : "ascending",
				i > 1 ? " class=\"num\"" : "", heads[i]);
		fputs("</tr></thead><tbody>\n", d->out);
	}
	for (size_t i = 0; i < annotated->file_count; i++)
		file_row(d, &tree, i, directory_rows(d, &tree, i ? tree.name[i - 1] : NULL, tree.name[i]));
	if (annotated->file_count)
		fputs("</tbody></table></div>\n<p class=\"soft\">A decision is half-taken if it was reached and one of "
		      "its outcomes "
		      "was never taken. Paths: those that ran, of those that are possible.</p>\n<h2>Functions</h2>\n",
			d->out);
	for (size_t i = 0; i < annotated->file_count; i++)
		free(tree.name[i]);
	free(tree.name);
}

/* ---- The page of a file ---------------------------------------------------------------------------- */

/* The text, as one string. */
static json_t *text_json(struct wm_document *d, const struct wm_annotated_file *file)
{
	char *text = NULL;
	size_t size = 0, length;
	const char *line;
	FILE *all = open_memstream(&text, &size);
	if (!all)
		wm_no_memory();
	for (uint32_t number = 1; (line = wm_annotated_text(&d->sources, file, number, &length)); number++) {
		fwrite(line, 1, length, all);
		fputc('\n', all);
	}
	if (fclose(all))
		wm_no_memory();
	for (size_t i = 0; i < size; i++)
		text[i] = text[i] ? text[i] : ' ';
	json_t *value = wm_data_text(text);
	free(text);
	return value;
}

/* LINE, COUNT pairs; the count is -1 if it is not known whether the line ran, and -2 if it was not counted. */
static json_t *lines_json(const struct wm_annotated_file *file)
{
	json_t *list = wm_json_checked(json_array());
	for (size_t i = 0; i < file->line_count; i++) {
		const struct wm_line *line = &file->line[i];
		wm_data_add(list, line->line);
		if (line->state == WM_LINE_MAYBE || line->state == WM_LINE_UNCOUNTED)
			wm_data_add(list, line->state == WM_LINE_MAYBE ? -1 : -2);
		else
			json_array_append_new(list, wm_data_count(line->count));
	}
	return list;
}

/* [LINE, CONDITION, HALF-TAKEN, OUTCOME, COUNT...]; a count is -1 if it is not known. */
static json_t *decision_json(const struct wm_line_decision *decision)
{
	json_t *list = wm_json_checked(json_pack("[I, o, i]", (json_int_t)decision->covered->line,
		wm_data_text(decision->condition), decision->half ? 1 : 0));
	for (uint32_t i = 0; i < decision->covered->outcome_count; i++) {
		const struct wm_outcome *outcome = &decision->outcome[i];
		json_array_append_new(list, wm_data_text(outcome->text));
		json_array_append_new(list, outcome->maybe ? json_integer(-1) : wm_data_count(outcome->count));
	}
	return list;
}

/* PAGE of f/PAGE.html; -1: the function has none. */
static json_int_t page_of(struct wm_document *d, const struct wm_story *story, const struct wm_story_function *function)
{
	bool paged = function && function->state == WM_STORY_RAN;
	return paged ? (json_int_t)wm_html_function_page(d, function, (size_t)(function - story->function)) : -1;
}

/* [LINE, CALLEE, FUNCTION, COUNT, PAGE]; the page is -1 if it has none. */
static json_t *call_json(struct wm_document *d, const struct wm_story *story, const struct wm_line_call *call)
{
	char *name = call->target || !call->callee ? NULL : wm_demangle(call->callee);
	json_t *list = wm_json_checked(json_pack("[I, o, I, o, I]", (json_int_t)call->line,
		wm_data_text(call->target ? call->target->brief
			     : name	  ? name
					  : ""),
		(json_int_t)(call->target ? call->target - story->function : -1), wm_data_count(call->count),
		page_of(d, story, call->target)));
	free(name);
	return list;
}

/* The lines of a function in a file; first 0: it is defined there, and has no code. */
struct extent {
	uint32_t page, function, first, last;
};

struct extents {
	size_t count;
	struct extent *extent; /* by page, then by function */
	const struct wm_map_module *module; /* of which the pages are known */
	int *page; /* per file of it */
};

static int by_module(const void *left, const void *right, void *story)
{
	const struct wm_story_function *function = ((const struct wm_story *)story)->function;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	if (function[a].module != function[b].module)
		return function[a].module < function[b].module ? -1 : 1;
	return (a > b) - (a < b);
}

static int by_page(const void *left, const void *right)
{
	const struct extent *a = left, *b = right;
	if (a->page != b->page)
		return a->page < b->page ? -1 : 1;
	return (a->function > b->function) - (a->function < b->function);
}

static void find_pages(
	struct extents *extents, const struct wm_annotated *annotated, const struct wm_story_function *function)
{
	if (extents->module == function->module)
		return;
	extents->module = function->module;
	extents->page = wm_xrealloc(extents->page, function->module->file_count + (size_t)1, sizeof *extents->page);
	for (uint32_t f = 0; f < function->module->file_count; f++)
		extents->page[f] = wm_source_page_number(annotated, function, f);
}

/* Extends the extent of a function in the file of a line; those of the function begin at `own`. */
static void extend(struct extents *extents, size_t own, uint32_t function, const struct wm_map_line *line, bool code)
{
	int page = line->line && line->file < extents->module->file_count ? extents->page[line->file] : -1;
	size_t at = own;
	if (page < 0)
		return;
	while (at < extents->count && extents->extent[at].page != (uint32_t)page)
		at++;
	if (at == extents->count) {
		WM_XGROW(extents->extent, extents->count);
		extents->extent[extents->count++] = (struct extent){(uint32_t)page, function, 0, 0};
	}
	struct extent *extent = &extents->extent[at];
	if (code && (!extent->first || line->line < extent->first))
		extent->first = line->line;
	if (code && line->line > extent->last)
		extent->last = line->line;
}

static void find_extents(struct extents *extents, const struct wm_annotated *annotated, uint32_t number)
{
	const struct wm_story_function *function = &annotated->story->function[number];
	const struct wm_map_function *map = function->map;
	size_t own = extents->count;
	find_pages(extents, annotated, function);
	extend(extents, own, number, &(struct wm_map_line){map->file, map->line, 0}, false);
	for (uint32_t b = 0; map->block && b < map->graph.block_count; b++) {
		for (uint32_t i = 0; i < map->block[b].line_count; i++)
			extend(extents, own, number, &map->block[b].line[i], true);
		extend(extents, own, number, &map->block[b].decision, true);
	}
}

static void extents_make(struct extents *extents, const struct wm_annotated *annotated)
{
	const struct wm_story *story = annotated->story;
	uint32_t *order = wm_xmalloc((story->function_count + 1) * sizeof *order);
	*extents = (struct extents){0};
	for (size_t i = 0; i < story->function_count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, story->function_count, sizeof *order, by_module, (void *)story);
	for (size_t i = 0; i < story->function_count; i++)
		if (!wm_in_system_header(&story->function[order[i]]))
			find_extents(extents, annotated, order[i]);
	if (extents->count)
		qsort(extents->extent, extents->count, sizeof *extents->extent, by_page);
	free(extents->page);
	free(order);
}

/* [NUMBER, NAME, LINE, FIRST, LAST, ENTRIES, RAN, POSSIBLE, STATE, PAGE or -1] */
static json_t *function_json(struct wm_document *d, const struct wm_annotated *annotated, const struct extent *extent)
{
	const struct wm_story_function *function = &annotated->story->function[extent->function];
	const struct wm_flow *flow = &annotated->flows.flow[extent->function];
	bool defined = wm_source_page_number(annotated, function, function->map->file) == (int)extent->page;
	const char *doubt = wm_flow_doubt(flow);
	return wm_json_checked(json_pack("[I, o, I, I, I, o, I, o, o, I]", (json_int_t)extent->function,
		wm_data_text(function->brief), (json_int_t)(defined ? function->map->line : 0),
		(json_int_t)extent->first, (json_int_t)extent->last, wm_data_count(flow->ran.entries),
		(json_int_t)function->ran_count, wm_data_text(wm_possible_text(function)),
		wm_data_text(doubt ? doubt : ""), page_of(d, annotated->story, function)));
}

static json_t *functions_json(
	struct wm_document *d, const struct wm_annotated *annotated, const struct extents *extents, size_t page)
{
	json_t *list = wm_json_checked(json_array());
	size_t at;
	WM_LOWER_BOUND(at, 0, extents->count, extents->extent[at].page < page);
	for (; at < extents->count && extents->extent[at].page == page; at++)
		json_array_append_new(list, function_json(d, annotated, &extents->extent[at]));
	return list;
}

static void write_data(
	struct wm_document *d, const struct wm_annotated *annotated, const struct extents *extents, size_t page)
{
	const struct wm_annotated_file *file = &annotated->file[page];
	json_t *decisions = wm_json_checked(json_array()), *calls = wm_json_checked(json_array());
	char name[32];
	snprintf(name, sizeof name, "s/%zu.js", page);
	for (size_t i = 0; i < file->decision_count; i++)
		json_array_append_new(decisions, decision_json(&file->decision[i]));
	for (size_t i = 0; i < file->call_count; i++)
		json_array_append_new(calls, call_json(d, annotated->story, &file->call[i]));
	wm_data_write(d, name,
		wm_json_checked(json_pack("{s:I, s:o, s:o, s:o, s:o, s:o}", "source", (json_int_t)page, "text",
			text_json(d, file), "lines", lines_json(file), "decisions", decisions, "calls", calls,
			"functions", functions_json(d, annotated, extents, page))));
}

static void write_page(struct wm_document *d, const struct wm_annotated *annotated, size_t page)
{
	const struct wm_annotated_file *file = &annotated->file[page];
	const struct wm_file_sums *sums = &file->sums;
	char name[32];
	snprintf(name, sizeof name, "s/%zu.html", page);
	wm_html_page(d, name, wm_short_file(file->name));
	wm_html_print(d->out,
		"<p><a href=\"../index.html\">&larr; all files and functions</a></p>\n<h1 class=\"mono\" "
		"style=\"font-size:20px\">%s</h1>\n",
		wm_short_file(file->name));
	fputs("<p class=\"sub\">", d->out);
	wm_print_lines_ran(d->out, sums);
	fprintf(d->out, " &middot; %s of %s decisions reached, %s half-taken &middot; %s of %s functions ran</p>\n",
		wm_thousands(sums->reached), wm_thousands(sums->decisions), wm_thousands(sums->half),
		wm_thousands(sums->functions_ran), wm_thousands(sums->functions));
	wm_html_note_missing(d, file->given, 1);
	fprintf(d->out,
		"<div id=\"source\" data-number=\"%zu\"></div>\n<noscript><p class=\"note\">This page needs "
		"JavaScript; "
		"<code>waymark report --source</code> prints the same.</p></noscript>\n",
		page);
	wm_html_script(d, "../", "paths.js");
	wm_html_script(d, "../", "source.js");
}

void wm_source_pages(struct wm_document *d, const struct wm_annotated *annotated)
{
	struct extents extents;
	extents_make(&extents, annotated);
	for (size_t i = 0; i < annotated->file_count; i++) {
		wm_progress("writing source files", i, annotated->file_count);
		write_data(d, annotated, &extents, i);
		write_page(d, annotated, i);
	}
	free(extents.extent);
	wm_progress_end();
}
