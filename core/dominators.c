/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Lengauer and Tarjan, "A fast algorithm for finding dominators in a flowgraph",
 * TOPLAS 1979, with simple linking: O(edges · log blocks) on every graph.  The
 * iterative method of Cooper, Harvey and Kennedy is shorter, but quadratic when
 * every block of a long chain jumps to one common exit.
 *
 * Inside this file vertices are preorder numbers.
 */
#include "core/dfs_tree.h"
#include <string.h>

struct work {
	struct wm_dfs_tree tree;
	uint32_t *first_pred, *pred;
	uint32_t *semi, *idom;
	uint32_t *ancestor, *label, *path; /* the link-eval forest, and its compression stack */
	uint32_t *bucket, *next_in_bucket;
};

static bool work_alloc(struct work *w, const struct wm_graph *graph, struct wm_arena *arena)
{
	size_t n = w->tree.reached;
	w->first_pred = WM_NEW(arena, uint32_t, n + 2);
	w->pred = WM_NEW(arena, uint32_t, graph->edge_count);
	uint32_t **rest[] = {&w->semi, &w->idom, &w->ancestor, &w->label, &w->path, &w->bucket, &w->next_in_bucket};
	for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
		if (!(*rest[i] = WM_NEW(arena, uint32_t, n)))
			return false;
	return w->first_pred && w->pred;
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

static void compress(struct work *w, uint32_t v)
{
	uint32_t depth = 0;
	for (; w->ancestor[w->ancestor[v]] != WM_NONE; v = w->ancestor[v])
		w->path[depth++] = v;
	while (depth) {
		v = w->path[--depth];
		uint32_t up = w->ancestor[v];
		if (w->semi[w->label[up]] < w->semi[w->label[v]])
			w->label[v] = w->label[up];
		w->ancestor[v] = w->ancestor[up];
	}
}

/* The vertex of least semidominator on the forest path from v, its root excluded. */
static uint32_t eval(struct work *w, uint32_t v)
{
	if (w->ancestor[v] == WM_NONE)
		return v;
	compress(w, v);
	return w->label[v];
}

static void empty_bucket(struct work *w, uint32_t parent)
{
	uint32_t v = w->bucket[parent];
	w->bucket[parent] = WM_NONE;
	for (; v != WM_NONE; v = w->next_in_bucket[v]) {
		uint32_t u = eval(w, v);
		w->idom[v] = w->semi[u] < w->semi[v] ? u : parent;
	}
}

static void find_idoms(struct work *w)
{
	uint32_t n = w->tree.reached;
	for (uint32_t v = 0; v < n; v++) {
		w->semi[v] = w->label[v] = v;
		w->ancestor[v] = w->bucket[v] = WM_NONE;
	}
	for (uint32_t v = n - 1; v > 0; v--) {
		for (uint32_t i = w->first_pred[v]; i < w->first_pred[v + 1]; i++) {
			uint32_t u = eval(w, w->pred[i]);
			if (w->semi[u] < w->semi[v])
				w->semi[v] = w->semi[u];
		}
		w->next_in_bucket[v] = w->bucket[w->semi[v]];
		w->bucket[w->semi[v]] = v;
		w->ancestor[v] = w->tree.parent[v];
		empty_bucket(w, w->tree.parent[v]);
	}
	for (uint32_t v = 1; v < n; v++)
		if (w->idom[v] != w->semi[v])
			w->idom[v] = w->idom[w->idom[v]];
}

/* A dominator has the smaller number, so sizes go up and places come down in one sweep each.
 * `semi` and `label` are free by now. */
static void label_intervals(struct work *w, struct wm_dominators *dom)
{
	uint32_t n = w->tree.reached, *size = w->semi, *next = w->label;
	for (uint32_t v = 0; v < n; v++)
		size[v] = 1;
	for (uint32_t v = n - 1; v > 0; v--)
		size[w->idom[v]] += size[v];
	for (uint32_t v = 0, place = 0; v < n; v++) {
		uint32_t block = w->tree.vertex[v];
		if (v > 0) {
			place = next[w->idom[v]];
			next[w->idom[v]] += size[v];
			dom->parent[block] = w->tree.vertex[w->idom[v]];
		}
		dom->enter[block] = place;
		dom->leave[block] = place + size[v];
		next[v] = place + 1;
	}
}

enum wm_status wm_dominators_run(
	struct wm_dominators *dom, const struct wm_graph *graph, const struct wm_dfs *dfs, struct wm_arena *arena)
{
	(void)dfs;
	struct work w;
	if (wm_dfs_tree_run(&w.tree, graph, arena) != WM_OK || !work_alloc(&w, graph, arena))
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
