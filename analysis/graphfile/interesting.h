/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A file of interesting paths for a graph file, written by hand: one path per line, either as block names separated
 * by white space or as one number, its acyclic id.  `function NAME` begins the paths of a function; before it, paths
 * belong to the first function of the graph file.  # begins a comment.
 */
#ifndef WM_ANALYSIS_GRAPHFILE_INTERESTING_H
#define WM_ANALYSIS_GRAPHFILE_INTERESTING_H

#include "analysis/graphfile/graphfile.h"
#include "core/paths/pathset.h"
#include "support/buffer.h"

struct wm_interesting {
	const char *path;
	const struct wm_cfg *cfg;
	struct wm_buffer text;
};
void wm_interesting_load(struct wm_interesting *interesting, const char *path, const struct wm_cfg *cfg);
void wm_interesting_release(struct wm_interesting *interesting);
/* Ends in wm_fail with file, line and column if a line is not a path of the function. */
void wm_interesting_set(const struct wm_interesting *interesting, const struct wm_cfg_function *function,
	const struct wm_plan *plan, struct wm_path_set *set, struct wm_arena *arena);

#endif
