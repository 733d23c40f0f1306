/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The sequence of paths that the path detector finds, as a recording (profile/wpp/wpp.h, WM_WPP_BRANCHES) that
 * `waymark wpp` reads.  Each thread has a stream.  The recording is written while the program runs; memory is bounded by
 * the number of different paths and of threads that run at once.
 */
#ifndef WM_ANALYSIS_HW_HW_WPP_H
#define WM_ANALYSIS_HW_HW_WPP_H

#include "hardware/model/analysis.h"
#include "hardware/trace/traced_program.h"
#include "profile/wpp/wpp.h"

struct wm_hw_wpp;

/* Opens the file.  Each function ends in wm_fail if the file cannot be written. */
struct wm_hw_wpp *wm_hw_wpp_new(const char *path);
/* For the configuration of the analysis whose paths are recorded. */
struct wm_hw_path_sink wm_hw_wpp_sink(struct wm_hw_wpp *wpp);
/* All threads have ended.  Completes the file and frees `wpp`. */
void wm_hw_wpp_finish(struct wm_hw_wpp *wpp, const struct wm_trace_program *program,
	const struct wm_hw_control *control, enum wm_wpp_ending ending);

#endif
