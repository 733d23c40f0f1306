/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/tell/steps.h"
#include "analysis/join/story_checks.h"
#include "analysis/source/last_operand.h"
#include "analysis/tell/abandoned.h"
#include "support/xalloc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *file_of(const struct wm_story_function *function, uint32_t file)
{
	return file < function->module->file_count ? function->module->file[file] : NULL;
}

static void forget_announced(struct wm_steps *steps)
{
	steps->announced[0] = 0;
	steps->way = WM_WAY_ON;
}

static struct wm_source_step *push_step(
	struct wm_steps *steps, const struct wm_story_function *function, uint32_t block)
{
	WM_XGROW(steps->step, steps->count);
	struct wm_source_step *step = &steps->step[steps->count++];
	*step = (struct wm_source_step){
		.block = block, .position = steps->position, .function = function, .depth = steps->depth};
	memcpy(step->begins, steps->announced, sizeof step->begins);
	step->way = steps->way;
	forget_announced(steps);
	return step;
}

bool wm_step_stands_at(const struct wm_source_step *step, const char *file, uint32_t line)
{
	return step->line == line && line &&
	       (step->file == file || (step->file && file && strcmp(step->file, file) == 0));
}

/* Whether control has just returned to a line that was told before the call, or before other calls of the same statement:
 * without a decision in between, control comes back to a line only to finish a statement. */
static bool is_back_at(const struct wm_steps *steps, const char *file, uint32_t line)
{
	size_t i = steps->count;
	if (!steps->announced[0] || !i || steps->step[i - 1].depth <= steps->depth)
		return false;
	for (; i > 0 && steps->step[i - 1].depth >= steps->depth; i--) {
		const struct wm_source_step *step = &steps->step[i - 1];
		if (step->depth > steps->depth)
			continue;
		if (step->decision.outcome[0] || wm_step_stands_at(step, file, line))
			return !step->decision.outcome[0];
	}
	return false;
}

static void add_line(struct wm_steps *steps, const struct wm_story_function *function, uint32_t block, uint32_t index)
{
	const struct wm_map_line *line = &function->map->block[block].line[index];
	const char *file = file_of(function, line->file);
	if (!line->line || is_back_at(steps, file, line->line) ||
		(steps->count > steps->part && wm_step_stands_at(&steps->step[steps->count - 1], file, line->line)))
		return;
	struct wm_source_step *step = push_step(steps, function, block);
	step->file = file;
	step->line = line->line;
	step->address = function->machine.line ? function->machine.line[block][index] : 0;
}

/* Where a decision is told.  The whole condition of a loop is decided where its last operand was evaluated, which is not the
 * same operand on all paths; the step before is that of this operand. */
static struct wm_map_line decision_place(
	const struct wm_story_function *function, uint32_t block, const struct wm_source_step *last)
{
	const struct wm_map_block *info = &function->map->block[block];
	bool whole = info->terminator == WM_TERM_BRANCH && info->condition.kind == WM_CONDITION_WHOLE;
	struct wm_map_line place = info->decision;
	if (whole && last && last->line && last->line != place.line && place.line &&
		last->file == file_of(function, place.file))
		place = (struct wm_map_line){place.file, last->line, 0};
	return place;
}

static void add_decision(struct wm_steps *steps, const struct wm_story_function *function, uint32_t block,
	const struct wm_decision *decision)
{
	struct wm_source_step *last = steps->count > steps->part ? &steps->step[steps->count - 1] : NULL;
	const struct wm_map_line at = decision_place(function, block, last);
	const char *file = at.line ? file_of(function, at.file) : NULL;
	bool open = last && !last->decision.outcome[0];
	struct wm_source_step *step = NULL;
	if (open && at.line && wm_step_stands_at(last, file, at.line))
		step = last;
	else if (open && !at.line && last->block == block)
		step = last;
	if (!step) {
		step = push_step(steps, function, block);
		step->file = file;
		step->line = at.line;
		step->address = function->machine.branch ? function->machine.branch[block] : 0;
	}
	step->block = block;
	step->position = steps->position;
	step->column = at.column;
	step->decision = *decision;
}

/* Lines of a block: first … end - 1. */
struct range {
	uint32_t first, end;
};

/* The lines of the part of a block between two call sites, with the lines of both; WM_NONE: from its beginning, to its end.  If
 * the map does not tell, all lines of the block. */
