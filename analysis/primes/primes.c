/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/primes/primes.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <stdlib.h>

/* A clause on the heap, or NULL. */
static char *reason_of(const struct wm_story_function *function)
{
	if (function->state == WM_STORY_SKIPPED || function->state == WM_STORY_REFUSED)
		return wm_xstrdup(wm_story_reason(function));
	if (wm_story_crosses_calls(function))
		return wm_xstrdup("its paths cross calls (-fwaymark-scheme)");
	if (function->residual)
		return wm_xstrdup("only untested paths were counted (-fwaymark-residual)");
	return NULL;
}

/* The blocks of a path from those on that are consecutive with its end. */
static void count_path(struct wm_prime_function *primes, const struct wm_story_path *path)
{
	struct wm_arena arena;
	struct wm_trail trail;
	wm_arena_init(&arena);
	wm_story_decode(primes->function, path->id, &trail, &arena);
	uint32_t *block = WM_NEW(&arena, uint32_t, trail.count);
	uint32_t first = wm_story_plan(primes->function)->scheme->contexts ? trail.fresh : 0;
	for (uint32_t i = 0; block && i < trail.count; i++)
		block[i] = trail.step[i].block;
	if (!block)
		wm_no_memory();
	struct wm_walk_part part = {.block = block + first,
		.length = trail.count - first,
		.fresh = trail.fresh - first,
		.whole = !first && trail.start == WM_START_ENTRY,
		.count = path->count};
	if (wm_prime_count(&primes->counter, &part) != WM_OK)
		wm_bug("function %s: a path is not along the edges of the graph", primes->function->map->name);
	wm_arena_release(&arena);
}

void wm_prime_trail(const struct wm_prime_function *primes, uint32_t p, struct wm_trail *trail, struct wm_arena *arena)
{
	const struct wm_graph *graph = primes->primes.graph;
	uint32_t first = primes->primes.first[p], length = primes->primes.first[p + 1] - first;
	uint32_t *block = primes->primes.block + first, last = block[length - 1];
	struct wm_block_path path = {.length = length,
		.block = block,
		.start = block[0] ? WM_START_CUT : WM_START_ENTRY,
		.end = graph->end[last] == WM_END_NONE ? WM_END_CUT : (enum wm_end)graph->end[last],
		.last_edge = WM_NONE};
	if (wm_trail_of_path(&(struct wm_plan){.graph = graph}, &path, trail, arena) != WM_OK)
		wm_no_memory();
}

char *wm_prime_contradiction_text(const struct wm_prime_function *primes, uint32_t p)
{
	struct wm_arena arena;
	struct wm_trail trail;
	wm_arena_init(&arena);
	wm_prime_trail(primes, p, &trail, &arena);
	char *text = wm_story_trail_contradiction_text(primes->function, &trail, &arena);
	wm_arena_release(&arena);
	return text;
}

static bool contradicts(const struct wm_prime_function *primes, uint32_t p)
{
	char *text = wm_prime_contradiction_text(primes, p);
	free(text);
	return text;
}

static enum wm_prime_state state_of(const struct wm_prime_function *primes, uint32_t p)
{
	if (primes->counter.count[p])
		return WM_PRIME_COVERED;
	if (contradicts(primes, p))
		return WM_PRIME_INFEASIBLE;
	return primes->counter.open[p] ? WM_PRIME_UNDECIDED : WM_PRIME_UNCOVERED;
}

void wm_primes_begin(struct wm_prime_function *primes, const struct wm_story_function *function)
{
	*primes = (struct wm_prime_function){.function = function, .reason = reason_of(function)};
	wm_arena_init(&primes->arena);
	if (primes->reason)
		return;
	enum wm_status status =
		wm_primes_find(&primes->primes, &function->map->graph, WM_MOST_PRIMES, WM_PRIME_EFFORT, &primes->arena);
	if (status == WM_OK)
		status = wm_prime_counter_init(&primes->counter, &primes->primes, &primes->arena);
	primes->state = WM_NEW(&primes->arena, uint8_t, primes->primes.count);
	if (status != WM_OK || !primes->state)
		wm_no_memory();
	if (primes->primes.too_many)
		primes->reason =
			wm_xprintf("it has more than %d prime paths, or finding them takes too long", WM_MOST_PRIMES);
}

void wm_primes_finish(struct wm_prime_function *primes)
{
	for (uint32_t p = 0; p < primes->primes.count; p++)
		primes->total[primes->state[p] = (uint8_t)state_of(primes, p)]++;
}

void wm_primes_analyse(struct wm_prime_function *primes, const struct wm_story_function *function)
{
	wm_primes_begin(primes, function);
	primes->ran = function->state == WM_STORY_RAN;
	for (size_t i = 0; i < wm_story_taken_count(function) && !primes->reason && primes->ran; i++)
		count_path(primes, wm_story_taken(function, i));
	wm_primes_finish(primes);
}

void wm_primes_release(struct wm_prime_function *primes)
{
	wm_arena_release(&primes->arena);
	free(primes->reason);
}

const char *wm_prime_state_text(enum wm_prime_state state)
{
	switch (state) {
	case WM_PRIME_COVERED:
		return "covered";
	case WM_PRIME_UNDECIDED:
		return "undecided";
	case WM_PRIME_UNCOVERED:
		return "not covered";
	case WM_PRIME_INFEASIBLE:
		return "likely infeasible";
	}
	return "";
}
