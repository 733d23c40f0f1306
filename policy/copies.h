/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Copies of code for residual builds.  Not in the papers.
 *
 * A residual build that knows a core of the tested paths (core/paths/closed.h) need not ask a path whether it was
 * tested while the path stays in the core.  An edge that leaves the core leads to another instance of its block,
 * so that *where* control is says whether the path has left: at the ends of the core's instances every path is
 * tested and nothing is asked, at the ends of the others paths are asked as usual.
 *
 * Small functions are copied as a whole, of others loops that go round often, none of them inside another.  A
 * path that enters such a loop runs in its copy until its first iteration ends, because outside the loop nothing
 * tells whether it has left the core.  In large functions the copies cost more than they spare, because values
 * that are computed before a loop must be at hand in both: LZ4HC_compress_generic (593 blocks) runs 8 % more
 * instructions copied as a whole than by its loops, and sqlite3VdbeExec (1923 blocks) is not copied at all.
 */
#ifndef WM_POLICY_COPIES_H
#define WM_POLICY_COPIES_H

#include "core/graph/shape.h"
#include "core/numbering/weights.h"
#include "core/scheme/scheme.h"

/* Functions with at most so many blocks are copied as a whole. */
#define WM_COPY_SMALL 512u

/*
 * `core`: per DAG edge.  WM_TOO_MANY: nothing is worth a copy.  Needs plan->events_are_edges.
 * O(edges · depth of loops).
 */
enum wm_status wm_copies_shape(struct wm_shape *shape, const struct wm_plan *plan, const struct wm_weights *weights,
	const bool *core, uint32_t small, struct wm_arena *arena);

#endif
