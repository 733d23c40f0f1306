/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * f/NUMBER.js: what the scripts of the pages know of function NUMBER.  It is a call of waymark() with one JSON object, which
 * view/document/assets/paths.js describes.  A page loads it when it needs it; a page that was opened as a file cannot load JSON.
 */
#include "analysis/suite/takers.h"
#include "view/report/source_pages.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A number that JavaScript can hold exactly, or a string. */
void wm_data_count(uint64_t count, FILE *out)
{
	fprintf(out, count < (uint64_t)1 << 53 ? "%" PRIu64 : "\"%" PRIu64 "\"", count);
}

void wm_data_text(const char *text, FILE *out)
{
	char *printable = wm_printable(text);
	wm_json_dump(wm_json_text(printable), out, JSON_ENCODE_ANY | JSON_COMPACT);
	free(printable);
}

/* ---- Blocks ------------------------------------------------------------------------------------- */

/* The lines of a block: numbers in the file of the function, [FILE, LINE] elsewhere. */
static void put_lines(
	const struct wm_annotated *annotated, const struct wm_story_function *body, uint32_t block, FILE *out)
{
	const struct wm_map_block *info = &body->map->block[block];
	const char *separator = "";
	fputc('[', out);
	for (uint32_t i = 0; i <= info->line_count; i++) {
		const struct wm_map_line *line = i < info->line_count ? &info->line[i] : &info->decision;
		bool again = i == info->line_count && i && info->line[i - 1].file == line->file &&
			     info->line[i - 1].line == line->line;
		if (!line->line || line->file >= body->module->file_count || again)
			continue;
		if (line->file == body->map->file)
			fprintf(out, "%s%u", separator, line->line);
		else
			fprintf(out, "%s[%d,%u]", separator, wm_source_page_number(annotated, body, line->file),
				line->line);
		separator = ",";
	}
	fputc(']', out);
}

/* [TO, OUTCOME, COUNT] per edge of a block that decides something; 0 if it decides nothing. */
static void put_outcomes(const struct wm_flow *flow, uint32_t block, struct wm_sources *sources, FILE *out)
{
	const struct wm_graph *graph = &flow->function->map->graph;
	uint32_t first = graph->first_edge[block], end = graph->first_edge[block + 1];
	fputc('[', out);
	for (uint32_t e = first; e < end; e++) {
		struct wm_decision decision = {0};
		char text[WM_CONDITION_MAX + WM_OUTCOME_MAX];
		wm_decision_tell(&decision, flow->function, block, e, sources);
		fprintf(out, "%s[%u,", e > first ? "," : "", graph->edge_to[e]);
		wm_data_text(decision.outcome[0] ? wm_decision_text(&decision, text) : "", out);
		fputc(',', out);
		if (wm_flow_edge_maybe(flow, e))
			fputs("-1", out);
		else
			wm_data_count(flow->known ? flow->ran.edge[e] : 0, out);
		fputc(']', out);
	}
	fputc(']', out);
}

static void put_blocks(
	const struct wm_annotated *annotated, const struct wm_flow *flow, struct wm_sources *sources, FILE *out)
{
	const struct wm_map_function *map = flow->function->map;
	fputs("\"blocks\":[", out);
	for (uint32_t b = 0; b < map->graph.block_count; b++) {
		fputs(b ? ",\n[" : "[", out);
		if (flow->known && wm_flow_block_maybe(flow, b))
			fputs("-1", out);
		else
			wm_data_count(flow->known ? wm_flow_entered(flow, b) : 0, out);
		fputc(',', out);
		put_lines(annotated, flow->function, b, out);
		fprintf(out, ",%u,", map->block[b].decision.line);
		put_outcomes(flow, b, sources, out);
		fputc(']', out);
	}
	fputs("]", out);
}

/* ---- Text --------------------------------------------------------------------------------------- */

static int by_place(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;
	return (*a > *b) - (*a < *b);
}

