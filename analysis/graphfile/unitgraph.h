/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that `number` and `replay` share for schemes of paths across calls: plans of graph files. */
#ifndef WM_ANALYSIS_GRAPHFILE_UNITGRAPH_H
#define WM_ANALYSIS_GRAPHFILE_UNITGRAPH_H

#include "analysis/graphfile/graphfile.h"
#include "core/probes/unit_program.h"

/* Makes a plan of all functions of the file, of which the first can be entered from outside.  `limit` 0 stands for
 * 2^63. Ends in wm_fail if the limit cannot be met. */
void wm_unit_graph_plan(
	struct wm_unit_plan *plan, struct wm_graph_file *file, const struct wm_scheme *scheme, uint64_t limit);
/* The probe programs of all functions; estimated weights. */
void wm_unit_graph_place(const struct wm_unit_plan *plan, enum wm_placement placement, struct wm_probed **probed,
	struct wm_arena *arena);

#endif
