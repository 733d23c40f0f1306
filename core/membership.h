/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the place where a path ends tells of its membership in a set of paths.
 *
 * Interesting and tested paths are told from others at the end of every path, by a
 * lookup.  Often the last edge knows: all paths that end there are members, or none,
 * or one.  Not in the papers, which look every path up.
 */
#ifndef WM_CORE_MEMBERSHIP_H
#define WM_CORE_MEMBERSHIP_H

#include "core/pathset.h"

enum wm_member {
	WM_MEMBER_NONE, /* no path that ends here is a member */
	WM_MEMBER_ALL, /* every one is */
	WM_MEMBER_ONE, /* exactly one of several: `only` is its acyclic id */
	WM_MEMBER_CLEAN, /* exactly those over edges of members (core/residual.h marks the others) */
	WM_MEMBER_SOME, /* anything else: the path must be looked up */
};

struct wm_membership {
	uint8_t *end; /* per DAG edge to End: enum wm_member */
	uint64_t *only; /* per DAG edge to End */
};
/* `prefixes` of the set.  O(edges + paths). */
enum wm_status wm_membership_make(struct wm_membership *membership, const struct wm_plan *plan,
	const struct wm_path_set *set, const struct wm_prefixes *prefixes, struct wm_arena *arena);
/* The paths of the set that end where the last edge says one of `members`: bits 1 << WM_MEMBER_*. */
enum wm_status wm_membership_select(const struct wm_membership *membership, const struct wm_plan *plan,
	const struct wm_path_set *set, const struct wm_prefixes *prefixes, unsigned members,
	struct wm_path_set *selected, struct wm_arena *arena);

#endif
