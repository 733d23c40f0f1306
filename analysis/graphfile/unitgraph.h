/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that `number` and `replay` share for schemes of paths across calls: plans of graph files, printing of
 * paths. */
#ifndef WM_ANALYSIS_GRAPHFILE_UNITGRAPH_H
#define WM_ANALYSIS_GRAPHFILE_UNITGRAPH_H

#include "analysis/graphfile/graphfile.h"
#include "core/probes/unit_program.h"
#include "core/trail/trail.h"

/* Makes a plan of all functions of the file, of which the first can be entered from outside.  `limit` 0 stands for
 * 2^63. Ends in wm_fail if the limit cannot be met. */
void wm_unit_graph_plan(
	struct wm_unit_plan *plan, struct wm_graph_file *file, const struct wm_unit_scheme *scheme, uint64_t limit);
/* The probe programs of all functions; estimated weights. */
void wm_unit_graph_place(const struct wm_unit_plan *plan, enum wm_placement placement, struct wm_unit_code *code,
	struct wm_arena *arena);
/* The number of paths that begin in a function; *first receives the smallest of their ids, which are consecutive. */
uint64_t wm_unit_paths_of(const struct wm_unit_plan *plan, uint32_t function, uint64_t *first);
/* Ends in wm_bug if there is no path with this id. */
void wm_unit_graph_decode(const struct wm_unit_plan *plan, uint64_t id, struct wm_trail *trail, struct wm_arena *arena);

/* main:a main:b ( pow:c ) main:d, then how it goes on unless it returns.  A return without its call has the block after
 * it to which it returns: ")main:b".  A block where a path has gone on after a back edge, or after a call that cuts paths, has + before it. */
void wm_print_unit_path(const struct wm_cfg *cfg, const struct wm_unit_plan *plan, const struct wm_trail *trail);
/* "context": [...] and "path": [...], the active part; "start": ..., "end": ..., "restarts": the indices, in both lists
 * together, of blocks where a path has gone on after a back edge; "returns": for every return without its call its index
 * and the call's "block" and "position".  Only the scheme `context` has a context, only `piecewise` such returns. */
void wm_print_unit_path_json(const struct wm_cfg *cfg, const struct wm_unit_plan *plan, const struct wm_trail *trail);

#endif
