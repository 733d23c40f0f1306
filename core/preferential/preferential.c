/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Vaswani, Nori, Chilimbi, "Preferential path profiling: compactly numbering interesting paths", POPL 2007, section
 * 3.1, figure 10 (thesis07 section 3.3.1).
 *
 * The partial ids of the paths in a group lie in one interval [low, high].  The intervals of the groups into which a
 * node splits a group follow each other without overlap.  So the paper's map cis is high + 1 of the parent's children
 * so far, and 0 before the first child.  Since the first child has the name of its parent, the intervals of both are
 * stored in the same place.
 *
 * No interval is larger than the number of paths from its node to End, so nothing overflows: a join leaves holes, but
 * at most as many as there are paths of other prefixes.
 */
#include "core/preferential/preferential.h"
#include "core/base/search.h"
#include <stdlib.h>

struct interval {
	int64_t low, high;
};

/* What group i asks of the edge: to begin where its parent's interval ends. */
static int64_t weight(const struct wm_groups *groups, const struct interval *interval, uint32_t i)
{
	uint32_t child = groups->child[i], parent = groups->parent[i];
	int64_t cis = child == parent ? 0 : interval[parent].high + 1;
	return cis - interval[child].low;
}

static int64_t join_groups(const struct wm_groups *groups, const struct interval *interval)
{
	int64_t largest = weight(groups, interval, 0);
	for (uint32_t i = 1; i < groups->count; i++) {
		int64_t this = weight(groups, interval, i);
		largest = this > largest ? this : largest;
	}
	return largest;
}

static void move_intervals(const struct wm_groups *groups, struct interval *interval, int64_t value)
{
	for (uint32_t i = 0; i < groups->count; i++) {
		uint32_t child = groups->child[i], parent = groups->parent[i];
		if (child == parent)
			interval[parent].low += value;
		interval[parent].high = interval[child].high + value;
	}
}

/*
 * Along a run of edges with the same groups, only the last asks for anything: it
 * leaves the smallest `low` at 0, so the others would get the value 0.
 * `settled`, per node: the groups for which that holds.
 */
static void number_edges(const struct wm_dag *dag, const struct wm_prefixes *prefixes, struct interval *interval,
	const uint32_t **settled, int64_t *value)
{
	for (uint32_t i = dag->node_count; i-- > 0;) {
		uint32_t node = dag->order[i];
		for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++) {
			const struct wm_groups *groups = &prefixes->edge[e];
			bool whole = groups->child == groups->parent;
			if (!groups->count)
				continue;
			if (!whole || settled[dag->edge[e].to] != groups->child) {
				value[e] = join_groups(groups, interval);
				move_intervals(groups, interval, value[e]);
			}
			if (whole)
				settled[node] = groups->child;
		}
	}
}

/* ---- What every numbering knows of its ids ----------------------------------- */

struct entry {
	uint64_t id;
	uint32_t index;
};

static int compare_entries(const void *a, const void *b)
{
	uint64_t x = ((const struct entry *)a)->id, y = ((const struct entry *)b)->id;
	return (x > y) - (x < y);
}

static void sort_ids(struct wm_preferential *p, struct entry *entry)
{
	for (uint32_t i = 0; i < p->set->count; i++)
		entry[i] = (struct entry){p->id[i], i};
	qsort(entry, p->set->count, sizeof *entry, compare_entries);
	for (uint32_t i = 0; i < p->set->count; i++)
		p->by_id[i] = entry[i].index;
}

