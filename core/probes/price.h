/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The expected cost of the probes of a residual build. */
#ifndef WM_CORE_PROBES_PRICE_H
#define WM_CORE_PROBES_PRICE_H

#include "core/probes/counting.h"

/*
 * The number of machine instructions that a finished program executes on tested paths, weighted by the weights.
 * `left_core`, per DAG edge or NULL: the executions of tested paths that are checked there and that program->cold must
 * look up.  The result only serves to compare different programs for the same function.
 */
double wm_price(const struct wm_counting *counting, const struct wm_plan *plan, const struct wm_weights *weights,
	const uint64_t *left_core, const struct wm_probe_program *program);

#endif