static struct range lines_between(
	const struct wm_story_function *function, uint32_t block, uint32_t behind, uint32_t before)
{
	const struct wm_map_function *map = function->map;
	struct range range = {0, map->block[block].line_count};
	if (behind < map->call_count && map->call_line && map->call[behind].block == block && map->call_line[behind])
		range.first = map->call_line[behind] - 1;
	if (before < map->call_count && map->call_line && map->call[before].block == block)
		range.end = map->call_line[before];
	return range;
}

static void add_range(
	struct wm_steps *steps, const struct wm_story_function *function, uint32_t block, struct range range)
{
	for (uint32_t i = range.first; i < range.end; i++)
		add_line(steps, function, block, i);
}

/* A block without lines and without a decision is a step of its own. */
static void add_lines(
	struct wm_steps *steps, const struct wm_story_function *function, uint32_t block, struct range range)
{
	const struct wm_map_block *info = &function->map->block[block];
	size_t before = steps->count;
	add_range(steps, function, block, range);
	if (!info->line_count && !info->decision.line && steps->count == before)
		push_step(steps, function, block);
}

/* Whether the edge is the only one of a check that remains, or that of an operand: that the check holds is not told. */
static bool holds(const struct wm_story_function *function, uint32_t edge)
{
	const struct wm_graph *graph = &function->map->graph;
	uint32_t from = graph->edge_from[edge];
	return function->remainder && function->map->block[from].terminator != WM_TERM_INVOKE &&
	       graph->first_edge[from + 1] - graph->first_edge[from] > 1 && wm_story_remains(function, edge) &&
	       !wm_story_is_outcome(function, edge);
}

/* `evaluated`: the last operand of the condition was, on this path. */
static void add_outcome(
	struct wm_steps *steps, const struct wm_story_function *function, uint32_t block, uint32_t edge, bool evaluated)
{
	struct wm_decision decision = {0};
	if (edge != WM_NONE && holds(function, edge))
		return;
	bool told = edge != WM_NONE && evaluated &&
		    wm_decision_tell_operand(&decision, function, block, edge, steps->sources);
	if (edge != WM_NONE && !told)
		wm_decision_tell(&decision, function, block, edge, steps->sources);
	if (decision.outcome[0])
		add_decision(steps, function, block, &decision);
}

void wm_steps_clear(struct wm_steps *steps)
{
	steps->count = steps->part = 0;
	steps->depth = steps->position = 0;
	forget_announced(steps);
}

static void announce(struct wm_steps *steps, const char *what, const char *name)
{
	size_t used = strlen(steps->announced);
	snprintf(steps->announced + used, sizeof steps->announced - used, "%s%s%s", used ? ", " : "", what, name);
	steps->part = steps->count;
}

static void announce_way(struct wm_steps *steps, enum wm_way way, const char *function)
{
	static const char *const texts[] = {[WM_WAY_ON] = "",
		[WM_WAY_CALL] = "calls ",
		[WM_WAY_BACK] = "back in ",
		[WM_WAY_RETURN] = "returns to ",
		[WM_WAY_INSIDE] = "in ",
		[WM_WAY_FROM_ENTRY] = "from the entry of ",
		[WM_WAY_FROM_LOOP] = "from a loop head of ",
		[WM_WAY_FROM_CUT] = "from a cut in ",
		[WM_WAY_AFTER_CALL] = "after a call in "};
	announce(steps, texts[way], function);
	steps->way = way;
}

/* ---- The trail of the original functions ------------------------------------------------ */

/* A trail while it is told. */
struct telling {
	const struct wm_story_function *const *body;
	const struct wm_trail *trail;
	uint32_t *entered; /* per depth: the step into the block that is open there */
	uint32_t head, iteration; /* the loop in whose iteration the path is */
	/* If calls were inlined in its functions: */
	const struct wm_trail *original; /* NULL: none were */
	uint32_t base; /* the least depth of the original trail */
	uint32_t next; /* the first of its steps that has not been told */
	struct wm_segment_range range; /* only these steps are told */
	bool begun; /* the first of them is announced already */
};

/* Whether the place between the last step and the next one is in the range, or in the trail before its first step. */
static bool is_told(const struct telling *t)
{
	return !t->original || (t->next <= t->range.end && (t->next > t->range.first || !t->range.first));
}

/* Whether the last step is the first one of a segment. */
static bool begins_here(const struct telling *t)
{
	return t->begun && t->next == t->range.first + 1;
}

