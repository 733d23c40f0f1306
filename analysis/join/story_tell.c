/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tells the counts of a unit: records are summed, each path is decoded to its trail, what began and what ended is balanced, and
 * the paths are listed under the functions in which they begin.  A function whose paths do not cross calls is a unit of one.
 */
#include "abi/sequence.h"
#include "analysis/join/story.h"
#include "core/scheme/pieces.h"
#include "core/trail/trail.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void *need_memory(void *memory)
{
	if (!memory)
		wm_no_memory();
	return memory;
}

/* A unit while its paths are told. */
struct telling {
	struct wm_story_unit *unit;
	size_t record_count;
	const struct wm_profile_function **record; /* of all its functions */
	size_t path_count;
	struct wm_story_path *path; /* ascending ids */
	uint32_t *begins; /* per path: the function in which it begins; NULL: there is only one */
	struct wm_story_sums *sums; /* per function */
	struct wm_story_sums all;
	bool residual;
	/* Of a unit of one: */
	uint32_t *room; /* for the blocks of a path */
	struct wm_trail_step step; /* the trails of its paths */
	struct wm_arena arena;
};

/* Of several functions of the unit that are one function of the story, the one that stands for all. */
static uint32_t owner(const struct telling *t, uint32_t f)
{
	return t->unit->function[f]->across.index;
}

static void refuse_all(struct telling *t, const char *reason)
{
	for (uint32_t f = 0; f < t->unit->count; f++)
		if (owner(t, f) == f && t->unit->function[f]->records.count + t->unit->function[f]->records.apart_doubt)
			wm_story_refuse(t->unit->function[f], wm_xstrdup(reason));
}

/* NULL, or why the counts of the unit are not told: a count that is wrong in one function may be one of any. */
static char *collect_records(struct telling *t)
{
	uint32_t doubt = 0;
	uint64_t lost = 0;
	size_t residual = 0;
	for (uint32_t f = 0; f < t->unit->count; f++) {
		const struct wm_story_function *function = t->unit->function[f];
		if (!function->records.count && function->records.apart_doubt)
			return wm_doubt_text(function->records.apart_doubt, function->records.apart_lost);
		for (size_t r = 0; owner(t, f) == f && r < function->records.count; r++) {
			const struct wm_profile_function *record = function->records.record[r];
			WM_XGROW(t->record, t->record_count);
			t->record[t->record_count++] = record;
			doubt |= record->doubt;
			lost += record->lost;
			residual += !!(record->flags & WM_FUNC_RESIDUAL);
		}
	}
	t->residual = residual;
	for (uint32_t f = 0; f < t->unit->count; f++)
		t->unit->function[f]->residual = residual && t->unit->function[f]->records.count;
	if (doubt)
		return wm_doubt_text(doubt, lost);
	return residual && residual < t->record_count
		       ? wm_xstrdup("all its paths are counted in one object and only untested ones in another; give "
				    "their profiles one at a time")
		       : NULL;
}

/* Separates the entries of names from paths.  Names have the largest ids.  Only a unit of one has them. */
static void take_names(struct telling *t)
{
	struct wm_story_function *function = t->unit->function[0];
	size_t paths = t->path_count;
	if (!wm_plan_has_pieces(t->unit->plan))
		return;
	while (paths && t->path[paths - 1].id & WM_NAME_BIT)
		paths--;
	size_t count = t->path_count - paths;
	struct wm_story_path *name = wm_xmalloc((count + 1) * sizeof *name);
	memcpy(name, t->path + paths, count * sizeof *name);
	function->records.names = (struct wm_story_names){count, name};
	t->path_count = paths;
}

bool wm_story_find_name(const void *closure, uint64_t name, uint64_t *value)
{
	const struct wm_story_function *function = closure;
	struct wm_story_path key = {.id = name};
	const struct wm_story_path *found =
		bsearch(&key, function->records.names.name, function->records.names.count, sizeof key, wm_story_by_id);
	*value = found ? (found->count ? found->count : found->base) - 1 : 0;
	return found;
}

