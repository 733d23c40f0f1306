/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The probes of a recording are executed along the walk; what they record is a walk of subpaths, whose segments are
 * counted. */
#include "analysis/counts/segment_counts.h"
#include "analysis/tally/tally.h"
#include "cmd/cmd_replay.h"
#include "support/attempt.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct replay {
	const struct wm_cfg *cfg;
	bool json;
	struct wm_walk_function *function;
	struct wm_tally_unit unit;
	struct wm_tallies tallies;
	struct wm_sink recorder; /* the sink of `tallies` */
	struct wm_walk walk; /* as recorded */
	struct wm_segments segments;
	struct wm_segment_counts counts;
};

/* Every line of the walk is a thread of its own. */
static void take_event(void *closure, const struct wm_walk_event *event)
{
	struct replay *r = closure;
	if (event->kind == WM_WALK_BEGIN)
		wm_walk_begin(&r->walk);
	r->recorder.take(r->recorder.closure, event);
	if (event->kind == WM_WALK_OWN || event->kind == WM_WALK_END)
		wm_sink_give(&r->walk.sink, event->kind);
}

static void plan_function(struct replay *r, uint32_t f, struct wm_arena *arena)
{
	struct wm_tally *tally = &r->unit.tally[f];
	struct wm_parts *parts = WM_NEW(arena, struct wm_parts, 1);
	tally->name = r->cfg->function[f].name;
	enum wm_status status =
		parts ? wm_subpath_plan(&tally->plan, parts, &r->cfg->unit.function[f], arena) : WM_NO_MEMORY;
	if (status == WM_TOO_MANY)
		wm_fail("function '%s' has too many subpaths however it is cut", tally->name);
	if (status != WM_OK)
		wm_fail_as(wm_failure_of(status), "function '%s': %s", tally->name, wm_status_text(status));
	r->function[f] = (struct wm_walk_function){&tally->plan, parts, false};
	tally->parts = parts;
	tally->walk = &r->walk;
	wm_tally_place(&r->unit, f, WM_PLACE_OPTIMAL, arena);
}

static void *open_segments(const struct wm_replay_options *options, struct wm_graph_file *file, struct wm_sink *sink)
{
	struct wm_arena *arena = &file->arena;
	uint32_t count = file->cfg.function_count;
	struct replay *r = WM_NEW(arena, struct replay, 1);
	if (!r)
		wm_no_memory();
	*r = (struct replay){.cfg = &file->cfg, .json = options->json};
	r->function = WM_NEW(arena, struct wm_walk_function, count);
	if (!r->function)
		wm_no_memory();
	wm_tally_unit_init(&r->unit, count, NULL, NULL, arena);
	for (uint32_t f = 0; f < count; f++)
		plan_function(r, f, arena);
	r->tallies = (struct wm_tallies){.unit = &r->unit, .unit_count = 1};
	r->recorder = wm_tallies_sink(&r->tallies);
	const struct wm_sink counter = wm_segment_counts_sink(&r->counts, &r->segments, (uint32_t)options->segments);
	if (wm_walk_init(&r->walk, r->function, count, &counter, arena) != WM_OK)
		wm_no_memory();
	*sink = (struct wm_sink){r, take_event};
	return r;
}

static void release(void *replay)
{
	struct replay *r = replay;
	wm_segment_counts_finish(&r->segments);
	wm_segment_counts_release(&r->counts);
	wm_walk_release(&r->walk);
	wm_tallies_release(&r->tallies);
}

/* ---- Printing -------------------------------------------------------------------------- */

struct telling {
	const struct replay *replay;
	bool json, first;
};

static void tell_text(void *closure, const char *text)
{
	struct telling *t = closure;
	printf(t->json ? "%s\"%s\"" : "%s%s", t->first ? "" : t->json ? ", " : " ", text);
	t->first = false;
}

static void tell_block(void *closure, uint32_t function, uint32_t block)
{
	struct telling *t = closure;
	const struct wm_cfg_function *f = &t->replay->cfg->function[function];
	char *text = wm_xprintf("%s:%s", f->name, f->block_name[block]);
	tell_text(closure, text);
	free(text);
}

static void print_path(const struct replay *r, size_t i, bool json)
{
	struct telling telling = {r, json, true};
	const struct wm_segment_teller teller = {&telling, tell_text, tell_block};
	wm_segment_tell(&r->counts.names.name[r->counts.counts.slot[i].id], r->function, &teller);
}

static void print_text(const struct replay *r)
{
	printf("%" PRIu64 " segments of at most %u call%s, %zu of them different\n", r->counts.counts.total,
		r->segments.most_calls, r->segments.most_calls == 1 ? "" : "s", r->counts.counts.used);
	for (size_t i = 0; i < r->counts.counts.used; i++) {
		printf("%12" PRIu64 "  ", r->counts.counts.slot[i].count);
		print_path(r, i, false);
		putchar('\n');
	}
}

static void print_json(const struct replay *r)
{
	printf("{\n \"schema\": \"waymark.replay/1\",\n \"most_calls\": %u,\n \"segments\": [", r->segments.most_calls);
	for (size_t i = 0; i < r->counts.counts.used; i++) {
		printf("%s\n  {\"count\": %" PRIu64 ", \"path\": [", i ? "," : "", r->counts.counts.slot[i].count);
		print_path(r, i, true);
		fputs("]}", stdout);
	}
	puts("\n ]\n}");
}

static void print_replay(void *replay)
{
	struct replay *r = replay;
	wm_id_counts_sort(&r->counts.counts, wm_by_count);
	(r->json ? print_json : print_text)(r);
}

const struct wm_replay_kind wm_replay_segments = {open_segments, print_replay, release};
