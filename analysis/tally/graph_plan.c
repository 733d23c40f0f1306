/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/tally/graph_plan.h"
#include "analysis/counts/sequences.h"
#include "core/scheme/pieces.h"
#include "policy/settings.h"
#include "support/attempt.h"
#include "support/fail.h"
#include "support/string_builder.h"
#include <inttypes.h>
#include <stdlib.h>

void wm_scheme_option(const char *text, struct wm_scheme_choice *choice)
{
	if (wm_scheme_parse(text, choice) == WM_OK)
		return;
	char list[WM_SETTING_TEXT];
	wm_scheme_names(list);
	wm_fail("there is no scheme '%s'; valid: %s", text, list);
}

void wm_graph_plan(struct wm_plan *plan, const struct wm_cfg_function *function, const struct wm_scheme_choice *choice,
	uint64_t limit, struct wm_arena *arena)
{
	enum wm_status status = wm_plan_choose(plan, &function->graph, choice, limit, arena);
	if (status == WM_TOO_MANY)
		wm_fail("function '%s' has more paths than --max-paths allows however it is cut; allow more",
			function->name);
	if (status != WM_OK)
		wm_fail_as(wm_failure_of(status), "function '%s': %s", function->name, wm_status_text(status));
}

void wm_graph_place(struct wm_graph_probes *probes, const struct wm_plan *plan, const struct wm_graph_placing *how,
	struct wm_arena *arena)
{
	struct wm_weights weights;
	bool *may_not_return = how->abandons ? WM_NEW(arena, bool, plan->graph->block_count) : NULL;
	for (uint32_t b = 0; may_not_return && b < plan->graph->block_count; b++)
		may_not_return[b] = true;
	struct wm_probe_request request = {.plan = plan,
		.parts = how->parts,
		.weights = &weights,
		.placement = how->placement,
		.may_not_return = may_not_return,
		.regions = !how->abandons,
		.trips = true,
		.region_limits = {128, 512, 4}};
	enum wm_status status = how->abandons && !may_not_return ? WM_NO_MEMORY : WM_OK;
	if (status == WM_OK)
		status = wm_weights_static(&weights, plan->graph, &plan->dfs, arena);
	if (status == WM_OK)
		status = wm_passes_run(&request, &probes->counting, how->after, &probes->program, arena);
	if (status == WM_UNKNOWN)
		wm_fail("there is no pass '%s'; valid: %s", how->after, wm_pass_names());
	if (status != WM_OK)
		wm_fail_as(wm_failure_of(status), "cannot place probes: %s", wm_status_text(status));
}

char *wm_pass_names(void)
{
	struct wm_string text = {0};
	for (uint32_t i = 0; i < wm_pass_count; i++)
		wm_string_add(&text, "%s%s", i ? ", " : "", wm_pass_name(i));
	return wm_string_text(&text);
}

void wm_graph_decode(const struct wm_plan *plan, uint64_t id, const struct wm_sequence_name *name,
	struct wm_trail *trail, struct wm_arena *arena)
{
	enum wm_status status = name ? wm_trail_decode_pieces(plan, name->piece, name->length, trail, arena)
				     : wm_trail_decode(plan, id, trail, arena);
	if (status != WM_OK)
		wm_fail_as(wm_failure_of(status), "path %" PRIu64 " cannot be decoded: %s", id, wm_status_text(status));
}
