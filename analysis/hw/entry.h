/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads and writes paths of `waymark hw` in a recording (WM_WPP_BRANCHES); profile/wpp.h describes the fields. */
#ifndef WM_ANALYSIS_HW_ENTRY_H
#define WM_ANALYSIS_HW_ENTRY_H

#include "abi/stream.h"
#include "hardware/model/control.h"
#include "profile/wpp.h"

#define WM_HW_WPP_LENGTH_SHIFT 48
static inline uint64_t wm_hw_wpp_hash(uint64_t control, uint32_t length)
{
	return control | (uint64_t)length << WM_HW_WPP_LENGTH_SHIFT;
}

/* The path that an entry stands for, with an address in the object, and its control
 * register.  False: the function or the entry makes no sense. */
static inline bool wm_hw_wpp_path(
	const struct wm_wpp_function *function, uint64_t entry, struct wm_hw_path *path, struct wm_hw_control *control)
{
	*path = (struct wm_hw_path){.start = function->key,
		.outcomes = wm_stream_id(entry),
		.length = (uint32_t)(function->graph_hash >> WM_HW_WPP_LENGTH_SHIFT)};
	uint64_t packed = function->graph_hash & ((UINT64_C(1) << WM_HW_WPP_LENGTH_SHIFT) - 1);
	return !wm_hw_control_unpack(control, packed) && path->length <= control->max_branches &&
	       (path->length == WM_HW_MAX_BRANCHES || !(path->outcomes >> path->length));
}

#endif
