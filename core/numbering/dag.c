/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/numbering/dag.h"
#include "core/base/search.h"
#include <math.h>

static enum wm_status number_node(const struct wm_dag *dag, struct wm_numbering *numbering, uint32_t node)
{
	uint64_t sum = 0;
	for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++) {
		numbering->value[e] = (int64_t)sum;
		/* Both are below 2^63: the sum cannot wrap. */
		sum += numbering->node_paths[dag->edge[e].to];
		if (sum > INT64_MAX)
			return WM_TOO_MANY;
	}
	numbering->node_paths[node] = sum;
	return WM_OK;
}

enum wm_status wm_dag_number(const struct wm_dag *dag, struct wm_numbering *numbering, struct wm_arena *arena)
{
	struct wm_numbering made = {
		.node_paths = WM_NEW(arena, uint64_t, dag->node_count),
		.value = WM_NEW(arena, int64_t, dag->edge_count),
	};
	if (!made.node_paths || !made.value)
		return WM_NO_MEMORY;
	made.node_paths[WM_DAG_END] = 1;
	for (uint32_t i = dag->node_count; i-- > 0;) {
		if (dag->order[i] == WM_DAG_END)
			continue;
		enum wm_status status = number_node(dag, &made, dag->order[i]);
		if (status != WM_OK)
			return status;
	}
	made.path_count = made.node_paths[WM_DAG_START];
	*numbering = made;
	return WM_OK;
}

/* A positive number mantissa · 2^exponent: path counts have millions of digits. */
struct wide {
	double mantissa;
	int64_t exponent;
};

static struct wide wide_add(struct wide a, struct wide b)
{
	if (a.mantissa == 0 || (b.mantissa != 0 && b.exponent > a.exponent)) {
		struct wide swap = a;
		a = b;
		b = swap;
	}
	int64_t shift = b.exponent - a.exponent;
	double sum = a.mantissa + (shift < -1000 ? 0 : ldexp(b.mantissa, (int)shift));
	int exponent;
	sum = frexp(sum, &exponent);
	return (struct wide){sum, a.exponent + exponent};
}

double wm_dag_log10_paths(const struct wm_dag *dag, const bool *edge, struct wm_arena *arena)
{
	struct wide *paths = WM_NEW(arena, struct wide, dag->node_count);
	if (!paths)
		return NAN;
	for (uint32_t i = dag->node_count; i-- > 0;) {
		uint32_t node = dag->order[i];
		struct wide sum = {node == WM_DAG_END ? 0.5 : 0, node == WM_DAG_END ? 1 : 0};
		for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++)
			if (!edge || edge[e])
				sum = wide_add(sum, paths[dag->edge[e].to]);
		paths[node] = sum;
	}
	struct wide total = paths[WM_DAG_START];
	return log10(total.mantissa) + (double)total.exponent * log10(2.0);
}

uint32_t wm_dag_choose(const struct wm_dag *dag, const struct wm_numbering *numbering, uint32_t node, uint64_t rest)
{
	uint32_t next;
	WM_LOWER_BOUND(
		next, dag->first_edge[node] + 1, dag->first_edge[node + 1], (uint64_t)numbering->value[next] <= rest);
	return next - 1;
}

/* Length of the path; its edges go to `edge` unless that is NULL. */
static uint32_t follow(const struct wm_dag *dag, const struct wm_numbering *numbering, uint64_t id, uint32_t *edge)
{
	uint32_t length = 0, node = WM_DAG_START;
	while (node != WM_DAG_END) {
		uint32_t e = wm_dag_choose(dag, numbering, node, id);
		if (edge)
			edge[length] = e;
		length++;
		id -= (uint64_t)numbering->value[e];
		node = dag->edge[e].to;
	}
	return length;
}

enum wm_status wm_dag_decode(const struct wm_dag *dag, const struct wm_numbering *numbering, uint64_t id,
	struct wm_path *path, struct wm_arena *arena)
{
	if (id >= numbering->path_count)
		return WM_BAD_PATH;
	uint32_t *edge = path->edge;
	if (!edge && !(edge = WM_NEW(arena, uint32_t, follow(dag, numbering, id, NULL))))
		return WM_NO_MEMORY;
	path->edge = edge;
	path->length = follow(dag, numbering, id, edge);
	return WM_OK;
}

