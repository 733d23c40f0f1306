/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the place where a path ends tells of its membership in a set of paths.
 *
 * Interesting and tested paths are told from others at the end of every path, by a
 * lookup.  Often the last edge knows: all paths that end there are members, or none,
 * or one.  Not in the papers, which look every path up.
 *
 * A path is *decided* at the first edge behind which there is one way to End.  Compilers
 * merge returns, and the edges into the merged block know more than the one behind
 * it: so a path may be asked at any edge behind which it is decided.  Compilers merge back edges
 * too, but a path that ends at one is asked there if its loop may be a region (core/probes/regions.c).
 */
#ifndef WM_CORE_MEMBERSHIP_H
#define WM_CORE_MEMBERSHIP_H

#include "core/numbering/weights.h"
#include "core/paths/pathset.h"

enum wm_member {
	WM_MEMBER_NONE, /* no path that ends here is a member */
	WM_MEMBER_ALL, /* every one is */
	WM_MEMBER_ONE, /* exactly one of several: `only` is its acyclic id */
	WM_MEMBER_CLEAN, /* exactly those over edges of members (core/paths/residual.h marks the others) */
	WM_MEMBER_CORE, /* at least those over edges of a core (core/paths/closed.h); the others must be looked up */
	WM_MEMBER_SOME, /* anything else: the path must be looked up */
	WM_MEMBER_OPEN, /* the path is not decided here */
};

struct wm_membership {
	uint8_t *end; /* per DAG edge: enum wm_member */
	uint64_t *only; /* per DAG edge */
	bool *asked; /* per DAG edge: every path has one, where its membership is asked */
};
/* `prefixes` of the set; `core`, per DAG edge: only its edges are clean; NULL: all edges of members are.
 * Paths are asked on edges to End.  O(edges + paths). */
enum wm_status wm_membership_make(struct wm_membership *membership, const struct wm_plan *plan,
	const struct wm_prefixes *prefixes, const bool *core, struct wm_arena *arena);
/* Where paths may be asked. */
struct wm_asking {
	const struct wm_weights *weights; /* NULL: at their end */
	const bool *leaves; /* per block: not before it, since a path that vanishes there has not ended; NULL: none */
	bool loops; /* before a back edge too: no loop is going to be a region */
};
/* Asks paths earlier where that is expected to cost less.  Acyclic plans only.  O(edges). */
enum wm_status wm_membership_raise(struct wm_membership *membership, const struct wm_plan *plan,
	const struct wm_asking *asking, struct wm_arena *arena);
/* The paths of the set that are asked where the edge says one of `members`: bits 1 << WM_MEMBER_*. */
enum wm_status wm_membership_select(const struct wm_membership *membership, const struct wm_plan *plan,
	const struct wm_prefixes *prefixes, unsigned members, struct wm_path_set *selected, struct wm_arena *arena);

#endif
