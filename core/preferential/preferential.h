/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Preferential numbering: a second value per DAG edge that gives the *interesting* paths small ids.  Other paths may
 * have the same sums (aliases); the acyclic id distinguishes them.
 *
 * Invariant of every numbering here: sums are computed modulo 2^64 and read as unsigned numbers.  The sum of an
 * interesting path is its preferential id; it is below `span`, and no other interesting path has it.  The sum of any
 * other path may have any value.  Since 2^64 is a multiple of every smaller power of two, sums may also be kept in a
 * register of at least log2(span) bits, or in the high bits of a register (core/preferential/pack.h).
 */
#ifndef WM_CORE_PREFERENTIAL_PREFERENTIAL_H
#define WM_CORE_PREFERENTIAL_PREFERENTIAL_H

#include "core/paths/pathset.h"

enum wm_preferential_method {
	WM_METHOD_PUBLISHED, /* popl07, figure 10 */
	WM_METHOD_ACYCLIC, /* the acyclic values, shifted so that ids begin at 0 */
	WM_METHOD_LINEAR, /* core/preferential/linear.h */
	WM_METHOD_GIVEN, /* wm_preferential_use */
};

struct wm_preferential {
	const struct wm_path_set *set;
	enum wm_preferential_method method;
	int64_t *value; /* per DAG edge; 0 if no interesting path takes the edge */
	uint64_t *id; /* per path of the set: its preferential id */
	uint32_t *by_id; /* positions in the set, sorted by preferential id */
	uint64_t span; /* largest id + 1; 0 for an empty set */
	/* The compactness of the papers: span / count, at best 1.  1 for an empty set. */
	double delta;
	/* 2^H / count, where H is the number of bits that pathEncoder needs for an interesting path under the model of
	 * figure 10 (core/preferential/coding.h): log2 of the size of its interval at Start.  So gamma is the delta of the
	 * published numbering, even if this numbering is another one. */
	double gamma;
	double acyclic_delta; /* the delta that the acyclic ids of the set have */
};

/* popl07 figure 10, with groups of paths (core/paths/pathset.h) as prefixes.  Ids begin at 0 and are below the number
 * of acyclic paths.  O(edges · paths).  WM_TOO_MANY as for wm_prefixes_make. */
enum wm_status wm_preferential_published(struct wm_preferential *preferential, const struct wm_plan *plan,
	const struct wm_path_set *set, struct wm_arena *arena);

/* The same, for a caller that already has the prefixes. */
enum wm_status wm_preferential_from_prefixes(struct wm_preferential *preferential, const struct wm_plan *plan,
	const struct wm_prefixes *prefixes, struct wm_arena *arena);

/* Uses the given values: copies those of edges that interesting paths take, and adds a constant to the edges from
 * Start so that ids begin at 0.  `gamma` stays 0.  WM_BAD_PATH: two interesting paths have the same sum.  O(groups). */
enum wm_status wm_preferential_use(struct wm_preferential *preferential, const struct wm_plan *plan,
	const struct wm_prefixes *prefixes, const int64_t *value, struct wm_arena *arena);

/* The path of the set with this preferential id; WM_NONE: no path has it.  O(log count). */
uint32_t wm_preferential_find(const struct wm_preferential *preferential, uint64_t sum);

#endif
