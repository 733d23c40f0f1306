/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Lengauer and Tarjan, "A fast algorithm for finding dominators in a flowgraph",
 * TOPLAS 1979, with simple linking: O(edges · log blocks) on every graph.  The
 * iterative method of Cooper, Harvey and Kennedy is shorter, but quadratic when
 * every block of a long chain jumps to one common exit.
 *
 * Vertices in this file are preorder numbers.
 */
#include "core/graph/dfs_tree.h"
#include <string.h>

struct vertex {
	uint32_t semi, idom;
	uint32_t ancestor, label; /* the link-eval forest */
	uint32_t bucket, next_in_bucket;
};

struct work {
	struct wm_dfs_tree tree;
	uint32_t *first_pred, *pred;
	struct vertex *vertex;
	uint32_t *path; /* stack of compress */
};

static bool work_alloc(struct work *w, const struct wm_graph *graph, struct wm_arena *arena)
{
	size_t n = w->tree.reached;
	w->first_pred = WM_NEW(arena, uint32_t, n + 2);
	w->pred = WM_NEW(arena, uint32_t, graph->edge_count);
	w->vertex = WM_NEW(arena, struct vertex, n);
	w->path = WM_NEW(arena, uint32_t, n);
	return w->first_pred && w->pred && w->vertex && w->path;
}

/* Counting sort of the edges by target; first_pred is shifted by one while filling. */
static void collect_preds(struct work *w, const struct wm_graph *graph)
{
	const uint32_t *number = w->tree.number;
	for (uint32_t e = 0; e < graph->edge_count; e++)
		if (number[graph->edge_from[e]] != WM_NONE)
			w->first_pred[number[graph->edge_to[e]] + 2]++;
	for (uint32_t i = 0; i < w->tree.reached; i++)
		w->first_pred[i + 1] += w->first_pred[i];
	for (uint32_t e = 0; e < graph->edge_count; e++)
		if (number[graph->edge_from[e]] != WM_NONE)
			w->pred[w->first_pred[number[graph->edge_to[e]] + 1]++] = number[graph->edge_from[e]];
}

static uint32_t label_semi(const struct work *w, const struct vertex *v)
{
	return w->vertex[v->label].semi;
}

static void compress(struct work *w, uint32_t v)
{
	struct vertex *vertex = w->vertex;
	uint32_t depth = 0;
	for (; vertex[vertex[v].ancestor].ancestor != WM_NONE; v = vertex[v].ancestor)
		w->path[depth++] = v;
	while (depth) {
		struct vertex *low = &vertex[w->path[--depth]], *up = &vertex[low->ancestor];
		if (label_semi(w, up) < label_semi(w, low))
			low->label = up->label;
		low->ancestor = up->ancestor;
	}
}

/* The vertex of least semidominator on the forest path from v, its root excluded. */
static uint32_t eval(struct work *w, uint32_t v)
{
	if (w->vertex[v].ancestor == WM_NONE)
		return v;
	compress(w, v);
	return w->vertex[v].label;
}

static void empty_bucket(struct work *w, uint32_t parent)
{
	uint32_t v = w->vertex[parent].bucket;
	w->vertex[parent].bucket = WM_NONE;
	for (; v != WM_NONE; v = w->vertex[v].next_in_bucket) {
		uint32_t u = eval(w, v);
		w->vertex[v].idom = w->vertex[u].semi < w->vertex[v].semi ? u : parent;
	}
}

static void find_semi(struct work *w, uint32_t v)
{
	uint32_t least = v;
	for (uint32_t i = w->first_pred[v]; i < w->first_pred[v + 1]; i++) {
		uint32_t semi = w->vertex[eval(w, w->pred[i])].semi;
		least = semi < least ? semi : least;
	}
	w->vertex[v].semi = least;
	w->vertex[v].next_in_bucket = w->vertex[least].bucket;
	w->vertex[least].bucket = v;
}

static void find_idoms(struct work *w)
{
	uint32_t n = w->tree.reached;
	for (uint32_t v = 0; v < n; v++)
		w->vertex[v] = (struct vertex){.semi = v, .label = v, .ancestor = WM_NONE, .bucket = WM_NONE};
	for (uint32_t v = n - 1; v > 0; v--) {
		find_semi(w, v);
		w->vertex[v].ancestor = w->tree.parent[v];
		empty_bucket(w, w->tree.parent[v]);
	}
	for (uint32_t v = 1; v < n; v++)
		if (w->vertex[v].idom != w->vertex[v].semi)
			w->vertex[v].idom = w->vertex[w->vertex[v].idom].idom;
}

/* A dominator has the smaller number, so sizes go up and places come down in one sweep each.
 * `semi` and `label` are free by now: they hold a vertex's size and its next child's place. */
static void label_intervals(struct work *w, struct wm_dominators *dom)
{
	uint32_t n = w->tree.reached;
	for (uint32_t v = 0; v < n; v++)
		w->vertex[v].semi = 1;
	for (uint32_t v = n - 1; v > 0; v--)
		w->vertex[w->vertex[v].idom].semi += w->vertex[v].semi;
	for (uint32_t v = 0, place = 0; v < n; v++) {
		uint32_t block = w->tree.vertex[v], size = w->vertex[v].semi;
		if (v > 0) {
			struct vertex *above = &w->vertex[w->vertex[v].idom];
			place = above->label;
			above->label += size;
			dom->parent[block] = w->tree.vertex[w->vertex[v].idom];
		}
		dom->enter[block] = place;
		dom->leave[block] = place + size;
		w->vertex[v].label = place + 1;
	}
}

enum wm_status wm_dominators_run(
	struct wm_dominators *dom, const struct wm_graph *graph, const struct wm_dfs *dfs, struct wm_arena *arena)
{
	struct work w = {.tree = *dfs->tree};
	if (!work_alloc(&w, graph, arena))
		return WM_NO_MEMORY;
	struct wm_dominators made = {
		.parent = WM_NEW(arena, uint32_t, graph->block_count),
		.enter = WM_NEW(arena, uint32_t, graph->block_count),
		.leave = WM_NEW(arena, uint32_t, graph->block_count),
	};
	if (!made.parent || !made.enter || !made.leave)
		return WM_NO_MEMORY;
	memset(made.parent, 0xff, graph->block_count * sizeof *made.parent);
	memset(made.enter, 0xff, graph->block_count * sizeof *made.enter);
	collect_preds(&w, graph);
	find_idoms(&w);
	label_intervals(&w, &made);
	*dom = made;
	return WM_OK;
}

bool wm_dominates(const struct wm_dominators *dom, uint32_t above, uint32_t below)
{
	return dom->enter[above] <= dom->enter[below] && dom->enter[below] < dom->leave[above];
}
