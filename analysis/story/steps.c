/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/story/steps.h"
#include "analysis/segments/visit_moves.h"
#include "support/tool.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *file_of(const struct wm_story_function *function, uint32_t file)
{
	return file < function->module->file_count ? function->module->file[file] : NULL;
}

static struct wm_source_step *push(struct wm_steps *steps, const struct wm_story_function *function, uint32_t block)
{
	WM_XGROW(steps->step, steps->count);
	struct wm_source_step *step = &steps->step[steps->count++];
	*step = (struct wm_source_step){
		.block = block, .position = steps->position, .function = function, .depth = steps->depth};
	memcpy(step->begins, steps->announced, sizeof step->begins);
	steps->announced[0] = 0;
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

static void add_line(struct wm_steps *steps, const struct wm_story_function *function, uint32_t block,
	const struct wm_map_line *line)
{
	const char *file = file_of(function, line->file);
	if (!line->line || is_back_at(steps, file, line->line) ||
		(steps->count > steps->part && wm_step_stands_at(&steps->step[steps->count - 1], file, line->line)))
		return;
	struct wm_source_step *step = push(steps, function, block);
	step->file = file;
	step->line = line->line;
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
		step = push(steps, function, block);
		step->file = file;
		step->line = at.line;
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
		add_line(steps, function, block, &function->map->block[block].line[i]);
}

/* A block without lines and without a decision is a step of its own. */
static void add_lines(
	struct wm_steps *steps, const struct wm_story_function *function, uint32_t block, struct range range)
{
	const struct wm_map_block *info = &function->map->block[block];
	size_t before = steps->count;
	add_range(steps, function, block, range);
	if (!info->line_count && !info->decision.line && steps->count == before)
		push(steps, function, block);
}

static void add_outcome(struct wm_steps *steps, const struct wm_story_function *function, uint32_t block, uint32_t edge)
{
	struct wm_decision decision = {0};
	if (edge != WM_NONE)
		wm_decision_tell(&decision, function, block, edge, steps->sources);
	if (decision.outcome[0])
		add_decision(steps, function, block, &decision);
}

/* Block i of a path, of which the limits may cut off the beginning or the end. */
static void add_block(struct wm_steps *steps, const struct wm_story_function *function,
	const struct wm_block_path *path, const struct wm_path_limits *limits, uint32_t i)
{
	uint32_t block = path->block[i], edge = path->last_edge;
	if (i + 1 < path->length)
		edge = wm_graph_find_edge(&function->map->graph, block, path->block[i + 1]);
	uint32_t behind = limits && i == 0 ? limits->behind : WM_NONE;
	uint32_t before = limits && i + 1 == path->length ? limits->before : WM_NONE;
	add_lines(steps, function, block, lines_between(function, block, behind, before));
	add_outcome(steps, function, block, edge);
}

/* The parts of a path with iterations or a context. */
struct parts {
	uint32_t head, iteration;
};

/* The name of the part that begins with block i; false: no part begins there. */
static bool part_text(const struct wm_story_function *function, const struct wm_block_path *path, uint32_t i,
	struct parts *parts, char *text, size_t size)
{
	const struct wm_plan *plan = &function->plan;
	if (!plan->iterations) {
		snprintf(text, size, "%s", i ? "iteration after it" : "context");
		return path->fresh && (i == 0 || i == path->fresh);
	}
	bool again = wm_path_begins_iteration(plan, path, i);
	if (again || i == 0)
		parts->iteration = again && parts->head == path->block[i] ? parts->iteration + 1 : 1 + again;
	if (again || i == 0)
		parts->head = path->block[i];
	snprintf(text, size, "iteration %u", parts->iteration);
	return again || (i == 0 && path->fresh);
}

void wm_steps_clear(struct wm_steps *steps)
{
	steps->count = steps->part = 0;
	steps->depth = steps->position = 0;
	steps->waiting = false;
	steps->announced[0] = 0;
}

/* ---- Functions into which calls were inlined ----------------------------------------- */

static void announce(struct wm_steps *steps, const char *what, const char *name)
{
	size_t used = strlen(steps->announced);
	snprintf(steps->announced + used, sizeof steps->announced - used, "%s%s%s", used ? ", " : "", what, name);
	steps->part = steps->count;
}

/* A path in terms of the original functions, while it is told. */
struct telling {
	const struct wm_origins *origins;
	const struct wm_moves *moves;
	const struct wm_map_module *module; /* names the functions of contexts; NULL: `name` does */
	const char *const *name;
	uint32_t base; /* the least depth of the path */
	uint32_t next; /* the first move that has not been told */
	struct wm_segment_range range; /* only these moves are told */
	bool begun; /* the first of them is announced already */
};

/* A block on such a path. */
struct position {
	uint32_t at; /* on the path */
	uint32_t index; /* of its marks in the origins */
	uint32_t lines; /* how many of its lines are told before the path leaves the block or makes a call */
};

/* Whether the place between the last move and the next one is in the range, or in the path before its first move. */
static bool is_told(const struct telling *t)
{
	return t->next <= t->range.end && (t->next > t->range.first || !t->range.first);
}

/* Whether the last move is the first one of a segment. */
static bool begins_here(const struct telling *t)
{
	return t->begun && t->next == t->range.first + 1;
}

static void announce_context(struct wm_steps *steps, const struct telling *t, const char *what, uint32_t context)
{
	const struct wm_context *of = &t->origins->context[context];
	char *name = wm_demangle(t->module ? wm_map_context_name(t->module, of) : t->name[of->function]);
	announce(steps, what, name);
	free(name);
}

static void announce_move(struct wm_steps *steps, const struct telling *t, const struct wm_move *move)
{
	static const char *const back[] = {"back in ", "returns to "};
	if (move->kind == WM_MOVE_CALL)
		announce_context(steps, t, "calls ", move->context);
	else if (move->kind == WM_MOVE_RETURN)
		announce_context(steps, t, back[move->lone], move->context);
}

/* The moves of a mark, at position `at` of the path. */
static void announce_mark(struct wm_steps *steps, struct telling *t, uint32_t at, uint32_t mark)
{
	while (t->next < t->moves->count && t->moves->move[t->next].at == at && t->moves->move[t->next].mark == mark) {
		const struct wm_move *move = &t->moves->move[t->next++];
		if (!is_told(t))
			continue;
		steps->depth = move->depth - t->base;
		if (!t->begun || t->next - 1 > t->range.first)
			announce_move(steps, t, move);
	}
}

static uint32_t least_depth(const struct telling *t, uint32_t least)
{
	for (uint32_t i = t->range.first; i < t->range.end; i++)
		least = t->moves->move[i].depth < least ? t->moves->move[i].depth : least;
	return least;
}

/* The lines of a block of the function up to line `lines`, by its marks, which are those of position `at` in the origins. */
static void add_marked_block(struct wm_steps *steps, const struct wm_story_function *function, uint32_t block,
	struct telling *t, struct position position)
{
	const struct wm_mark *mark = t->origins->mark;
	uint32_t first = t->origins->first_mark[position.index], end = t->origins->first_mark[position.index + 1];
	uint32_t lines = position.lines;
	for (uint32_t m = first; m <= end; m++) {
		uint32_t from = m > first ? mark[m - 1].line : 0, to = m < end ? mark[m].line : lines;
		if (is_told(t))
			add_range(steps, function, block, (struct range){from, to < lines ? to : lines});
		if (m < end)
			announce_mark(steps, t, position.at, m);
	}
}

static void begin_telling(struct wm_steps *steps, struct telling *t)
{
	uint32_t depth = wm_context_depth(t->origins, t->moves->first);
	t->range = (struct wm_segment_range){0, t->moves->count};
	t->base = least_depth(t, depth);
	steps->depth = depth - t->base;
	if (t->origins->context[t->moves->first].parent != WM_NONE)
		announce_context(steps, t, "in ", t->moves->first);
}

static void add_marked_path(struct wm_steps *steps, const struct wm_story_function *function,
	const struct wm_block_path *path, struct telling *t)
{
	for (uint32_t i = 0; i < path->length; i++) {
		uint32_t block = path->block[i], edge = path->last_edge;
		if (i + 1 < path->length)
			edge = wm_graph_find_edge(&function->map->graph, block, path->block[i + 1]);
		steps->position = i;
		add_marked_block(
			steps, function, block, t, (struct position){i, block, function->map->block[block].line_count});
		if (is_told(t))
			add_outcome(steps, function, block, edge);
	}
}

const char *wm_segment_begins_text(enum wm_start start)
{
	static const char *const texts[] = {[WM_START_ENTRY] = "from the entry of ",
		[WM_START_LOOP] = "from a loop head of ",
		[WM_START_CUT] = "from a cut in ",
		[WM_START_CALL] = "after a call in "};
	return texts[start];
}

/* The same for the moves of a range, which is not empty.  `start`: of the path.  A segment that begins later on the path
 * begins at the entry of a callee, or after a call, in the landing pad if the call threw.  A path that begins in a landing pad
 * begins like one after a cut; segments that do begin after a cut are not told (segment_set.c). */
static void begin_segment(struct wm_steps *steps, struct telling *t, struct wm_segment_range range, enum wm_start start)
{
	const struct wm_move *first = &t->moves->move[range.first];
	t->range = range;
	t->begun = true;
	t->base = least_depth(t, UINT32_MAX);
	bool returns = first->kind == WM_MOVE_RETURN || (range.first && first[-1].kind == WM_MOVE_RETURN);
	if (returns || (!range.first && start == WM_START_CUT))
		start = WM_START_CALL;
	else if (range.first)
		start = WM_START_ENTRY;
	announce_context(steps, t, wm_segment_begins_text(start), first->context);
}

/* `range`: which moves are told; NULL: all. */
static void build_inlined(struct wm_steps *steps, const struct wm_story_function *function,
	const struct wm_block_path *path, const struct wm_segment_range *range)
{
	struct wm_moves moves;
	struct wm_arena arena;
	struct telling t = {.origins = &function->map->inlined->origins, .moves = &moves, .module = function->module};
	wm_arena_init(&arena);
	if (wm_origins_moves(t.origins, path->block, path->length, &moves, &arena) != WM_OK)
		wm_bug("out of memory");
	if (range)
		begin_segment(steps, &t, *range, path->start);
	else
		begin_telling(steps, &t);
	add_marked_path(steps, function, path, &t);
	wm_arena_release(&arena);
}

void wm_steps_append(struct wm_steps *steps, const struct wm_story_function *function, const struct wm_block_path *path,
	const struct wm_path_limits *limits, uint32_t depth, const char *begins)
{
	steps->depth = depth;
	if (*begins)
		announce(steps, begins, "");
	for (uint32_t i = 0; i < path->length; i++) {
		steps->position++;
		add_block(steps, function, path, limits, i);
	}
}

void wm_steps_build(struct wm_steps *steps, const struct wm_story_function *function, const struct wm_block_path *path)
{
	wm_steps_build_part(steps, function, path, NULL);
}

void wm_steps_build_part(struct wm_steps *steps, const struct wm_story_function *function,
	const struct wm_block_path *path, const struct wm_path_limits *limits)
{
	struct parts parts = {WM_NONE, 0};
	char begins[sizeof steps->step->begins];
	wm_steps_clear(steps);
	if (wm_map_has_origins(function->map)) {
		build_inlined(steps, function, path, NULL);
		return;
	}
	for (uint32_t i = 0; i < path->length; i++) {
		bool part = part_text(function, path, i, &parts, begins, sizeof begins);
		if (part)
			steps->part = steps->count;
		steps->position = i;
		add_block(steps, function, path, limits, i);
		/* If the first block of a part adds no step, the part begins with the step of the next block. */
		if (steps->part < steps->count && (part || steps->waiting))
			memcpy(steps->step[steps->part].begins, begins, sizeof begins);
		steps->waiting = (part || steps->waiting) && steps->part == steps->count;
	}
}

/* ---- Paths across calls ---------------------------------------------------------- */

/* Whether the path makes a call before it leaves the block of this visit, or of the block that it has returned to. */
static bool calls_next(const struct wm_visits *visits, uint32_t i)
{
	return i + 1 < visits->count && visits->visit[i + 1].kind == WM_VISIT_CALL;
}

/* The lines of the block of a visit from there to the next call that the path makes, or to the end of the block. */
static struct range visit_lines(const struct wm_story_function *function, const struct wm_visits *visits, uint32_t i)
{
	const struct wm_visit *visit = &visits->visit[i];
	uint32_t before = calls_next(visits, i) ? visits->visit[i + 1].site : WM_NONE;
	if (i + 1 == visits->count)
		before = visits->cut;
	return lines_between(function, visit->block, visit->site, before);
}

/* `block`, per depth: the visit of the block that is open there. */
static void add_visit(struct wm_steps *steps, const struct wm_story_unit *unit, const struct wm_visits *visits,
	uint32_t i, uint32_t *block)
{
	const struct wm_visit *visit = &visits->visit[i];
	const struct wm_story_function *function = unit->body[visit->function];
	steps->position = i;
	steps->depth = visit->depth;
	switch (visit->kind) {
	case WM_VISIT_BLOCK:
		block[visit->depth] = i;
		add_lines(steps, function, visit->block, visit_lines(function, visits, i));
		break;
	case WM_VISIT_CALL:
		announce(steps, "calls ",
			unit->function[unit->binary->unit.function[visit->function].call[visit->site].callee]->brief);
		return;
	case WM_VISIT_RETURN:
		if (visit->lone)
			block[visit->depth] = i;
		announce(steps, visit->lone ? "returns to " : "back in ", function->brief);
		if (visit->lone || function->map->call_line)
			add_range(steps, function, visit->block, visit_lines(function, visits, i));
		break;
	}
	if (!calls_next(visits, i)) {
		steps->position = block[visit->depth];
		add_outcome(steps, function, visit->block, visits->visit[block[visit->depth]].edge);
	}
}

static void build_across(struct wm_steps *steps, const struct wm_story_unit *unit, const struct wm_visits *visits,
	struct wm_arena *arena)
{
	uint32_t *block = WM_NEW(arena, uint32_t, visits->count + 1);
	if (!block)
		wm_bug("out of memory");
	wm_steps_clear(steps);
	for (uint32_t i = 0; i < visits->count; i++) {
		if (visits->fresh && (i == 0 || i == visits->fresh))
			announce(steps, i ? "the path, from here" : "context", "");
		add_visit(steps, unit, visits, i, block);
	}
}

/* The same where calls were inlined in functions on the path: they are told as the calls that the path crosses.  `range`:
 * which moves are told; NULL: all. */
static void build_across_inlined(struct wm_steps *steps, const struct wm_story_unit *unit,
	const struct wm_visits *visits, const struct wm_segment_range *range, struct wm_arena *arena)
{
	const struct wm_visit_source source = wm_story_visit_source(unit);
	uint32_t *block = WM_NEW(arena, uint32_t, visits->count + 1), at = 0;
	struct wm_visit_moves made;
	struct telling t = {.origins = &made.origins, .moves = &made.moves};
	if (!block || wm_visit_moves_make(&made, &source, visits, arena) != WM_OK)
		wm_bug("out of memory");
	t.name = made.name;
	wm_steps_clear(steps);
	if (range)
		begin_segment(steps, &t, *range, (enum wm_start)visits->start);
	else
		begin_telling(steps, &t);
	for (uint32_t i = 0; i < visits->count; i++) {
		const struct wm_visit *visit = &visits->visit[i];
		const struct wm_story_function *function = unit->body[visit->function];
		if (visit->kind == WM_VISIT_BLOCK || visit->lone)
			block[visit->depth] = i; /* of the context too: the path may return there */
		if (visit->kind == WM_VISIT_CALL || i < visits->fresh)
			continue;
		steps->position = i;
		struct range lines = visit_lines(function, visits, i);
		if (visit->kind == WM_VISIT_BLOCK)
			add_marked_block(steps, function, visit->block, &t, (struct position){at, at, lines.end});
		else
			announce_mark(steps, &t, at, made.origins.first_mark[at]);
		bool parts = begins_here(&t) || function->map->call_line;
		if (visit->kind == WM_VISIT_RETURN && is_told(&t) && parts)
			add_range(steps, function, visit->block, lines);
		if (!calls_next(visits, i) && is_told(&t)) {
			steps->position = block[visit->depth];
			add_outcome(steps, function, visit->block, visits->visit[block[visit->depth]].edge);
		}
		at++;
	}
}

static void decode_visits(
	const struct wm_story_unit *unit, uint64_t id, struct wm_visits *visits, struct wm_arena *arena)
{
	if (wm_visits_decode(&unit->binary->plan, id, visits, arena) != WM_OK)
		wm_bug("path %" PRIu64 " cannot be decoded", id);
}

static void tell_across(
	struct wm_steps *steps, const struct wm_story_function *function, uint64_t id, struct wm_path_ends *ends)
{
	const struct wm_story_unit *unit = function->across.unit;
	struct wm_visits visits;
	struct wm_arena arena;
	wm_arena_init(&arena);
	decode_visits(unit, id, &visits, &arena);
	if (wm_visits_inlined(unit, &visits))
		build_across_inlined(steps, unit, &visits, NULL, &arena);
	else
		build_across(steps, unit, &visits, &arena);
	const struct wm_visit *fresh = &visits.visit[visits.fresh], *last = &visits.visit[visits.last];
	bool stops = visits.end == WM_END_BACKEDGE || (visits.end == WM_END_CUT && last->edge != WM_NONE);
	*ends = (struct wm_path_ends){.start = visits.start,
		.end = visits.end,
		.first = unit->body[fresh->function],
		.last = unit->body[last->function],
		.block = fresh->block,
		.edge = stops ? last->edge : WM_NONE};
	wm_arena_release(&arena);
}

void wm_steps_tell(
	struct wm_steps *steps, const struct wm_story_function *function, uint64_t id, struct wm_path_ends *ends)
{
	struct wm_block_path path;
	struct wm_arena arena;
	if (function->across.unit) {
		tell_across(steps, function, id, ends);
		return;
	}
	wm_arena_init(&arena);
	wm_story_decode(function, id, &path, &arena);
	wm_steps_build(steps, function, &path);
	*ends = (struct wm_path_ends){.start = (uint8_t)path.start,
		.end = (uint8_t)path.end,
		.first = function,
		.last = function,
		.block = path.block[path.fresh],
		.edge = path.last_edge};
	wm_arena_release(&arena);
}

void wm_steps_tell_segment(
	struct wm_steps *steps, const struct wm_story_function *function, uint64_t id, struct wm_segment_range range)
{
	const struct wm_story_unit *unit = function->across.unit;
	struct wm_block_path path;
	struct wm_visits visits;
	struct wm_arena arena;
	wm_arena_init(&arena);
	wm_steps_clear(steps);
	if (!unit) {
		wm_story_decode(function, id, &path, &arena);
		build_inlined(steps, function, &path, &range);
	} else {
		decode_visits(unit, id, &visits, &arena);
		build_across_inlined(steps, unit, &visits, &range, &arena);
	}
	wm_arena_release(&arena);
}

void wm_steps_release(struct wm_steps *steps)
{
	free(steps->step);
	*steps = (struct wm_steps){0};
}
