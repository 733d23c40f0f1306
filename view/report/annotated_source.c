/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The annotated text of one source file. */
#include "view/report/annotated_source.h"
#include "support/fail.h"
#include "support/printable.h"
#include "view/document/json_elements.h"
#include "view/report/report.h"
#include <stdlib.h>
#include <string.h>

const char *wm_flow_doubt(const struct wm_flow *flow)
{
	if (flow->function->residual)
		return "only untested paths were counted";
	if (!flow->known)
		return "not counted";
	return flow->abandoned.count ? "what its abandoned paths did is not known" : NULL;
}

/* ---- Which file ------------------------------------------------------------------------------- */

enum { MOST_LISTED = 12 };

/* A list for a message, heap: the names that match, or all of them. */
static char *list_files(
	const struct wm_annotated *annotated, const struct wm_scope *scope, const struct wm_file_filter *filter)
{
	char *text = NULL;
	size_t size = 0, count = 0;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		wm_no_memory();
	for (size_t i = 0; i < annotated->file_count; i++) {
		if (filter && !wm_file_filter_passes(filter, scope, annotated->file[i].name))
			continue;
		if (count++ < MOST_LISTED)
			fprintf(out, "%s%s", count > 1 ? ", " : "", wm_short_file(annotated->file[i].name));
	}
	if (count > MOST_LISTED)
		fprintf(out, " and %zu more", count - MOST_LISTED);
	if (fclose(out))
		wm_no_memory();
	return text;
}

static struct wm_annotated_file *find_file(
	const struct wm_annotated *annotated, const struct wm_scope *scope, const char *wanted)
{
	const struct wm_file_filter filter = {.only = {1, {wanted}}};
	struct wm_annotated_file *found = NULL;
	size_t count = 0;
	for (size_t i = 0; i < annotated->file_count; i++)
		if (wm_file_filter_passes(&filter, scope, annotated->file[i].name)) {
			found = &annotated->file[i];
			count++;
		}
	if (count > 1)
		wm_fail("--source %s matches %zu files; name one of them: %s", wanted, count,
			list_files(annotated, scope, &filter));
	if (!count)
		wm_fail("no source file matches --source %s; the files with code are: %s", wanted,
			annotated->file_count ? list_files(annotated, scope, NULL)
					      : "none, because no debug information (-g) names them");
	return found;
}

void wm_report_source(const struct wm_story *story, const struct wm_report_options *options, FILE *out)
{
	struct wm_document document;
	struct wm_annotated annotated;
	wm_document_begin(&document, options, out);
	wm_annotate(&annotated, story, &options->filter);
	struct wm_annotated_file *file = find_file(&annotated, options->filter.scope, options->source);
	wm_annotate_decisions(&annotated, file, &document.sources);
	if (options->json)
		wm_source_json(file, out);
	else
		wm_source_text(&document, &annotated, file);
	wm_annotated_release(&annotated);
	if (!options->json)
		wm_document_end(&document);
}

/* ---- Text --------------------------------------------------------------------------------------- */

enum { COUNT_WIDTH = 15, LINE_WIDTH = 6 };

/* The position in the lists of a file while its lines are printed. */
struct cursor {
	const struct wm_annotated *annotated;
	const struct wm_annotated_file *file;
	size_t line, decision, function;
};

void wm_print_lines_ran(FILE *out, const struct wm_file_sums *sums)
{
	fprintf(out, "%s of %s lines with code ran (%.1f%%)", wm_thousands(sums->lines_ran), wm_thousands(sums->lines),
		wm_share(sums->lines_ran, sums->lines));
	if (sums->lines_unknown)
		fprintf(out, ", %s did not, %s are not known",
			wm_thousands(sums->lines - sums->lines_ran - sums->lines_unknown),
			wm_thousands(sums->lines_unknown));
}

static void print_sums(struct wm_document *d, const struct wm_annotated_file *file)
{
	const struct wm_file_sums *sums = &file->sums;
	fprintf(d->out, "%s%s%s: ", d->bold, wm_short_file(file->name), d->plain);
	wm_print_lines_ran(d->out, sums);
	fprintf(d->out, ", %s of %s decisions reached, %s of them half-taken\n", wm_thousands(sums->reached),
		wm_thousands(sums->decisions), wm_thousands(sums->half));
	fprintf(d->out, "%s! did not run   ~ an outcome was never taken   ? not known   # not counted%s\n\n", d->dim,
		d->plain);
}

