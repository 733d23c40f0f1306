/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/superblock/routing.h"

struct work {
	const struct wm_shape *shape;
	struct wm_routing *made;
	/* Per block of the original: the instances in which paths begin, from start[first[b]] to start[first[b + 1]]. */
	uint32_t *first, *start;
	uint32_t *into,
		*next; /* per block of the original: a list of the edges of the shape that lead to its instances */
	uint32_t *state; /* the instances in which the path may be; as many as the shape has edges */
	uint32_t state_count;
};

static void add(uint64_t *sum, uint64_t more)
{
	*sum = more > INT64_MAX - *sum ? INT64_MAX : *sum + more;
}

/* ---- Where paths begin ------------------------------------------------------------------ */

/* Per edge of the original: whether a path ends on it. */
static enum wm_status mark_ends(const struct work *w, const struct wm_routed_path *path, size_t count, bool *ends)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t edge = path[i].path.last_edge;
		if (edge != WM_NONE && edge >= w->shape->original->edge_count)
			return WM_BAD_PATH;
		if (edge != WM_NONE)
			ends[edge] = true;
	}
	return WM_OK;
}

/* Sorts the instances to which edges lead that end paths, by their origins.  An instance may be listed more than once. */
static void sort_starts(struct work *w, const struct wm_dfs *dfs, const bool *ends)
{
	const struct wm_graph *graph = &w->shape->graph;
	uint32_t count = 0;
	for (uint32_t b = 0; b < w->shape->origin_count; b++) {
		w->first[b] = count;
		for (uint32_t i = w->into[b]; i != WM_NONE; i = w->next[i])
			if (dfs->position[graph->edge_from[i]] != WM_NONE && ends[wm_shape_edge_origin(w->shape, i)])
				w->start[count++] = graph->edge_to[i];
	}
	w->first[w->shape->origin_count] = count;
}

/* Lists the edges of the shape by the origin of the block to which they lead. */
static void list_edges(struct work *w)
{
	for (uint32_t b = 0; b < w->shape->origin_count; b++)
		w->into[b] = WM_NONE;
	for (uint32_t e = w->shape->graph.edge_count; e-- > 0;) {
		uint32_t *list = &w->into[w->shape->origin[w->shape->graph.edge_to[e]]];
		w->next[e] = *list;
		*list = e;
	}
}

static enum wm_status find_starts(
	struct work *w, const struct wm_routed_path *path, size_t count, struct wm_arena *arena)
{
	bool *ends = WM_NEW(arena, bool, w->shape->original->edge_count + (size_t)1);
	struct wm_dfs dfs;
	enum wm_status status = ends ? wm_dfs_run(&dfs, &w->shape->graph, arena) : WM_NO_MEMORY;
	if (status == WM_OK)
		status = mark_ends(w, path, count, ends);
	if (status != WM_OK)
		return status;
	list_edges(w);
	sort_starts(w, &dfs, ends);
	return WM_OK;
}

/* ---- One path ------------------------------------------------------------------------------ */

/* The index of the block from which on the blocks were executed one after another: a context before it was left long ago. */
static uint32_t first_index(const struct wm_block_path *path)
{
	uint32_t first = 0;
	for (uint32_t i = 0; path->again && i <= path->fresh && i < path->length; i++)
		if (path->again[i])
			first = i;
	return first;
}

static bool is_entered(const struct wm_block_path *path, uint32_t first)
{
	return path->start == WM_START_ENTRY && first == 0 && !(path->again && path->again[0]);
}

static void begin(struct work *w, const struct wm_block_path *path, uint32_t first)
{
	uint32_t block = path->block[first];
	w->state_count = 0;
	if (is_entered(path, first)) {
		w->state[w->state_count++] = 0;
		return;
	}
	for (uint32_t i = w->first[block]; i < w->first[block + 1]; i++)
		w->state[w->state_count++] = w->start[i];
	if (!w->state_count)
		w->state[w->state_count++] = block; /* the path that came before is not in the profile */
}

