/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef WM_VIEW_UNTESTED_RESIDUAL_VIEW_H
#define WM_VIEW_UNTESTED_RESIDUAL_VIEW_H

#include "analysis/untested/untested.h"
#include "view/document/view_options.h"

/* Prints the comparison in the formats that the options select. */
void wm_untested_print(const struct wm_untested *untested, const struct wm_report_options *options);
void wm_untested_json(const struct wm_untested *untested, const struct wm_report_options *options, FILE *out);

/* An untested edge; and where a path parts from the nearest tested path, or null. */
json_t *wm_untested_edge_json(const struct wm_untested_function *function, uint32_t edge, struct wm_sources *sources);
json_t *wm_untested_parting_json(
	const struct wm_untested_function *function, const struct wm_untested_path *path, struct wm_sources *sources);

#endif
