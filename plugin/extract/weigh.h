/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Edge weights for placement: from an earlier profile if it knows the function, else from LLVM's branch
 * probabilities.
 */
#ifndef WM_PLUGIN_EXTRACT_WEIGH_H
#define WM_PLUGIN_EXTRACT_WEIGH_H

#include "core/numbering/weights.h"
#include "plugin/extract/extract.h"
#include "policy/known.h"

/* `known`: the earlier profile, if any, and the function. */
enum wm_status wm_weigh(struct wm_weights *weights, const struct wm_plan *plan, struct wm_known known,
	const struct wm_anchors *anchors, struct wm_shim_analyses *analyses, struct wm_arena *arena);

#endif