static void print_function(struct wm_document *d, const struct wm_flow *flow)
{
	const struct wm_story_function *function = flow->function;
	const char *doubt = wm_flow_doubt(flow);
	fprintf(d->out, "%s%*s  %s", d->dim, COUNT_WIDTH + LINE_WIDTH + 4, "--", function->brief);
	if (flow->known && !function->residual)
		fprintf(d->out, ": %s entr%s", wm_thousands(function->balance.entries),
			function->balance.entries == 1 ? "y" : "ies");
	if (flow->known)
		fprintf(d->out, ", %s of %s paths ran", wm_thousands(function->ran_count), wm_possible_text(function));
	if (doubt)
		fprintf(d->out, "; %s%s%s", doubt, !flow->known && *wm_story_reason(function) ? ": " : "",
			flow->known ? "" : wm_story_reason(function));
	fprintf(d->out, "%s\n", d->plain);
}

static char mark_of(const struct wm_line *line, bool half)
{
	static const char marks[] = {
		[WM_LINE_RAN] = ' ', [WM_LINE_NEVER] = '!', [WM_LINE_MAYBE] = '?', [WM_LINE_UNCOUNTED] = '#'};
	return !line ? ' ' : half && line->state == WM_LINE_RAN ? '~' : marks[line->state];
}

static void print_line(
	struct wm_document *d, const struct cursor *c, const struct wm_line *line, uint32_t number, bool half)
{
	size_t length;
	const char *text = wm_annotated_text(&d->sources, c->file, number, &length);
	bool counted = line && (line->state == WM_LINE_RAN || line->state == WM_LINE_NEVER);
	char mark = mark_of(line, half);
	const char *colour = mark == ' ' ? "" : d->bad;
	fprintf(d->out, "%s%*s %c%s%s%*u%s  ", colour, COUNT_WIDTH, counted ? wm_thousands(line->count) : "", mark,
		*colour ? d->plain : "", d->dim, LINE_WIDTH, number, d->plain);
	if (line && line->state == WM_LINE_NEVER)
		fputs(d->bad, d->out);
	if (text)
		wm_document_source(d, text, length, COUNT_WIDTH + LINE_WIDTH + 4);
	fprintf(d->out, "%s\n", line && line->state == WM_LINE_NEVER ? d->plain : "");
}

static void print_decision(struct wm_document *d, const struct wm_line_decision *decision)
{
	fprintf(d->out, "%*s%s", COUNT_WIDTH + LINE_WIDTH + 6, "", d->dim);
	fprintf(d->out, "^ %s%s%s", decision->condition, *decision->condition ? ": " : "", d->plain);
	for (uint32_t i = 0; i < decision->covered->outcome_count; i++) {
		const struct wm_outcome *outcome = &decision->outcome[i];
		const char *colour = !outcome->count && !outcome->maybe && decision->half ? d->bad : "";
		bool plain = strcmp(outcome->text, "true") == 0 || strcmp(outcome->text, "false") == 0;
		fprintf(d->out, "%s%s%s%s %s%s", i ? ", " : "", colour, *outcome->text ? outcome->text : "otherwise",
			plain ? "" : ":", outcome->maybe ? "?" : wm_thousands(outcome->count), *colour ? d->plain : "");
	}
	fputc('\n', d->out);
}

/* Decisions of blocks that never ran would say only zeros. */
static bool is_printed(const struct wm_line_decision *decision)
{
	return decision->covered->reached;
}

static void print_at(struct wm_document *d, struct cursor *c, uint32_t number)
{
	const struct wm_annotated_file *file = c->file;
	const struct wm_line *line = NULL;
	bool half = false;
	size_t first = c->decision;
	while (c->function < file->function_count &&
		c->annotated->flows.flow[file->function[c->function]].function->map->line <= number)
		print_function(d, &c->annotated->flows.flow[file->function[c->function++]]);
	if (c->line < file->line_count && file->line[c->line].line == number)
		line = &file->line[c->line++];
	for (; c->decision < file->decision_count && file->decision[c->decision].covered->line == number; c->decision++)
		half |= file->decision[c->decision].half;
	print_line(d, c, line, number, half);
	for (size_t i = first; i < c->decision; i++)
		if (is_printed(&file->decision[i]))
			print_decision(d, &file->decision[i]);
}

