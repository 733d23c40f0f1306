/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/graphfile/inlined.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>

void wm_check_inline_option(uint64_t copies, const char *text, const struct wm_scheme_choice *choice)
{
	if (copies > WM_MAX_COPIES)
		wm_fail("--inline: at most %u copies of a recursive function can be inlined", WM_MAX_COPIES);
	if (copies && (choice->scheme->crosses || choice->scheme->iterates || choice->scheme->contexts ||
			      choice->scheme->at_calls))
		wm_fail("--inline cannot be used with --scheme %s; use acyclic or preferential", text);
}

/* ---- The supergraphs ------------------------------------------------------------------ */

static char *keep_text(char *text, struct wm_arena *arena)
{
	size_t size = strlen(text) + 1;
	char *kept = WM_NEW(arena, char, size);
	if (!kept)
		wm_no_memory();
	memcpy(kept, text, size);
	free(text);
	return kept;
}

static const char *block_name(const struct wm_inlined *inlined, uint32_t function, uint32_t block)
{
	return inlined->original->function[function].block_name[block];
}

/* The names of the callers, "" for context 0; parents are named before their children. */
static char **name_contexts(const struct wm_inlined *inlined, const struct wm_supergraph *s, struct wm_arena *arena)
{
	char **name = WM_NEW(arena, char *, s->origins.context_count);
	if (!name)
		wm_no_memory();
	name[0] = "";
	for (uint32_t c = 1; c < s->origins.context_count; c++) {
		const struct wm_context *call = &s->origins.context[c];
		const char *block = block_name(inlined, s->origins.context[call->parent].function, call->block);
		char *text = call->position ? wm_xprintf("%s%s:%u/", name[call->parent], block, call->position)
					    : wm_xprintf("%s%s/", name[call->parent], block);
		name[c] = keep_text(text, arena);
	}
	return name;
}

static void name_blocks(const struct wm_inlined *inlined, const struct wm_supergraph *s,
	struct wm_cfg_function *function, struct wm_arena *arena)
{
	char **context = name_contexts(inlined, s, arena);
	function->block_name = WM_NEW(arena, char *, s->graph.block_count);
	if (!function->block_name)
		wm_no_memory();
	for (uint32_t b = 0; b < s->graph.block_count; b++) {
		const struct wm_mark *mark = &s->origins.mark[s->origins.first_mark[b]];
		uint32_t of = s->origins.context[mark->context].function;
		char *text = mark->behind
				     ? wm_xprintf("%s+", function->block_name[b - 1])
				     : wm_xprintf("%s%s", context[mark->context], block_name(inlined, of, mark->block));
		function->block_name[b] = keep_text(text, arena);
	}
}

static const bool *const *mark_all(const struct wm_unit *unit, struct wm_arena *arena)
{
	const bool **marked = WM_NEW(arena, const bool *, unit->function_count);
	for (uint32_t f = 0; marked && f < unit->function_count; f++) {
		bool *site = WM_NEW(arena, bool, unit->function[f].call_count);
		if (!site)
			wm_no_memory();
		memset(site, true, unit->function[f].call_count * sizeof *site);
		marked[f] = site;
	}
	return marked;
}

void wm_inlined_make(struct wm_inlined *inlined, struct wm_graph_file *file, uint32_t copies)
{
	uint32_t count = file->cfg.function_count;
	struct wm_inlining inlining = {
		&file->cfg.unit, mark_all(&file->cfg.unit, &file->arena), copies, WM_SUPERGRAPH_BLOCKS, NULL};
	*inlined = (struct wm_inlined){.original = &file->cfg,
		.cfg = {count, WM_NEW(&file->arena, struct wm_cfg_function, count), {0}},
		.supergraph = WM_NEW(&file->arena, struct wm_supergraph, count)};
	if (!inlining.marked || !inlined->cfg.function || !inlined->supergraph)
		wm_no_memory();
	for (uint32_t f = 0; f < count; f++) {
		struct wm_cfg_function *function = &inlined->cfg.function[f];
		struct wm_supergraph *s = &inlined->supergraph[f];
		if (wm_supergraph_make(s, &inlining, f, &file->arena) != WM_OK)
			wm_no_memory();
		function->name = file->cfg.function[f].name;
		function->graph = s->graph;
		name_blocks(inlined, s, function, &file->arena);
		if (wm_cfg_index_blocks(function, &file->arena) != WM_OK)
			wm_no_memory();
	}
}