/* Sums near 2^64 are small and negative: what is smallest is found on the signed line. */
static void begin_at_zero(struct wm_preferential *p, const struct wm_dag *dag, const struct wm_prefixes *prefixes)
{
	int64_t smallest = p->set->count ? INT64_MAX : 0;
	for (uint32_t i = 0; i < p->set->count; i++)
		smallest = (int64_t)p->id[i] < smallest ? (int64_t)p->id[i] : smallest;
	for (uint32_t e = dag->first_edge[WM_DAG_START]; e < dag->first_edge[WM_DAG_START + 1]; e++)
		if (prefixes->edge[e].count)
			p->value[e] = (int64_t)((uint64_t)p->value[e] - (uint64_t)smallest);
	for (uint32_t i = 0; i < p->set->count; i++)
		p->id[i] -= (uint64_t)smallest;
}

static enum wm_status measure(struct wm_preferential *p, struct wm_arena *arena)
{
	uint32_t count = p->set->count;
	struct entry *entry = WM_NEW(arena, struct entry, count);
	p->by_id = WM_NEW(arena, uint32_t, count);
	if (!entry || !p->by_id)
		return WM_NO_MEMORY;
	sort_ids(p, entry);
	for (uint32_t i = 1; i < count; i++)
		if (entry[i].id == entry[i - 1].id)
			return WM_BAD_PATH;
	p->span = count ? entry[count - 1].id + 1 : 0;
	p->delta = p->acyclic_delta = 1;
	if (count) {
		p->delta = (double)p->span / count;
		p->acyclic_delta = (double)(p->set->id[count - 1] - p->set->id[0] + 1) / count;
	}
	return WM_OK;
}

enum wm_status wm_preferential_use(struct wm_preferential *preferential, const struct wm_plan *plan,
	const struct wm_prefixes *prefixes, const int64_t *value, struct wm_arena *arena)
{
	struct wm_preferential made = {.set = prefixes->set, .method = WM_METHOD_GIVEN};
	made.value = WM_NEW(arena, int64_t, plan->dag.edge_count);
	made.id = WM_NEW(arena, uint64_t, prefixes->set->count);
	if (!made.value || !made.id)
		return WM_NO_MEMORY;
	for (uint32_t e = 0; e < plan->dag.edge_count; e++)
		made.value[e] = prefixes->edge[e].count ? value[e] : 0;
	wm_prefixes_sum(prefixes, &plan->dag, value, made.id);
	begin_at_zero(&made, &plan->dag, prefixes);
	enum wm_status status = measure(&made, arena);
	if (status == WM_OK)
		*preferential = made;
	return status;
}

enum wm_status wm_preferential_from_prefixes(struct wm_preferential *preferential, const struct wm_plan *plan,
	const struct wm_prefixes *prefixes, struct wm_arena *arena)
{
	struct interval *interval = WM_NEW(arena, struct interval, prefixes->set->count);
	const uint32_t **settled = WM_NEW(arena, const uint32_t *, plan->dag.node_count);
	int64_t *value = WM_NEW(arena, int64_t, plan->dag.edge_count);
	if (!interval || !settled || !value)
		return WM_NO_MEMORY;
	number_edges(&plan->dag, prefixes, interval, settled, value);
	enum wm_status status = wm_preferential_use(preferential, plan, prefixes, value, arena);
	if (status != WM_OK)
		return status;
	preferential->method = WM_METHOD_PUBLISHED;
	preferential->gamma = preferential->delta;
	return WM_OK;
}

enum wm_status wm_preferential_published(struct wm_preferential *preferential, const struct wm_plan *plan,
	const struct wm_path_set *set, struct wm_arena *arena)
{
	struct wm_prefixes prefixes;
	enum wm_status status = wm_prefixes_make(&prefixes, plan, set, arena);
	if (status == WM_OK)
		status = wm_preferential_from_prefixes(preferential, plan, &prefixes, arena);
	return status;
}

uint32_t wm_preferential_find(const struct wm_preferential *preferential, uint64_t sum)
{
	uint32_t i, count = preferential->set->count;
	WM_LOWER_BOUND(i, 0, count, preferential->id[preferential->by_id[i]] < sum);
	return i < count && preferential->id[preferential->by_id[i]] == sum ? preferential->by_id[i] : WM_NONE;
}
