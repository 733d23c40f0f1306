/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * WM_MARKS_LEAVING is sufficient: a path that takes an untested edge takes one out of a node that is on a tested
 * path. Start is such a node, and so is the source of the first untested edge.  WM_MARKS_ALL is tried first.  An
 * empty set has no node on a tested path except Start.
 */
#include "core/paths/residual_marks.h"

struct marking {
	const struct wm_plan *plan;
	struct wm_residual *r;
	const struct wm_checking *checking;
	bool *on_path; /* per node: a tested path visits it */
	uint64_t *count; /* per node */
};

static void find_tested(struct marking *m, const struct wm_prefixes *prefixes)
{
	const struct wm_dag *dag = &m->plan->dag;
	m->on_path[WM_DAG_START] = true;
	for (uint32_t e = 0; e < dag->edge_count; e++) {
		m->r->tested[e] = prefixes->edge[e].count > 0;
		if (m->r->tested[e])
			m->on_path[dag->edge[e].to] = true;
	}
}

/* Marks edges.  Returns the largest number of marked edges on a path. */
static uint64_t mark_edges(struct marking *m, enum wm_residual_marks marks)
{
	const struct wm_dag *dag = &m->plan->dag;
	m->r->marks = marks;
	for (uint32_t i = dag->node_count; i-- > 0;) {
		uint32_t node = dag->order[i];
		m->count[node] = 0;
		for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++) {
			m->r->marked[e] = !m->r->tested[e] && marks != WM_MARKS_NONE &&
					  (marks == WM_MARKS_ALL || m->on_path[node]);
			uint64_t behind = m->count[dag->edge[e].to] + m->r->marked[e];
			m->count[node] = behind > m->count[node] ? behind : m->count[node];
		}
	}
	return m->count[WM_DAG_START];
}

static bool marks_fit(uint64_t marks, unsigned shift)
{
	return marks <= ((uint64_t)1 << 63) >> shift;
}

static void mark_what_fits(struct marking *m)
{
	uint64_t paths = m->plan->numbering.path_count;
	m->r->shift = paths <= 1 ? 0 : 64 - (unsigned)__builtin_clzll(paths - 1);
	for (enum wm_residual_marks marks = WM_MARKS_ALL; !marks_fit(mark_edges(m, marks), m->r->shift);)
		marks++;
	for (uint32_t e = 0; e < m->plan->dag.edge_count; e++) {
		uint64_t bias = m->r->marked[e] ? (uint64_t)1 << m->r->shift : 0;
		m->r->value[e] = (int64_t)((uint64_t)m->plan->numbering.value[e] - bias);
	}
}

static enum wm_status classify_edges(
	const struct marking *m, const struct wm_prefixes *prefixes, struct wm_arena *arena)
{
	struct wm_residual *r = m->r;
	const struct wm_plan *plan = m->plan;
	const unsigned some = 1u << WM_MEMBER_SOME | 1u << WM_MEMBER_CORE, clean = 1u << WM_MEMBER_CLEAN;
	const bool *core = r->marks == WM_MARKS_STICKY ? r->tested : NULL;
	enum wm_status status = wm_membership_make(&r->membership, plan, prefixes, core, arena);
	if (status != WM_OK)
		return status;
	for (uint32_t e = 0; e < plan->dag.edge_count && r->marks == WM_MARKS_NONE; e++)
		if (r->membership.member[e] == WM_MEMBER_CLEAN)
			r->membership.member[e] = WM_MEMBER_SOME;
	if (m->checking->weights)
		status = wm_membership_raise(&r->membership, plan, m->checking, arena);
	if (status == WM_OK)
		status = wm_membership_select(&r->membership, plan, prefixes, some, &r->unclear, arena);
	if (status == WM_OK)
		status = wm_membership_select(&r->membership, plan, prefixes, some | clean, &r->unmarked, arena);
	return status;
}