/* ---- Walks ------------------------------------------------------------------------------- */

/* An activation of an original function. */
struct wm_inlined_activation {
	uint32_t root; /* the function in whose supergraph it runs */
	uint32_t context, block;
	uint32_t site; /* of the next call of the block */
};

static struct wm_inlined_activation *top(const struct wm_inlined_walk *w)
{
	return &w->activation[w->depth - 1];
}

static void push_activation(struct wm_inlined_walk *w, struct wm_inlined_activation activation)
{
	WM_XGROW(w->activation, w->depth);
	w->activation[w->depth++] = activation;
}

/* The context of the call that the activation makes next; WM_NONE: it is not inlined. */
static uint32_t callee_context(const struct wm_inlined_walk *w, const struct wm_inlined_activation *a)
{
	return w->inlined->supergraph[a->root].callee[a->context][a->site];
}

/* Passes an event of an activation on. */
static void tell_event(const struct wm_inlined_walk *w, enum wm_walk_kind kind, uint32_t block, enum wm_end end)
{
	const struct wm_walk_event event = {
		.kind = kind, .function = top(w)->root, .block = block, .call = WM_NONE, .end = end};
	w->sink.take(w->sink.closure, &event);
}

/* The activation goes on in a part of its block, in its context. */
static void tell_block(const struct wm_inlined_walk *w, uint32_t part)
{
	const struct wm_inlined_activation *a = top(w);
	tell_event(w, WM_WALK_BLOCK, w->inlined->supergraph[a->root].first[a->context][a->block] + part, WM_END_NONE);
}

static void enter_function(struct wm_inlined_walk *w, uint32_t function)
{
	uint32_t context = w->depth ? callee_context(w, top(w)) : WM_NONE;
	if (context != WM_NONE) {
		push_activation(w, (struct wm_inlined_activation){.root = top(w)->root, .context = context});
		return;
	}
	push_activation(w, (struct wm_inlined_activation){.root = function});
	tell_event(w, WM_WALK_ENTER, WM_NONE, WM_END_NONE);
}

static void step_to(struct wm_inlined_walk *w, uint32_t block)
{
	struct wm_inlined_activation *a = top(w);
	const struct wm_origins *origins = &w->inlined->supergraph[a->root].origins;
	a->block = block;
	a->site =
		wm_unit_first_call(&w->inlined->original->unit.function[origins->context[a->context].function], block);
	tell_block(w, 0);
}

static uint32_t count_inlined(const struct wm_inlined_walk *w, const struct wm_inlined_activation *a)
{
	const struct wm_supergraph *s = &w->inlined->supergraph[a->root];
	uint32_t function = s->origins.context[a->context].function, count = 0;
	uint32_t first = wm_unit_first_call(&w->inlined->original->unit.function[function], a->block);
	for (uint32_t i = first; i <= a->site; i++)
		count += s->callee[a->context][i] != WM_NONE;
	return count;
}

/* After an inlined call, the next part of the block follows. */
static void go_on(struct wm_inlined_walk *w)
{
	if (callee_context(w, top(w)) != WM_NONE)
		tell_block(w, count_inlined(w, top(w)));
	top(w)->site++;
}

