/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Preferential numbering as linear algebra.  Not in the papers.
 *
 * The ids of the interesting paths are A·x modulo 2^64.  Row i of the matrix A says which chords of a spanning tree
 * path i takes, and x is the vector of the chords' values.  Values on tree edges are not needed, because adding a
 * potential to the nodes does not change the sum of a whole path.  Which vectors of ids can be reached is therefore a
 * question about the columns of A over the ring of integers modulo 2^64.  If the rows are linearly independent and
 * all invariant factors of A are odd, the paths can have any ids, in particular 0 … count-1.
 */
#ifndef WM_CORE_PREFERENTIAL_LINEAR_H
#define WM_CORE_PREFERENTIAL_LINEAR_H

#include "core/preferential/preferential.h"

/* The published numbering is kept if there are more than WM_LINEAR_PATHS paths, or if (paths + columns) · columns ·
 * rank could exceed WM_LINEAR_LIMIT. */
#define WM_LINEAR_PATHS 4096
#define WM_LINEAR_LIMIT ((uint64_t)1 << 28)

/*
 * Returns the most compact of three numberings: the acyclic ids of the set, the published numbering, and the result
 * of a bounded search over the reachable ids.  It is never less compact than the published one.  delta is 1 if the
 * paths are independent with odd invariant factors and within the limits above.  `method` says which numbering it is;
 * on a tie it is the published one, whose values are small.  WM_TOO_MANY as for wm_preferential_published.
 */
enum wm_status wm_preferential_linear(struct wm_preferential *preferential, const struct wm_plan *plan,
	const struct wm_path_set *set, struct wm_arena *arena);

/* The matrix A.  Rows are paths; columns are the chords of a spanning tree of the edges that the paths take, together
 * with an edge End → Start. */
struct wm_incidence {
	uint32_t rows, columns;
	uint32_t *chord; /* per column: its DAG edge */
	uint8_t *cell; /* rows · columns, row by row */
};
/* WM_TOO_MANY: (rows + columns) · columns · min(rows, columns) > limit.  Nothing large has been allocated then. */
enum wm_status wm_incidence_make(struct wm_incidence *incidence, const struct wm_plan *plan,
	const struct wm_prefixes *prefixes, uint64_t limit, struct wm_arena *arena);

#endif