/* Equal instances that are listed after one another become one. */
static void step(struct work *w, uint32_t ordinal)
{
	const struct wm_graph *graph = &w->shape->graph;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < w->state_count; i++) {
		uint32_t to = graph->edge_to[graph->first_edge[w->state[i]] + ordinal];
		if (!kept || w->state[kept - 1] != to)
			w->state[kept++] = to;
	}
	w->state_count = kept;
}

static bool is_certain(const struct work *w)
{
	for (uint32_t i = 1; i < w->state_count; i++)
		if (w->state[i] != w->state[0])
			return false;
	return true;
}

/* The edge by which the path leaves its block i; WM_NONE: it ends there. */
static enum wm_status leaving_edge(const struct work *w, const struct wm_block_path *path, uint32_t i, uint32_t *edge)
{
	const struct wm_graph *graph = w->shape->original;
	bool last = i + 1 == path->length;
	*edge = last ? path->last_edge : wm_graph_find_edge(graph, path->block[i], path->block[i + 1]);
	if (last && *edge == WM_NONE)
		return WM_OK;
	return *edge != WM_NONE && graph->edge_from[*edge] == path->block[i] ? WM_OK : WM_BAD_PATH;
}

static enum wm_status pass_block(struct work *w, const struct wm_routed_path *counted, uint32_t i)
{
	const struct wm_block_path *path = &counted->path;
	uint32_t edge, at = w->state[0], first = w->shape->original->first_edge[path->block[i]];
	enum wm_status status = leaving_edge(w, path, i, &edge);
	if (status != WM_OK)
		return status;
	if (i >= path->fresh) {
		if (!is_certain(w))
			return WM_UNKNOWN;
		add(&w->made->block[at], counted->count);
		if (edge != WM_NONE)
			add(&w->made->edge[w->shape->graph.first_edge[at] + edge - first], counted->count);
	}
	if (edge != WM_NONE)
		step(w, edge - first);
	return WM_OK;
}

static bool has_known_blocks(const struct work *w, const struct wm_block_path *path)
{
	for (uint32_t i = 0; i < path->length; i++)
		if (path->block[i] >= w->shape->origin_count)
			return false;
	return path->length > 0 && (path->start != WM_START_ENTRY || path->block[0] == 0);
}

static enum wm_status route_path(struct work *w, const struct wm_routed_path *counted)
{
	const struct wm_block_path *path = &counted->path;
	enum wm_status status = has_known_blocks(w, path) ? WM_OK : WM_BAD_PATH;
	if (status != WM_OK)
		return status;
	uint32_t first = first_index(path);
	begin(w, path, first);
	if (path->fresh == 0 && is_entered(path, first))
		add(&w->made->entries, counted->count);
	for (uint32_t i = first; i < path->length && status == WM_OK; i++)
		status = pass_block(w, counted, i);
	return status;
}

enum wm_status wm_route(struct wm_routing *routing, const struct wm_shape *shape, const struct wm_routed_path *path,
	size_t path_count, struct wm_arena *arena)
{
	const struct wm_graph *graph = &shape->graph;
	struct wm_routing made = {
		0, WM_NEW(arena, uint64_t, graph->block_count), WM_NEW(arena, uint64_t, graph->edge_count)};
	struct work w = {.shape = shape,
		.made = &made,
		.first = WM_NEW(arena, uint32_t, shape->origin_count + (size_t)1),
		.start = WM_NEW(arena, uint32_t, graph->edge_count + (size_t)1),
		.into = WM_NEW(arena, uint32_t, shape->origin_count),
		.next = WM_NEW(arena, uint32_t, graph->edge_count),
		.state = WM_NEW(arena, uint32_t, graph->edge_count + (size_t)1)};
	if (!made.block || !made.edge || !w.first || !w.start || !w.into || !w.next || !w.state)
		return WM_NO_MEMORY;
	enum wm_status status = find_starts(&w, path, path_count, arena);
	for (size_t i = 0; i < path_count && status == WM_OK; i++)
		status = path[i].count ? route_path(&w, &path[i]) : WM_OK;
	if (status == WM_OK)
		*routing = made;
	return status;
}
