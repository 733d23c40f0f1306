/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What would show a condition that is not shown: the path, among those that were not executed, that is nearest to one that was
 * (core/paths/neighbours.h) and has an evaluation that the condition decides.  If evaluations that the condition decides were
 * executed, the new one makes a pair with one of them; otherwise it is the first half of a pair.  Paths that are likely infeasible
 * (core/trail/feasible.h) come after all others.
 */
#ifndef WM_ANALYSIS_MCDC_MISSING_H
#define WM_ANALYSIS_MCDC_MISSING_H

#include "analysis/mcdc/mcdc.h"

/* Paths are compared with at most this many that were executed: those with the highest counts. */
enum { WM_MISSING_NEAR = 200 };

struct wm_missing {
	bool found; /* false: the function did not run, or the search found none */
	uint64_t path, nearest; /* nearest: executed */
	uint32_t distance; /* decisions of `path` that `nearest` does not have */
	bool infeasible; /* likely */
	uint8_t *value; /* the evaluation, per condition; in the arena of `mcdc` */
	size_t partner; /* the executed evaluation with which it makes a pair, or WM_NO_EVALUATION */
};

/* The condition must not be shown, and wm_mcdc_can_show. */
void wm_mcdc_find_missing(
	struct wm_mcdc_function *mcdc, uint32_t expression, uint32_t condition, struct wm_missing *missing);

#endif
