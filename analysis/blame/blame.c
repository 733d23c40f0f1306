/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/blame/blame.h"
#include "core/base/search.h"
#include "support/progress.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>

const struct wm_delta_way *wm_blame_way(const struct wm_blame *blame, const struct wm_blame_path *path)
{
	return &blame->delta.way[path->way];
}

/* ---- How many runs complete a path of each function ------------------------------------------ */

struct reach {
	size_t runs[WM_SIDES]; /* that complete a path of the function */
	bool *seen[WM_SIDES]; /* per run */
};

static void see_way(const struct wm_delta_side *side, const struct wm_delta_part *part, bool *seen)
{
	for (size_t i = 0; i < part->path_count; i++)
		for (size_t c = side->first[part->path[i]]; c < side->first[part->path[i] + 1]; c++)
			seen[side->count[c].run] = true;
}

static struct reach *find_reach(const struct wm_delta *delta)
{
	struct reach *reach = wm_xmalloc((delta->function_count + 1) * sizeof *reach);
	for (size_t f = 0; f < delta->function_count; f++)
		for (int s = 0; s < WM_SIDES; s++) {
			size_t size = delta->side[s].suite.test_count + 1;
			reach[f].runs[s] = 0;
			reach[f].seen[s] = memset(wm_xmalloc(size), 0, size);
		}
	for (size_t w = 0; w < delta->way_count; w++)
		for (int s = 0; s < WM_SIDES; s++)
			see_way(&delta->side[s], &delta->way[w].part[s], reach[delta->way[w].function].seen[s]);
	for (size_t f = 0; f < delta->function_count; f++)
		for (int s = 0; s < WM_SIDES; s++) {
			for (size_t r = 0; r < delta->side[s].suite.test_count; r++)
				reach[f].runs[s] += reach[f].seen[s][r];
			free(reach[f].seen[s]);
		}
	return reach;
}

/* ---- What the tests take ----------------------------------------------------------------------- */

struct tested {
	uint64_t key, hash, id;
};

