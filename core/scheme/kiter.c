/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Paths over k iterations: Roy and Srikant, "Profiling k-iteration paths: a generalization of the Ball-Larus
 * profiling algorithm", CGO 2009, in the mixed mode of section 5: innermost natural loops, or the loops for which a k
 * was chosen, have k iterations; everything else is acyclic.
 *
 * Departures:
 * - Back edges with the same head belong to one loop, self-loops included.
 * - The inner loops of a chosen outer loop are not collapsed.  Their back edges end paths, as in the acyclic scheme.
 *   For the outer loop, a path that begins at an inner head counts as one that entered from outside.
 * - Invalid paths are excluded from the DAG (unroll.c) instead of by compensation values.
 *
 * O(edges) here; the DAG has up to 2k-1 times as many edges.
 */
#include "core/scheme/kiter.h"
#include <string.h>

/* Versions of blocks and edges in one graph; a loop that needs more is acyclic. */
#define MAX_VERSIONS (1u << 23)

const char *wm_loop_mode_text(enum wm_loop_mode mode)
{
	static const char *const text[] = {
		[WM_LOOP_ITERATED] = "it is profiled over several iterations",
		[WM_LOOP_ACYCLIC] = "one iteration was chosen",
		[WM_LOOP_OUTER] = "it is not innermost",
		[WM_LOOP_INNER] = "a loop around it was chosen",
		[WM_LOOP_AROUND] = "a loop inside it was chosen",
		[WM_LOOP_IRREDUCIBLE] = "it is irreducible",
		[WM_LOOP_CUT] = "the graph is cut there, having too many paths",
		[WM_LOOP_WIDE] = "more iterations would be too many paths for an id",
		[WM_LOOP_LARGE] = "it has too many blocks for so many iterations",
	};
	return text[mode];
}

struct work {
	const struct wm_plan *plan;
	struct wm_iterations *made;
	uint32_t *chosen; /* per loop: k that the choice names, or 0 */
	bool *has_inner, *has_chosen_inner, *is_cut;
	uint32_t *size, *room; /* per loop: its blocks, and these with their out-edges */
	uint64_t versions;
};

static void mark_around(bool *mark, const struct wm_loops *loops, uint32_t loop)
{
	for (; loop != WM_NONE && !mark[loop]; loop = loops->loop[loop].parent)
		mark[loop] = true;
}

static void mark_cut_loops(struct work *w)
{
	const struct wm_graph *graph = w->plan->graph;
	for (uint32_t e = 0; w->plan->cut && e < graph->edge_count; e++) {
		if (!w->plan->cut[e])
			continue;
		mark_around(w->is_cut, &w->made->loops, w->made->loops.loop_of[graph->edge_from[e]]);
		mark_around(w->is_cut, &w->made->loops, w->made->loops.loop_of[graph->edge_to[e]]);
	}
}

static void mark_nesting(struct work *w)
{
	const struct wm_loops *loops = &w->made->loops;
	for (uint32_t i = 0; i < loops->count; i++) {
		w->chosen[i] = wm_scheme_loop_k(&w->plan->choice, loops->loop[i].head);
		mark_around(w->has_inner, loops, loops->loop[i].parent);
		if (w->chosen[i] > 1)
			mark_around(w->has_chosen_inner, loops, loops->loop[i].parent);
	}
}

static void measure_loops(struct work *w)
{
	const struct wm_loops *loops = &w->made->loops;
	const struct wm_graph *graph = w->plan->graph;
	for (uint32_t b = 0; b < graph->block_count; b++) {
		uint32_t loop = loops->loop_of[b];
		if (loop == WM_NONE)
			continue;
		w->size[loop]++;
		w->room[loop] += 1 + graph->first_edge[b + 1] - graph->first_edge[b];
	}
	for (uint32_t i = loops->count; i-- > 0;) {
		uint32_t parent = loops->loop[i].parent;
		if (parent == WM_NONE)
			continue;
		w->size[parent] += w->size[i];
		w->room[parent] += w->room[i];
	}
}

