/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What is known about the membership of a path in a set, from the edge on which the path is checked.  Not in the
 * papers, which look up every path at its end.
 *
 * A preferential build must find out at run time whether a path is interesting, a residual build whether it is
 * tested. The path is *checked* on one of its edges: its last edge or an earlier one.  Often the edge alone gives the
 * answer, because all paths that take the edge are members, or none, or only one.  enum wm_member is this
 * classification of edges.
 *
 * A path is *decided* on an edge if there is only one way from the edge to End.  A path may be checked on any edge on
 * which it is decided.  Checking before the last edge matters because compilers merge returns: more is known on the
 * edges into the merged block than on the single edge out of it.  Compilers also merge back edges, but a path that
 * ends at a back edge is checked there if its loop may become a region (core/probes/regions.h).
 *
 * An edge is *clean* if a member takes it; or, if a core is given, if it is in the core.
 */
#ifndef WM_CORE_MEMBERSHIP_H
#define WM_CORE_MEMBERSHIP_H

#include "core/numbering/weights.h"
#include "core/paths/pathset.h"

enum wm_member {
	WM_MEMBER_NONE, /* no path that takes the edge is a member */
	WM_MEMBER_ALL, /* all are members */
	WM_MEMBER_ONE, /* exactly one of several is a member: `only` is its id */
	WM_MEMBER_CLEAN, /* the members are exactly the paths over clean edges: the sign of the total tells (residual_marks.h) */
	WM_MEMBER_CORE, /* all paths over core edges are members (core/paths/closed_core.h); others must be looked up */
	WM_MEMBER_SOME, /* anything else: every path must be looked up */
	WM_MEMBER_UNDECIDED, /* paths are not decided on this edge */
};

struct wm_membership {
	uint8_t *member; /* per DAG edge: enum wm_member */
	uint64_t *only; /* per DAG edge */
	bool *checked; /* per DAG edge: paths are checked on it; every path takes exactly one such edge */
};
/* `prefixes` are those of the set.  `core` is per DAG edge, or NULL.  Afterwards all paths are checked on their last
 * edge, to End.  O(edges + paths). */
enum wm_status wm_membership_make(struct wm_membership *membership, const struct wm_plan *plan,
	const struct wm_prefixes *prefixes, const bool *core, struct wm_arena *arena);
/* Where paths may be checked. */
struct wm_checking {
	const struct wm_weights *weights; /* NULL: only on their last edge */
	/* Per block: a call in it may not return, so a path through it must not be checked before it.  NULL: none. */
	const bool *may_not_return;
	bool loops; /* paths that end at a back edge may be checked earlier too, because no loop will become a region */
};
/* Moves checks to earlier edges where that is expected to cost less.  Needs plan->events_are_edges.  O(edges). */
enum wm_status wm_membership_raise(struct wm_membership *membership, const struct wm_plan *plan,
	const struct wm_checking *checking, struct wm_arena *arena);
/* Selects the paths of the set that are checked on an edge whose class is in `members`, a set of bits
 * 1 << WM_MEMBER_*. */
enum wm_status wm_membership_select(const struct wm_membership *membership, const struct wm_plan *plan,
	const struct wm_prefixes *prefixes, unsigned members, struct wm_path_set *selected, struct wm_arena *arena);

#endif
