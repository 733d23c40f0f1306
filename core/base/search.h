/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Searches: for the place of something in order (bsearch(3) finds something that is equal), and for the root of a tree. */
#ifndef WM_CORE_SEARCH_H
#define WM_CORE_SEARCH_H

#include <stddef.h>
#include <stdint.h>

/* Sets `i`, a variable, to the first number in [first, end) for which `before` is false, or to `end` if there is none.
 * `before` is an expression with `i` in it; the numbers for which it is true must precede all others.  A macro, because
 * the expression then names the array, whatever its type, and needs no function; O(log(end - first)) evaluations. */
#define WM_LOWER_BOUND(i, first, end, before) \
	do { \
		size_t wm_low = (first), wm_high = (end); \
		while (wm_low < wm_high) { \
			(i) = wm_low + (wm_high - wm_low) / 2; \
			if (before) \
				wm_low = (size_t)(i) + 1; \
			else \
				wm_high = (i); \
		} \
		(i) = wm_low; \
	} while (0)

/* Disjoint sets (union-find): the root of the tree of v, whose parent is itself.  Halves the way to it. */
static inline uint32_t wm_find_root(uint32_t *parent, uint32_t v)
{
	while (parent[v] != v)
		v = parent[v] = parent[parent[v]];
	return v;
}

#endif
