/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/blame/executed.h"
#include "analysis/tell/trails.h"
#include "core/trail/executions.h"
#include "support/fail.h"
#include "support/progress.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>

static void *zeroed(size_t count, size_t size)
{
	void *memory = wm_xrealloc(NULL, count + 1, size);
	return memset(memory, 0, (count + 1) * size);
}

size_t wm_executed_block(const struct wm_executed *executed, size_t function, uint32_t block)
{
	return executed->first[function] + block;
}

size_t wm_executed_edge(const struct wm_executed *executed, size_t function, uint32_t edge)
{
	return executed->first[function] + executed->story->function[function].map->graph.block_count + edge;
}

/* ---- Items ------------------------------------------------------------------------------------- */

static bool is_counted(const struct wm_delta_pairs *pairs, size_t pair, const struct wm_story_function *function,
	const struct wm_function_filter *filter)
{
	return function && !pairs->refused[pair] && function->map->block && wm_filter_passes(filter, function);
}

static void number_items(struct wm_executed *x, const struct wm_delta_pairs *pairs,
	const struct wm_function_filter *filter, uint32_t failed)
{
	x->first = zeroed(x->story->function_count, sizeof *x->first);
	for (size_t f = 0; f < x->story->function_count; f++)
		x->first[f] = SIZE_MAX;
	for (size_t p = 0; p < pairs->count; p++) {
		const struct wm_story_function *function = pairs->pair[p].function[failed];
		if (!is_counted(pairs, p, function, filter))
			continue;
		x->first[function - x->story->function] = x->item_count;
		x->item_count += function->map->graph.block_count + (size_t)function->map->graph.edge_count;
	}
}

/* Nobody knows in which functions paths across calls were left. */
static void sum_abandoned(struct wm_executed *x, const struct wm_delta *delta, uint32_t failed)
{
	for (size_t p = 0; p < delta->pairs.count; p++) {
		const struct wm_delta_function *pair = &delta->pairs.pair[p];
		if (!pair->function[failed] || x->first[pair->function[failed] - x->story->function] == SIZE_MAX)
			continue;
		for (int s = 0; s < WM_SIDES; s++)
			if (pair->function[s] && !wm_story_crosses_calls(pair->function[s]))
				x->abandoned = wm_sum(x->abandoned, wm_balance_unknown(&pair->function[s]->balance));
	}
	for (int s = 0; s < WM_SIDES; s++)
		x->abandoned = wm_sum(x->abandoned, wm_story_units_abandoned(&delta->side[s].suite.story));
}

/* ---- What each path executes -------------------------------------------------------------------- */

/* Per path of a suite: its items are from first[p] to first[p + 1]. */
struct path_items {
	size_t *first, count, capacity, *item;
};

struct reading {
	struct wm_executed *executed;
	struct wm_delta *delta;
	uint32_t side, failed;
	struct path_items items;
	/* Of the functions of the paths that are read, all 0 between two paths. */
	const struct wm_story_function *of;
	const struct wm_story_function *const *body;
	struct wm_executions **ran;
	struct wm_arena arena;
};

/* Paths of a unit, or of a function, are neighbours. */
static void prepare(struct reading *r, const struct wm_suite_path *path)
{
	const struct wm_story_unit *unit = wm_story_unit_of(path->function);
	uint32_t count = unit ? unit->binary->unit.function_count : 1;
	if (r->of && (r->of == path->function || (unit && wm_story_unit_of(r->of) == unit)))
		return;
	wm_arena_release(&r->arena);
	r->of = path->function;
	r->body = wm_story_bodies(&r->of);
	struct wm_executions *ran = WM_NEW(&r->arena, struct wm_executions, count);
	r->ran = WM_NEW(&r->arena, struct wm_executions *, count);
	for (uint32_t f = 0; ran && r->ran && f < count; f++) {
		r->ran[f] = &ran[f];
		if (r->body[f] && wm_executions_init(&ran[f], &r->body[f]->map->graph, &r->arena) != WM_OK)
			wm_no_memory();
	}
	if (!ran || !r->ran)
		wm_no_memory();
}

static void put_item(struct path_items *items, size_t item)
{
	if (items->count == items->capacity) {
		items->capacity = items->capacity ? 2 * items->capacity : 1024;
		items->item = wm_xrealloc(items->item, items->capacity, sizeof *items->item);
	}
	items->item[items->count++] = item;
}

