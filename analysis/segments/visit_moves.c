/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/segments/visit_moves.h"
#include "analysis/unit/gather.h"
#include "support/tool.h"

/* An activation of a function of the unit. */
struct frame {
	uint32_t function; /* of the unit */
	uint32_t base; /* its first context */
	uint32_t context,
		block; /* where control is, or waits in a call: a context of the path, and the original block */
};
struct builder {
	const struct wm_visit_source *source;
	const struct wm_visits *visits;
	struct wm_visit_moves *made;
	struct wm_arena *arena;
	struct frame *frame; /* per depth */
	uint32_t context_capacity, name_capacity, mark_count, mark_capacity;
};

static const struct wm_origins *origins_of(const struct builder *b, const struct frame *frame)
{
	return b->source->origins(b->source->closure, frame->function);
}

static bool add_context(struct builder *b, struct wm_context context, const char *name)
{
	struct wm_origins *o = &b->made->origins;
	struct wm_context *contexts =
		wm_arena_grow(b->arena, o->context, &b->context_capacity, o->context_count, sizeof *contexts);
	const char **names = wm_arena_grow(b->arena, b->made->name, &b->name_capacity, o->context_count, sizeof *names);
	if (!contexts || !names)
		return false;
	o->context = contexts;
	b->made->name = names;
	context.function = o->context_count;
	names[o->context_count] = name;
	contexts[o->context_count++] = context;
	return true;
}

/* `call`: the context that calls and its call site; the parent is WM_NONE if the path does not tell. */
static bool open_frame(struct builder *b, uint32_t depth, uint32_t function, struct wm_context call)
{
	struct frame *frame = &b->frame[depth];
	*frame = (struct frame){.function = function, .base = b->made->origins.context_count};
	const struct wm_origins *origins = origins_of(b, frame);
	frame->context = frame->base;
	bool good = add_context(b, call, b->source->name(b->source->closure, function, 0));
	for (uint32_t i = 1; origins && i < origins->context_count && good; i++) {
		struct wm_context inlined = origins->context[i];
		inlined.parent += frame->base;
		good = add_context(b, inlined, b->source->name(b->source->closure, function, i));
	}
	return good;
}

static bool add_mark(struct builder *b, struct wm_mark mark)
{
	struct wm_mark *marks =
		wm_arena_grow(b->arena, b->made->origins.mark, &b->mark_capacity, b->mark_count, sizeof *marks);
	if (!marks)
		return false;
	b->made->origins.mark = marks;
	marks[b->mark_count++] = mark;
	return true;
}

/* The marks of a block.  `emit`: the block is part of the path, and not of its context. */
static bool enter_block(struct builder *b, struct frame *frame, uint32_t block, bool emit)
{
	const struct wm_origins *origins = origins_of(b, frame);
	struct wm_mark own = {.block = block}, *mark = origins ? origins->mark + origins->first_mark[block] : &own;
	uint32_t count = origins ? origins->first_mark[block + 1] - origins->first_mark[block] : 1;
	for (uint32_t i = 0; i < count; i++) {
		frame->context = frame->base + mark[i].context;
		frame->block = mark[i].block;
		if (emit && !add_mark(b, (struct wm_mark){.context = frame->context,
						 .block = mark[i].block,
						 .behind = mark[i].behind,
						 .line = mark[i].line,
						 .pad = mark[i].pad}))
			return false;
	}
	return true;
}

/* Ends the marks of a position. */
static void end_position(struct builder *b, uint32_t visit)
{
	const struct wm_visit *v = &b->visits->visit[visit], *next = visit + 1 < b->visits->count ? v + 1 : NULL;
	const struct wm_unit_function *f = &b->source->plan->unit->function[v->function];
	uint32_t at = b->made->length++, end = wm_unit_first_call(f, v->block);
	b->made->origins.first_mark[at + 1] = b->mark_count;
	b->made->function[at] = v->function;
	b->made->first_site[at] = v->kind == WM_VISIT_RETURN ? v->site + 1 : end;
	while (end < f->call_count && f->call[end].block == v->block)
		end++;
	b->made->end_site[at] = next && next->kind == WM_VISIT_CALL ? next->site : end;
}