/* The lines of the blocks of a function: FILE, LINE, TEXT for each. */
static void put_text(struct wm_document *d, const struct wm_annotated *annotated,
	const struct wm_story_function *function, FILE *out, const char **separator)
{
	const struct wm_map_function *map = function->map;
	uint64_t *place = NULL, before = 0;
	size_t count = 0, length;
	for (uint32_t b = 0; b < map->graph.block_count; b++)
		for (uint32_t i = 0; i <= map->block[b].line_count; i++) {
			const struct wm_map_line *line =
				i < map->block[b].line_count ? &map->block[b].line[i] : &map->block[b].decision;
			int page = line->line ? wm_source_page_number(annotated, function, line->file) : -1;
			if (page < 0)
				continue;
			WM_XGROW(place, count);
			place[count++] = (uint64_t)page << 32 | line->line;
		}
	if (count)
		qsort(place, count, sizeof *place, by_place);
	for (size_t i = 0; i < count; before = place[i++]) {
		const struct wm_annotated_file *file = &annotated->file[place[i] >> 32];
		const char *text =
			place[i] == before ? NULL : wm_annotated_text(&d->sources, file, (uint32_t)place[i], &length);
		if (!text)
			continue;
		char *line = wm_xprintf("%.*s", (int)length, text);
		fprintf(out, "%s%" PRIu64 ",%" PRIu32 ",", *separator, place[i] >> 32, (uint32_t)place[i]);
		wm_data_text(line, out);
		*separator = ",";
		free(line);
	}
	free(place);
}

/* ---- Paths -------------------------------------------------------------------------------------- */

/* The other functions that the paths of a function enter, by index in the unit. */
struct guests {
	uint32_t *number; /* per function of the unit: plus 1; 0: none yet */
	size_t count;
	const struct wm_story_function **guest;
};

static size_t guest_number(struct guests *guests, const struct wm_story_function *const *body, uint32_t function)
{
	if (!guests->number[function]) {
		WM_XGROW(guests->guest, guests->count);
		guests->guest[guests->count++] = body[function];
		guests->number[function] = (uint32_t)guests->count;
	}
	return guests->number[function] - 1;
}

/* How many blocks the context of a path has. */
static uint32_t blocks_before(const struct wm_trail *trail)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < trail->fresh; i++)
		count += trail->step[i].kind == WM_TRAIL_BLOCK;
	return count;
}

/* [ID, COUNT, START, END, TO, FRESH, STEP...]; a step is a block, or [GUEST, BLOCK]. */
static void put_path(
	const struct wm_story_function *function, const struct wm_story_path *path, struct guests *guests, FILE *out)
{
	const struct wm_story_function *const *body = wm_story_bodies(&function);
	struct wm_trail trail;
	struct wm_arena arena;
	wm_arena_init(&arena);
	wm_story_decode(function, path->id, &trail, &arena);
	const struct wm_trail_step *last = &trail.step[trail.last];
	int64_t to = last->edge == WM_NONE ? -1 : (int64_t)body[last->function]->map->graph.edge_to[last->edge];
	fputc('[', out);
	wm_data_count(path->id, out);
	fputc(',', out);
	wm_data_count(path->count, out);
	fprintf(out, ",%u,%u,%" PRId64 ",%u", trail.start, trail.end, to, blocks_before(&trail));
	for (uint32_t i = 0; i < trail.count; i++) {
		const struct wm_trail_step *step = &trail.step[i];
		if (step->kind != WM_TRAIL_BLOCK)
			continue;
		if (body[step->function] == function || !wm_story_crosses_calls(function))
			fprintf(out, ",%u", step->block);
		else
			fprintf(out, ",[%zu,%u]", guest_number(guests, body, step->function), step->block);
	}
	fputc(']', out);
	wm_arena_release(&arena);
}

static void put_paths(const struct wm_story_function *function, struct guests *guests, FILE *out)
{
	fprintf(out, ",\"ran\":%zu,\"paths\":[", function->ran_count);
	for (size_t i = 0; i < function->ran_count && i < WM_PAGE_PATHS; i++) {
		fputs(i ? ",\n" : "", out);
		put_path(function, &function->path[i], guests, out);
	}
	fputc(']', out);
}

