/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * For each path of the set, `lacks` is the number of its edges that the core does not contain.  The paths with
 * lacks = 0 are the paths of the set over core edges.  After the edges of a path have been added, all paths over core
 * edges are counted.  If there are as many as paths with lacks = 0, the core is still closed; if there are more, the
 * edges are removed again.
 */
#include "core/paths/closed_core.h"
#include <stdlib.h>

#define MAX_LENGTHS ((uint64_t)1 << 24) /* of all paths together */
#define MAX_STEPS ((uint64_t)1 << 27)

struct item {
	uint64_t weight;
	uint32_t path;
};

struct core {
	const struct wm_plan *plan;
	const struct wm_path_set *set;
	uint32_t *first, *edge; /* per path, and after the last: its edges */
	uint32_t *first_over, *over; /* per edge, likewise: the paths over it */
	uint32_t *lacks; /* per path */
	uint64_t *ways; /* per node */
	struct wm_core *made;
	uint64_t steps;
};

/* ---- Which path takes which edge ------------------------------------------- */

static enum wm_status list_edges(struct core *c, struct wm_arena *arena)
{
	const struct wm_dag *dag = &c->plan->dag;
	struct wm_path path = {.edge = WM_NEW(arena, uint32_t, dag->node_count)};
	uint64_t used = 0;
	for (int pass = 0; pass < 2 && path.edge; pass++) {
		used = 0;
		for (uint32_t i = 0; i < c->set->count; i++) {
			enum wm_status status = wm_dag_decode(dag, &c->plan->numbering, c->set->id[i], &path, arena);
			if (status != WM_OK)
				return status;
			c->first[i] = (uint32_t)used;
			for (uint32_t k = 0; k < path.length && pass; k++)
				c->edge[used + k] = path.edge[k];
			used += path.length;
			if (used > MAX_LENGTHS)
				return WM_TOO_MANY;
		}
		c->first[c->set->count] = (uint32_t)used;
		if (!pass)
			c->edge = WM_NEW(arena, uint32_t, used);
		if (!c->edge)
			return WM_NO_MEMORY;
	}
	c->over = WM_NEW(arena, uint32_t, used);
	return path.edge && c->over ? WM_OK : WM_NO_MEMORY;
}

static void list_paths(struct core *c)
{
	uint32_t edges = c->plan->dag.edge_count, used = c->first[c->set->count];
	for (uint32_t k = 0; k < used; k++)
		c->first_over[c->edge[k] + 1]++;
	for (uint32_t e = 0; e < edges; e++)
		c->first_over[e + 1] += c->first_over[e];
	for (uint32_t i = c->set->count; i-- > 0;)
		for (uint32_t k = c->first[i]; k < c->first[i + 1]; k++)
			c->over[--c->first_over[c->edge[k] + 1]] = i;
	/* Filling from the end has left each list's start one place too high. */
	for (uint32_t e = 0; e < edges; e++)
		c->first_over[e] = c->first_over[e + 1];
	c->first_over[edges] = used;
}

/* ---- The core ---------------------------------------------------------------- */

static uint64_t count_ways(struct core *c)
{
	c->steps += c->plan->dag.edge_count;
	return wm_dag_paths_over(&c->plan->dag, c->made->edge, c->ways);
}

static void take_edge(struct core *c, uint32_t e)
{
	c->made->edge[e] = true;
	for (uint32_t i = c->first_over[e]; i < c->first_over[e + 1]; i++)
		c->made->paths += --c->lacks[c->over[i]] == 0;
	c->steps += c->first_over[e + 1] - c->first_over[e];
}

static void give_back(struct core *c, uint32_t e)
{
	c->made->edge[e] = false;
	for (uint32_t i = c->first_over[e]; i < c->first_over[e + 1]; i++)
		c->made->paths -= c->lacks[c->over[i]]++ == 0;
}

/* The edges it brings are swapped to the front of its own list. */
static void try_path(struct core *c, uint32_t path)
{
	uint32_t *edge = &c->edge[c->first[path]], length = c->first[path + 1] - c->first[path], fresh = 0;
	for (uint32_t k = 0; k < length; k++) {
		uint32_t e = edge[k];
		if (c->made->edge[e])
			continue;
		edge[k] = edge[fresh];
		edge[fresh++] = e;
		take_edge(c, e);
	}
	if (fresh && count_ways(c) != c->made->paths)
		while (fresh)
			give_back(c, edge[--fresh]);
}

static int heavier_first(const void *a, const void *b)
{
	const struct item *one = a, *other = b;
	if (one->weight != other->weight)
		return one->weight < other->weight ? 1 : -1;
	return (one->path > other->path) - (one->path < other->path);
}

static bool core_alloc(struct core *c, struct wm_arena *arena)
{
	size_t paths = c->set->count, edges = c->plan->dag.edge_count;
	c->first = WM_NEW(arena, uint32_t, paths + 1);
	c->first_over = WM_NEW(arena, uint32_t, edges + 1);
	c->lacks = WM_NEW(arena, uint32_t, paths);
	c->ways = WM_NEW(arena, uint64_t, c->plan->dag.node_count);
	c->made->edge = WM_NEW(arena, bool, edges);
	c->made->inside = WM_NEW(arena, bool, paths);
	return c->first && c->first_over && c->lacks && c->ways && c->made->edge && c->made->inside;
}

enum wm_status wm_core_make(struct wm_core *core, const struct wm_plan *plan, const struct wm_path_set *set,
	const uint64_t *weight, struct wm_arena *arena)
{
	struct wm_core made = {.set = set, .weight = weight};
	struct core c = {.plan = plan, .set = set, .made = &made};
	struct item *item = WM_NEW(arena, struct item, set->count);
	if (!item || !core_alloc(&c, arena))
		return WM_NO_MEMORY;
	enum wm_status status = list_edges(&c, arena);
	if (status != WM_OK)
		return status;
	list_paths(&c);
	for (uint32_t i = 0; i < set->count; i++) {
		c.lacks[i] = c.first[i + 1] - c.first[i];
		item[i] = (struct item){weight[i], i};
	}
	qsort(item, set->count, sizeof *item, heavier_first);
	for (uint32_t i = 0; i < set->count && c.steps < MAX_STEPS; i++)
		try_path(&c, item[i].path);
	for (uint32_t i = 0; i < set->count; i++)
		made.inside[i] = !c.lacks[i];
	*core = made;
	return WM_OK;
}