/* The lines of the file; of a file that cannot be read, those that are annotated. */
void wm_source_text(struct wm_document *d, const struct wm_annotated *annotated, const struct wm_annotated_file *file)
{
	struct cursor cursor = {annotated, file, 0, 0, 0};
	size_t length;
	uint32_t number = 0;
	print_sums(d, file);
	while (wm_annotated_text(&d->sources, file, number + 1, &length))
		print_at(d, &cursor, ++number);
	while (cursor.line < file->line_count)
		print_at(d, &cursor, file->line[cursor.line].line);
	wm_document_take(d, "", number || d->sources.off ? NULL : wm_source_advice(&d->sources, file->given));
}

/* ---- JSON ----------------------------------------------------------------------------------------- */

static json_t *decision_json(const struct wm_line_decision *decision)
{
	json_t *outcomes = wm_json_checked(json_array());
	for (uint32_t i = 0; i < decision->covered->outcome_count; i++)
		json_array_append_new(outcomes,
			wm_json_checked(json_pack("{s:o, s:o}", "outcome", wm_json_text(decision->outcome[i].text),
				"count",
				decision->outcome[i].maybe ? json_null() : wm_json_count(decision->outcome[i].count))));
	const struct wm_covered_decision *covered = decision->covered;
	return wm_json_checked(json_pack("{s:i, s:i, s:o, s:i, s:o, s:b, s:o}", "line", (int)covered->line, "column",
		(int)covered->column, "function", wm_json_text(covered->function->map->name), "block",
		(int)covered->block, "condition", wm_json_text(decision->condition), "half_taken", decision->half,
		"outcomes", outcomes));
}

static json_t *line_json(const struct wm_line *line)
{
	bool counted = line->state == WM_LINE_RAN || line->state == WM_LINE_NEVER;
	return wm_json_checked(json_pack("{s:i, s:s, s:o}", "line", (int)line->line, "state",
		wm_line_state_text(line->state), "count", wm_json_count_if(counted, line->count)));
}

static json_t *call_json(const struct wm_line_call *call)
{
	return wm_json_checked(json_pack("{s:i, s:o, s:i, s:o, s:o}", "line", (int)call->line, "function",
		wm_json_text(call->caller->map->name), "block", (int)call->block, "callee",
		wm_json_optional(call->callee), "count", wm_json_count(call->count)));
}

static json_t *sums_json(const struct wm_file_sums *sums)
{
	return wm_json_checked(json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "lines",
		wm_json_count(sums->lines), "lines_ran", wm_json_count(sums->lines_ran), "lines_unknown",
		wm_json_count(sums->lines_unknown), "blocks", wm_json_count(sums->blocks), "blocks_ran",
		wm_json_count(sums->blocks_ran), "decisions", wm_json_count(sums->decisions), "decisions_reached",
		wm_json_count(sums->reached), "decisions_half_taken", wm_json_count(sums->half), "functions",
		wm_json_count(sums->functions), "functions_ran", wm_json_count(sums->functions_ran), "paths_ran",
		wm_json_count(sums->paths_ran)));
}

void wm_source_json(const struct wm_annotated_file *file, FILE *out)
{
	json_t *lines = wm_json_checked(json_array()), *decisions = wm_json_checked(json_array()),
	       *calls = wm_json_checked(json_array());
	for (size_t i = 0; i < file->line_count; i++)
		json_array_append_new(lines, line_json(&file->line[i]));
	for (size_t i = 0; i < file->decision_count; i++)
		json_array_append_new(decisions, decision_json(&file->decision[i]));
	for (size_t i = 0; i < file->call_count; i++)
		json_array_append_new(calls, call_json(&file->call[i]));
	wm_json_dump(wm_json_checked(json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "schema", "waymark.source/1", "file",
			     wm_json_text(file->name), "totals", sums_json(&file->sums), "lines", lines, "decisions",
			     decisions, "calls", calls)),
		out, JSON_COMPACT);
	fputc('\n', out);
}