/* ---- Tests -------------------------------------------------------------------------------------- */

/* Per path [NUMBER OF TESTS, TEST...], with indices of "tests"; a path of many tests names only the first. */
static void put_takers(const struct wm_takers *takers, const struct wm_story_function *function, FILE *out)
{
	enum { MOST = 12 };
	fputs(",\"tests\":[", out);
	for (size_t t = 0; t < takers->suite->test_count; t++) {
		fputs(t ? "," : "", out);
		wm_data_text(takers->suite->test[t].name, out);
	}
	fprintf(out, "],\"all\":%s,\"by\":[", wm_takers_complete(takers, function) ? "true" : "false");
	for (size_t i = 0; i < function->ran_count && i < WM_PAGE_PATHS; i++) {
		uint32_t path = wm_takers_path(takers, function, function->path[i].id), named = 0;
		fprintf(out, i ? ",[%u" : "[%u", path == WM_NONE ? 0 : takers->suite->path[path].tests);
		for (size_t t = 0; path != WM_NONE && t < takers->suite->test_count && named < MOST; t++)
			if (wm_suite_count(&takers->suite->test[t], path)) {
				fprintf(out, ",%zu", t);
				named++;
			}
		fputc(']', out);
	}
	fputc(']', out);
}

static void put_guests(
	const struct wm_annotated *annotated, const struct guests *guests, struct wm_sources *sources, FILE *out)
{
	fputs(",\"guests\":[", out);
	for (size_t i = 0; i < guests->count; i++) {
		const struct wm_flow flow = {.function = guests->guest[i]};
		fputs(i ? ",\n{\"name\":" : "{\"name\":", out);
		wm_data_text(guests->guest[i]->brief, out);
		fprintf(out, ",\"file\":%d,",
			wm_source_page_number(annotated, guests->guest[i], guests->guest[i]->map->file));
		put_blocks(annotated, &flow, sources, out);
		fputc('}', out);
	}
	fputc(']', out);
}

void wm_function_data(
	struct wm_document *d, const struct wm_annotated *annotated, size_t number, struct wm_drawings *drawings)
{
	const struct wm_story_function *function = &annotated->story->function[number];
	const struct wm_story_unit *unit = wm_story_unit_of(function);
	struct guests guests = {0};
	const char *separator = "";
	char name[32];
	guests.number =
		wm_xrealloc(NULL, (unit ? unit->binary->unit.function_count : 0) + (size_t)1, sizeof *guests.number);
	memset(guests.number, 0, ((unit ? unit->binary->unit.function_count : 0) + (size_t)1) * sizeof *guests.number);
	snprintf(name, sizeof name, "f/%zu.js", number);
	FILE *out = wm_html_data(d, name);
	fprintf(out, "waymark({\"number\":%zu,\"name\":", number);
	wm_data_text(function->brief, out);
	fprintf(out, ",\"file\":%d,\"executions\":", wm_source_page_number(annotated, function, function->map->file));
	wm_data_count(function->executions, out);
	fputc(',', out);
	put_blocks(annotated, &annotated->flows.flow[number], &d->sources, out);
	put_paths(function, &guests, out);
	put_guests(annotated, &guests, &d->sources, out);
	fputs(",\"text\":[", out);
	put_text(d, annotated, function, out, &separator);
	for (size_t i = 0; i < guests.count; i++)
		put_text(d, annotated, guests.guest[i], out, &separator);
	fputs("]", out);
	if (d->options->takers && !wm_story_crosses_calls(function))
		put_takers(d->options->takers, function, out);
	fputs(",\"graph\":", out);
	wm_drawing_write(drawings, annotated->story, number, out);
	fputs("});\n", out);
	wm_html_data_end(d);
	free(guests.guest);
	free(guests.number);
}
