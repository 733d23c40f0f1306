/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which call sites of a unit are crossed, and the plan that follows (interprocedural.h). */
#ifndef WM_CORE_SCHEME_UNIT_PLAN_H
#define WM_CORE_SCHEME_UNIT_PLAN_H

#include "core/numbering/weights.h"
#include "core/scheme/interprocedural.h"

/* The share of a function that is compiled before its unit is known. */
#define WM_UNIT_SHARE ((uint64_t)1 << 44)

struct wm_unit_request {
	const struct wm_unit *unit;
	const struct wm_unit_scheme *scheme;
	uint64_t limit; /* ids stay below this, at most 2^63; 0: 2^63 */
	/* The graph of every function is cut so that the function has at most so many acyclic paths; 0: graphs are cut only as
	 * far as the limit demands.  Where programs and tables are made apart it must be WM_UNIT_SHARE, because the cuts
	 * are part of the program. */
	uint64_t share;
	/* Per function, or NULL for none: it can be called from outside of the unit. */
	const bool *entry;
	/* Per function, or NULL for none: calls of it are stepped over, for it may run at any time, as a signal handler. */
	const bool *handler;
	/* Per function, per call site, or NULL for none: the site is stepped over. */
	const bool *const *over;
	/* Per function, per call site, or NULL for none: of the sites of a function these are crossed before all others. */
	const bool *const *first;
	/* Per function, or NULL for an estimate: where ids would be too large, hotter sites are crossed first. */
	const struct wm_weights *weights;
};

/*
 * Chooses what to cross and numbers.  Functions are numbered callees first; of the sites of a function as many are
 * crossed as keep its count of paths at or below a threshold, the hottest first.  The threshold is the largest
 * power of two for which all ids fit.  If they do not fit although nothing is crossed, graphs are cut.  Deterministic in
 * the request.
 * WM_TOO_MANY when not even the acyclic paths of all functions fit, however their graphs are cut.
 * O((blocks + edges + sites) · log sites · 6).
 */
enum wm_status wm_unit_plan_make(
	struct wm_unit_plan *plan, const struct wm_unit_request *request, struct wm_arena *arena);

#endif
