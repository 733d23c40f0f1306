/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A set of paths of one plan, and its prefix tree.  Preferential numbering, residual marks and the coding model are
 * based on them.
 *
 * A set is stored as the sorted ids of its paths.  Ids are ordered as the paths are, edge by edge, so paths that
 * share a prefix have neighbouring positions in the set.  A prefix is therefore represented by a *group* of
 * consecutive paths, whose name is the position of its first path.  Prefixes are never stored explicitly.
 */
#ifndef WM_CORE_PATHSET_H
#define WM_CORE_PATHSET_H

#include "core/scheme/scheme.h"

struct wm_path_set {
	uint32_t count;
	uint64_t *id; /* ascending, without duplicates */
};
/* Makes a set from ids in any order; duplicates are allowed.  WM_BAD_PATH: an id is out of range. */
enum wm_status wm_path_set_make(
	struct wm_path_set *set, const struct wm_plan *plan, const uint64_t *ids, size_t count, struct wm_arena *arena);
/* The position of a path in the set, or WM_NONE.  O(log count). */
uint32_t wm_path_set_find(const struct wm_path_set *set, uint64_t id);

/*
 * The id of a path that is given as blocks.  The path begins at function entry if its first block is the entry, else
 * at a restart.  If a back edge or cut edge joins its last two blocks, the path ends with that edge.  Otherwise it
 * ends at the exit if its last block is an exit block, else with the only back edge or cut edge of that block.
 * WM_BAD_PATH: there is no such path.  WM_UNKNOWN: the last block has several back or cut edges.
 */
enum wm_status wm_plan_encode(const struct wm_plan *plan, const uint32_t *block, uint32_t length, uint64_t *id);

/*
 * The groups of paths that take an edge.  parent[i] names a group as it reaches the source of the edge, child[i] the
 * part of that group that takes the edge.  The groups of one node are disjoint.  The first child of a parent has the
 * parent's name.  To save memory, `child` and `parent` may be the same array, and edges may share arrays.
 */
struct wm_groups {
	uint32_t count;
	const uint32_t *child, *parent;
};
struct wm_prefixes {
	const struct wm_path_set *set;
	struct wm_groups *edge; /* per DAG edge; count 0: no path of the set takes it */
};
/* O(groups · log paths), where the groups of all edges together are at most paths · edges.  A chain of edges that all
 * groups take is stored once.  WM_TOO_MANY: more than 2^28 groups would have to be stored. */
enum wm_status wm_prefixes_make(struct wm_prefixes *prefixes, const struct wm_plan *plan, const struct wm_path_set *set,
	struct wm_arena *arena);
/* sum[i] receives the sum of `value` modulo 2^64 along path i of the set.  O(groups). */
void wm_prefixes_sum(const struct wm_prefixes *prefixes, const struct wm_dag *dag, const int64_t *value, uint64_t *sum);

#endif
