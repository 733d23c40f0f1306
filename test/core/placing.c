/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/core/placing.h"

enum wm_status place_plain(const struct wm_plan *plan, enum wm_placement placement, const struct wm_weights *weights,
	const char *after, struct wm_probe_program *program, struct wm_arena *arena)
{
	static const struct wm_weights none;
	struct wm_counting counting;
	struct wm_probe_request request = {
		.plan = plan, .weights = weights ? weights : &none, .placement = placement, .trips = true};
	wm_counting_plain(&counting, plan, UINT64_MAX);
	return wm_passes_run(&request, &counting, after, program, arena);
}

static void count_amount(void *closure, uint64_t total, uint64_t amount)
{
	const struct each_path *each = closure;
	while (amount--)
		each->count(each->closure, total);
}

struct wm_counters count_each_path(struct each_path *each)
{
	return (struct wm_counters){.closure = each, .total = count_amount};
}
