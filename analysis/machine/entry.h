/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads paths of `waymark hw` in a recording (WM_WPP_BRANCHES); profile/wpp/wpp.h describes the fields. */
#ifndef WM_ANALYSIS_MACHINE_ENTRY_H
#define WM_ANALYSIS_MACHINE_ENTRY_H

#include "abi/stream.h"
#include "hardware/model/control.h"
#include "profile/wpp/wpp.h"

/* The path that an entry stands for, with an address in the object, and its control
 * register.  False: the function or the entry makes no sense. */
static inline bool wm_hw_wpp_path(
	const struct wm_wpp_function *function, uint64_t entry, struct wm_hw_path *path, struct wm_hw_control *control)
{
	*path = (struct wm_hw_path){
		.start = function->start, .outcomes = wm_stream_id(entry), .length = function->length};
	return !wm_hw_control_unpack(control, function->control) && path->length <= control->max_branches &&
	       (path->length == WM_HW_MAX_BRANCHES || !(path->outcomes >> path->length));
}

#endif
