/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds the path of a set that is nearest to a given path: the one that shares the longest prefix; among those, the
 * one with the smallest edit distance.
 *
 * The edit distance counts blocks that are inserted or deleted.  Since both paths are paths of a DAG, nodes that they
 * share come in the same order on both, and the distance is the number of nodes that are on only one of them.
 */
#ifndef WM_CORE_NEAREST_H
#define WM_CORE_NEAREST_H

#include "core/scheme/scheme.h"
#include <stddef.h>

struct wm_nearest {
	uint64_t id;	     /* the query */
	uint64_t nearest; /* the answer; among equals the lowest id */
	uint32_t common;	 /* length of the common prefix in DAG edges; 0: the paths start at different places */
	uint32_t distance;
};

/*
 * Answers all queries.  `set` must be ascending, without duplicates and not empty.  WM_BAD_PATH: an id is out of
 * range.
 *
 * Let there be Q queries, S ids in the set, N nodes, and L edges in the longest path.  The prefixes take
 * O(Q · L · log S).  The distances take an exclusive-or of N bits for each id that shares the longest prefix, at most
 * Q · S · N / 64 words.  Memory is O(N + Q) besides the set.
 */
enum wm_status wm_nearest_find(const struct wm_plan *plan, const uint64_t *set, size_t set_count,
	struct wm_nearest *query, size_t query_count, struct wm_arena *arena);

#endif