static bool counts_entries(const struct wm_story_function *function)
{
	for (size_t r = 0; r < function->records.count; r++)
		if (!(function->records.record[r]->flags & WM_FUNC_ENTRIES))
			return false;
	return function->records.count;
}

/* The function in which the next path begins: with its context it is where this one began. */
static uint32_t next_begins(const struct telling *t, const struct wm_trail *trail, uint32_t begins)
{
	return t->unit->plan->scheme->pieces ? trail->step[trail->last].function : begins;
}

/* Of a path that stays in its function only the ends matter here, and to find the edges of all its steps would take most of
 * the time. */
static bool find_trail(struct telling *t, uint64_t id, struct wm_trail *trail, struct wm_arena *arena)
{
	const struct wm_plan *plan = t->unit->plan;
	struct wm_block_path path = {.block = t->room};
	if (wm_plan_crosses_calls(plan))
		return wm_trail_decode(plan, id, trail, arena) == WM_OK;
	if (!wm_plan_has_pieces(plan) && id >= wm_plan_ids(plan))
		return false;
	enum wm_status status = wm_plan_has_pieces(plan) ? wm_sequence_find(plan, id, wm_story_find_name,
								   t->unit->function[0], &path, arena)
							 : wm_plan_decode(plan, id, &path, arena);
	*trail =
		(struct wm_trail){.count = 1, .step = &t->step, .start = (uint8_t)path.start, .end = (uint8_t)path.end};
	return status == WM_OK;
}

static bool tell_path(struct telling *t, size_t index)
{
	struct wm_story_path *path = &t->path[index];
	struct wm_trail trail;
	struct wm_arena arena;
	wm_arena_init(&arena);
	bool known = find_trail(t, path->id, &trail, &arena);
	if (known) {
		uint32_t begins = owner(t, trail.step[0].function), next = owner(t, next_begins(t, &trail, begins));
		if (t->begins)
			t->begins[index] = begins;
		path->start = trail.start;
		path->end = trail.end;
		wm_story_sums_add_path(
			&t->sums[begins], &t->sums[next], path, counts_entries(t->unit->function[begins]));
		for (uint32_t i = 0; i < trail.count && path->count; i++)
			t->unit->function[trail.step[i].function]->across.inside = true;
	}
	wm_arena_release(&arena);
	return known;
}

static char *unknown_path(const struct telling *t, uint64_t id)
{
	return wm_xprintf("the profile counts path %" PRIu64 ", but its %s has only %" PRIu64
			  " paths; the profile is damaged or of another version",
		id, wm_plan_crosses_calls(t->unit->plan) ? "unit" : "graph", wm_plan_ids(t->unit->plan));
}

/* NULL, or why the counts of the unit are not told. */
static char *tell_paths(struct telling *t)
{
	if (t->unit->count > 1)
		t->begins = need_memory(WM_NEW(&t->arena, uint32_t, t->path_count));
	if (!wm_plan_crosses_calls(t->unit->plan))
		t->room = need_memory(WM_NEW(&t->arena, uint32_t, t->unit->plan->dag.node_count));
	t->sums = need_memory(WM_NEW(&t->arena, struct wm_story_sums, t->unit->count));
	for (uint32_t f = 0; f < t->unit->count; f++) {
		const struct wm_story_function *function = t->unit->function[f];
		for (size_t r = 0; owner(t, f) == f && r < function->records.count; r++)
			wm_story_sums_add_record(&t->sums[f], function->records.record[r], counts_entries(function));
	}
	for (size_t i = 0; i < t->path_count; i++)
		if (!tell_path(t, i))
			return unknown_path(t, t->path[i].id);
	for (uint32_t f = 0; f < t->unit->count; f++) {
		t->all.inherited += t->sums[f].inherited;
		t->all.entries += t->sums[f].entries;
		t->all.restarts += t->sums[f].restarts;
		t->all.resumed += t->sums[f].resumed;
		t->all.completed += t->sums[f].completed;
	}
	return wm_story_sums_balance(t->all, t->residual, &t->unit->balance);
}