static uint32_t k_of(const struct work *w, uint32_t i)
{
	uint32_t k = w->chosen[i] ? w->chosen[i] : w->plan->choice.k, most = w->plan->most_iterations;
	return most && most < k ? most : k;
}

static uint64_t versions_of(const struct work *w, uint32_t i)
{
	return (uint64_t)w->room[i] * (2 * k_of(w, i) - 1);
}

static enum wm_loop_mode mode_of(const struct work *w, uint32_t i)
{
	const struct wm_loop *loop = &w->made->loops.loop[i];
	uint32_t parent = loop->parent, around = parent == WM_NONE ? WM_NONE : w->made->of[parent];
	if (around != WM_NONE)
		return WM_LOOP_INNER;
	if (k_of(w, i) == 1)
		return w->plan->most_iterations == 1 ? WM_LOOP_WIDE : WM_LOOP_ACYCLIC;
	if (loop->irreducible)
		return WM_LOOP_IRREDUCIBLE;
	if (w->is_cut[i])
		return WM_LOOP_CUT;
	if (w->chosen[i] && w->has_chosen_inner[i])
		return WM_LOOP_AROUND;
	if (w->chosen[i] == 0 && w->has_inner[i])
		return WM_LOOP_OUTER;
	return w->versions + versions_of(w, i) > MAX_VERSIONS ? WM_LOOP_LARGE : WM_LOOP_ITERATED;
}

/* made->of holds, until blocks are listed, what is known per loop: the iterated one
 * that it is or is in.  A parent stands before its children. */
static void choose_loops(struct work *w)
{
	struct wm_iterations *made = w->made;
	for (uint32_t i = 0; i < made->loops.count; i++) {
		enum wm_loop_mode mode = mode_of(w, i);
		uint32_t parent = made->loops.loop[i].parent;
		made->mode[i] = (uint8_t)mode;
		made->of[i] = mode == WM_LOOP_ITERATED ? made->count : parent == WM_NONE ? WM_NONE : made->of[parent];
		if (mode != WM_LOOP_ITERATED)
			continue;
		w->versions += versions_of(w, i);
		made->iterated[made->count++] = (struct wm_iterated_loop){
			.loop = i, .head = made->loops.loop[i].head, .size = w->size[i], .k = k_of(w, i)};
	}
}

static bool list_bodies(struct work *w, struct wm_arena *arena)
{
	struct wm_iterations *made = w->made;
	const struct wm_graph *graph = w->plan->graph;
	const struct wm_dfs *dfs = &w->plan->dfs;
	uint32_t *of = WM_NEW(arena, uint32_t, graph->block_count), *room = WM_NEW(arena, uint32_t, graph->block_count);
	if (!of || !room)
		return false;
	for (uint32_t i = 0; i < made->count; i++) {
		made->iterated[i].block = room;
		room += made->iterated[i].size;
		made->iterated[i].size = 0;
	}
	for (uint32_t b = 0; b < graph->block_count; b++) {
		uint32_t loop = made->loops.loop_of[b];
		of[b] = loop == WM_NONE ? WM_NONE : made->of[loop];
	}
	for (uint32_t i = 0; i < dfs->reached; i++) {
		uint32_t block = dfs->reverse_postorder[i];
		struct wm_iterated_loop *loop = of[block] == WM_NONE ? NULL : &made->iterated[of[block]];
		if (loop)
			loop->block[loop->size++] = block;
	}
	made->of = of;
	return true;
}

static bool completes(const struct work *w, const struct wm_iterated_loop *loop, uint32_t block)
{
	const struct wm_graph *graph = w->plan->graph;
	for (uint32_t e = graph->first_edge[block]; e < graph->first_edge[block + 1]; e++) {
		uint32_t to = graph->edge_to[e];
		if (w->plan->dfs.back_edge[e] ? to == loop->head
					      : w->made->of[to] == w->made->of[block] && w->made->completes[to])
			return true;
	}
	return false;
}