static bool take_visit(struct builder *b, uint32_t i)
{
	const struct wm_visit *v = &b->visits->visit[i];
	struct frame *frame = &b->frame[v->depth];
	const struct wm_unit *unit = b->source->plan->unit;
	bool emit = i >= b->visits->fresh, good = true;
	if (v->kind == WM_VISIT_CALL) {
		const struct wm_call *call = &unit->function[v->function].call[v->site];
		struct wm_context made = {frame->context, 0, frame->block, call->position};
		return open_frame(b, v->depth + 1, call->callee, made);
	}
	if (v->kind == WM_VISIT_BLOCK)
		good = enter_block(b, frame, v->block, emit);
	else if (emit)
		good = add_mark(b, (struct wm_mark){.context = frame->context, .block = frame->block, .behind = true});
	if (good && emit)
		end_position(b, i);
	return good;
}

/* Opens the activations in which the path begins: those to which calls return that are not on the path. */
static bool open_first(struct builder *b)
{
	const struct wm_visits *visits = b->visits;
	uint32_t depth = visits->visit[0].depth;
	const struct wm_visit **back = WM_NEW(b->arena, const struct wm_visit *, depth + 1);
	struct wm_context call = {WM_NONE, 0, WM_NONE, WM_NONE};
	for (uint32_t i = 0; back && i < visits->count; i++)
		if (visits->visit[i].kind == WM_VISIT_RETURN && visits->visit[i].lone)
			back[visits->visit[i].depth] = &visits->visit[i];
	bool good = back;
	for (uint32_t d = 0; d < depth && good; d++) {
		good = open_frame(b, d, back[d]->function, call) && enter_block(b, &b->frame[d], back[d]->block, false);
		call = (struct wm_context){b->frame[d].context, 0, b->frame[d].block, 0};
	}
	return good && open_frame(b, depth, visits->visit[0].function, call);
}

static uint32_t deepest(const struct wm_visits *visits)
{
	uint32_t depth = 0;
	for (uint32_t i = 0; i < visits->count; i++)
		depth = visits->visit[i].depth > depth ? visits->visit[i].depth : depth;
	return depth;
}

enum wm_status wm_visit_moves_make(struct wm_visit_moves *made, const struct wm_visit_source *source,
	const struct wm_visits *visits, struct wm_arena *arena)
{
	struct builder b = {.source = source,
		.visits = visits,
		.made = made,
		.arena = arena,
		.frame = WM_NEW(arena, struct frame, deepest(visits) + 2)};
	*made = (struct wm_visit_moves){.first_site = WM_NEW(arena, uint32_t, visits->count),
		.end_site = WM_NEW(arena, uint32_t, visits->count),
		.function = WM_NEW(arena, uint32_t, visits->count)};
	made->origins.first_mark = WM_NEW(arena, uint32_t, visits->count + 1);
	uint32_t *position = WM_NEW(arena, uint32_t, visits->count);
	bool good = b.frame && made->first_site && made->end_site && made->function && made->origins.first_mark &&
		    position && open_first(&b);
	for (uint32_t i = 0; i < visits->count && good; i++) {
		position[i] = i;
		good = take_visit(&b, i);
	}
	made->origins.block_count = made->length;
	return good ? wm_origins_moves(&made->origins, position, made->length, &made->moves, arena) : WM_NO_MEMORY;
}

char *wm_visit_block_name(const void *names, uint32_t function, uint32_t block)
{
	return wm_xprintf("%s:%u", ((const char *const *)names)[function], block);
}

/* ---- Stories ----------------------------------------------------------------------- */

static const struct wm_origins *story_origins(const void *closure, uint32_t function)
{
	const struct wm_story_unit *unit = closure;
	const struct wm_map_function *map = unit->body[function]->map;
	return wm_map_has_origins(map) ? &map->inlined->origins : NULL;
}

static const char *story_name(const void *closure, uint32_t function, uint32_t context)
{
	const struct wm_story_unit *unit = closure;
	const struct wm_story_function *f = unit->body[function];
	return context ? wm_map_context_name(f->module, &f->map->inlined->origins.context[context]) : f->map->name;
}

bool wm_visits_inlined(const struct wm_story_unit *unit, const struct wm_visits *visits)
{
	for (uint32_t i = 0; i < visits->count; i++)
		if (story_origins(unit, visits->visit[i].function))
			return true;
	return false;
}

struct wm_visit_source wm_story_visit_source(const struct wm_story_unit *unit)
{
	return (struct wm_visit_source){&unit->binary->plan, unit, story_origins, story_name};
}