static bool has_landing_pad(const struct wm_unit_function *function)
{
	for (uint32_t i = 0; i < function->call_count; i++)
		if (function->call[i].unwinds)
			return true;
	return false;
}

/* Whether a resumed path has an unknown start function.  With contexts, it is unknown for all of them.  A landing pad begins a
 * piece in its own function; a second return of setjmp continues an older path, which may have begun in a caller if paths
 * cross calls. */
static bool lost_a_beginning(const struct telling *t)
{
	const struct wm_plan *plan = t->unit->plan;
	for (uint32_t f = 0; wm_plan_crosses_calls(plan) && f < t->unit->count; f++)
		if (t->sums[f].resumed && !(plan->scheme->pieces && has_landing_pad(plan[f].in_unit)))
			return true;
	return false;
}

static char *balance_functions(struct telling *t)
{
	bool unbalanced = lost_a_beginning(t);
	for (uint32_t f = 0; f < t->unit->count; f++) {
		struct wm_story_function *function = t->unit->function[f];
		struct wm_story_sums only = {.completed = t->sums[f].completed, .entries = t->sums[f].entries};
		if (owner(t, f) != f)
			continue;
		function->across.unbalanced = unbalanced;
		if (unbalanced) {
			function->balance = (struct wm_balance){
				.entries = (uint64_t)only.entries, .completed = (uint64_t)only.completed};
			continue;
		}
		char *problem = wm_story_sums_balance(t->sums[f], t->residual, &function->balance);
		if (problem)
			return problem;
	}
	return NULL;
}

/* Gives the functions the paths that begin in them. */
static void give_paths(struct telling *t)
{
	size_t *count = need_memory(WM_NEW(&t->arena, size_t, t->unit->count));
	for (size_t i = 0; i < t->path_count; i++)
		count[t->begins[i]]++;
	for (uint32_t f = 0; f < t->unit->count; f++)
		if (owner(t, f) == f)
			t->unit->function[f]->path = wm_xmalloc((count[f] + 1) * sizeof *t->path);
	for (size_t i = 0; i < t->path_count; i++) {
		struct wm_story_function *function = t->unit->function[t->begins[i]];
		function->path[function->total_count++] = t->path[i];
	}
}

/* Without a copy: most profiles have only units of one. */
static void give_all(struct telling *t)
{
	t->unit->function[0]->path = t->path;
	t->unit->function[0]->total_count = t->path_count;
	t->path = NULL;
}

static void list_paths(struct telling *t)
{
	(t->begins ? give_paths : give_all)(t);
	for (uint32_t f = 0; f < t->unit->count; f++) {
		struct wm_story_function *function = t->unit->function[f];
		if (owner(t, f) != f)
			continue;
		for (size_t i = 0; i < function->total_count; i++)
			function->ran_count += function->path[i].count != 0;
		qsort(function->path, function->total_count, sizeof *function->path, wm_story_by_count);
		function->executions = function->balance.completed;
		if (function->executions || function->balance.entries || function->balance.resumed ||
			function->across.inside)
			function->state = WM_STORY_RAN;
	}
}

/* NULL, or why the counts of the unit are not told. */
static char *tell_counts(struct telling *t)
{
	char *problem = collect_records(t);
	if (!problem && !wm_story_sum(t->record, t->record_count, &t->path, &t->path_count))
		problem = wm_doubt_text(WM_DOUBT_SATURATED, 0);
	if (!problem) {
		take_names(t);
		problem = tell_paths(t);
	}
	if (!problem)
		problem = balance_functions(t);
	if (problem)
		return problem;
	list_paths(t);
	if (!wm_plan_crosses_calls(t->unit->plan))
		wm_story_tell_unfinished(t->unit->function[0]);
	return NULL;
}

void wm_story_tell(struct wm_story_unit *unit)
{
	struct telling t = {.unit = unit};
	wm_arena_init(&t.arena);
	char *problem = tell_counts(&t);
	if (problem)
		refuse_all(&t, problem);
	free(problem);
	free(t.record);
	free(t.path);
	wm_arena_release(&t.arena);
}
