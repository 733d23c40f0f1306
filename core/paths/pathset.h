/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A set of paths of one plan, and its prefix tree: what preferential numbering,
 * residual marking and the coding model have in common.
 *
 * A set is the sorted ids of its paths.  Ids sort as paths do edge by edge, so the
 * paths that share a prefix are neighbours: a prefix is a *group* of consecutive
 * paths, named by the index of the first.  No prefix is ever written out.
 */
#ifndef WM_CORE_PATHSET_H
#define WM_CORE_PATHSET_H

#include "core/scheme/scheme.h"

struct wm_path_set {
	uint32_t count;
	uint64_t *id; /* rising, each once */
};
/* From ids in any order, duplicates allowed.  WM_BAD_PATH if one is out of range. */
enum wm_status wm_path_set_make(
	struct wm_path_set *set, const struct wm_plan *plan, const uint64_t *ids, size_t count, struct wm_arena *arena);
/* Index of a path, or WM_NONE.  O(log count). */
uint32_t wm_path_set_find(const struct wm_path_set *set, uint64_t id);

/*
 * The id of a path given as blocks.  It starts at function entry if the first block
 * is the entry, else by a restart.  It ends with the back or cut edge if its last two
 * blocks are joined by one; at the exit if the last block is one; else with the only
 * back or cut edge of the last block.  WM_BAD_PATH: no such path; WM_UNKNOWN: the
 * last block has several such edges.
 */
enum wm_status wm_plan_encode(const struct wm_plan *plan, const uint32_t *block, uint32_t length, uint64_t *id);

/*
 * The groups on an edge: child[i], seen from behind the edge, is a part of
 * parent[i], seen from before it.  Groups of one node are disjoint; the
 * first child of a parent has its name.  Where no child is anything but a whole
 * parent, both are one array; where in addition all groups arrived by one edge and go
 * on, it is that edge's own.
 */
struct wm_groups {
	uint32_t count;
	const uint32_t *child, *parent;
};
struct wm_prefixes {
	const struct wm_path_set *set;
	struct wm_groups *edge; /* per DAG edge; count 0: no path of the set takes it */
};
/* O(groups · log) time, where groups, summed over edges, are at most paths · edges; a
 * run of edges that all groups share is stored once.  WM_TOO_MANY when more than
 * 2^28 would have to be stored. */
enum wm_status wm_prefixes_make(struct wm_prefixes *prefixes, const struct wm_plan *plan, const struct wm_path_set *set,
	struct wm_arena *arena);
/* The sum of `value` modulo 2^64 along every path of the set, into sum[set->count].  O(groups). */
void wm_prefixes_sum(const struct wm_prefixes *prefixes, const struct wm_dag *dag, const int64_t *value, uint64_t *sum);

#endif
