/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Graph files, for `number` and `replay`. */
#ifndef WM_ANALYSIS_GRAPHFILE_GRAPHFILE_H
#define WM_ANALYSIS_GRAPHFILE_GRAPHFILE_H

#include "analysis/tally/graph_plan.h"
#include "core/graph/cfgtext.h"
#include "core/graph/parts.h"

struct wm_graph_file {
	const char *path;
	struct wm_arena arena;
	struct wm_cfg cfg;
};
/* Ends in wm_fail with file, line and column if the graph is wrong. */
void wm_graph_file_load(struct wm_graph_file *file, const char *path);
void wm_graph_file_release(struct wm_graph_file *file);

/* For schemes whose paths end at calls: the function with the graph of its parts (core/graph/parts.h).  The part after
 * the n-th call of a block has the name of the block with +n. */
void wm_graph_divide(struct wm_cfg_function *divided, struct wm_parts *parts, const struct wm_cfg_function *function,
	const struct wm_unit_function *in_unit, struct wm_arena *arena);

#endif
