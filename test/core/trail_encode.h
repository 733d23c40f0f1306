/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The id of a path across calls: the inverse of wm_trail_decode.  It follows the steps of the trail and adds up the values of what
 * they choose, where decoding searches these values, so the two prove each other.
 */
#ifndef WM_TEST_CORE_TRAIL_ENCODE_H
#define WM_TEST_CORE_TRAIL_ENCODE_H

#include "core/trail/trail.h"

/* WM_BAD_PATH: the trail is not a path of the plan.  WM_NO_MEMORY. */
enum wm_status trail_encode(
	const struct wm_unit_plan *unit, const struct wm_trail *trail, uint64_t *id, struct wm_arena *arena);

#endif
