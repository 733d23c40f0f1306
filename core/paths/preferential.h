/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Preferential numbering: a second value per DAG edge that gives the *interesting*
 * paths small ids.  Other paths may have the same sums (aliases); the acyclic id
 * tells them apart.
 *
 * Invariant of every numbering here: sums are taken modulo 2^64 and read as
 * unsigned.  The sum of an interesting path is its preferential id, below `span`,
 * and no other interesting path has it.  The sum of any other path can be anything.
 * Since 2^64 is a multiple of every smaller power of two, sums may also be kept in
 * any register of at least log2(span) bits, or in the high bits of one (core/paths/pack.h).
 */
#ifndef WM_CORE_PREFERENTIAL_H
#define WM_CORE_PREFERENTIAL_H

#include "core/paths/pathset.h"

enum wm_preferential_method {
	WM_METHOD_PUBLISHED, /* popl07, figure 10 */
	WM_METHOD_ACYCLIC, /* the acyclic values, shifted to begin at 0 */
	WM_METHOD_LINEAR, /* core/paths/linear.h */
	WM_METHOD_GIVEN, /* wm_preferential_use */
};

struct wm_preferential {
	const struct wm_path_set *set;
	enum wm_preferential_method method;
	int64_t *value; /* per DAG edge; 0 where no interesting path goes */
	uint64_t *id; /* per path of the set: its preferential id */
	uint32_t *by_id; /* the set's indices by rising preferential id */
	uint64_t span; /* largest id + 1; 0 for an empty set */
	/* The papers' compactness: span / count, at best 1; of an empty set 1. */
	double delta;
	/* 2^H / count, where H is what pathEncoder spends on an interesting path under
	 * the model of figure 10 (core/paths/coding.h), in bits: log2 of the interval that it
	 * gives Start.  So it is the delta of the published numbering, whichever
	 * numbering this is. */
	double gamma;
	double acyclic_delta; /* of the acyclic ids of the same set */
};

/* popl07 figure 10, with groups of paths (core/paths/pathset.h) for prefixes: O(edges · paths).
 * Ids begin at 0 and stay below the number of acyclic paths.  WM_TOO_MANY as wm_prefixes_make. */
enum wm_status wm_preferential_published(struct wm_preferential *preferential, const struct wm_plan *plan,
	const struct wm_path_set *set, struct wm_arena *arena);

/* The same for a caller that has the prefixes already. */
enum wm_status wm_preferential_from_prefixes(struct wm_preferential *preferential, const struct wm_plan *plan,
	const struct wm_prefixes *prefixes, struct wm_arena *arena);

/* A numbering made elsewhere: copies `value` where interesting paths go, adds a constant to the edges from Start
 * so that the ids begin at 0.  WM_BAD_PATH when two interesting paths have one sum.
 * `gamma` is left 0.  O(groups). */
enum wm_status wm_preferential_use(struct wm_preferential *preferential, const struct wm_plan *plan,
	const struct wm_prefixes *prefixes, const int64_t *value, struct wm_arena *arena);

/* The path of the set with this preferential id, or WM_NONE for a hole.  O(log count). */
uint32_t wm_preferential_find(const struct wm_preferential *preferential, uint64_t sum);

#endif
