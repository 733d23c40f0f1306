/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef WM_CMD_REPLAY_UNIT_H
#define WM_CMD_REPLAY_UNIT_H

#include "analysis/graphfile/unitgraph.h"

/* waymark replay for a scheme of paths across calls. */
struct wm_replay_unit {
	const struct wm_unit_scheme *scheme;
	enum wm_placement placement;
	uint64_t max_paths; /* 0: 2^63 */
	const char *walk;
	bool json;
};
void wm_replay_unit(const struct wm_replay_unit *options, struct wm_graph_file *file);

#endif
