/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which calls to inline where not all of them fit: the most frequent ones.
 *
 * The counts are those of call sites, without contexts.  The *heat* of a call site in a context estimates how often it is
 * executed there: the count of the site, times the share of all executions of the calling function that happen in this
 * context.  A function itself is a context too, to which the executions belong that have not been inlined elsewhere; so
 * callers must be treated before callees, and a function whose calls are all inlined has no heat left.
 *
 * Calls that are at least as hot as a threshold are inlined.  Calls that have the next smaller heat are inlined, in the
 * order in which they are found, while there is room.
 */
#ifndef WM_CORE_GRAPH_INLINE_BUDGET_H
#define WM_CORE_GRAPH_INLINE_BUDGET_H

#include "core/graph/origin.h"
#include "core/graph/unit.h"

struct wm_inline_budget {
	const struct wm_unit *unit;
	const uint64_t *const *count; /* per function, per call site: executions */
	const uint32_t *size; /* per function: what a copy of it adds */
	uint64_t room; /* what all copies together may add */
	/* Set by wm_inline_threshold_find (core/graph/inline_threshold.h): */
	double *entries; /* per function: executions by all call sites */
	double *inlined; /* per function: those of them that are inlined */
	double own; /* of the function at work: the share of executions that are not inlined */
	double least, next; /* the threshold, and the next smaller heat */
	uint64_t spent, next_room; /* next_room: what calls below the threshold may add */
};

/* Must be called before the calls of a function are chosen. */
void wm_inline_budget_begin(struct wm_inline_budget *budget, uint32_t root);
/* Whether a call is hot enough, and there is room for its callee. */
bool wm_inline_budget_allows(
	const struct wm_inline_budget *budget, const struct wm_origins *origins, uint32_t context, uint32_t site);
/* Must be called when a call is inlined. */
void wm_inline_budget_spend(
	struct wm_inline_budget *budget, const struct wm_origins *origins, uint32_t context, uint32_t site);

#endif
