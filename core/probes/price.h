/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the probes of a residual build are expected to cost. */
#ifndef WM_CORE_PROBES_PRICE_H
#define WM_CORE_PROBES_PRICE_H

#include "core/probes/counting.h"

/*
 * Machine instructions that a finished program takes on tested paths, as often as the weights say.
 * `outside`, per DAG edge or NULL: executions of tested paths that are asked there and that the cold end must
 * look up.  Good for comparing ways of telling the same paths, and for nothing else.
 */
double wm_price(const struct wm_counting *counting, const struct wm_plan *plan, const struct wm_weights *weights,
	const uint64_t *outside, const struct wm_probe_program *program);

#endif
