/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The profile that a program would have counted under a scheme, computed from its recording. */
#ifndef WM_ANALYSIS_RECORDING_AS_H
#define WM_ANALYSIS_RECORDING_AS_H

#include "analysis/replay/recording_view.h"

struct wm_wpp_as {
	const char *scheme; /* as the user wrote it */
	/* Binaries that count paths across calls under the scheme: their units are used.  None: for other schemes. */
	const struct wm_operands *like;
	const char *debug_dir;
	const char *output; /* the file that is written */
};
void wm_wpp_as(const struct wm_wpp_view *view, const struct wm_wpp_as *as);

#endif
