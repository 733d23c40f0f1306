/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How often the edges of a function ran in an earlier profile. */
#ifndef WM_POLICY_KNOWN_WEIGHTS_H
#define WM_POLICY_KNOWN_WEIGHTS_H

#include "core/numbering/weights.h"
#include "profile/base/function_counts.h"
#include "profile/map/map.h"

/* Adds the counts of the profile to *weights, whose arrays have room.  `plan` is that of the function's graph under
 * `function->scheme`.  *any: the profile knows the function.  WM_NO_MEMORY. */
enum wm_status wm_weights_add_profile(struct wm_weights *weights, bool *any, const struct wm_profile *profile,
	const struct wm_map_function *function, const struct wm_plan *plan, struct wm_arena *arena);

#endif
