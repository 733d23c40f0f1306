/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/paths/pathset.h"
#include "core/base/search.h"
#include <stdlib.h>
#include <string.h>

/* Groups that may be stored: two 32-bit names each. */
#define MAX_GROUPS ((uint64_t)1 << 28)

/* ---- Sets ----------------------------------------------------------------- */

static int compare_ids(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

enum wm_status wm_path_set_make(
	struct wm_path_set *set, const struct wm_plan *plan, const uint64_t *ids, size_t count, struct wm_arena *arena)
{
	struct wm_path_set made = {.id = WM_NEW(arena, uint64_t, count)};
	if (!made.id)
		return WM_NO_MEMORY;
	for (size_t i = 0; i < count; i++) {
		if (ids[i] >= plan->numbering.path_count)
			return WM_BAD_PATH;
		made.id[i] = ids[i];
	}
	qsort(made.id, count, sizeof *made.id, compare_ids);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || made.id[i] != made.id[made.count - 1])
			made.id[made.count++] = made.id[i];
	*set = made;
	return WM_OK;
}

/* The first path in [low, high) whose id is at least `id`; near `low` more often than not. */
static uint32_t lower_bound(const struct wm_path_set *set, uint32_t low, uint32_t high, uint64_t id)
{
	for (uint32_t step = 1; high - low > step && set->id[low + step] < id; step *= 2)
		low += step;
	uint32_t i;
	WM_LOWER_BOUND(i, low, high, set->id[i] < id);
	return i;
}

uint32_t wm_path_set_find(const struct wm_path_set *set, uint64_t id)
{
	uint32_t i = lower_bound(set, 0, set->count, id);
	return i < set->count && set->id[i] == id ? i : WM_NONE;
}

/* ---- Paths as blocks -------------------------------------------------------- */

/* The out-edge of `node` for this control-flow edge, or WM_NONE. */
static uint32_t edge_for(const struct wm_dag *dag, uint32_t node, uint32_t cfg_edge)
{
	for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++)
		if (dag->edge[e].cfg_edge == cfg_edge)
			return e;
	return WM_NONE;
}

static uint32_t start_edge(const struct wm_dag *dag, uint32_t block)
{
	for (uint32_t e = dag->first_edge[WM_DAG_START]; e < dag->first_edge[WM_DAG_START + 1]; e++)
		if (dag->node_block[dag->edge[e].to] == block)
			return e;
	return WM_NONE;
}

/* The edge to End that `node` has, if it has one only. */
static enum wm_status last_edge(const struct wm_dag *dag, uint32_t node, uint32_t *found)
{
	*found = WM_NONE;
	for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++) {
		if (dag->edge[e].to != WM_DAG_END)
			continue;
		if (*found != WM_NONE)
			return WM_UNKNOWN;
		*found = e;
	}
	return *found == WM_NONE ? WM_BAD_PATH : WM_OK;
}

enum wm_status wm_plan_encode(const struct wm_plan *plan, const uint32_t *block, uint32_t length, uint64_t *id)
{
	const struct wm_dag *dag = &plan->dag;
	uint32_t e = length ? start_edge(dag, block[0]) : WM_NONE;
	if (e == WM_NONE)
		return WM_BAD_PATH;
	uint64_t sum = (uint64_t)plan->numbering.value[e];
	for (uint32_t i = 1; i < length; i++) {
		uint32_t cfg_edge = wm_graph_find_edge(plan->graph, block[i - 1], block[i]);
		if (cfg_edge == WM_NONE || (e = edge_for(dag, dag->edge[e].to, cfg_edge)) == WM_NONE ||
			(dag->edge[e].to == WM_DAG_END && i + 1 < length))
			return WM_BAD_PATH;
		sum += (uint64_t)plan->numbering.value[e];
	}
	if (dag->edge[e].to != WM_DAG_END) {
		enum wm_status status = last_edge(dag, dag->edge[e].to, &e);
		if (status != WM_OK)
			return status;
		sum += (uint64_t)plan->numbering.value[e];
	}
	*id = sum;
	return WM_OK;
}

/* ---- Prefixes --------------------------------------------------------------- */

/*
 * From Start down.  Each path is in one group of the frontier, the nodes reached but
 * not yet left, so what is known of groups lies in arrays over paths.
 */
struct descent {
	const struct wm_plan *plan;
	const struct wm_path_set *set;
	struct wm_arena *arena;
	struct wm_groups *edge;
	uint32_t *used_in, *next_in; /* per node the last used in-edge, per edge the one before */
	uint32_t *end; /* per group: after its last path */
	uint64_t *sum; /* per group: of the values of its prefix */
	uint32_t *here; /* the groups of a node with several in-edges */
	uint32_t *taken, *child, *parent; /* the groups after its out-edges, mixed */
	uint32_t *fill; /* per edge */
	bool *renamed; /* per edge: some child is not its parent's first */
	uint64_t stored;
};