static void announce_frame(struct wm_steps *steps, const struct telling *t, enum wm_way way, uint32_t frame)
{
	char *name = wm_demangle(wm_story_frame_name(t->body, &t->original->frame[frame]));
	announce_way(steps, way, name);
	free(name);
}

/* Of a call or a return. */
static enum wm_way way_of(const struct wm_trail_step *step)
{
	return step->kind == WM_TRAIL_CALL ? WM_WAY_CALL : step->lone ? WM_WAY_RETURN : WM_WAY_BACK;
}

/* The original steps of a mark of step `at` of the trail. */
static void announce_mark(struct wm_steps *steps, struct telling *t, uint32_t at, uint32_t mark)
{
	for (; t->next < t->original->count; t->next++) {
		const struct wm_trail_step *step = &t->original->step[t->next];
		if (step->at != at || step->mark != mark)
			break;
		if (t->next >= t->range.end || t->next < t->range.first)
			continue;
		steps->depth = step->depth - t->base;
		if (step->kind != WM_TRAIL_BLOCK && (!t->begun || t->next > t->range.first))
			announce_frame(steps, t, way_of(step), step->frame);
	}
}

/* The lines of the block of a step up to line `lines`, by its marks. */
static void add_marked_block(struct wm_steps *steps, struct telling *t, uint32_t at, uint32_t lines)
{
	const struct wm_trail_step *step = &t->trail->step[at];
	const struct wm_story_function *function = t->body[step->function];
	bool has_origins = wm_map_has_origins(function->map);
	struct wm_mark own;
	uint32_t count, from = 0;
	const struct wm_mark *mark =
		wm_origins_marks(has_origins ? &function->map->inlined->origins : NULL, step->block, &own, &count);
	for (uint32_t m = 0; m <= count; m++) {
		uint32_t to = m < count && mark[m].line < lines ? mark[m].line : lines;
		if (is_told(t))
			add_range(steps, function, step->block, (struct range){from, to});
		from = m < count ? mark[m].line : 0;
		if (m < count)
			announce_mark(steps, t, at, m);
	}
}

static uint32_t least_depth(const struct telling *t, uint32_t least)
{
	for (uint32_t i = t->range.first; i < t->range.end; i++)
		least = t->original->step[i].depth < least ? t->original->step[i].depth : least;
	return least;
}

static void begin_whole(struct wm_steps *steps, struct telling *t)
{
	uint32_t first = t->original->first, depth = wm_trail_frame_depth(t->original, first);
	t->range = (struct wm_segment_range){0, t->original->count};
	t->base = least_depth(t, depth);
	steps->depth = depth - t->base;
	if (t->original->frame[first].parent != WM_NONE)
		announce_frame(steps, t, WM_WAY_INSIDE, first);
}

enum wm_way wm_segment_way(enum wm_start start)
{
	static const enum wm_way ways[] = {[WM_START_ENTRY] = WM_WAY_FROM_ENTRY,
		[WM_START_LOOP] = WM_WAY_FROM_LOOP,
		[WM_START_CUT] = WM_WAY_FROM_CUT,
		[WM_START_CALL] = WM_WAY_AFTER_CALL};
	return ways[start];
}

/* The same for the steps of a range, which is not empty.  A segment that begins later on the path begins at the entry of a
 * callee, or after a call, in the landing pad if the call threw.  A path that begins in a landing pad begins like one after a
 * cut; segments that do begin after a cut are not told (analysis/segments/set.c). */
static void begin_segment(struct wm_steps *steps, struct telling *t, struct wm_segment_range range)
{
	const struct wm_trail_step *first = &t->original->step[range.first];
	enum wm_start start = (enum wm_start)t->trail->start;
	t->range = range;
	t->begun = true;
	t->base = least_depth(t, UINT32_MAX);
	bool returns = first->kind == WM_TRAIL_RETURN || (range.first && first[-1].kind == WM_TRAIL_RETURN);
	if (returns || (!range.first && start == WM_START_CUT))
		start = WM_START_CALL;
	else if (range.first)
		start = WM_START_ENTRY;
	announce_frame(steps, t, wm_segment_way(start), first->frame);
}

/* ---- Trails ------------------------------------------------------------------------------ */

/* Announces the part of a trail that begins with a step.  Inside a function, it replaces a part without lines before it. */
static void announce_part(struct wm_steps *steps, const struct wm_trail_step *step, const char *text)
{
	if (!step->depth)
		forget_announced(steps);
	announce(steps, text, "");
}

