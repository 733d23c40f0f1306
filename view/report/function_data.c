/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * f/PAGE.js: what the scripts of the pages know of the functions of f/PAGE.html.  Each function is a call of waymark() with one JSON
 * object, which view/document/assets/paths.js describes.  A page loads it when it needs it; a page that was opened as a file cannot
 * load JSON.
 */
#include "analysis/suite/takers.h"
#include "support/xalloc.h"
#include "view/report/page_data.h"
#include "view/report/source_pages.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* -1: it is not known whether it ran. */
static json_t *count_json(bool known, bool maybe, uint64_t count)
{
	return maybe ? json_integer(-1) : wm_data_count(known ? count : 0);
}

/* ---- Blocks ------------------------------------------------------------------------------------- */

/* The lines of a block: numbers in the file of the function, [FILE, LINE] elsewhere. */
static json_t *lines_json(const struct wm_annotated *annotated, const struct wm_story_function *body, uint32_t block)
{
	const struct wm_map_block *info = &body->map->block[block];
	json_t *list = wm_json_checked(json_array());
	for (uint32_t i = 0; i <= info->line_count; i++) {
		const struct wm_map_line *line = i < info->line_count ? &info->line[i] : &info->decision;
		bool again = i == info->line_count && i && info->line[i - 1].file == line->file &&
			     info->line[i - 1].line == line->line;
		if (!line->line || line->file >= body->module->file_count || again)
			continue;
		if (line->file == body->map->file)
			wm_data_add(list, line->line);
		else
			json_array_append_new(list,
				wm_json_checked(json_pack("[i, I]", wm_source_page_number(annotated, body, line->file),
					(json_int_t)line->line)));
	}
	return list;
}

/* [TO, OUTCOME, COUNT] per edge of a block that decides something; empty if it decides nothing. */
static json_t *outcomes_json(const struct wm_flow *flow, uint32_t block, struct wm_sources *sources)
{
	const struct wm_graph *graph = &flow->function->map->graph;
	json_t *list = wm_json_checked(json_array());
	for (uint32_t e = graph->first_edge[block]; e < graph->first_edge[block + 1]; e++) {
		struct wm_decision decision = {0};
		char text[WM_CONDITION_MAX + WM_OUTCOME_MAX];
		wm_decision_tell(&decision, flow->function, block, e, sources);
		const char *words = decision.outcome[0] ? wm_decision_text(&decision, text) : "";
		json_array_append_new(
			list, wm_json_checked(json_pack("[I, o, o]", (json_int_t)graph->edge_to[e], wm_data_text(words),
				      count_json(flow->known, wm_flow_edge_maybe(flow, e),
					      flow->known ? flow->ran.edge[e] : 0))));
	}
	return list;
}

