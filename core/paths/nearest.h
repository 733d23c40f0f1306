/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The path of a set that is nearest to a given one: the one that goes the same way
 * longest from the start; among those, the one with the smallest edit distance.
 *
 * The edit distance counts blocks to insert and to delete.  Both paths run through
 * a DAG, so what they share stands in the same order on both, and the distance is
 * the number of nodes on one path and not on the other.
 */
#ifndef WM_CORE_NEAREST_H
#define WM_CORE_NEAREST_H

#include "core/scheme/scheme.h"
#include <stddef.h>

struct wm_nearest {
	uint64_t id;	     /* asked for */
	uint64_t nearest; /* answer; among equals the lowest id */
	uint32_t common;	 /* DAG edges both begin with; 0: they start at different places */
	uint32_t distance;
};

/*
 * Answers all queries; `set` is ascending, without duplicates and not empty.
 * WM_BAD_PATH: an id is out of range; WM_NO_MEMORY.
 *
 * With Q queries, S ids in the set and paths of L of N nodes: O(Q · L · log S) for
 * the prefixes and, for the distances, one exclusive-or of N bits for each id that
 * shares the longest prefix, at most Q · S · N / 64 words.  Memory O(N + Q) beside
 * the set.
 */
enum wm_status wm_nearest_find(const struct wm_plan *plan, const uint64_t *set, size_t set_count,
	struct wm_nearest *query, size_t query_count, struct wm_arena *arena);

#endif