static void find_completing(struct work *w)
{
	for (uint32_t i = 0; i < w->made->count; i++) {
		const struct wm_iterated_loop *loop = &w->made->iterated[i];
		for (uint32_t j = loop->size; j-- > 0;)
			w->made->completes[loop->block[j]] = completes(w, loop, loop->block[j]);
	}
}

static uint32_t number_loop(struct wm_iterations *made, struct wm_iterated_loop *loop, uint32_t next)
{
	loop->first_node = next;
	for (uint32_t i = 0; i < loop->size; i++)
		made->node[loop->block[i]] = next + i;
	return next + loop->size * (2 * loop->k - 1);
}

/* In the order of unroll.c. */
static void number_nodes(struct work *w)
{
	struct wm_iterations *made = w->made;
	const struct wm_dfs *dfs = &w->plan->dfs;
	uint32_t next = 2;
	for (uint32_t i = 0; i < dfs->reached; i++) {
		uint32_t block = dfs->reverse_postorder[i];
		struct wm_iterated_loop *loop = made->of[block] == WM_NONE ? NULL : &made->iterated[made->of[block]];
		if (!loop)
			made->node[block] = next++;
		else if (loop->head == block)
			next = number_loop(made, loop, next);
	}
	made->node_count = next - 2;
}

static bool work_alloc(struct work *w, struct wm_arena *arena)
{
	uint32_t loops = w->made->loops.count, blocks = w->plan->graph->block_count;
	w->chosen = WM_NEW(arena, uint32_t, loops);
	w->size = WM_NEW(arena, uint32_t, loops);
	w->room = WM_NEW(arena, uint32_t, loops);
	w->has_inner = WM_NEW(arena, bool, loops);
	w->has_chosen_inner = WM_NEW(arena, bool, loops);
	w->is_cut = WM_NEW(arena, bool, loops);
	w->made->mode = WM_NEW(arena, uint8_t, loops);
	w->made->iterated = WM_NEW(arena, struct wm_iterated_loop, loops);
	w->made->of = WM_NEW(arena, uint32_t, loops);
	w->made->completes = WM_NEW(arena, bool, blocks);
	w->made->node = WM_NEW(arena, uint32_t, blocks);
	return w->chosen && w->size && w->room && w->has_inner && w->has_chosen_inner && w->is_cut && w->made->mode &&
	       w->made->iterated && w->made->of && w->made->completes && w->made->node;
}

enum wm_status wm_iterations_make(struct wm_iterations *iterations, const struct wm_plan *plan, struct wm_arena *arena)
{
	struct wm_iterations made = {0};
	struct work w = {.plan = plan, .made = &made};
	enum wm_status status = wm_loops_run(&made.loops, plan->graph, &plan->dfs, arena);
	if (status != WM_OK)
		return status;
	if (!work_alloc(&w, arena))
		return WM_NO_MEMORY;
	mark_cut_loops(&w);
	mark_nesting(&w);
	measure_loops(&w);
	choose_loops(&w);
	if (!list_bodies(&w, arena))
		return WM_NO_MEMORY;
	find_completing(&w);
	number_nodes(&w);
	*iterations = made;
	return WM_OK;
}

static enum wm_status build(struct wm_plan *plan, struct wm_arena *arena)
{
	plan->iterations = WM_NEW(arena, struct wm_iterations, 1);
	if (!plan->iterations)
		return WM_NO_MEMORY;
	enum wm_status status = wm_iterations_make(plan->iterations, plan, arena);
	return status == WM_OK ? wm_unroll(plan, arena) : status;
}

const struct wm_scheme wm_scheme_kiter = {
	.name = "kiter",
	.number = 4,
	.parameter = "K",
	.summary = "paths over K iterations of innermost loops (CGO 2009)",
	.iterates = true,
	.build = build,
};
