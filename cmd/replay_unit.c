/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cmd/replay_unit.h"
#include "analysis/graphfile/walk.h"
#include "analysis/recording/idcounts.h"
#include "core/probes/unit_machine.h"
#include "support/tool.h"
#include <inttypes.h>
#include <stdlib.h>

struct replay {
	const struct wm_cfg *cfg;
	struct wm_unit_plan plan;
	struct wm_unit_machine machine;
	struct wm_id_counts counts;
	uint64_t *entries; /* per function */
	uint64_t abandoned;
	bool pending; /* the path of the top frame was counted as pending in a frame that is gone */
};

/* ---- The walk --------------------------------------------------------------------- */

static void count(void *closure, uint64_t id)
{
	struct replay *r = closure;
	if (id >= r->plan.path_count)
		wm_bug("the probes counted path %" PRIu64 ", which does not exist", id);
	wm_id_counts_add(&r->counts, id, 1);
}

static void enter(void *closure, uint32_t function)
{
	struct replay *r = closure;
	r->entries[function]++;
	if (wm_unit_machine_enter(&r->machine, function) != WM_OK)
		wm_bug("out of memory");
}

static void step(void *closure, uint32_t block)
{
	struct replay *r = closure;
	if (wm_unit_machine_step(&r->machine, block) != WM_OK)
		wm_bug("the walk took an edge that does not exist");
}

static void call(void *closure)
{
	struct replay *r = closure;
	wm_unit_machine_call(&r->machine);
}

static void go_on(void *closure)
{
	struct replay *r = closure;
	wm_unit_machine_go_on(&r->machine);
}

static void leave(void *closure)
{
	struct replay *r = closure;
	if (wm_unit_machine_leave(&r->machine) != WM_OK)
		wm_bug("the walk left a function in a block that is no exit");
}

/* An activation that was entered by a crossed call continues the path of its caller, so only other activations abandon
 * a path, unless it waits in a call and is counted as pending.  The next line of the walk does not depend on this one, so the mailbox is cleared. */
static void abandon(void *closure)
{
	struct replay *r = closure;
	r->pending |= wm_unit_machine_waits(&r->machine);
	if (!r->machine.frame[r->machine.depth - 1].crossed) {
		r->abandoned += !r->pending;
		r->pending = false;
	}
	wm_unit_machine_unwind(&r->machine);
	if (r->machine.depth)
		return;
	wm_unit_machine_end(&r->machine);
	r->machine.mailbox = (struct wm_mailbox){.token = 0};
}

static void take_walk(struct replay *r, const char *path)
{
	const struct wm_walk_events events = {.closure = r,
		.enter = enter,
		.step = step,
		.call = call,
		.go_on = go_on,
		.leave = leave,
		.abandon = abandon};
	wm_walk_file_take(r->cfg, path, &events);
}

/* ---- Printing ---------------------------------------------------------------------- */

static void print_text(struct replay *r)
{
	struct wm_arena arena;
	struct wm_trail path;
	wm_arena_init(&arena);
	wm_id_counts_sort(&r->counts, wm_by_count);
	printf("completed paths %" PRIu64 ", abandoned %" PRIu64 "\n", r->counts.total, r->abandoned);
	printf("%zu of %" PRIu64 " paths taken (%s; %u of %u call sites crossed)\n", r->counts.used, r->plan.path_count,
		r->plan.scheme->name, r->plan.crossed, r->plan.site_count);
	for (uint32_t f = 0; f < r->cfg->function_count; f++)
		printf("function %s: entries %" PRIu64 "\n", r->cfg->function[f].name, r->entries[f]);
	if (r->counts.used)
		printf("\n  %12s  %7s  %8s  path\n", "count", "share", "id");
	for (size_t i = 0; i < r->counts.used; i++) {
		const struct wm_id_count *slot = &r->counts.slot[i];
		wm_unit_graph_decode(&r->plan, slot->id, &path, &arena);
		printf("  %12" PRIu64 "  %5.1f %%  %8" PRIu64 "  ", slot->count,
			100 * (double)slot->count / (double)r->counts.total, slot->id);
		wm_print_unit_path(r->cfg, &r->plan, &path);
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
			paths, r->entries[f]);
	}
	fputs("\n ],\n", stdout);
}

static void print_json(struct replay *r)
{
	struct wm_arena arena;
	struct wm_trail path;
	wm_arena_init(&arena);
	wm_id_counts_sort(&r->counts, wm_by_id);
	printf("{\n \"schema\": \"waymark.replay/1\",\n \"scheme\": \"%s\",\n", r->plan.scheme->name);
	printf(" \"paths_possible\": %" PRIu64 ",\n \"completed\": %" PRIu64 ",\n \"abandoned\": %" PRIu64 ",\n",
		r->plan.path_count, r->counts.total, r->abandoned);
	print_functions_json(r);
	fputs(" \"paths\": [", stdout);
	for (size_t i = 0; i < r->counts.used; i++) {
		const struct wm_id_count *slot = &r->counts.slot[i];
		wm_unit_graph_decode(&r->plan, slot->id, &path, &arena);
		printf("%s\n  {\"function\": \"%s\", \"id\": %" PRIu64 ", \"count\": %" PRIu64 ", ", i ? "," : "",
			r->cfg->function[path.step[0].function].name, slot->id, slot->count);
		wm_print_unit_path_json(r->cfg, &r->plan, &path);
		putchar('}');
	}
	puts("\n ]\n}");
	wm_arena_release(&arena);
}

void wm_replay_unit(const struct wm_replay_unit *options, struct wm_graph_file *file)
{
	struct replay r = {.cfg = &file->cfg, .entries = WM_NEW(&file->arena, uint64_t, file->cfg.function_count)};
	struct wm_unit_code code;
	if (!r.entries)
		wm_bug("out of memory");
	wm_unit_graph_plan(&r.plan, file, options->scheme, options->max_paths);
	wm_unit_graph_place(&r.plan, options->placement, &code, &file->arena);
	r.machine = (struct wm_unit_machine){
		.unit = &file->cfg.unit, .code = &code, .arena = &file->arena, .closure = &r, .count = count};
	take_walk(&r, options->walk);
	(options->json ? print_json : print_text)(&r);
	wm_id_counts_release(&r.counts);
}
