/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/graphfile/unitgraph.h"
#include "core/scheme/unit_plan.h"
#include "support/attempt.h"
#include "support/fail.h"

void wm_unit_graph_plan(
	struct wm_unit_plan *plan, struct wm_graph_file *file, const struct wm_scheme *scheme, uint64_t limit)
{
	bool *entry = WM_NEW(&file->arena, bool, file->cfg.function_count);
	if (!entry)
		wm_no_memory();
	entry[0] = true;
	struct wm_unit_request request = {.unit = &file->cfg.unit, .scheme = scheme, .limit = limit, .entry = entry};
	enum wm_status status = wm_unit_plan_make(plan, &request, &file->arena);
	if (status == WM_TOO_MANY)
		wm_fail("the functions of %s have more paths than --max-paths allows however they are cut; allow more",
			file->path);
	if (status != WM_OK)
		wm_fail_as(wm_failure_of(status), "%s: %s", file->path, wm_status_text(status));
}

void wm_unit_graph_place(
	const struct wm_unit_plan *plan, enum wm_placement placement, struct wm_probed **probed, struct wm_arena *arena)
{
	uint32_t count = plan->unit->function_count;
	struct wm_weights *weights = WM_NEW(arena, struct wm_weights, count);
	enum wm_status status = weights ? WM_OK : WM_NO_MEMORY;
	for (uint32_t f = 0; f < count && status == WM_OK; f++) {
		const struct wm_plan *function = &plan->function[f];
		status = wm_weights_static(&weights[f], function->graph, &function->dfs, arena);
	}
	if (status == WM_OK)
		status = wm_unit_probes_make(plan, placement == WM_PLACE_OPTIMAL ? weights : NULL, NULL, probed, arena);
	if (status != WM_OK)
		wm_fail_as(wm_failure_of(status), "cannot place probes: %s", wm_status_text(status));
}
