/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef WM_CMD_NUMBER_UNIT_H
#define WM_CMD_NUMBER_UNIT_H

#include "analysis/graphfile/unitgraph.h"

/* waymark number for a scheme of paths across calls. */
struct wm_number_unit {
	const struct wm_unit_scheme *scheme;
	uint64_t max_paths; /* 0: 2^63 */
	uint64_t listed; /* the most paths that are listed per function; 0: none are */
	bool all; /* if there are more, fail instead of leaving them out */
	bool probes, json;
};
void wm_number_unit(const struct wm_number_unit *options, struct wm_graph_file *file);

#endif
