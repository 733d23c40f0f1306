/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Havlak, "Nesting of reducible and irreducible loops", TOPLAS 1997, as made almost linear by Ramalingam,
 * "Identifying loops in almost linear time", TOPLAS 1999, section 5: a cross or forward edge takes part only from
 * the lowest common ancestor of its source and target upwards.
 *
 * The body of the loop with head w is the set of descendants of w in the depth-first tree that reach w inside that
 * subtree.  Heads are processed innermost first; a body that has been found is collapsed into its head.
 *
 * A loop is irreducible when an edge from outside the subtree of its head enters its body elsewhere than at the
 * head.  The lowest common ancestor of such an edge is above the head.  Therefore, when the edge begins to take
 * part, the loops found so far that contain its target are exactly the loops that it enters.
 *
 * Vertices in this file are preorder numbers.  O((blocks + edges) · log blocks).
 */
#include "core/base/search.h"
#include "core/graph/dfs_tree.h"
#include <string.h>

struct work {
	const struct wm_graph *graph;
	struct wm_dfs_tree tree;
	uint32_t *up; /* union-find: processed subtrees, joined to their unprocessed ancestor */
	uint32_t *set; /* union-find: collapsed bodies, named by their head */
	uint32_t *next; /* per edge: the lists below */
	uint32_t *back; /* back edges of a head */
	uint32_t *by_end; /* other non-tree edges, by the smaller of their ends */
	uint32_t *by_meet; /* the same, by their lowest common ancestor */
	uint32_t *in; /* the same, taking part by now, by the set they enter */
	uint32_t *outer; /* per vertex: head of the smallest loop around it; a head is not inside its own */
	bool *irreducible; /* per vertex: its loop is */
	uint32_t *skip; /* per irreducible head: union-find, outwards over such heads */
	uint32_t *queue, *queued;
};

static void push_edge(struct work *w, uint32_t *list, uint32_t vertex, uint32_t edge)
{
	w->next[edge] = list[vertex];
	list[vertex] = edge;
}

static uint32_t source(const struct work *w, uint32_t edge)
{
	return w->tree.number[w->graph->edge_from[edge]];
}

static uint32_t target(const struct work *w, uint32_t edge)
{
	return w->tree.number[w->graph->edge_to[edge]];
}

static bool work_alloc(struct work *w, struct wm_arena *arena)
{
	uint32_t **all[] = {
		&w->up, &w->set, &w->back, &w->by_end, &w->by_meet, &w->in, &w->outer, &w->skip, &w->queue, &w->queued};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		if (!(*all[i] = WM_NEW(arena, uint32_t, w->tree.reached)))
			return false;
		memset(*all[i], 0xff, w->tree.reached * sizeof(uint32_t));
	}
	w->next = WM_NEW(arena, uint32_t, w->graph->edge_count);
	w->irreducible = WM_NEW(arena, bool, w->tree.reached);
	return w->next && w->irreducible;
}

static void classify_edges(struct work *w)
{
	for (uint32_t e = 0; e < w->graph->edge_count; e++) {
		uint32_t from = source(w, e), to = target(w, e);
		if (from == WM_NONE || w->tree.parent[to] == from)
			continue;
		if (to <= from && from <= w->tree.last[to])
			push_edge(w, w->back, to, e);
		else
			push_edge(w, w->by_end, from < to ? from : to, e);
	}
}

/* Vertices above v are processed and joined to their first ancestor that is not:
 * the common ancestor of v and the edge's other end. */
static void find_meets(struct work *w, uint32_t v)
{
	for (uint32_t e = w->by_end[v], next; e != WM_NONE; e = next) {
		next = w->next[e];
		uint32_t other = source(w, e) == v ? target(w, e) : source(w, e);
		push_edge(w, w->by_meet, wm_find_root(w->up, other), e);
	}
}

