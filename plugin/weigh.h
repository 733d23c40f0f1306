/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Edge weights for placement: from an earlier profile if it knows the function, else from LLVM's branch
 * probabilities.
 */
#ifndef WM_PLUGIN_WEIGH_H
#define WM_PLUGIN_WEIGH_H

#include "plugin/extract.h"
#include "policy/options.h"

enum wm_status wm_weigh(struct wm_weights *weights, const struct wm_options *options,
	const struct wm_map_function *function, const struct wm_plan *plan, const struct wm_anchors *anchors,
	struct wm_shim_analyses *analyses, struct wm_arena *arena);

#endif