static void take_event(void *closure, const struct wm_walk_event *event)
{
	struct wm_inlined_walk *w = closure;
	switch (event->kind) {
	case WM_WALK_BEGIN:
	case WM_WALK_OWN:
	case WM_WALK_END:
		wm_sink_give(&w->sink, event->kind);
		break;
	case WM_WALK_ENTER:
		enter_function(w, event->function);
		break;
	case WM_WALK_BLOCK:
		step_to(w, event->block);
		break;
	case WM_WALK_BEHIND:
		go_on(w);
		break;
	case WM_WALK_LEAVE:
	case WM_WALK_ABANDON:
		if (!top(w)->context)
			tell_event(w, event->kind, WM_NONE, event->end);
		w->depth--;
		break;
	case WM_WALK_CALL:
	case WM_WALK_CAUGHT:
	case WM_WALK_AGAIN:
	case WM_WALK_STUCK:
	case WM_WALK_ADOPT:
	case WM_WALK_SUBPATH:
	case WM_WALK_SPECIAL:
		break;
	}
}

struct wm_sink wm_inlined_sink(
	struct wm_inlined_walk *walk, const struct wm_inlined *inlined, const struct wm_sink *sink)
{
	*walk = (struct wm_inlined_walk){.inlined = inlined, .sink = *sink};
	return (struct wm_sink){walk, take_event};
}

/* ---- Paths ------------------------------------------------------------------------------- */

const struct wm_cfg_function *wm_inlined_function(const struct wm_inlined *inlined, const struct wm_trail_frame *frame)
{
	const struct wm_origins *origins = &inlined->supergraph[frame->function].origins;
	return &inlined->original->function[origins->context[frame->context].function];
}

static const struct wm_origins *origins_of(const void *closure, uint32_t function)
{
	return &((const struct wm_inlined *)closure)->supergraph[function].origins;
}

void wm_inlined_original(const struct wm_inlined *inlined, const struct wm_trail *trail, struct wm_trail *original,
	struct wm_arena *arena)
{
	const struct wm_trail_origins origins = {inlined, origins_of};
	if (wm_trail_original(&origins, trail, original, arena) != WM_OK)
		wm_no_memory();
}

/* ---- Segments ---------------------------------------------------------------------------- */

static char *full_name(const void *closure, const struct wm_trail_frame *frame, uint32_t block)
{
	const struct wm_cfg_function *function = wm_inlined_function(closure, frame);
	return wm_xprintf("%s:%s", function->name, function->block_name[block]);
}

/* Whether a block of a supergraph makes calls of functions of the file that are not inlined: those between the inlined
 * calls before and after it. */
static bool makes_call(const struct wm_inlined *inlined, const struct wm_supergraph *s, uint32_t block)
{
	const struct wm_mark *mark = &s->origins.mark[s->origins.first_mark[block]];
	const struct wm_unit_function *f =
		&inlined->original->unit.function[s->origins.context[mark->context].function];
	uint32_t part = 0, own = block - s->first[mark->context][mark->block];
	for (uint32_t i = wm_unit_first_call(f, mark->block); i < f->call_count && f->call[i].block == mark->block;
		i++) {
		bool is_inlined = s->callee[mark->context][i] != WM_NONE;
		if (part == own && !is_inlined && f->call[i].callee != WM_NONE)
			return true;
		part += is_inlined;
	}
	return false;
}

static const bool *find_stepped_over(
	const struct wm_inlined *inlined, const struct wm_trail *trail, struct wm_arena *arena)
{
	bool *over = WM_NEW(arena, bool, trail->count);
	if (!over)
		wm_no_memory();
	for (uint32_t i = 0; i < trail->count; i++)
		over[i] = makes_call(inlined, &inlined->supergraph[trail->step[i].function], trail->step[i].block);
	return over;
}

void wm_inlined_add_segments(const struct wm_inlined *inlined, const struct wm_trail *trail, uint32_t depth,
	uint64_t count, struct wm_projection *counts)
{
	const struct wm_block_names names = {inlined, full_name};
	struct wm_trail original;
	struct wm_arena arena;
	wm_arena_init(&arena);
	wm_inlined_original(inlined, trail, &original, &arena);
	struct wm_walked_path counted = {.original = &original,
		.length = trail->count,
		.steps_over = find_stepped_over(inlined, trail, &arena),
		.count = count};
	wm_projection_add(counts, &counted, depth, &names);
	wm_arena_release(&arena);
}
