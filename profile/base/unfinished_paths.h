/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The unfinished paths of a function: struct wm_unfinished_path in profile/base/function_counts.h, which promises their order.
 *
 * They are no part of the counts of paths: an activation that was left on an unfinished path has an entry and no path that ends.  A
 * list may lack some of them (of a process that was killed, or where nobody knows the sum), so it is a lower bound.
 */
#ifndef WM_PROFILE_BASE_UNFINISHED_PATHS_H
#define WM_PROFILE_BASE_UNFINISHED_PATHS_H

#include "profile/base/bytes.h"
#include "profile/base/function_counts.h"

/* The order of a list, in which the count does not matter. */
int wm_unfinished_compare(const void *a, const void *b);

/* Whether a record may have this site: 0 stands for no call. */
static inline bool wm_unfinished_site_is_valid(uint32_t site)
{
	return site;
}

/* The path with this site and sum; NULL: there is none.  O(log n). */
const struct wm_unfinished_path *wm_unfinished_find(
	const struct wm_profile_function *function, uint32_t site, uint64_t sum);

/* Appends it in any order; wm_unfinished_sort() then establishes the order.  A count of 0 changes nothing.  False: no memory. */
bool wm_unfinished_append(struct wm_profile_function *function, const struct wm_unfinished_path *path);
/* Sorts the list and sums those that are equal; saturating, see WM_DOUBT_SATURATED. */
void wm_unfinished_sort(struct wm_profile_function *function);

/* Makes room in `into` for wm_unfinished_merge() with the same `from`.  False: no memory, and nothing has changed. */
bool wm_unfinished_reserve(struct wm_profile_function *into, const struct wm_profile_function *from);
/* into += from, for both lists in order, after wm_unfinished_reserve(); saturating.  O(size of both). */
void wm_unfinished_merge(struct wm_profile_function *into, const struct wm_profile_function *from);

/* Gives `into`, whose list is not read, a copy of the list of `from`.  False: no memory; the list of `into` is then empty. */
bool wm_unfinished_copy(struct wm_profile_function *into, const struct wm_profile_function *from);

/* Whether `function` has all unfinished paths of `part`, each at least as often. */
bool wm_unfinished_contains(const struct wm_profile_function *function, const struct wm_profile_function *part);
/* function -= part, if wm_unfinished_contains(); otherwise nothing changes, and the result is false.  O(size of both). */
bool wm_unfinished_subtract(struct wm_profile_function *function, const struct wm_profile_function *part);

/* Whether some function of the profile has unfinished paths; and makes all lists empty. */
bool wm_profile_has_unfinished(const struct wm_profile *profile);
void wm_profile_drop_unfinished(struct wm_profile *profile);

/* As doc/formats.md describes the lists of indexed profiles from version 9 on; the list is not empty. */
void wm_unfinished_put(struct wm_bytes *out, const struct wm_profile_function *function);
/* Reads what wm_unfinished_put() has written into a function without a list.  Hostile input: the cursor fails where it makes no sense.
 * False: no memory. */
bool wm_unfinished_get(struct wm_cursor *in, struct wm_profile_function *function);

#endif