static int by_identity(const void *left, const void *right)
{
	const struct tested *a = left, *b = right;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

static struct tested identity_of(const struct wm_suite_path *path)
{
	return (struct tested){path->function->map->key, wm_story_hash(path->function), path->id};
}

static void load_tests(struct wm_blame *blame, bool any_program)
{
	struct wm_binaries *binaries = &blame->delta.side[WM_FAILED].binaries;
	wm_suite_read(&blame->tests);
	wm_suite_join(&blame->tests, WM_STORY_OF_TESTS, binaries->object, binaries->count, any_program);
}

/* Marks the paths that no test takes. */
static void mark_untested(struct wm_blame *blame)
{
	const struct wm_suite *tests = &blame->tests;
	struct tested *list = wm_xmalloc((tests->path_count + 1) * sizeof *list);
	for (size_t i = 0; i < tests->path_count; i++)
		list[i] = identity_of(&tests->path[i]);
	if (tests->path_count)
		qsort(list, tests->path_count, sizeof *list, by_identity);
	for (size_t i = 0; i < blame->path_count; i++) {
		struct wm_blame_path *path = &blame->path[i];
		struct tested like = identity_of(wm_delta_path(&blame->delta, wm_blame_way(blame, path), WM_FAILED));
		path->suspect.untested =
			!tests->path_count || !bsearch(&like, list, tests->path_count, sizeof *list, by_identity);
		blame->untested += path->suspect.untested;
	}
	free(list);
}

/* ---- Ranking ----------------------------------------------------------------------------------- */

static void list_paths(struct wm_blame *blame)
{
	const struct wm_delta *delta = &blame->delta;
	struct reach *reach = find_reach(delta);
	blame->path = wm_xmalloc((delta->way_count + 1) * sizeof *blame->path);
	for (size_t w = 0; w < delta->way_count; w++) {
		const struct wm_delta_way *way = &delta->way[w];
		if (!way->part[WM_FAILED].runs)
			continue;
		struct wm_blame_path *path = &blame->path[blame->path_count++];
		*path = (struct wm_blame_path){.way = w, .parting = {.position = WM_NONE}};
		struct wm_suspect *suspect = &path->suspect;
		suspect->spectrum = (struct wm_spectrum){.failed = delta->side[WM_FAILED].suite.test_count,
			.passed = delta->side[WM_PASSED].suite.test_count,
			.failed_with = way->part[WM_FAILED].runs,
			.passed_with = way->part[WM_PASSED].runs,
			.failed_near = reach[way->function].runs[WM_FAILED],
			.passed_near = reach[way->function].runs[WM_PASSED]};
		suspect->score = wm_measure(blame->measure, &suspect->spectrum);
		suspect->tie = -wm_increase(&suspect->spectrum);
		suspect->order = w;
	}
	free(reach);
}

/* ---- The nearest path of passed runs ------------------------------------------------------------ */

struct passing_path {
	size_t function;
	uint64_t id;
	size_t runs;
};

static int by_function(const void *left, const void *right)
{
	const struct passing_path *a = left, *b = right;
	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

/* The paths of passed runs in functions whose graph is that of the failed runs. */
static struct passing_path *list_passing(const struct wm_delta *delta, size_t *count)
{
	struct passing_path *list = wm_xmalloc((delta->way_count + 1) * sizeof *list);
	*count = 0;
	for (size_t w = 0; w < delta->way_count; w++) {
		const struct wm_delta_way *way = &delta->way[w];
		if (delta->function[way->function].same_ids && way->part[WM_PASSED].runs)
			list[(*count)++] = (struct passing_path){
				way->function, wm_delta_path(delta, way, WM_PASSED)->id, way->part[WM_PASSED].runs};
	}
	if (*count)
		qsort(list, *count, sizeof *list, by_function);
	return list;
}

static void find_parting(
	struct wm_blame *blame, struct wm_blame_path *path, const struct passing_path *list, size_t count)
{
	const struct wm_delta_way *way = wm_blame_way(blame, path);
	const struct wm_suite_path *own = wm_delta_path(&blame->delta, way, WM_FAILED);
	size_t first, end, others = 0;
	WM_LOWER_BOUND(first, 0, count, list[first].function < way->function);
	WM_LOWER_BOUND(end, first, count, list[end].function <= way->function);
	uint64_t *other = wm_xmalloc((end - first + 1) * sizeof *other);
	for (size_t i = first; i < end; i++)
		if (list[i].id != own->id)
			other[others++] = list[i].id;
	path->parting = wm_parting_find(own->function, own->id, other, others);
	for (size_t i = first; path->parting.known && i < end; i++)
		if (list[i].id == path->parting.nearest)
			path->parting.runs = list[i].runs;
	free(other);
}

/* ---- All of it ----------------------------------------------------------------------------------- */

void wm_blame_build(struct wm_blame *blame, const struct wm_operands *operands, const char *debug_dir, bool any_program,
	const struct wm_function_filter *filter)
{
	size_t count;
	wm_delta_build(&blame->delta, operands, debug_dir, any_program, filter);
	list_paths(blame);
	if (blame->tests.test_count) {
		load_tests(blame, any_program);
		mark_untested(blame);
	}
	wm_suspects_rank(blame->path, blame->path_count, sizeof *blame->path);
	wm_blame_find_suspects(blame, filter);
	struct passing_path *list = list_passing(&blame->delta, &count);
	for (size_t i = 0; i < blame->path_count; i++) {
		wm_progress("finding the nearest passing paths", i, blame->path_count);
		find_parting(blame, &blame->path[i], list, count);
	}
	wm_progress_end();
	free(list);
}

void wm_blame_release(struct wm_blame *blame)
{
	if (blame->tests.test_count)
		wm_suite_release(&blame->tests);
	wm_delta_release(&blame->delta);
	free(blame->path);
	free(blame->outcome);
	free(blame->line);
}
