/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/base/search.h"
#include "core/preferential/linear.h"

struct forest {
	uint32_t *root; /* per node */
	uint32_t *column; /* per DAG edge: of a chord, or WM_NONE */
	uint32_t *chord, count;
};

static bool forest_alloc(struct forest *forest, const struct wm_dag *dag, struct wm_arena *arena)
{
	forest->root = WM_NEW(arena, uint32_t, dag->node_count);
	forest->column = WM_NEW(arena, uint32_t, dag->edge_count);
	forest->chord = WM_NEW(arena, uint32_t, dag->edge_count);
	return forest->root && forest->column && forest->chord;
}

static void grow_forest(struct forest *forest, const struct wm_dag *dag, const struct wm_prefixes *prefixes)
{
	for (uint32_t node = 0; node < dag->node_count; node++)
		forest->root[node] = node;
	forest->root[WM_DAG_START] = WM_DAG_END;
	for (uint32_t e = 0; e < dag->edge_count; e++) {
		forest->column[e] = WM_NONE;
		if (!prefixes->edge[e].count)
			continue;
		uint32_t from = wm_find_root(forest->root, dag->edge[e].from);
		uint32_t to = wm_find_root(forest->root, dag->edge[e].to);
		forest->root[from] = to;
		if (from != to)
			continue;
		forest->column[e] = forest->count;
		forest->chord[forest->count++] = e;
	}
}

static bool exceeds(uint64_t rows, uint64_t columns, uint64_t limit)
{
	uint64_t smaller = rows < columns ? rows : columns, cells, work;
	return __builtin_mul_overflow(rows + columns, columns, &cells) ||
	       __builtin_mul_overflow(cells, smaller, &work) || work > limit;
}

static enum wm_status fill_rows(struct wm_incidence *made, const struct wm_plan *plan, const struct wm_path_set *set,
	const uint32_t *column, struct wm_arena *arena)
{
	struct wm_path path = {.edge = WM_NEW(arena, uint32_t, plan->dag.node_count)};
	if (!path.edge)
		return WM_NO_MEMORY;
	for (uint32_t row = 0; row < made->rows; row++) {
		enum wm_status status = wm_dag_decode(&plan->dag, &plan->numbering, set->id[row], &path, arena);
		if (status != WM_OK)
			return status;
		for (uint32_t i = 0; i < path.length; i++)
			if (column[path.edge[i]] != WM_NONE)
				made->cell[(size_t)row * made->columns + column[path.edge[i]]] = 1;
	}
	return WM_OK;
}

enum wm_status wm_incidence_make(struct wm_incidence *incidence, const struct wm_plan *plan,
	const struct wm_prefixes *prefixes, uint64_t limit, struct wm_arena *arena)
{
	struct forest forest = {0};
	if (!forest_alloc(&forest, &plan->dag, arena))
		return WM_NO_MEMORY;
	grow_forest(&forest, &plan->dag, prefixes);
	if (exceeds(prefixes->set->count, forest.count, limit))
		return WM_TOO_MANY;
	struct wm_incidence made = {.rows = prefixes->set->count, .columns = forest.count, .chord = forest.chord};
	made.cell = WM_NEW(arena, uint8_t, (size_t)made.rows *made.columns);
	if (!made.cell)
		return WM_NO_MEMORY;
	enum wm_status status = fill_rows(&made, plan, prefixes->set, forest.column, arena);
	if (status == WM_OK)
		*incidence = made;
	return status;
}
