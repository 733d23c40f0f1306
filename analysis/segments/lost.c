/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/segments/lost.h"
#include "support/xalloc.h"
#include <stdlib.h>

/* The function and those that were inlined into it. */
static void add_function(
	struct wm_words *lost, const struct wm_story_function *function, const struct wm_segment_names *names)
{
	const struct wm_segment_bodies bodies = {names, &function};
	bool has_origins = wm_map_has_origins(function->map);
	uint32_t count = has_origins ? function->map->inlined->origins.context_count : 1;
	for (uint32_t i = 0; i < count; i++)
		wm_words_add(lost, wm_segment_block_name(&bodies, &(struct wm_trail_frame){.context = i}, 0));
}

/* ---- Units ------------------------------------------------------------------------------- */

struct spread {
	const struct wm_unit_plan *plan;
	bool *reached; /* per function */
	uint32_t *stack;
	uint32_t depth;
};

static void reach_function(struct spread *s, uint32_t function)
{
	if (!s->reached[function])
		s->stack[s->depth++] = function;
	s->reached[function] = true;
}

static void reach_callers(struct spread *s, uint32_t function)
{
	for (uint32_t i = 0; i < s->plan->function[function].pairs->caller_count; i++)
		reach_function(s, s->plan->function[function].pairs->caller[i].function);
}

static void reach_callees(struct spread *s, uint32_t function)
{
	const struct wm_unit_function *f = &s->plan->unit->function[function];
	for (uint32_t i = 0; i < f->call_count; i++)
		if (s->plan->function[function].pairs->site[i].crossing == WM_CROSSED)
			reach_function(s, f->call[i].callee);
}

/* Adds to `reached` what can be reached from it. */
static void spread_from(struct spread *s, void (*step)(struct spread *s, uint32_t function))
{
	s->depth = 0;
	for (uint32_t f = 0; f < s->plan->unit->function_count; f++)
		if (s->reached[f])
			s->stack[s->depth++] = f;
	while (s->depth)
		step(s, s->stack[--s->depth]);
}

static bool is_refused(const struct wm_story_unit *unit)
{
	for (uint32_t f = 0; f < unit->binary->unit.function_count; f++)
		if (unit->function[f]->state == WM_STORY_REFUSED)
			return true;
	return false;
}

static void add_unit(struct wm_words *lost, const struct wm_story_unit *unit, const struct wm_segment_names *names)
{
	uint32_t count = unit->binary->unit.function_count;
	bool all = is_refused(unit);
	if (!all && !unit->balance.abandoned)
		return;
	struct spread s = {&unit->binary->plan, wm_xrealloc(NULL, count, sizeof(bool)),
		wm_xrealloc(NULL, count, sizeof(uint32_t)), 0};
	for (uint32_t f = 0; f < count; f++)
		s.reached[f] = all || unit->function[f]->across.unbalanced || unit->function[f]->balance.abandoned;
	if (unit->binary->scheme->pieces)
		spread_from(&s, reach_callers);
	spread_from(&s, reach_callees);
	for (uint32_t f = 0; f < count; f++)
		if (s.reached[f])
			add_function(lost, unit->body[f], names);
	free(s.reached);
	free(s.stack);
}

void wm_segments_find_lost(struct wm_words *lost, const struct wm_story *story, const struct wm_segment_names *names)
{
	for (size_t i = 0; i < story->function_count; i++) {
		const struct wm_story_function *function = &story->function[i];
		bool own = !wm_story_crosses_calls(function) && function->map->inlined;
		if (own && (function->balance.abandoned || function->state == WM_STORY_REFUSED))
			add_function(lost, function, names);
	}
	for (size_t i = 0; i < story->units.count; i++)
		if (wm_story_unit_is_whole(&story->units.unit[i]))
			add_unit(lost, &story->units.unit[i], names);
}
