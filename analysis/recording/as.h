/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The profile that a program would have counted under a scheme, computed from its recording. */
#ifndef WM_ANALYSIS_RECORDING_AS_H
#define WM_ANALYSIS_RECORDING_AS_H

#include "analysis/counts/idcounts.h"
#include "analysis/replay/recording_view.h"
#include "core/scheme/unit_scheme.h"
#include "profile/base/function_counts.h"

struct wm_wpp_as {
	const char *scheme; /* as the user wrote it */
	/* Binaries that count paths across calls under the scheme: their units are used.  None: for other schemes. */
	const struct wm_operands *like;
	const char *debug_dir;
	const char *output; /* the file that is written */
};
void wm_wpp_as(const struct wm_wpp_view *view, const struct wm_wpp_as *as);

/* ---- What wm_wpp_as does for all schemes ---------------------------------------------------- */

/* An object without functions.  wm_wpp_add_function adds one, wm_wpp_add_object takes over what the object points to. */
struct wm_profile_object wm_wpp_make_object(
	const struct wm_wpp_view *view, const uint8_t *build_id, uint32_t build_id_size, const char *program);
void wm_wpp_add_function(struct wm_profile_object *object, const struct wm_profile_function *function);
void wm_wpp_add_object(struct wm_profile *profile, struct wm_profile_object *object);
/* Sorts the counts and adds them to the function: what it counted, or, if `inherited`, what it had counted before a fork. */
void wm_wpp_add_counts(struct wm_profile_function *function, struct wm_id_counts *counts, bool inherited);
/* Adds the profile of a scheme across calls (as_across.c). */
void wm_wpp_across(const struct wm_wpp_view *view, const struct wm_wpp_as *as, const struct wm_scheme *scheme,
	struct wm_profile *profile);

#endif
