/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Interesting paths written by hand, for a graph file: one path per line, block names
 * separated by white space, or one number, its acyclic id.  `function NAME` begins
 * the paths of a function, the first of the graph file until then.  # comments.
 */
#ifndef WM_TOOL_INTERESTING_H
#define WM_TOOL_INTERESTING_H

#include "core/paths/pathset.h"
#include "tool/graphfile.h"
#include "tool/tool.h"

struct wm_interesting {
	const char *path;
	const struct wm_cfg *cfg;
	struct wm_buffer text;
};
void wm_interesting_load(struct wm_interesting *interesting, const char *path, const struct wm_cfg *cfg);
void wm_interesting_release(struct wm_interesting *interesting);
/* wm_fail with file, line and column at anything that is no path of the function. */
void wm_interesting_set(const struct wm_interesting *interesting, const struct wm_cfg_function *function,
	const struct wm_plan *plan, struct wm_path_set *set, struct wm_arena *arena);

#endif
