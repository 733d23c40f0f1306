/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Preferential numbering as linear algebra: not in the papers.
 *
 * The ids of the interesting paths are A·x modulo 2^64, where A says which chords of
 * a spanning tree each path takes and x holds the chords' values: potentials do not
 * change sums, so chords are enough.  Which ids can be reached is then a question
 * about the columns of A over the ring of integers modulo 2^64.  Independent paths
 * whose matrix has odd invariant factors can have any ids at all, so 0 … count-1.
 */
#ifndef WM_CORE_LINEAR_H
#define WM_CORE_LINEAR_H

#include "core/paths/preferential.h"

/* The published numbering is kept for more paths than this, or when
 * (paths + columns) · columns · rank could exceed the second. */
#define WM_LINEAR_PATHS 4096
#define WM_LINEAR_LIMIT ((uint64_t)1 << 28)

/*
 * The best of: the acyclic ids of the set, the published numbering, and what a
 * bounded search over the reachable ids finds.  Never worse than the published one;
 * delta = 1 when the paths are independent with odd invariant factors and within the
 * limits above.  `method` says which won; on a tie the published one, whose
 * values are small.  WM_TOO_MANY as wm_preferential_published.
 */
enum wm_status wm_preferential_linear(struct wm_preferential *preferential, const struct wm_plan *plan,
	const struct wm_path_set *set, struct wm_arena *arena);

/* Which chords the paths take: rows are paths, columns the chords of a spanning tree
 * over the edges in use, closed by End → Start. */
struct wm_incidence {
	uint32_t rows, columns;
	uint32_t *chord; /* per column: its DAG edge */
	uint8_t *cell; /* rows · columns, row by row */
};
/* WM_TOO_MANY, before anything large is allocated, when
 * (rows + columns) · columns · min(rows, columns) > limit. */
enum wm_status wm_incidence_make(struct wm_incidence *incidence, const struct wm_plan *plan,
	const struct wm_prefixes *prefixes, uint64_t limit, struct wm_arena *arena);

#endif