/* The function with counts that a body of this side is, or SIZE_MAX.  Another body of an inline function is none. */
static size_t counted_function(const struct reading *r, const struct wm_story_function *body, size_t *pair)
{
	const struct wm_story *story = &r->delta->side[r->side].suite.story;
	if (body < story->function || body >= story->function + story->function_count)
		return SIZE_MAX;
	*pair = r->delta->pairs.of[r->side][body - story->function];
	const struct wm_story_function *function = r->delta->pairs.pair[*pair].function[r->failed];
	size_t index = function ? (size_t)(function - r->executed->story->function) : SIZE_MAX;
	return index != SIZE_MAX && r->executed->first[index] != SIZE_MAX ? index : SIZE_MAX;
}

static void put_block(struct reading *r, size_t function, size_t pair, uint32_t block)
{
	if (r->side != r->failed)
		block = wm_delta_other_block(r->delta, &r->delta->pairs.pair[pair], r->side, block);
	if (block != WM_NONE)
		put_item(&r->items, wm_executed_block(r->executed, function, block));
}

static void put_edge(struct reading *r, size_t function, size_t pair, uint32_t edge)
{
	if (r->side != r->failed)
		edge = wm_delta_other_edge(r->delta, &r->delta->pairs.pair[pair], r->side, edge);
	if (edge != WM_NONE)
		put_item(&r->items, wm_executed_edge(r->executed, function, edge));
}

/* Each item once: what is put is 0 afterwards. */
static void put_step(struct reading *r, const struct wm_trail_step *step)
{
	struct wm_executions *ran = r->ran[step->function];
	size_t pair = 0, function = counted_function(r, r->body[step->function], &pair);
	if (ran->block[step->block] && function != SIZE_MAX)
		put_block(r, function, pair, step->block);
	ran->block[step->block] = 0;
	if (step->edge == WM_NONE)
		return;
	if (ran->edge[step->edge] && function != SIZE_MAX)
		put_edge(r, function, pair, step->edge);
	ran->edge[step->edge] = 0;
}

static void read_path(struct reading *r, const struct wm_suite_path *path)
{
	struct wm_trail trail;
	struct wm_arena arena;
	prepare(r, path);
	wm_arena_init(&arena);
	wm_story_decode(path->function, path->id, &trail, &arena);
	uint32_t *entered = WM_NEW(&arena, uint32_t, trail.count + (size_t)1);
	if (!entered)
		wm_no_memory();
	wm_executions_add_trail(r->ran, &trail, 1, entered);
	for (uint32_t i = 0; i < trail.count; i++)
		put_step(r, &trail.step[i]);
	wm_arena_release(&arena);
}

static void read_paths(struct reading *r)
{
	const struct wm_suite *suite = &r->delta->side[r->side].suite;
	r->items.first = zeroed(suite->path_count + 1, sizeof *r->items.first);
	wm_arena_init(&r->arena);
	for (size_t p = 0; p < suite->path_count; p++) {
		wm_progress("finding what the paths execute", p, suite->path_count);
		read_path(r, &suite->path[p]);
		r->items.first[p + 1] = r->items.count;
	}
	wm_progress_end();
	wm_arena_release(&r->arena);
}

/* ---- Lines -------------------------------------------------------------------------------------- */

const struct wm_map_line *wm_executed_line(const struct wm_executed *executed, const struct wm_executed_place *place)
{
	const struct wm_map_block *block = &executed->story->function[place->function].map->block[place->block];
	return place->index < block->line_count ? &block->line[place->index] : &block->decision;
}

/* For qsort, which has no closure. */
struct sorted_place {
	const char *file, *directory;
	uint32_t line;
	struct wm_executed_place place;
};

static int by_line(const struct sorted_place *a, const struct sorted_place *b)
{
	int order = strcmp(a->file, b->file);
	order = order ? order : strcmp(a->directory, b->directory);
	return order ? order : (a->line > b->line) - (a->line < b->line);
}

static int by_place(const void *left, const void *right)
{
	const struct sorted_place *a = left, *b = right;
	int order = by_line(a, b);
	if (!order)
		order = (a->place.function > b->place.function) - (a->place.function < b->place.function);
	if (!order)
		order = (a->place.block > b->place.block) - (a->place.block < b->place.block);
	return order ? order : (a->place.index > b->place.index) - (a->place.index < b->place.index);
}

/* Appends the places of a block. */
static size_t list_places(
	const struct wm_executed *x, size_t function, uint32_t block, struct sorted_place *list, size_t count)
{
	const struct wm_story_function *f = &x->story->function[function];
	const struct wm_map_block *info = &f->map->block[block];
	for (uint32_t i = 0; i <= info->line_count; i++) {
		struct wm_executed_place place = {function, block, i};
		const struct wm_map_line *line = wm_executed_line(x, &place);
		if (!line->line || line->file >= f->module->file_count)
			continue;
		const char *directory = f->module->directory ? f->module->directory : "";
		list[count++] = (struct sorted_place){f->module->file[line->file], directory, line->line, place};
	}
	return count;
}

