/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/replay/recount.h"
#include "analysis/join/rescheme.h"
#include "analysis/replay/recording_walk.h"
#include "support/fail.h"
#include <inttypes.h>
#include <stdlib.h>

void wm_wpp_count(const struct wm_wpp_view *view, const struct wm_sink *sink, const struct wm_activations *activations,
	const char *lost)
{
	wm_wpp_walk(view, sink);
	if (activations->unknown)
		wm_warn("%" PRIu64 " activations began before the recording did; %s", activations->unknown, lost);
}

/* Plans the function when it is entered for the first time. */
static void plan_function(void *closure, uint32_t function)
{
	struct wm_recount *recount = closure;
	const struct wm_map_function *map = recount->view->told[function]->map;
	struct wm_tally *tally = &recount->unit.tally[function];
	if (tally->name)
		return;
	free(wm_scheme_of_build(map, recount->scheme, &tally->plan, &recount->arena));
	tally->name = map->name;
	tally->twice = map->has_resumed;
	wm_tally_place(&recount->unit, function, WM_PLACE_NAIVE, &recount->arena);
}

void wm_recount_take(struct wm_recount *recount)
{
	wm_arena_init(&recount->arena);
	wm_tally_unit_init(&recount->unit, recount->view->wpp.table.function_count, NULL, NULL, &recount->arena);
	recount->tallies =
		(struct wm_tallies){.unit = &recount->unit, .unit_count = 1, .plan = plan_function, .closure = recount};
	const struct wm_sink sink = wm_tallies_sink(&recount->tallies);
	wm_wpp_count(recount->view, &sink, &recount->tallies.activations, "their paths are not counted");
}

void wm_recount_release(struct wm_recount *recount)
{
	wm_tallies_release(&recount->tallies);
	wm_arena_release(&recount->arena);
}

void wm_wpp_acyclic(const struct wm_wpp_view *view, void *closure, wm_wpp_path *found)
{
	struct wm_recount recount = {.view = view, .scheme = "acyclic"};
	wm_recount_take(&recount);
	for (uint32_t f = 0; f < view->wpp.table.function_count; f++) {
		struct wm_id_counts *counts = &recount.unit.tally[f].sums[WM_OWN].ids;
		wm_id_counts_sort(counts, wm_by_id);
		for (size_t i = 0; i < counts->used; i++)
			found(closure, f, &counts->slot[i]);
	}
	wm_recount_release(&recount);
}
