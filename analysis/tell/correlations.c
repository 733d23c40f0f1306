/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/tell/correlations.h"
#include "analysis/tell/trails.h"
#include "support/fail.h"

/* The number of pairs of decisions that are looked at, which takes some seconds. */
#define PAIR_BUDGET (UINT64_C(1) << 32)

static const char *obstacle(const struct wm_story_function *function)
{
	switch (function->state) {
	case WM_STORY_IDLE:
		return "it did not run";
	case WM_STORY_SKIPPED:
		return "it is not instrumented";
	case WM_STORY_REFUSED:
		return "its counts are not exact";
	case WM_STORY_RAN:
		break;
	}
	if (wm_story_crosses_calls(function))
		return "its paths cross calls";
	return function->residual ? "only its untested paths were counted" : NULL;
}

/* The outcomes on a trail, in the arena. */
static struct wm_decided_path decided_path(
	const struct wm_graph *graph, const struct wm_trail *trail, uint64_t executions, struct wm_arena *arena)
{
	uint32_t *edge = WM_NEW(arena, uint32_t, trail->count);
	struct wm_decided_path path = {.edge = edge, .executions = executions};
	if (!edge)
		wm_no_memory();
	for (uint32_t i = 0; i < trail->count; i++) {
		const struct wm_trail_step *step = &trail->step[i];
		if (i == trail->fresh)
			path.fresh = path.count;
		if (step->edge != WM_NONE && graph->first_edge[step->block + 1] - graph->first_edge[step->block] > 1)
			edge[path.count++] = step->edge;
	}
	return path;
}

void wm_correlations_analyse(struct wm_correlations *correlations, const struct wm_story_function *function)
{
	const struct wm_graph *graph = &function->map->graph;
	*correlations = (struct wm_correlations){.reason = obstacle(function)};
	wm_arena_init(&correlations->arena);
	if (correlations->reason)
		return;
	struct wm_decided_path *path =
		WM_NEW(&correlations->arena, struct wm_decided_path, wm_story_taken_count(function));
	if (!path)
		wm_no_memory();
	for (size_t i = 0; i < wm_story_taken_count(function); i++) {
		struct wm_trail trail;
		const struct wm_story_path *taken = wm_story_taken(function, i);
		wm_story_decode(function, taken->id, &trail, &correlations->arena);
		path[i] = decided_path(graph, &trail, taken->count, &correlations->arena);
	}
	enum wm_status status = wm_correlations_find(graph, path, wm_story_taken_count(function), PAIR_BUDGET,
		&correlations->correlation, &correlations->count, &correlations->arena);
	if (status == WM_TOO_MANY)
		correlations->reason = "its paths contain too many pairs of decisions";
	else if (status != WM_OK)
		wm_no_memory();
}

void wm_correlations_release(struct wm_correlations *correlations)
{
	wm_arena_release(&correlations->arena);
	*correlations = (struct wm_correlations){0};
}
