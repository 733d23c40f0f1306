/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The profile that a program would have counted under a scheme, computed from its recording. */
#ifndef WM_ANALYSIS_RECORDING_AS_H
#define WM_ANALYSIS_RECORDING_AS_H

#include "analysis/recording/idcounts.h"
#include "analysis/recording/view.h"
#include "core/scheme/interprocedural.h"

struct wm_wpp_as {
	const char *scheme; /* as the user wrote it */
	/* Binaries that count paths across calls under the scheme: their units are used.  None: for other schemes. */
	const struct wm_operands *like;
	const char *debug_dir;
	const char *output; /* the file that is written */
};
void wm_wpp_as(const struct wm_wpp_view *view, const struct wm_wpp_as *as);
/* The same for a scheme across calls; wm_wpp_as calls it. */
void wm_wpp_across(const struct wm_wpp_view *view, const struct wm_wpp_as *as, const struct wm_unit_scheme *scheme);
/* Gives all acyclic paths of the recording; `function` is an index of the table of the recording. */
typedef void wm_wpp_path(void *closure, uint32_t function, const struct wm_id_count *path);
void wm_wpp_acyclic(const struct wm_wpp_view *view, void *closure, wm_wpp_path *found);

#endif