static bool descent_alloc(struct descent *d, struct wm_arena *arena)
{
	size_t nodes = d->plan->dag.node_count, edges = d->plan->dag.edge_count, paths = d->set->count;
	d->edge = WM_NEW(arena, struct wm_groups, edges);
	d->used_in = WM_NEW(arena, uint32_t, nodes);
	d->next_in = WM_NEW(arena, uint32_t, edges);
	d->end = WM_NEW(arena, uint32_t, paths);
	d->sum = WM_NEW(arena, uint64_t, paths);
	d->here = WM_NEW(arena, uint32_t, paths);
	d->taken = WM_NEW(arena, uint32_t, paths);
	d->child = WM_NEW(arena, uint32_t, paths);
	d->parent = WM_NEW(arena, uint32_t, paths);
	d->fill = WM_NEW(arena, uint32_t, edges);
	d->renamed = WM_NEW(arena, bool, edges);
	if (!d->edge || !d->used_in || !d->next_in || !d->end || !d->sum || !d->here || !d->taken || !d->child ||
		!d->parent || !d->fill || !d->renamed)
		return false;
	memset(d->used_in, 0xff, nodes * sizeof *d->used_in);
	return true;
}

/* All groups that arrive at a node; `*shared` when they are one edge's own array. */
static struct wm_groups arriving(struct descent *d, uint32_t node, bool *shared)
{
	uint32_t in = d->used_in[node];
	struct wm_groups groups = {0, d->here, d->here};
	*shared = in != WM_NONE && d->next_in[in] == WM_NONE;
	if (*shared)
		return (struct wm_groups){d->edge[in].count, d->edge[in].child, d->edge[in].child};
	if (node == WM_DAG_START) {
		d->here[0] = 0;
		groups.count = 1;
	}
	for (; in != WM_NONE; in = d->next_in[in]) {
		memcpy(d->here + groups.count, d->edge[in].child, d->edge[in].count * sizeof *d->here);
		groups.count += d->edge[in].count;
	}
	return groups;
}

static void send_group(struct descent *d, uint32_t group, uint32_t first, uint32_t e, uint32_t *count)
{
	d->taken[*count] = e;
	d->child[*count] = first;
	d->parent[(*count)++] = group;
	d->renamed[e] |= first != group;
	d->edge[e].count++;
}

static void split_group(struct descent *d, uint32_t node, uint32_t group, uint32_t *count)
{
	const struct wm_dag *dag = &d->plan->dag;
	const int64_t *value = d->plan->numbering.value;
	uint32_t stop = d->end[group];
	uint64_t before = d->sum[group];
	for (uint32_t i = group; i < stop;) {
		uint32_t e = wm_dag_choose(dag, &d->plan->numbering, node, d->set->id[i] - before), next = stop;
		if (e + 1 < dag->first_edge[node + 1] && stop - i > 1)
			next = lower_bound(d->set, i, stop, before + (uint64_t)value[e + 1]);
		send_group(d, group, i, e, count);
		d->end[i] = next;
		d->sum[i] = before + (uint64_t)value[e];
		i = next;
	}
}

/* The same where there are two ways, as in most nodes: few groups part there. */
static void split_two_ways(struct descent *d, uint32_t node, const struct wm_groups *all, uint32_t *count)
{
	uint32_t e = d->plan->dag.first_edge[node];
	uint64_t value = (uint64_t)d->plan->numbering.value[e + 1];
	const uint64_t *id = d->set->id;
	for (uint32_t i = 0; i < all->count; i++) {
		uint32_t group = all->child[i];
		uint64_t border = d->sum[group] + value;
		if (id[group] >= border) {
			d->sum[group] = border;
			send_group(d, group, group, e + 1, count);
		} else if (id[d->end[group] - 1] < border) {
			send_group(d, group, group, e, count);
		} else {
			split_group(d, node, group, count);
		}
	}
}

static uint32_t *allocate_groups(struct descent *d, uint32_t count)
{
	d->stored += count;
	return WM_NEW(d->arena, uint32_t, count);
}

/* Room for the groups of an edge; those that all go on unsplit are `all`. */
static bool reserve_groups(struct descent *d, uint32_t e, const struct wm_groups *all)
{
	struct wm_groups *groups = &d->edge[e];
	if (groups->count == all->count && !d->renamed[e]) {
		*groups = *all;
		return true;
	}
	groups->child = allocate_groups(d, groups->count);
	groups->parent = d->renamed[e] ? allocate_groups(d, groups->count) : groups->child;
	return groups->child && groups->parent;
}