static size_t count_places(const struct wm_executed *x)
{
	size_t count = 0;
	for (size_t f = 0; f < x->story->function_count; f++)
		for (uint32_t b = 0; x->first[f] != SIZE_MAX && b < x->story->function[f].map->graph.block_count; b++)
			count += x->story->function[f].map->block[b].line_count + (size_t)1;
	return count;
}

/* line_of[i] is the line of place i in the order of `item`, from first_of[item]: the lines of each block. */
struct block_lines {
	size_t *first_of, *line;
};

static struct block_lines number_lines(struct wm_executed *x)
{
	struct sorted_place *list = wm_xrealloc(NULL, count_places(x) + 1, sizeof *list);
	struct block_lines of = {zeroed(x->item_count + 1, sizeof *of.first_of), NULL};
	for (size_t f = 0; f < x->story->function_count; f++)
		for (uint32_t b = 0; x->first[f] != SIZE_MAX && b < x->story->function[f].map->graph.block_count; b++) {
			size_t before = x->place_count;
			x->place_count = list_places(x, f, b, list, before);
			of.first_of[wm_executed_block(x, f, b) + 1] = x->place_count - before;
		}
	for (size_t i = 0; i < x->item_count; i++)
		of.first_of[i + 1] += of.first_of[i];
	if (x->place_count)
		qsort(list, x->place_count, sizeof *list, by_place);
	x->place = zeroed(x->place_count, sizeof *x->place);
	x->first_place = zeroed(x->place_count + 1, sizeof *x->first_place);
	of.line = zeroed(x->place_count, sizeof *of.line);
	size_t *filled = zeroed(x->item_count, sizeof *filled);
	for (size_t i = 0; i < x->place_count; i++) {
		if (!i || by_line(&list[i - 1], &list[i]) != 0)
			x->first_place[x->line_count++] = i;
		size_t item = wm_executed_block(x, list[i].place.function, list[i].place.block);
		of.line[of.first_of[item] + filled[item]++] = x->line_count - 1;
		x->place[i] = list[i].place;
	}
	x->first_place[x->line_count] = x->place_count;
	free(filled);
	free(list);
	return of;
}

/* ---- Runs --------------------------------------------------------------------------------------- */

/* The last run, counted from 1, that was seen to execute each item and line. */
struct seen {
	size_t *item, *line;
};

static void count_item(struct reading *r, const struct block_lines *of, struct seen *seen, size_t item, size_t run)
{
	if (seen->item[item] == run)
		return;
	seen->item[item] = run;
	r->executed->runs[r->side][item]++;
	for (size_t i = of->first_of[item]; i < of->first_of[item + 1]; i++) {
		if (seen->line[of->line[i]] != run)
			r->executed->line_runs[r->side][of->line[i]]++;
		seen->line[of->line[i]] = run;
	}
}

static void count_runs(struct reading *r, const struct block_lines *of)
{
	struct wm_executed *x = r->executed;
	const struct wm_suite *suite = &r->delta->side[r->side].suite;
	struct seen seen = {zeroed(x->item_count, sizeof *seen.item), zeroed(x->line_count, sizeof *seen.line)};
	x->runs[r->side] = zeroed(x->item_count, sizeof *x->runs[r->side]);
	x->line_runs[r->side] = zeroed(x->line_count, sizeof *x->line_runs[r->side]);
	for (size_t t = 0; t < suite->test_count; t++)
		for (size_t p = 0; p < suite->test[t].path_count; p++) {
			uint32_t path = suite->test[t].path[p];
			for (size_t i = r->items.first[path]; i < r->items.first[path + 1]; i++)
				count_item(r, of, &seen, r->items.item[i], t + 1);
		}
	free(seen.item);
	free(seen.line);
}

/* ---- All of it ---------------------------------------------------------------------------------- */

void wm_executed_count(
	struct wm_executed *executed, struct wm_delta *delta, const struct wm_function_filter *filter, uint32_t failed)
{
	*executed = (struct wm_executed){.story = &delta->side[failed].suite.story};
	number_items(executed, &delta->pairs, filter, failed);
	sum_abandoned(executed, delta, failed);
	struct block_lines of = number_lines(executed);
	for (uint32_t s = 0; s < WM_SIDES; s++) {
		struct reading r = {.executed = executed, .delta = delta, .side = s, .failed = failed};
		read_paths(&r);
		count_runs(&r, &of);
		free(r.items.first);
		free(r.items.item);
	}
	free(of.first_of);
	free(of.line);
}

void wm_executed_release(struct wm_executed *executed)
{
	free(executed->first);
	free(executed->place);
	free(executed->first_place);
	for (int s = 0; s < WM_SIDES; s++) {
		free(executed->runs[s]);
		free(executed->line_runs[s]);
	}
}
