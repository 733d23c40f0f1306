/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that `number` and `replay` share for schemes of paths across calls: plans of graph files, printing of
 * paths. */
#ifndef WM_TOOL_UNITGRAPH_H
#define WM_TOOL_UNITGRAPH_H

#include "core/probes/unit_program.h"
#include "core/scheme/unit_path.h"
#include "tool/graphfile.h"

/* Makes a plan of all functions of the file, of which the first can be entered from outside.  `limit` 0 stands for
 * 2^63. Ends in wm_fail if the limit cannot be met. */
void wm_unit_graph_plan(
	struct wm_unit_plan *plan, struct wm_graph_file *file, const struct wm_unit_scheme *scheme, uint64_t limit);
/* Makes the probe programs of all functions, with estimated weights. */
void wm_unit_graph_place(const struct wm_unit_plan *plan, enum wm_placement placement, struct wm_unit_program **program,
	struct wm_arena *arena);
/* The number of paths that begin in a function; *first receives the smallest of their ids, which are consecutive. */
uint64_t wm_unit_paths_of(const struct wm_unit_plan *plan, uint32_t function, uint64_t *first);
/* Ends in wm_bug if there is no path with this id. */
void wm_unit_graph_decode(
	const struct wm_unit_plan *plan, uint64_t id, struct wm_unit_path *path, struct wm_arena *arena);

/* Prints a path as main:a main:b ( pow:c ) main:d, followed by how it ends unless it returns.  A return whose call is
 * not part of the path is followed by the block to which it returns: ")main:b".  + is printed before a block where a
 * path has continued after a back edge or after a call that ended the previous path. */
void wm_print_unit_path(const struct wm_cfg *cfg, const struct wm_unit_plan *plan, const struct wm_unit_path *path);
/* Prints "path": [...], "start": ..., "end": ..., "restarts": the indices of blocks with + as above, and "returns": for
 * every return whose call is not part of the path, its index and the "block" and "position" of the call. */
void wm_print_unit_path_json(
	const struct wm_cfg *cfg, const struct wm_unit_plan *plan, const struct wm_unit_path *path);

#endif
