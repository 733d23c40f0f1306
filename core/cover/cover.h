/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Set cover: few sets that together contain every element.  `waymark tests` uses it to choose
 * which tests to keep so that all paths stay tested, and in which order to run them.
 */
#ifndef WM_CORE_COVER_COVER_H
#define WM_CORE_COVER_COVER_H

#include "core/base/arena.h"
#include "core/base/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Set s contains element[first[s]] … element[first[s + 1] - 1], ascending and distinct, each below element_count.
 * An element that is in no set need not be covered. */
struct wm_sets {
	uint32_t set_count, element_count;
	const size_t *first; /* set_count + 1 */
	const uint32_t *element;
};

/*
 * The greedy order: the next set is always the one with the most elements that no earlier set contains; among equals,
 * the first given.  gain[i] receives the number of new elements in order[i].  Sets that add nothing come last, in the
 * order given.  Both arrays have room for set_count entries.  O(total · log sets) expected, because a set is
 * evaluated again only when it is at the top of the heap.
 */
enum wm_status wm_sets_order(const struct wm_sets *sets, uint32_t *order, uint32_t *gain, struct wm_arena *arena);

struct wm_cover {
	uint32_t count, *set; /* ascending */
	uint32_t greedy_count; /* the number of sets that the greedy order alone needs */
	uint32_t least; /* no cover has fewer sets; equal to `count` if `exact` */
	bool exact;
};

/*
 * Finds a small cover: the sets of the greedy order, without those that later ones made superfluous.  The lower bound is
 * the number of elements that share no set, taking those in few sets first.  If it is equal to the size of the cover, no
 * cover is smaller.  O(total · log sets) expected.
 */
enum wm_status wm_sets_cover(const struct wm_sets *sets, struct wm_cover *cover, struct wm_arena *arena);

#endif
