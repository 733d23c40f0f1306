/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A perfect hash function for a fixed set of ids, found at compile time.  It is the alternative to packed
 * preferential sums and needs only the acyclic sum.  At the end of a path, in unsigned 64-bit arithmetic:
 *
 *     slot = id * multiplier >> shift;
 *     if (displacement)
 *         slot ^= displacement[id * bucket_multiplier >> bucket_shift];
 *     if (table[slot] == id)
 *         ++count[slot];
 *     else
 *         count the path elsewhere
 *
 * Small sets need no displacements.
 */
#ifndef WM_CORE_PREFERENTIAL_PERFECT_H
#define WM_CORE_PREFERENTIAL_PERFECT_H

#include "core/paths/pathset.h"

struct wm_perfect {
	uint64_t multiplier, bucket_multiplier;
	unsigned shift, bucket_shift;
	uint32_t size; /* of the table: a power of two, at least 2 */
	uint32_t bucket_count; /* 0: no displacements */
	uint32_t *displacement;
	uint32_t *slot; /* per path of the set */
	uint64_t *table; /* per slot: its id; for an empty slot, an id that hashes to another slot */
};
/* O(count) expected.  The table has at most 8 slots per path, with displacements at most 4.  WM_UNKNOWN: no function
 * was found, which has not been observed. */
enum wm_status wm_perfect_make(struct wm_perfect *perfect, const struct wm_path_set *set, struct wm_arena *arena);
uint32_t wm_perfect_slot(const struct wm_perfect *perfect, uint64_t id);

#endif