enum wm_status wm_dag_encode(
	const struct wm_dag *dag, const struct wm_numbering *numbering, const struct wm_path *path, uint64_t *id)
{
	uint32_t node = WM_DAG_START;
	uint64_t sum = 0;
	for (uint32_t i = 0; i < path->length; i++) {
		uint32_t e = path->edge[i];
		if (e >= dag->edge_count || dag->edge[e].from != node)
			return WM_BAD_PATH;
		sum += (uint64_t)numbering->value[e];
		node = dag->edge[e].to;
	}
	if (node != WM_DAG_END)
		return WM_BAD_PATH;
	*id = sum;
	return WM_OK;
}

uint64_t wm_dag_paths_over(const struct wm_dag *dag, const bool *edge, uint64_t *count)
{
	for (uint32_t i = dag->node_count; i-- > 0;) {
		uint32_t node = dag->order[i];
		count[node] = node == WM_DAG_END;
		for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++)
			count[node] += edge[e] ? count[dag->edge[e].to] : 0;
	}
	return count[WM_DAG_START];
}

/* ---- Ids of the paths through a node --------------------------------------- */

static bool add_run(struct wm_id_runs *runs, struct wm_id_run run, uint32_t most)
{
	struct wm_id_run *last = runs->count ? &runs->run[runs->count - 1] : NULL;
	if (last && last->first + last->count == run.first)
		last->count += run.count;
	else if (runs->count == most)
		return false;
	else
		runs->run[runs->count++] = run;
	return true;
}

static uint32_t count_runs_behind(const struct wm_dag *dag, uint32_t node, const struct wm_id_runs *runs, uint32_t most)
{
	uint64_t count = 0;
	for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++)
		count += runs[dag->edge[e].to].count;
	return count < most ? (uint32_t)count : most;
}

/* Out-edges stand in the order of their values, so the runs come in theirs. */
static enum wm_status gather_runs(const struct wm_dag *dag, const struct wm_numbering *numbering, uint32_t node,
	struct wm_id_runs *runs, uint32_t most, struct wm_arena *arena)
{
	uint32_t room = count_runs_behind(dag, node, runs, most);
	if (room)
		runs[node].run = WM_NEW(arena, struct wm_id_run, room);
	if (room && !runs[node].run)
		return WM_NO_MEMORY;
	for (uint32_t e = dag->first_edge[node]; room && e < dag->first_edge[node + 1]; e++) {
		const struct wm_id_runs *behind = &runs[dag->edge[e].to];
		for (uint32_t i = 0; i < behind->count; i++) {
			struct wm_id_run run = behind->run[i];
			run.first += (uint64_t)numbering->value[e];
			if (!add_run(&runs[node], run, most))
				return WM_TOO_MANY;
		}
	}
	return WM_OK;
}

enum wm_status wm_dag_runs_through(const struct wm_dag *dag, const struct wm_numbering *numbering, uint32_t node,
	uint32_t most, struct wm_id_runs *runs, struct wm_arena *arena)
{
	struct wm_id_runs *to_end = WM_NEW(arena, struct wm_id_runs, dag->node_count); /* per node: the paths to End */
	struct wm_id_run *whole = WM_NEW(arena, struct wm_id_run, 1);
	if (!to_end || !whole)
		return WM_NO_MEMORY;
	enum wm_status status = WM_OK;
	whole->count = numbering->node_paths[node];
	for (uint32_t i = dag->node_count; i-- > 0 && status == WM_OK;) {
		uint32_t at = dag->order[i];
		if (at == node)
			to_end[at] = (struct wm_id_runs){1, whole};
		else
			status = gather_runs(dag, numbering, at, to_end, most, arena);
	}
	if (status == WM_OK)
		*runs = to_end[WM_DAG_START];
	return status;
}