/* Arrays that stay, for groups that so far lie in `here`. */
static bool keep_group(struct descent *d, struct wm_groups *groups)
{
	uint32_t *kept = allocate_groups(d, groups->count);
	if (!kept)
		return false;
	memcpy(kept, groups->child, groups->count * sizeof *kept);
	groups->child = groups->parent = kept;
	return true;
}

static bool any_unsplit(const struct descent *d, uint32_t node, uint32_t count)
{
	for (uint32_t e = d->plan->dag.first_edge[node]; e < d->plan->dag.first_edge[node + 1]; e++)
		if (d->edge[e].count == count && !d->renamed[e])
			return true;
	return false;
}

static bool deal(struct descent *d, uint32_t node, struct wm_groups *all, bool shared, uint32_t count)
{
	const struct wm_dag *dag = &d->plan->dag;
	if (!shared && any_unsplit(d, node, all->count) && !keep_group(d, all))
		return false;
	for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++) {
		if (!d->edge[e].count)
			continue;
		if (!reserve_groups(d, e, all))
			return false;
		d->next_in[e] = d->used_in[dag->edge[e].to];
		d->used_in[dag->edge[e].to] = e;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t e = d->taken[i];
		if (d->edge[e].child == all->child)
			continue;
		((uint32_t *)d->edge[e].parent)[d->fill[e]] = d->parent[i];
		((uint32_t *)d->edge[e].child)[d->fill[e]++] = d->child[i];
	}
	return true;
}

/* On an only out-edge, whose value is 0, nothing changes for any group. */
static bool pass_on(struct descent *d, uint32_t e, struct wm_groups *all, bool shared)
{
	if (!shared && !keep_group(d, all))
		return false;
	d->edge[e] = *all;
	d->next_in[e] = d->used_in[d->plan->dag.edge[e].to];
	d->used_in[d->plan->dag.edge[e].to] = e;
	return true;
}

static bool part(struct descent *d, uint32_t node, struct wm_groups *all, bool shared)
{
	uint32_t count = 0;
	if (d->plan->dag.first_edge[node + 1] - d->plan->dag.first_edge[node] == 2)
		split_two_ways(d, node, all, &count);
	else
		for (uint32_t i = 0; i < all->count; i++)
			split_group(d, node, all->child[i], &count);
	return deal(d, node, all, shared, count);
}

static enum wm_status descend_from(struct descent *d, uint32_t node)
{
	bool shared;
	struct wm_groups all = arriving(d, node, &shared);
	uint32_t first = d->plan->dag.first_edge[node], degree = d->plan->dag.first_edge[node + 1] - first;
	if (all.count == 0 || degree == 0)
		return WM_OK;
	if (!(degree == 1 ? pass_on(d, first, &all, shared) : part(d, node, &all, shared)))
		return WM_NO_MEMORY;
	return d->stored > MAX_GROUPS ? WM_TOO_MANY : WM_OK;
}

enum wm_status wm_prefixes_make(
	struct wm_prefixes *prefixes, const struct wm_plan *plan, const struct wm_path_set *set, struct wm_arena *arena)
{
	struct descent d = {.plan = plan, .set = set, .arena = arena};
	if (!descent_alloc(&d, arena))
		return WM_NO_MEMORY;
	if (set->count)
		d.end[0] = set->count;
	for (uint32_t i = 0; i < plan->dag.node_count && set->count; i++) {
		enum wm_status status = descend_from(&d, plan->dag.order[i]);
		if (status != WM_OK)
			return status;
	}
	*prefixes = (struct wm_prefixes){.set = set, .edge = d.edge};
	return WM_OK;
}

/* Last edge first: the first child has its parent's name and takes its place last. */
void wm_prefixes_sum(const struct wm_prefixes *prefixes, const struct wm_dag *dag, const int64_t *value, uint64_t *sum)
{
	if (prefixes->set->count)
		sum[0] = 0;
	for (uint32_t i = 0; i < dag->node_count; i++) {
		uint32_t node = dag->order[i];
		for (uint32_t e = dag->first_edge[node + 1]; e-- > dag->first_edge[node];) {
			const struct wm_groups *groups = &prefixes->edge[e];
			bool nothing = groups->child == groups->parent && value[e] == 0;
			for (uint32_t g = 0; g < groups->count && !nothing; g++)
				sum[groups->child[g]] = sum[groups->parent[g]] + (uint64_t)value[e];
		}
	}
}
