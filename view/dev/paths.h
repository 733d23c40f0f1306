/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What `number` and `replay` print alike: the paths of a graph file, and the schemes. */
#ifndef WM_VIEW_DEV_PATHS_H
#define WM_VIEW_DEV_PATHS_H

#include "analysis/graphfile/inlined.h"

/* The graphs through which the paths lead. */
struct wm_path_graphs {
	const struct wm_cfg_function
		*function; /* by the index that trails give; with `inlined` those of inlined->cfg */
	const struct wm_plan
		*plan; /* of the function in which the paths lie; across calls: of any function of the unit */
	const struct wm_inlined *inlined; /* NULL: calls are not inlined */
};

/*
 * Prints a path, followed by how it ends unless it returns.
 *     inside a function   a-b-c: " | " separates iterations; a context is in brackets, with + after loop heads in a later
 *                         iteration
 *     across calls, also inlined ones
 *                         main:a main:b ( pow:c ) main:d: a return without its call has the block after it to which it
 *                         returns, )main:b; a block where a path has gone on after a back edge, or after a call that cuts
 *                         paths, has + before it
 */
void wm_print_path(const struct wm_path_graphs *graphs, const struct wm_trail *trail);
/*
 * Prints "path": [...], "start": ... and "end": ..., and
 *     inside a function   "iterations", "again" and "fresh", if the scheme has them
 *     across calls        "context": [...], after which "path" is the active part; "restarts": the indices, in both lists
 *                         together, of blocks where a path has gone on after a back edge; "returns": for every return
 *                         without its call its index and the call's "block" and "position".  Only the scheme `context`
 *                         has a context, only `piecewise` such returns.
 */
void wm_print_path_json(const struct wm_path_graphs *graphs, const struct wm_trail *trail);

/* Prints the schemes, for --help. */
void wm_print_schemes(void);

#endif