enum wm_status wm_residual_make(struct wm_residual *residual, const struct wm_plan *plan,
	const struct wm_path_set *tested, const struct wm_checking *checking, struct wm_arena *arena)
{
	uint32_t edges = plan->dag.edge_count, nodes = plan->dag.node_count;
	struct wm_prefixes prefixes;
	struct wm_residual made = {.tested = WM_NEW(arena, bool, edges),
		.marked = WM_NEW(arena, bool, edges),
		.value = WM_NEW(arena, int64_t, edges)};
	struct marking m = {plan, &made, checking, WM_NEW(arena, bool, nodes), WM_NEW(arena, uint64_t, nodes)};
	if (!made.tested || !made.marked || !made.value || !m.on_path || !m.count)
		return WM_NO_MEMORY;
	enum wm_status status = wm_prefixes_make(&prefixes, plan, tested, arena);
	if (status != WM_OK)
		return status;
	find_tested(&m, &prefixes);
	made.tested_edge_paths = wm_dag_paths_over(&plan->dag, made.tested, m.count);
	mark_what_fits(&m);
	made.edge_closed = made.tested_edge_paths == tested->count;
	status = classify_edges(&m, &prefixes, arena);
	if (status != WM_OK)
		return status;
	*residual = made;
	return WM_OK;
}

/* Start is on every path.  A mark on an edge to End, or on an edge where paths are checked, would not be read. */
static void mark_leaving(struct marking *m)
{
	const struct wm_dag *dag = &m->plan->dag;
	m->on_path[WM_DAG_START] = true;
	for (uint32_t e = 0; e < dag->edge_count; e++)
		m->on_path[dag->edge[e].to] |= m->r->tested[e];
	for (uint32_t e = 0; e < dag->edge_count; e++)
		m->r->marked[e] = !m->r->tested[e] && m->on_path[dag->edge[e].from] && dag->edge[e].to != WM_DAG_END &&
				  !m->r->membership.checked[e];
}

static enum wm_status weigh_left_core(const struct marking *m, const struct wm_core *core, struct wm_arena *arena)
{
	const struct wm_dag *dag = &m->plan->dag;
	struct wm_path path = {.edge = WM_NEW(arena, uint32_t, dag->node_count)};
	m->r->left_core = WM_NEW(arena, uint64_t, dag->edge_count);
	enum wm_status status = path.edge && m->r->left_core ? WM_OK : WM_NO_MEMORY;
	for (uint32_t i = 0; i < core->set->count && status == WM_OK; i++) {
		if (core->inside[i])
			continue;
		status = wm_dag_decode(dag, &m->plan->numbering, core->set->id[i], &path, arena);
		for (uint32_t k = 0; k < path.length && status == WM_OK; k++)
			m->r->left_core[path.edge[k]] += m->r->membership.checked[path.edge[k]] ? core->weight[i] : 0;
	}
	return status;
}

enum wm_status wm_residual_from_core(struct wm_residual *residual, const struct wm_plan *plan,
	const struct wm_core *core, const struct wm_checking *checking, struct wm_arena *arena)
{
	uint32_t edges = plan->dag.edge_count;
	struct wm_prefixes prefixes;
	struct wm_residual made = {.marks = WM_MARKS_STICKY,
		.shift = 63,
		.edge_closed = core->paths == core->set->count,
		.tested = core->edge,
		.marked = WM_NEW(arena, bool, edges),
		.value = plan->numbering.value,
		.tested_edge_paths = core->paths};
	struct marking m = {
		.plan = plan, .r = &made, .checking = checking, .on_path = WM_NEW(arena, bool, plan->dag.node_count)};
	if (!made.marked || !m.on_path)
		return WM_NO_MEMORY;
	enum wm_status status = wm_prefixes_make(&prefixes, plan, core->set, arena);
	if (status == WM_OK)
		status = classify_edges(&m, &prefixes, arena);
	if (status != WM_OK)
		return status;
	mark_leaving(&m);
	status = weigh_left_core(&m, core, arena);
	if (status == WM_OK)
		*residual = made;
	return status;
}