/* All loops around the vertex that there are by now. */
static void mark_irreducible(struct work *w, uint32_t vertex)
{
	if (w->outer[vertex] == WM_NONE)
		return;
	uint32_t head = wm_find_root(w->skip, w->outer[vertex]);
	while (!w->irreducible[head]) {
		w->irreducible[head] = true;
		if (w->outer[head] != WM_NONE)
			w->skip[head] = w->outer[head];
		head = wm_find_root(w->skip, head);
	}
}

static void activate_edges(struct work *w, uint32_t v)
{
	for (uint32_t e = w->by_meet[v], next; e != WM_NONE; e = next) {
		next = w->next[e];
		mark_irreducible(w, target(w, e));
		push_edge(w, w->in, wm_find_root(w->set, target(w, e)), e);
	}
}

static uint32_t enqueue(struct work *w, uint32_t head, uint32_t vertex, uint32_t length)
{
	vertex = wm_find_root(w->set, vertex);
	if (vertex == head || w->queued[vertex] == head)
		return length;
	w->queued[vertex] = head;
	w->queue[length] = vertex;
	return length + 1;
}

static void collapse_body(struct work *w, uint32_t head)
{
	uint32_t length = 0;
	for (uint32_t e = w->back[head]; e != WM_NONE; e = w->next[e])
		length = enqueue(w, head, source(w, e), length);
	for (uint32_t i = 0; i < length; i++) {
		uint32_t v = w->queue[i];
		length = enqueue(w, head, w->tree.parent[v], length);
		for (uint32_t e = w->in[v]; e != WM_NONE; e = w->next[e])
			length = enqueue(w, head, source(w, e), length);
	}
	for (uint32_t i = 0; i < length; i++) {
		uint32_t v = w->queue[i];
		w->set[v] = w->outer[v] = head;
		if (w->irreducible[v])
			w->skip[v] = head;
	}
}

static void find_bodies(struct work *w)
{
	for (uint32_t v = 0; v < w->tree.reached; v++)
		w->up[v] = w->set[v] = w->skip[v] = v;
	for (uint32_t v = w->tree.reached; v-- > 0;) {
		find_meets(w, v);
		activate_edges(w, v);
		collapse_body(w, v);
		if (v > 0)
			w->up[v] = w->tree.parent[v];
	}
}

static uint32_t loop_around(const struct work *w, const struct wm_loops *loops, uint32_t block)
{
	uint32_t head = w->outer[w->tree.number[block]];
	return head == WM_NONE ? WM_NONE : loops->loop_of[w->tree.vertex[head]];
}

/* Reverse postorder visits a head before all other blocks of its loop. */
static void list_loops(const struct work *w, const struct wm_dfs *dfs, struct wm_loops *loops)
{
	for (uint32_t i = 0; i < dfs->reached; i++) {
		uint32_t block = dfs->reverse_postorder[i], around = loop_around(w, loops, block);
		loops->loop_of[block] = around;
		if (!dfs->is_head[block])
			continue;
		uint32_t depth = around == WM_NONE ? 1 : loops->loop[around].depth + 1;
		bool irreducible = w->irreducible[w->tree.number[block]];
		loops->loop[loops->count] = (struct wm_loop){block, around, depth, irreducible};
		loops->loop_of[block] = loops->count++;
	}
}

enum wm_status wm_loops_run(
	struct wm_loops *loops, const struct wm_graph *graph, const struct wm_dfs *dfs, struct wm_arena *arena)
{
	struct work w = {.graph = graph, .tree = *dfs->tree};
	if (!work_alloc(&w, arena))
		return WM_NO_MEMORY;
	uint32_t heads = 0;
	for (uint32_t b = 0; b < graph->block_count; b++)
		heads += dfs->is_head[b];
	struct wm_loops made = {
		.loop = WM_NEW(arena, struct wm_loop, heads), .loop_of = WM_NEW(arena, uint32_t, graph->block_count)};
	if (!made.loop || !made.loop_of)
		return WM_NO_MEMORY;
	memset(made.loop_of, 0xff, graph->block_count * sizeof *made.loop_of);
	classify_edges(&w);
	find_bodies(&w);
	list_loops(&w, dfs, &made);
	*loops = made;
	return WM_OK;
}
