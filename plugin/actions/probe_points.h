/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The positions in the IR at which probes are written. */
#ifndef WM_PLUGIN_ACTIONS_PROBE_POINTS_H
#define WM_PLUGIN_ACTIONS_PROBE_POINTS_H

#include "plugin/extract/extract.h"

/* The first position after the static allocas.  Allocas further down are moved up, because the entry block may be split
 * at this position and they must stay in it. */
LLVMValueRef wm_after_allocas(LLVMValueRef ir);
/* The call of WM_THREAD_FUNCTION that directly follows them, and counts as one of them; or NULL. */
LLVMValueRef wm_thread_call(LLVMValueRef ir);

/* `points`, for each edge in `needed`: the instruction before which its probe is written.  Splits all these edges before
 * the first probe is written, so that the points do not change afterwards.  False: an edge cannot be split. */
bool wm_edge_points(const struct wm_plan *plan, const bool *needed, LLVMValueRef ir, const struct wm_anchors *anchors,
	LLVMValueRef *points);

#endif
