/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Set cover: the fewest sets that together hold every element.  Which tests to keep
 * so that all paths stay tested, and in which order to run them.
 */
#ifndef WM_CORE_COVER_H
#define WM_CORE_COVER_H

#include "core/base/arena.h"
#include "core/base/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Set s holds element[first[s]] … element[first[s + 1] - 1], ascending and distinct,
 * each below element_count.  An element in no set is nobody's to cover. */
struct wm_sets {
	uint32_t set_count, element_count;
	const size_t *first; /* set_count + 1 */
	const uint32_t *element;
};

/*
 * Greedy order: next always the set with the most elements that no earlier one has;
 * among equals the first given.  gain[i] is what order[i] adds; sets that add
 * nothing stand last, in the order given.  Both arrays hold set_count entries.
 * O(total · log sets) expected: a set is looked at again only when it leads.
 */
enum wm_status wm_sets_order(const struct wm_sets *sets, uint32_t *order, uint32_t *gain, struct wm_arena *arena);

struct wm_cover {
	uint32_t count, *set; /* ascending */
	uint32_t greedy_count; /* what the greedy order alone needed */
	uint32_t least; /* no cover has fewer; equal to count when `exact` */
	bool exact;
};

/*
 * The smallest cover: greedy first, then a search that is exact when it ends within
 * `budget` (operations on 64-bit words, some 10^9 a second; 0: greedy only).
 * Otherwise the best cover found, and a bound below which there is none.
 *
 * Elements in the same sets are one; sets that alone hold an element are taken;
 * dominated elements and sets are dropped; what is left falls into components, each
 * searched by branch and bound with disjoint elements as the bound.  Exponential in
 * the worst case, linear in `total` plus the budget at most.
 */
enum wm_status wm_sets_cover(
	const struct wm_sets *sets, uint64_t budget, struct wm_cover *cover, struct wm_arena *arena);

#endif