/* On a trail over several iterations: step i begins one, or the first that the path has in part. */
static void announce_iteration(struct wm_steps *steps, struct telling *t, uint32_t i)
{
	const struct wm_trail_step *step = &t->trail->step[i];
	char text[WM_BEGINS_MAX];
	if (i && !step->again)
		return;
	t->iteration = step->again && t->head == step->block ? t->iteration + 1 : 1 + step->again;
	t->head = step->block;
	snprintf(text, sizeof text, "iteration %u", t->iteration);
	if (step->again || t->trail->fresh)
		announce_part(steps, step, text);
}

/* On a trail with a context: step i begins the context or the active part. */
static void announce_context(struct wm_steps *steps, const struct telling *t, uint32_t i)
{
	const struct wm_trail_step *step = &t->trail->step[i];
	if (t->trail->fresh && i == 0)
		announce_part(steps, step, "context");
	else if (t->trail->fresh && i == t->trail->fresh)
		announce_part(steps, step, step->depth ? "the path, from here" : "iteration after it");
}

/* The lines of the block of a step from there to the next call that the path makes, or to the end of the block. */
static struct range step_lines(const struct telling *t, uint32_t i)
{
	const struct wm_trail_step *step = &t->trail->step[i];
	uint32_t before = wm_trail_calls_next(t->trail, i) ? step[1].site : WM_NONE;
	if (i + 1 == t->trail->count)
		before = t->trail->cut;
	return lines_between(t->body[step->function], step->block, step->site, before);
}

static void tell_step(struct wm_steps *steps, struct telling *t, uint32_t i)
{
	const struct wm_trail_step *step = &t->trail->step[i];
	const struct wm_story_function *function = t->body[step->function];
	struct range lines = step_lines(t, i);
	switch (step->kind) {
	case WM_TRAIL_BLOCK:
		if (t->original)
			add_marked_block(steps, t, i, lines.end);
		else
			add_lines(steps, function, step->block, lines);
		break;
	case WM_TRAIL_CALL:
		announce_way(steps, WM_WAY_CALL, t->body[step[1].function]->brief);
		break;
	case WM_TRAIL_RETURN:
		if (t->original)
			announce_mark(steps, t, i, 0);
		else
			announce_way(steps, way_of(step), function->brief);
		if (is_told(t) && (function->map->call_line || (t->original ? begins_here(t) : step->lone)))
			add_range(steps, function, step->block, lines);
		break;
	}
}

/* Whether the path comes to the step `at`, whose block tells the condition of a loop, from the last operand of the condition. */
static bool comes_from_operand(const struct telling *t, uint32_t at)
{
	const struct wm_trail_step *step = &t->trail->step[at];
	struct wm_last_operand operand;
	if (!wm_last_operand_find(&operand, t->body[step->function]->map, step->block) ||
		operand.join[0]->join != step->block)
		return false;
	for (uint32_t i = 0; i < operand.join_count; i++) {
		const struct wm_trail_step *before = i < at ? &t->trail->step[at - i - 1] : NULL;
		if (!before || before->function != step->function || before->depth != step->depth ||
			before->kind == WM_TRAIL_CALL || before->block != operand.join[i]->block)
			return false;
	}
	return true;
}

/* Where the path leaves the block of a step. */
static void tell_outcome(struct wm_steps *steps, struct telling *t, const struct wm_trail_step *step)
{
	steps->position = t->entered[step->depth];
	add_outcome(steps, t->body[step->function], step->block, t->trail->step[steps->position].edge,
		comes_from_operand(t, steps->position));
}

/* The context of a trail with inlined calls is not told, but the path may return to its blocks and leave them. */
static void tell_trail(struct wm_steps *steps, struct telling *t)
{
	uint32_t depth = steps->depth;
	for (uint32_t i = 0; i < t->trail->count; i++) {
		const struct wm_trail_step *step = &t->trail->step[i];
		if (step->kind == WM_TRAIL_BLOCK || step->lone)
			t->entered[step->depth] = i;
		if (t->original && (i < t->trail->fresh || step->kind == WM_TRAIL_CALL))
			continue;
		if (!t->original) {
			steps->depth = depth + step->depth;
			if (wm_story_plan(t->body[step->function])->iterations)
				announce_iteration(steps, t, i);
			else
				announce_context(steps, t, i);
		}
		steps->position = i;
		tell_step(steps, t, i);
		if (step->kind != WM_TRAIL_CALL && !wm_trail_calls_next(t->trail, i) && is_told(t))
			tell_outcome(steps, t, step);
	}
}

