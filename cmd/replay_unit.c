/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/recording/tally.h"
#include "cmd/replay.h"
#include "support/tool.h"
#include "view/paths.h"
#include <inttypes.h>
#include <stdlib.h>

struct replay {
	const struct wm_cfg *cfg;
	bool json;
	struct wm_unit_plan plan;
	struct wm_tally_unit unit;
	struct wm_tallies tallies; /* of this one */
	struct wm_id_counts counts; /* of all functions */
};

static void *open_unit(const struct wm_replay_options *options, struct wm_graph_file *file, struct wm_sink *sink)
{
	struct replay *r = WM_NEW(&file->arena, struct replay, 1);
	struct wm_probed *probed;
	if (!r)
		wm_bug("out of memory");
	*r = (struct replay){.cfg = &file->cfg, .json = options->json};
	wm_unit_graph_plan(&r->plan, file, options->choice.scheme, options->max_paths);
	wm_unit_graph_place(&r->plan, (enum wm_placement)options->placement, &probed, &file->arena);
	wm_tally_unit_init(&r->unit, file->cfg.function_count, &r->plan, probed, &file->arena);
	r->tallies = (struct wm_tallies){.unit = &r->unit, .unit_count = 1};
	*sink = wm_tallies_sink(&r->tallies);
	return r;
}

static void release(void *replay)
{
	struct replay *r = replay;
	wm_id_counts_release(&r->counts);
	wm_tallies_release(&r->tallies);
}

/* ---- Printing ---------------------------------------------------------------------- */

static uint64_t entries_of(const struct replay *r, uint32_t function)
{
	const struct wm_tally_sums *sums = &r->unit.tally[function].sums[WM_OWN];
	return sums->entries + sums->crossed;
}

static uint64_t abandoned_of(const struct replay *r)
{
	uint64_t abandoned = 0;
	for (uint32_t f = 0; f < r->cfg->function_count; f++)
		abandoned += r->unit.tally[f].abandoned;
	return abandoned;
}

static void print_text(struct replay *r)
{
	const struct wm_path_graphs graphs = {.function = r->cfg->function, .unit = &r->plan};
	struct wm_arena arena;
	struct wm_trail trail;
	wm_arena_init(&arena);
	wm_id_counts_sort(&r->counts, wm_by_count);
	printf("completed paths %" PRIu64 ", abandoned %" PRIu64 "\n", r->counts.total, abandoned_of(r));
	printf("%zu of %" PRIu64 " paths taken (%s; %u of %u call sites crossed)\n", r->counts.used, r->plan.path_count,
		r->plan.scheme->name, r->plan.crossed, r->plan.site_count);
	for (uint32_t f = 0; f < r->cfg->function_count; f++)
		printf("function %s: entries %" PRIu64 "\n", r->cfg->function[f].name, entries_of(r, f));
	if (r->counts.used)
		printf("\n  %12s  %7s  %8s  path\n", "count", "share", "id");
	for (size_t i = 0; i < r->counts.used; i++) {
		const struct wm_id_count *slot = &r->counts.slot[i];
		wm_unit_graph_decode(&r->plan, slot->id, &trail, &arena);
		printf("  %12" PRIu64 "  %5.1f %%  %8" PRIu64 "  ", slot->count,
			100 * (double)slot->count / (double)r->counts.total, slot->id);
		wm_print_path(&graphs, &trail);
		putchar('\n');
	}
	wm_arena_release(&arena);
}

static void print_functions_json(const struct replay *r)
{
	fputs(" \"functions\": [", stdout);
	for (uint32_t f = 0; f < r->cfg->function_count; f++) {
		uint64_t first, paths = wm_unit_paths_of(&r->plan, f, &first);
		printf("%s\n  {\"name\": \"%s\", \"status\": \"%s\", \"paths_possible\": %" PRIu64
		       ", \"entries\": %" PRIu64 "}",
			f ? "," : "", r->cfg->function[f].name, r->plan.function[f].plan.cut_count ? "split" : "exact",
			paths, entries_of(r, f));
	}
	fputs("\n ],\n", stdout);
}

static void print_json(struct replay *r)
{
	const struct wm_path_graphs graphs = {.function = r->cfg->function, .unit = &r->plan};
	struct wm_arena arena;
	struct wm_trail trail;
	wm_arena_init(&arena);
	wm_id_counts_sort(&r->counts, wm_by_id);
	printf("{\n \"schema\": \"waymark.replay/1\",\n \"scheme\": \"%s\",\n", r->plan.scheme->name);
	printf(" \"paths_possible\": %" PRIu64 ",\n \"completed\": %" PRIu64 ",\n \"abandoned\": %" PRIu64 ",\n",
		r->plan.path_count, r->counts.total, abandoned_of(r));
	print_functions_json(r);
	fputs(" \"paths\": [", stdout);
	for (size_t i = 0; i < r->counts.used; i++) {
		const struct wm_id_count *slot = &r->counts.slot[i];
		wm_unit_graph_decode(&r->plan, slot->id, &trail, &arena);
		printf("%s\n  {\"function\": \"%s\", \"id\": %" PRIu64 ", \"count\": %" PRIu64 ", ", i ? "," : "",
			r->cfg->function[trail.step[0].function].name, slot->id, slot->count);
		wm_print_path_json(&graphs, &trail);
		putchar('}');
	}
	puts("\n ]\n}");
	wm_arena_release(&arena);
}

static void print_replay(void *replay)
{
	struct replay *r = replay;
	for (uint32_t f = 0; f < r->cfg->function_count; f++) {
		struct wm_id_counts *counts = &r->unit.tally[f].sums[WM_OWN].ids;
		wm_id_counts_sort(counts, wm_by_id);
		for (size_t i = 0; i < counts->used; i++)
			wm_id_counts_add(&r->counts, counts->slot[i].id, counts->slot[i].count);
	}
	(r->json ? print_json : print_text)(r);
}

const struct wm_replay_kind wm_replay_unit = {open_unit, print_replay, release};
