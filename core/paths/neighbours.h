/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The paths outside a set that are nearest to it: those that a test would take if few decisions of a path that ran had
 * another outcome.
 *
 * A decision of a path is an edge of it that leaves a node with several out-edges; so is its first edge, if paths can
 * start at several places.  The distance of a path from one of the set is the number of its decisions that the other
 * path does not take, and its distance from the set is the smallest of them.  core/paths/nearest.h compares paths by
 * their beginnings instead, because it is asked about paths that ran, which are far from all others as often as not.
 *
 * An edge that no path of the set takes is *fresh*.  Neighbours come in the order of their distance; among equals in that of
 * their turns, then of their ids.  So a short list names many fresh edges, and one path for each of them.  The caller may demote
 * some neighbours, which then come after all others, and leave out some.
 */
#ifndef WM_CORE_NEIGHBOURS_H
#define WM_CORE_NEIGHBOURS_H

#include "core/scheme/scheme.h"
#include <stddef.h>

/* No path that is farther from the set is found; and a search that has demoted so many paths ends. */
enum { WM_FARTHEST_NEIGHBOUR = 63, WM_MOST_DEMOTED = 4096 };

enum wm_verdict {
	WM_VERDICT_KEEP,
	WM_VERDICT_DEMOTE,
	WM_VERDICT_SKIP, /* the path is left out */
};

enum wm_turn {
	WM_TURN_FIRST, /* the first path over its first fresh edge, or a demoted path found before it */
	WM_TURN_OLD, /* a path without a fresh edge */
	WM_TURN_AGAIN, /* any other path */
};

struct wm_neighbour {
	uint64_t id;
	uint64_t nearest; /* in the set; among equals the one with the longest common beginning, then the lowest id */
	uint32_t distance;
	uint32_t common; /* length of the common beginning in DAG edges */
	uint32_t fresh; /* the first fresh edge of the path in the DAG, which is a decision; WM_NONE: it has none */
	enum wm_turn turn;
	bool demoted;
};

struct wm_neighbours {
	/* What is asked for.  `set` is ascending and without duplicates. */
	const struct wm_plan *plan;
	const uint64_t *set;
	size_t set_count;
	const bool *avoided; /* per DAG edge, or NULL: no path over it is sought */
	const bool *wanted; /* per DAG edge, or NULL: only paths over at least one of these edges are sought */
	size_t most; /* how many are sought that are not demoted */
	uint64_t effort; /* how many edges the search may look at */
	enum wm_verdict (*judge)(void *closure, uint64_t id); /* NULL: all are kept */
	void *closure;
	/* The answer. */
	uint64_t sought; /* how many paths of the plan are sought; some of them may be in the set */
	uint64_t outside; /* … and how many of these are not in the set */
	size_t count;
	struct wm_neighbour *path; /* in the order above; heap, freed by the caller */
	bool stopped; /* the search ended early: what it found is right, and something before the last of it may be missing */
};

/*
 * Fills in the answer.  Demoted paths are those that come before the last of the others in the order of distances.  If the set
 * is empty, only the numbers are filled in.  WM_BAD_PATH: an id is out of range.  WM_NO_MEMORY.
 *
 * For each distance up to that of the last neighbour the time is O(set · edges) for the distances from each node to the
 * end, plus the ways to the paths that are found, which have no dead ends.
 */
enum wm_status wm_neighbours_find(struct wm_neighbours *neighbours, struct wm_arena *arena);

/* The distance of one path, which is not in the set, from the set, which is not empty: fills in all of `path` but `id`,
 * `turn` and `demoted`.  O(set · length).  WM_BAD_PATH: an id is out of range.  WM_NO_MEMORY. */
enum wm_status wm_neighbours_measure(
	const struct wm_neighbours *neighbours, struct wm_neighbour *path, struct wm_arena *arena);

#endif
