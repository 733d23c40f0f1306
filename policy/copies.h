/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Chooses the copies of code for residual builds.  Not in the papers.
 *
 * A residual build that knows a core of the tested paths (core/paths/closed_core.h) can let the position of control record
 * whether a path has left the core.  A copied block has two instances (core/graph/shape.h): an *inner* one for paths
 * that are still in the core, and an *outer* one for paths that have left it.  An edge that leaves the core leads to an
 * outer instance.  A path that ends in an inner instance on a core edge is tested, so no check is needed there.  All
 * other paths are checked by the class of their edge in the shape (core/paths/membership.h), with added marks; sticky
 * marks are not used together with copies.  A path begins in the first instance of its block: the inner one if some
 * path that begins there is in the core, else the outer one.
 *
 * Small functions are copied as a whole.  In larger functions only loops that iterate often are copied; copied loops do
 * not nest.  A path that enters a copied loop uses outer instances until its iteration ends, because outside the loop
 * nothing records whether the path has left the core.  In large functions copying costs more than it saves, because
 * values that are computed before the copied code must be available in both instances: LZ4HC_compress_generic (593
 * blocks) executes 8 % more instructions if it is copied as a whole than if only its loops are, and sqlite3VdbeExec
 * (1923 blocks) is not copied at all.
 */
#ifndef WM_POLICY_COPIES_H
#define WM_POLICY_COPIES_H

#include "core/graph/shape.h"
#include "core/numbering/weights.h"
#include "core/scheme/scheme.h"

/* Functions with loops and at most this many blocks are copied as a whole. */
#define WM_COPY_SMALL 512u

/*
 * `core`, per DAG edge, is the core of the tested paths.  `small` replaces WM_COPY_SMALL.  WM_TOO_MANY: no copy pays.
 * Needs plan->events_are_edges.  O(edges · depth of loops).
 */
enum wm_status wm_copies_shape(struct wm_shape *shape, const struct wm_plan *plan, const struct wm_weights *weights,
	const bool *core, uint32_t small, struct wm_arena *arena);

#endif