static json_t *blocks_json(const struct wm_annotated *annotated, const struct wm_flow *flow, struct wm_sources *sources)
{
	const struct wm_map_function *map = flow->function->map;
	json_t *list = wm_json_checked(json_array());
	for (uint32_t b = 0; b < map->graph.block_count; b++) {
		bool maybe = flow->known && wm_flow_block_maybe(flow, b);
		json_array_append_new(
			list, wm_json_checked(json_pack("[o, o, I, o]",
				      count_json(flow->known, maybe, flow->known ? wm_flow_entered(flow, b) : 0),
				      lines_json(annotated, flow->function, b), (json_int_t)map->block[b].decision.line,
				      outcomes_json(flow, b, sources))));
	}
	return list;
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
static json_t *path_json(const struct wm_story_function *function, const struct wm_story_path *path,
	struct guests *guests, struct wm_arena *arena)
{
	const struct wm_story_function *const *body = wm_story_bodies(&function);
	struct wm_trail trail;
	wm_story_decode(function, path->id, &trail, arena);
	const struct wm_trail_step *last = &trail.step[trail.last];
	int64_t to = last->edge == WM_NONE ? -1 : (int64_t)body[last->function]->map->graph.edge_to[last->edge];
	json_t *list = wm_json_checked(json_pack("[o, o, I, I, I, I]", wm_data_count(path->id),
		wm_data_count(path->count), (json_int_t)trail.start, (json_int_t)trail.end, (json_int_t)to,
		(json_int_t)blocks_before(&trail)));
	for (uint32_t i = 0; i < trail.count; i++) {
		const struct wm_trail_step *step = &trail.step[i];
		if (step->kind != WM_TRAIL_BLOCK)
			continue;
		if (body[step->function] == function || !wm_story_crosses_calls(function))
			wm_data_add(list, step->block);
		else
			json_array_append_new(list, wm_json_checked(json_pack("[I, I]",
							    (json_int_t)guest_number(guests, body, step->function),
							    (json_int_t)step->block)));
	}
	return list;
}

static json_t *paths_json(const struct wm_story_function *function, struct guests *guests)
{
	enum { AT_ONCE = 64 }; /* a new arena for each path would take longer than the path */
	json_t *list = wm_json_checked(json_array());
	struct wm_arena arena;
	wm_arena_init(&arena);
	for (size_t i = 0; i < function->ran_count && i < WM_PAGE_PATHS; i++) {
		if (i % AT_ONCE == 0)
			wm_arena_release(&arena);
		json_array_append_new(list, path_json(function, &function->path[i], guests, &arena));
	}
	wm_arena_release(&arena);
	return list;
}

/* ---- Files -------------------------------------------------------------------------------------- */

/* Adds the files with lines of the blocks of a function, whose text is in s/FILE.js. */
static void add_files(const struct wm_annotated *annotated, const struct wm_story_function *function, bool *has)
{
	const struct wm_map_function *map = function->map;
	for (uint32_t b = 0; b < map->graph.block_count; b++)
		for (uint32_t i = 0; i <= map->block[b].line_count; i++) {
			const struct wm_map_line *line =
				i < map->block[b].line_count ? &map->block[b].line[i] : &map->block[b].decision;
			int page = line->line ? wm_source_page_number(annotated, function, line->file) : -1;
			if (page >= 0)
				has[page] = true;
		}
}

static json_t *files_json(
	const struct wm_annotated *annotated, const struct wm_story_function *function, const struct guests *guests)
{
	json_t *list = wm_json_checked(json_array());
	bool *has = wm_xmalloc((annotated->file_count + 1) * sizeof *has);
	memset(has, 0, annotated->file_count * sizeof *has);
	add_files(annotated, function, has);
	for (size_t i = 0; i < guests->count; i++)
		add_files(annotated, guests->guest[i], has);
	for (size_t i = 0; i < annotated->file_count; i++)
		if (has[i])
			wm_data_add(list, (int64_t)i);
	free(has);
	return list;
}

/* ---- Tests -------------------------------------------------------------------------------------- */

/* [NUMBER OF TESTS, TEST...] of a path, with indices of the names in f/tests.js; a path of many tests names only the first. */
static json_t *by_json(const struct wm_suite *suite, uint32_t path)
{
	enum { MOST = 12 };
	uint32_t named = 0;
	json_t *list = wm_json_checked(json_array());
	wm_data_add(list, path == WM_NONE ? 0 : suite->path[path].tests);
	for (size_t t = 0; path != WM_NONE && t < suite->test_count && named < MOST; t++)
		if (wm_suite_count(&suite->test[t], path)) {
			wm_data_add(list, (int64_t)t);
			named++;
		}
	return list;
}

/* What a test takes of a function. */
struct taken {
	uint64_t paths, executions;
};

static void take(struct taken *taken, const struct wm_suite *suite, uint32_t path)
{
	for (size_t t = 0; path != WM_NONE && t < suite->test_count; t++) {
		uint64_t count = wm_suite_count(&suite->test[t], path);
		taken[t].paths += count != 0;
		taken[t].executions += count;
	}
}

/* [TEST, PATHS, EXECUTIONS] of each test that takes a path. */
static json_t *taken_json(const struct wm_takers *takers, const struct wm_story_function *function)
{
	size_t count = takers->suite->test_count;
	struct taken *taken = wm_xmalloc((count + 1) * sizeof *taken);
	json_t *list = wm_json_checked(json_array());
	memset(taken, 0, count * sizeof *taken);
	for (size_t i = 0; i < wm_story_taken_count(function); i++)
		take(taken, takers->suite, wm_takers_path(takers, function, wm_story_taken(function, i)->id));
	for (size_t t = 0; t < count; t++)
		if (taken[t].paths)
			json_array_append_new(
				list, wm_json_checked(json_pack("[I, I, o]", (json_int_t)t, (json_int_t)taken[t].paths,
					      wm_data_count(taken[t].executions))));
	free(taken);
	return list;
}

static void add_takers(json_t *object, const struct wm_takers *takers, const struct wm_story_function *function)
{
	json_t *by = wm_json_checked(json_array());
	for (size_t i = 0; i < function->ran_count && i < WM_PAGE_PATHS; i++)
		json_array_append_new(
			by, by_json(takers->suite, wm_takers_path(takers, function, function->path[i].id)));
	json_object_set_new(object, "taken", taken_json(takers, function));
	json_object_set_new(object, "all", json_boolean(wm_takers_complete(takers, function)));
	json_object_set_new(object, "by", by);
}

/* Per path, [TIME, PROCESS] of the run that took it first, or null; only if it is known of some, as in residual builds. */
static void add_seen(json_t *object, const struct wm_story_function *function)
{
	bool some = false;
	json_t *seen = wm_json_checked(json_array());
	for (size_t i = 0; i < function->ran_count && i < WM_PAGE_PATHS; i++) {
		const struct wm_story_path *path = &function->path[i];
		some |= path->first_seen != 0;
		json_array_append_new(seen, path->first_seen ? wm_json_checked(json_pack("[o, o]",
								       wm_data_text(wm_time_text(path->first_seen)),
								       wm_data_count(path->pid)))
							     : json_null());
	}
	if (some)
		json_object_set_new(object, "seen", seen);
	else
		json_decref(seen);
}

void wm_tests_data(struct wm_document *d, const struct wm_suite *suite)
{
	json_t *names = wm_json_checked(json_array());
	for (size_t t = 0; t < suite->test_count; t++)
		json_array_append_new(names, wm_data_text(suite->test[t].name));
	wm_data_write(d, "f/tests.js", wm_json_checked(json_pack("{s:o}", "tests", names)));
}

static json_t *guests_json(
	const struct wm_annotated *annotated, const struct guests *guests, struct wm_sources *sources)
{
	json_t *list = wm_json_checked(json_array());
	for (size_t i = 0; i < guests->count; i++) {
		const struct wm_flow flow = {.function = guests->guest[i]};
		json_array_append_new(list,
			wm_json_checked(json_pack("{s:o, s:i, s:o}", "name", wm_data_text(guests->guest[i]->brief),
				"file", wm_source_page_number(annotated, guests->guest[i], guests->guest[i]->map->file),
				"blocks", blocks_json(annotated, &flow, sources))));
	}
	return list;
}

void wm_function_data(struct wm_document *d, const struct wm_annotated *annotated, const struct wm_page_calls *calls,
	size_t number, struct wm_drawings *drawings)
{
	const struct wm_story_function *function = &annotated->story->function[number];
	const struct wm_story_unit *unit = wm_story_unit_of(function);
	struct guests guests = {0};
	char name[32];
	guests.number =
		wm_xrealloc(NULL, (unit ? unit->binary->unit.function_count : 0) + (size_t)1, sizeof *guests.number);
	memset(guests.number, 0, ((unit ? unit->binary->unit.function_count : 0) + (size_t)1) * sizeof *guests.number);
	uint32_t page = wm_html_function_page(d, function, number);
	snprintf(name, sizeof name, "f/%u.js", page);
	json_t *paths = paths_json(function, &guests);
	json_t *object = wm_json_checked(json_pack("{s:I, s:I, s:o, s:i, s:o, s:o, s:I, s:o, s:o, s:o}", "number",
		(json_int_t)number, "page", (json_int_t)page, "name", wm_data_text(function->brief), "file",
		wm_source_page_number(annotated, function, function->map->file), "executions",
		wm_data_count(function->executions), "blocks",
		blocks_json(annotated, &annotated->flows.flow[number], &d->sources), "ran",
		(json_int_t)function->ran_count, "paths", paths, "guests", guests_json(annotated, &guests, &d->sources),
		"files", files_json(annotated, function, &guests)));
	add_seen(object, function);
	wm_page_calls_add(object, d, annotated->story, calls, function);
	if (d->options->takers && !wm_story_crosses_calls(function))
		add_takers(object, d->options->takers, function);
	json_object_set_new(object, "graph", wm_drawing_json(drawings, annotated->story, number));
	wm_data_write(d, name, object);
	free(guests.guest);
	free(guests.number);
}