/* Appends the steps of a trail.  `original`: that of the original functions; NULL: no calls were inlined, or they are not
 * told.  `range`: which of its steps are told; NULL: all. */
static void append_trail(struct wm_steps *steps, const struct wm_story_function *const *body,
	const struct wm_trail *trail, const struct wm_trail *original, const struct wm_segment_range *range)
{
	struct telling t = {.body = body, .trail = trail, .original = original, .head = WM_NONE};
	t.entered = wm_xrealloc(NULL, trail->count + (size_t)1, sizeof *t.entered);
	memset(t.entered, 0, trail->count * sizeof *t.entered);
	if (range)
		begin_segment(steps, &t, *range);
	else if (original)
		begin_whole(steps, &t);
	tell_trail(steps, &t);
	free(t.entered);
}

/* Replaces the steps by those of a trail. */
static void build_steps(struct wm_steps *steps, const struct wm_story_function *const *body,
	const struct wm_trail *trail, const struct wm_segment_range *range, struct wm_arena *arena)
{
	struct wm_trail original;
	bool is_inlined = range || wm_story_is_inlined(body, trail);
	if (is_inlined)
		wm_story_original(body, trail, &original, arena);
	wm_steps_clear(steps);
	append_trail(steps, body, trail, is_inlined ? &original : NULL, range);
}

void wm_steps_append(struct wm_steps *steps, const struct wm_story_function *function, const struct wm_trail *trail,
	uint32_t depth, enum wm_way way)
{
	steps->depth = depth;
	if (way != WM_WAY_ON)
		announce_way(steps, way, function->brief);
	append_trail(steps, &function, trail, NULL, NULL);
}

void wm_steps_build(struct wm_steps *steps, const struct wm_story_function *const *body, const struct wm_trail *trail)
{
	struct wm_arena arena;
	wm_arena_init(&arena);
	build_steps(steps, body, trail, NULL, &arena);
	wm_arena_release(&arena);
}

void wm_steps_tell(
	struct wm_steps *steps, const struct wm_story_function *function, uint64_t id, struct wm_path_ends *ends)
{
	const struct wm_story_function *const *body = wm_story_bodies(&function);
	struct wm_trail trail;
	struct wm_arena arena;
	wm_arena_init(&arena);
	wm_story_decode(function, id, &trail, &arena);
	build_steps(steps, body, &trail, NULL, &arena);
	const struct wm_trail_step *fresh = &trail.step[trail.fresh], *last = &trail.step[trail.last];
	*ends = (struct wm_path_ends){.start = trail.start,
		.end = trail.end,
		.first = body[fresh->function],
		.last = body[last->function],
		.block = fresh->block,
		.edge = last->edge,
		.call = trail.end == WM_END_CALL ? trail.cut : WM_NONE};
	wm_arena_release(&arena);
}

void wm_path_call_words(const struct wm_path_ends *ends, char text[WM_CALL_WORDS])
{
	enum { MOST = 100 };
	const struct wm_story_function *function = ends->last;
	snprintf(text, WM_CALL_WORDS, "call");
	if (ends->call == WM_NONE)
		return;
	const struct wm_call *call = &function->map->call[ends->call];
	const struct wm_map_block *block = &function->map->block[call->block];
	uint32_t lines = wm_call_line(function->map, ends->call);
	const char *callee = wm_map_callee(function->module, call);
	char *name = callee ? wm_demangle(callee) : NULL;
	char line[32] = "";
	if (lines)
		snprintf(line, sizeof line, " at %u", block->line[lines - 1].line);
	snprintf(text, WM_CALL_WORDS, "in %s%.*s%s%s", name ? "the call of " : "a call", MOST, name ? name : "",
		name && strlen(name) > MOST ? "..." : "", line);
	free(name);
}

void wm_steps_tell_segment(
	struct wm_steps *steps, const struct wm_story_function *function, uint64_t id, struct wm_segment_range range)
{
	struct wm_trail trail;
	struct wm_arena arena;
	wm_arena_init(&arena);
	wm_story_decode(function, id, &trail, &arena);
	build_steps(steps, wm_story_bodies(&function), &trail, &range, &arena);
	wm_arena_release(&arena);
}

void wm_steps_release(struct wm_steps *steps)
{
	free(steps->step);
	*steps = (struct wm_steps){0};
}
