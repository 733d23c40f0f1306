/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cmd/replay_segments.h"
#include "abi/stream.h"
#include "analysis/graphfile/walk.h"
#include "analysis/segments/counts.h"
#include "core/probes/machine.h"
#include "support/tool.h"
#include <inttypes.h>
#include <stdlib.h>

struct frame {
	struct wm_machine machine;
	uint32_t function;
	uint32_t call; /* the next call site of the block */
};

struct replay {
	struct wm_graph_file *file;
	uint32_t most_calls;
	struct wm_walk_function *function;
	struct wm_graph_probes *probes;
	struct frame *frame;
	size_t depth;
	struct wm_segment_counts counts;
	struct wm_segments segments; /* of the line at work */
	struct wm_arena arena; /* its memory */
};

/* ---- The recording --------------------------------------------------------------------- */

static struct frame *top(struct replay *r)
{
	return &r->frame[r->depth - 1];
}

static void append(void *closure, uint64_t id)
{
	struct replay *r = closure;
	if (wm_segments_take(&r->segments, wm_stream_subpath(top(r)->function, (uint32_t)id)) != WM_OK)
		wm_bug("the probes of function '%s' recorded subpath %" PRIu64 ", which does not exist",
			r->file->cfg.function[top(r)->function].name, id);
}

/* Graph files have neither landing pads nor setjmp. */
static void identify(void *closure, bool land)
{
	(void)closure, (void)land;
}

static void begin_line(struct replay *r)
{
	wm_arena_init(&r->arena);
	wm_segment_counts_init(
		&r->segments, &r->counts, r->most_calls, r->function, r->file->cfg.function_count, &r->arena);
}

static void end_line(struct replay *r)
{
	if (wm_segments_finish(&r->segments) != WM_OK)
		wm_bug("out of memory");
	wm_segments_release(&r->segments);
	wm_arena_release(&r->arena);
}

/* ---- The walk -------------------------------------------------------------------------- */

static const struct wm_parts *parts_of(struct replay *r)
{
	return r->function[top(r)->function].parts;
}

static void find_call(struct replay *r, uint32_t block)
{
	top(r)->call = wm_unit_first_call(&r->file->cfg.unit.function[top(r)->function], block);
}

static void enter(void *closure, uint32_t function)
{
	struct replay *r = closure;
	if (!r->depth)
		begin_line(r);
	WM_XGROW(r->frame, r->depth);
	struct frame *frame = &r->frame[r->depth++];
	*frame = (struct frame){.function = function};
	frame->machine = (struct wm_machine){.plan = r->function[function].plan,
		.program = &r->probes[function].program,
		.counting = &r->probes[function].counting,
		.counters = {.closure = r, .append = append, .frame = identify}};
	wm_machine_enter(&frame->machine);
	find_call(r, 0);
}

static void step_to(struct replay *r, uint32_t part)
{
	if (wm_machine_step(&top(r)->machine, part) != WM_OK)
		wm_bug("the walk took an edge that does not exist");
}

static void step(void *closure, uint32_t block)
{
	step_to(closure, block);
	find_call(closure, block);
}

static void call(void *closure)
{
	struct replay *r = closure;
	uint32_t part = parts_of(r)->site_part[top(r)->call++];
	if (part != WM_NONE)
		step_to(r, part);
}

static void go_on(void *closure)
{
	(void)closure;
}

static void pop(struct replay *r)
{
	if (!--r->depth)
		end_line(r);
}

static void leave(void *closure)
{
	struct replay *r = closure;
	if (wm_machine_exit(&top(r)->machine) != WM_OK)
		wm_bug("the walk left a function in a block that is no exit");
	pop(r);
}

static void abandon(void *closure)
{
	pop(closure);
}

static void prepare(struct replay *r)
{
	const struct wm_cfg *cfg = &r->file->cfg;
	struct wm_arena *arena = &r->file->arena;
	r->function = WM_NEW(arena, struct wm_walk_function, cfg->function_count);
	r->probes = WM_NEW(arena, struct wm_graph_probes, cfg->function_count);
	for (uint32_t f = 0; r->function && r->probes && f < cfg->function_count; f++) {
		struct wm_plan *plan = WM_NEW(arena, struct wm_plan, 1);
		struct wm_parts *parts = WM_NEW(arena, struct wm_parts, 1);
		enum wm_status status =
			plan && parts ? wm_subpath_plan(plan, parts, &cfg->unit.function[f], arena) : WM_NO_MEMORY;
		if (status == WM_TOO_MANY)
			wm_fail("function '%s' has too many subpaths however it is cut", cfg->function[f].name);
		if (status != WM_OK)
			wm_bug("function '%s': %s", cfg->function[f].name, wm_status_text(status));
		r->function[f] = (struct wm_walk_function){plan, parts, false};
		wm_counting_stream(&r->probes[f].counting, plan);
		wm_graph_place(&r->probes[f], plan,
			&(struct wm_graph_placing){.parts = parts, .placement = WM_PLACE_OPTIMAL}, arena);
	}
	if (!r->function || !r->probes)
		wm_bug("out of memory");
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
	const struct wm_cfg_function *f = &t->replay->file->cfg.function[function];
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
		r->most_calls, r->most_calls == 1 ? "" : "s", r->counts.counts.used);
	for (size_t i = 0; i < r->counts.counts.used; i++) {
		printf("%12" PRIu64 "  ", r->counts.counts.slot[i].count);
		print_path(r, i, false);
		putchar('\n');
	}
}

static void print_json(const struct replay *r)
{
	printf("{\n \"schema\": \"waymark.replay/1\",\n \"most_calls\": %u,\n \"segments\": [", r->most_calls);
	for (size_t i = 0; i < r->counts.counts.used; i++) {
		printf("%s\n  {\"count\": %" PRIu64 ", \"path\": [", i ? "," : "", r->counts.counts.slot[i].count);
		print_path(r, i, true);
		fputs("]}", stdout);
	}
	puts("\n ]\n}");
}

void wm_replay_segments(struct wm_graph_file *file, const char *walk, uint32_t most_calls, bool json)
{
	struct replay r = {.file = file, .most_calls = most_calls};
	const struct wm_walk_events events = {.closure = &r,
		.enter = enter,
		.step = step,
		.call = call,
		.go_on = go_on,
		.leave = leave,
		.abandon = abandon};
	prepare(&r);
	wm_walk_file_take(&file->cfg, walk, &events);
	wm_id_counts_sort(&r.counts.counts, wm_by_count);
	(json ? print_json : print_text)(&r);
	wm_segment_counts_release(&r.counts);
	free(r.frame);
}
