/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the probes of a residual build are expected to cost: instructions on tested paths, as often as the
 * weights say.  Only good for comparing ways of telling the same paths. */
#ifndef WM_PLUGIN_PRICE_H
#define WM_PLUGIN_PRICE_H

#include "plugin/counting.h"

double wm_price(const struct wm_counting *counting, const struct wm_plan *plan, const struct wm_weights *weights,
	const struct wm_probe_program *program);

#endif
