/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/tell/trails.h"
#include "core/probes/prefix_sums.h"
#include "support/attempt.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

const struct wm_story_function *const *wm_story_bodies(const struct wm_story_function *const *function)
{
	return wm_story_crosses_calls(*function) ? wm_story_unit_of(*function)->body : function;
}

/* ---- Decoding ------------------------------------------------------------------------ */

/* The path ends in a call, as one that waits for a call under a scheme with pending paths. */
static enum wm_status find_unfinished(
	const struct wm_story_function *function, uint64_t id, struct wm_trail *trail, struct wm_arena *arena)
{
	const struct wm_plan *plan = wm_story_plan(function);
	struct wm_block_path path = {.again = WM_NEW(arena, bool, plan->dag.node_count)};
	const struct wm_story_unfinished *unfinished = wm_story_unfinished(function, id);
	if (!unfinished)
		return WM_BAD_PATH;
	if (!path.again)
		return WM_NO_MEMORY;
	enum wm_status status = wm_prefix_decode(plan, unfinished->block, unfinished->sum, &path, arena);
	if (status != WM_OK)
		return status;
	wm_story_block_trail(function, &path, trail, arena);
	trail->end = WM_END_CALL;
	trail->cut = wm_story_site_call(unfinished->site);
	return WM_OK;
}

enum wm_status wm_story_find_trail(
	const struct wm_story_function *function, uint64_t id, struct wm_trail *trail, struct wm_arena *arena)
{
	if (id & WM_STORY_UNFINISHED)
		return find_unfinished(function, id, trail, arena);
	return wm_trail_find(wm_story_plan(function), id, wm_story_find_name, function, trail, arena);
}

void wm_story_decode(
	const struct wm_story_function *function, uint64_t id, struct wm_trail *trail, struct wm_arena *arena)
{
	enum wm_status status = wm_story_find_trail(function, id, trail, arena);
	if (status != WM_OK)
		wm_fail_as(wm_failure_of(status), "function %s: path %" PRIu64 " cannot be decoded: %s",
			function->map->name, id, wm_status_text(status));
}

void wm_story_block_trail(const struct wm_story_function *function, const struct wm_block_path *path,
	struct wm_trail *trail, struct wm_arena *arena)
{
	struct wm_plan plan = wm_story_crosses_calls(function) ? (struct wm_plan){0} : *wm_story_plan(function);
	plan.graph = &function->map->graph;
	if (wm_trail_of_path(&plan, path, trail, arena) != WM_OK)
		wm_no_memory();
}

/* ---- Contradictions -------------------------------------------------------------------- */

struct wm_contradiction wm_story_contradiction(
	const struct wm_story_function *function, const struct wm_trail *trail, struct wm_arena *arena)
{
	const struct wm_story_function *const *body = wm_story_bodies(&function);
	uint32_t functions = 0;
	for (uint32_t i = 0; i < trail->count; i++)
		functions = trail->step[i].function >= functions ? trail->step[i].function + 1 : functions;
	const struct wm_facts **facts = WM_NEW(arena, const struct wm_facts *, functions);
	struct wm_contradiction found;
	for (uint32_t i = 0; facts && i < trail->count; i++)
		facts[trail->step[i].function] = &body[trail->step[i].function]->map->facts;
	if (!facts || wm_trail_find_contradiction(trail, facts, &found, arena) != WM_OK)
		wm_no_memory();
	return found;
}

/* The line of the decision at the end of a step, or the last line of its block; 0: not known. */
static uint32_t step_line(const struct wm_story_function *const *body, const struct wm_trail_step *step)
{
	const struct wm_map_block *block = &body[step->function]->map->block[step->block];
	if (block->decision.line || !block->line_count)
		return block->decision.line;
	return block->line[block->line_count - 1].line;
}

char *wm_story_trail_contradiction_text(
	const struct wm_story_function *function, const struct wm_trail *trail, struct wm_arena *arena)
{
	const struct wm_story_function *const *body = wm_story_bodies(&function);
	struct wm_contradiction found = wm_story_contradiction(function, trail, arena);
	if (found.later == WM_NONE)
		return NULL;
	uint32_t earlier = step_line(body, &trail->step[found.earlier]);
	uint32_t later = step_line(body, &trail->step[found.later]);
	return earlier && later
		       ? wm_xprintf("after line %u, the decision in line %u cannot go this way", earlier, later)
		       : wm_xstrdup("two of its decisions contradict each other");
}

char *wm_story_contradiction_text(const struct wm_story_function *function, uint64_t id)
{
	struct wm_trail trail;
	struct wm_arena arena;
	wm_arena_init(&arena);
	wm_story_decode(function, id, &trail, &arena);
	char *text = wm_story_trail_contradiction_text(function, &trail, &arena);
	wm_arena_release(&arena);
	return text;
}

/* ---- Original functions --------------------------------------------------------------- */

static const struct wm_origins *origins_of(const void *body, uint32_t function)
{
	const struct wm_map_function *map = ((const struct wm_story_function *const *)body)[function]->map;
	return wm_map_has_origins(map) ? &map->inlined->origins : NULL;
}

bool wm_story_is_inlined(const struct wm_story_function *const *body, const struct wm_trail *trail)
{
	for (uint32_t i = 0; i < trail->count; i++)
		if (origins_of(body, trail->step[i].function))
			return true;
	return false;
}

void wm_story_original(const struct wm_story_function *const *body, const struct wm_trail *trail,
	struct wm_trail *original, struct wm_arena *arena)
{
	const struct wm_trail_origins origins = {body, origins_of};
	if (wm_trail_original(&origins, trail, original, arena) != WM_OK)
		wm_no_memory();
}

const char *wm_story_frame_name(const struct wm_story_function *const *body, const struct wm_trail_frame *frame)
{
	const struct wm_story_function *compiled = body[frame->function];
	return frame->context
		       ? wm_map_context_name(compiled->module, &compiled->map->inlined->origins.context[frame->context])
		       : compiled->map->name;
}

/* ---- Text ------------------------------------------------------------------------------ */

char *wm_story_block_name(const void *body, const struct wm_trail_frame *frame, uint32_t block)
{
	return wm_xprintf("%s:%u", wm_story_frame_name(body, frame), block);
}

char *wm_trail_text(
	const struct wm_trail *original, struct wm_segment_range range, const struct wm_block_names *names, bool lone)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		wm_no_memory();
	for (uint32_t i = range.first; i < range.end; i++) {
		const struct wm_trail_step *step = &original->step[i];
		bool back = step->kind == WM_TRAIL_RETURN, begins = back && i == range.first && !lone;
		fputs(i > range.first ? " " : "", out);
		if (step->kind != WM_TRAIL_BLOCK)
			fputs(begins ? "" : back ? ")" : "(", out);
		if (step->kind != WM_TRAIL_BLOCK && !begins && !(lone && step->lone))
			continue;
		char *name = names->name(names->closure, &original->frame[step->frame], step->block);
		fputs(name, out);
		free(name);
	}
	if (fclose(out))
		wm_no_memory();
	return text;
}
