/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Paths across calls in a story.  The profile counts such a path in the function in which it ends; the story lists it
 * under the function in which it begins.
 */
#include "analysis/join/story.h"
#include "core/trail/trail.h"
#include "profile/map/identity.h"
#include "support/tool.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool wm_story_crosses_calls(const struct wm_story_function *function)
{
	return function->across.unit;
}

struct wm_story_unit *wm_story_unit_of(const struct wm_story_function *function)
{
	return function->across.unit;
}

const struct wm_balance *wm_story_whole_balance(const struct wm_story_function *function)
{
	return function->across.unit ? &function->across.unit->balance : &function->balance;
}

uint64_t wm_story_source(const struct wm_story_function *function)
{
	return function->across.unit ? function->across.unit->binary->source : wm_map_source(function->map);
}

uint64_t wm_story_hash(const struct wm_story_function *function)
{
	return function->across.unit ? function->across.unit->binary->hash : function->map->graph_hash;
}

/* ---- Reading ------------------------------------------------------------------ */

static void *need_memory(void *memory)
{
	if (!memory)
		wm_bug("out of memory");
	return memory;
}

static void note_how(struct wm_story *story, const struct wm_object *object, const struct wm_units *units)
{
	if (*units->trouble)
		wm_story_note(story, wm_xprintf("%s: %s", object->path, units->trouble));
	for (uint32_t u = 0; u < units->count; u++)
		if (!units->unit[u]->linked) {
			wm_story_note(story, wm_xprintf("%s was not linked by `waymark cc` with its -fwaymark-scheme: "
							"each of its files is "
							"numbered alone, and paths do not cross calls between files",
						     object->path));
			return;
		}
}

void wm_story_units_read(struct wm_story *story)
{
	struct wm_story_units *all = &story->units;
	wm_arena_init(&all->arena);
	all->of_object = need_memory(WM_NEW(&all->arena, struct wm_units, story->object_count));
	for (size_t i = 0; i < story->object_count; i++) {
		wm_units_read(&all->of_object[i], &story->object[i], &all->arena);
		note_how(story, &story->object[i], &all->of_object[i]);
		all->count += all->of_object[i].count;
	}
	all->unit = need_memory(WM_NEW(&all->arena, struct wm_story_unit, all->count));
	for (size_t i = 0, at = 0; i < story->object_count; i++)
		for (uint32_t u = 0; u < all->of_object[i].count; u++, at++) {
			const struct wm_binary_unit *binary = all->of_object[i].unit[u];
			all->unit[at].binary = binary;
			all->unit[at].function = need_memory(
				WM_NEW(&all->arena, struct wm_story_function *, binary->unit.function_count));
			all->unit[at].body = need_memory(
				WM_NEW(&all->arena, const struct wm_story_function *, binary->unit.function_count));
		}
}

/* A unit may have several functions of one key, of different graphs: inline functions that were compiled differently.
 * Profiles do not tell them apart, so the story has one function for all of them.  They are neighbours. */
static void point_to_neighbours(struct wm_story_unit *unit)
{
	const struct wm_unit_member *member = unit->binary->member;
	uint32_t count = unit->binary->unit.function_count;
	for (uint32_t f = 1; f < count; f++)
		if (!unit->function[f] && member[f].map->key == member[f - 1].map->key)
			unit->function[f] = unit->function[f - 1];
	for (uint32_t f = count; f-- > 1;)
		if (!unit->function[f - 1] && member[f].map->key == member[f - 1].map->key)
			unit->function[f - 1] = unit->function[f];
}

static void point_to_bodies(struct wm_story_unit *unit, struct wm_arena *arena)
{
	for (uint32_t f = 0; f < unit->binary->unit.function_count; f++) {
		const struct wm_unit_member *member = &unit->binary->member[f];
		unit->body[f] = unit->function[f];
		if (!unit->function[f] || unit->function[f]->map == member->map)
			continue;
		struct wm_story_function *body = need_memory(WM_NEW(arena, struct wm_story_function, 1));
		*body = *unit->function[f];
		body->map = member->map;
		body->module = member->module;
		body->across.index = f;
		unit->body[f] = body;
	}
}

void wm_story_units_point(struct wm_story *story)
{
	for (size_t u = 0; u < story->units.count; u++)
		memset(story->units.unit[u].function, 0,
			story->units.unit[u].binary->unit.function_count * sizeof(struct wm_story_function *));
	for (size_t i = 0; i < story->function_count; i++) {
		struct wm_story_across *across = &story->function[i].across;
		if (across->unit)
			across->unit->function[across->index] = &story->function[i];
	}
	for (size_t u = 0; u < story->units.count; u++)
		point_to_neighbours(&story->units.unit[u]);
	for (size_t u = 0; u < story->units.count; u++)
		point_to_bodies(&story->units.unit[u], &story->units.arena);
}

void wm_story_units_release(struct wm_story *story)
{
	wm_arena_release(&story->units.arena);
}

/* ---- Counts --------------------------------------------------------------------- */

/* A unit while its paths are told. */
struct telling {
	struct wm_story_unit *unit;
	uint32_t count; /* functions */
	size_t record_count;
	const struct wm_profile_function **record; /* of all its functions */
	size_t path_count;
	struct wm_story_path *path; /* ascending ids */
	uint32_t *begins; /* per path: the function in which it begins */
	struct wm_story_sums *sums; /* per function */
	struct wm_story_sums all;
	bool residual;
	struct wm_arena arena;
};

/* Of several functions of the unit that are one function of the story, the one that stands for all. */
static uint32_t owner(const struct telling *t, uint32_t f)
{
	return t->unit->function[f]->across.index;
}

static void refuse_all(struct telling *t, const char *reason)
{
	for (uint32_t f = 0; f < t->count; f++)
		if (owner(t, f) == f && t->unit->function[f]->records.count + t->unit->function[f]->records.apart_doubt)
			wm_story_refuse(t->unit->function[f], wm_xstrdup(reason));
}

/* NULL, or why the counts of the unit are not told: a count that is wrong in one function may be one of any. */
static char *collect_records(struct telling *t)
{
	uint32_t doubt = 0;
	uint64_t lost = 0;
	size_t residual = 0;
	for (uint32_t f = 0; f < t->count; f++) {
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
	if (residual && residual < t->record_count)
		return wm_xstrdup("all its paths are counted in one object and only untested ones in another; give "
				  "their profiles one at a time");
	return doubt ? wm_doubt_text(doubt, lost) : NULL;
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
	return t->unit->binary->scheme->pieces ? trail->step[trail->last].function : begins;
}

static bool tell_path(struct telling *t, size_t index)
{
	struct wm_story_path *path = &t->path[index];
	struct wm_trail trail;
	struct wm_arena arena;
	wm_arena_init(&arena);
	bool known = wm_trail_decode(t->unit->binary->plan.function, path->id, &trail, &arena) == WM_OK;
	if (known) {
		uint32_t begins = owner(t, trail.step[0].function), next = owner(t, next_begins(t, &trail, begins));
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

/* NULL, or why the counts of the unit are not told. */
static char *tell_paths(struct telling *t)
{
	t->begins = need_memory(WM_NEW(&t->arena, uint32_t, t->path_count));
	t->sums = need_memory(WM_NEW(&t->arena, struct wm_story_sums, t->count));
	for (uint32_t f = 0; f < t->count; f++) {
		const struct wm_story_function *function = t->unit->function[f];
		for (size_t r = 0; owner(t, f) == f && r < function->records.count; r++)
			wm_story_sums_add_record(&t->sums[f], function->records.record[r], counts_entries(function));
	}
	for (size_t i = 0; i < t->path_count; i++)
		if (!tell_path(t, i))
			return wm_xprintf("the profile counts path %" PRIu64 ", but its unit has only %" PRIu64
					  " paths; the profile is damaged or of another version",
				t->path[i].id, t->unit->binary->plan.path_count);
	for (uint32_t f = 0; f < t->count; f++) {
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

/* Whether a resumed path has an unknown start function.  With contexts, it is unknown for all of them.  A landing pad begins a piece in its own function; a second return of setjmp continues an older path, which may
 * have begun in a caller. */
static bool lost_a_beginning(const struct telling *t)
{
	const struct wm_binary_unit *unit = t->unit->binary;
	for (uint32_t f = 0; f < t->count; f++)
		if (t->sums[f].resumed && !(unit->scheme->pieces && has_landing_pad(&unit->unit.function[f])))
			return true;
	return false;
}

static char *balance_functions(struct telling *t)
{
	bool unbalanced = lost_a_beginning(t);
	for (uint32_t f = 0; f < t->count; f++) {
		struct wm_story_function *function = t->unit->function[f];
		struct wm_story_sums only = {.completed = t->sums[f].completed, .entries = t->sums[f].entries};
		if (owner(t, f) != f)
			continue;
		function->residual = t->residual && function->records.count;
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

static void list_paths(struct telling *t)
{
	size_t *count = need_memory(WM_NEW(&t->arena, size_t, t->count));
	for (size_t i = 0; i < t->path_count; i++)
		count[t->begins[i]]++;
	for (uint32_t f = 0; f < t->count; f++)
		if (owner(t, f) == f)
			t->unit->function[f]->path = wm_xmalloc((count[f] + 1) * sizeof *t->path);
	for (size_t i = 0; i < t->path_count; i++) {
		struct wm_story_function *function = t->unit->function[t->begins[i]];
		function->path[function->total_count++] = t->path[i];
		function->ran_count += t->path[i].count != 0;
	}
	for (uint32_t f = 0; f < t->count; f++) {
		struct wm_story_function *function = t->unit->function[f];
		if (owner(t, f) != f)
			continue;
		qsort(function->path, function->total_count, sizeof *function->path, wm_story_by_count);
		function->executions = function->balance.completed;
		if (function->executions || function->balance.entries || function->balance.resumed ||
			function->across.inside)
			function->state = WM_STORY_RAN;
	}
}

static char *tell_counts(struct telling *t)
{
	char *problem = collect_records(t);
	if (!problem && !wm_story_sum(t->record, t->record_count, &t->path, &t->path_count))
		problem = wm_doubt_text(WM_DOUBT_SATURATED, 0);
	if (!problem)
		problem = tell_paths(t);
	if (!problem)
		problem = balance_functions(t);
	if (!problem)
		list_paths(t);
	return problem;
}

static void tell_possible(const struct telling *t)
{
	const struct wm_unit_plan *plan = &t->unit->binary->plan;
	for (uint32_t f = 0; f < t->count; f++)
		t->unit->function[f]->possible = (struct wm_story_possible){.countable = true};
	for (uint32_t f = 0; f < t->count; f++) {
		struct wm_story_possible *possible = &t->unit->function[f]->possible;
		uint64_t first;
		possible->count += wm_plan_paths(&plan->function[f], &first);
		possible->countable &= plan->function[f].cut_count == 0;
		possible->log10 = possible->count ? log10((double)possible->count) : -INFINITY;
	}
}

bool wm_story_unit_is_whole(const struct wm_story_unit *unit)
{
	for (uint32_t f = 0; f < unit->binary->unit.function_count; f++)
		if (!unit->function[f])
			return false;
	return true;
}

uint64_t wm_story_units_abandoned(const struct wm_story *story)
{
	uint64_t sum = 0;
	for (size_t u = 0; u < story->units.count; u++)
		if (__builtin_add_overflow(sum, story->units.unit[u].balance.abandoned, &sum))
			return UINT64_MAX;
	return sum;
}

/* A function that is entered by a crossed call has no counter; its path has. */
static void note_abandoned(struct wm_story *story)
{
	uint64_t count = wm_story_units_abandoned(story);
	if (count)
		wm_story_note(story,
			wm_xprintf("%s path%s across calls %s abandoned: functions that ran only on abandoned paths "
				   "are not among those that ran",
				wm_thousands(count), count == 1 ? "" : "s", count == 1 ? "was" : "were"));
}

void wm_story_units_tell(struct wm_story *story)
{
	wm_story_units_point(story);
	for (size_t u = 0; u < story->units.count; u++) {
		struct telling t = {
			.unit = &story->units.unit[u], .count = story->units.unit[u].binary->unit.function_count};
		if (!wm_story_unit_is_whole(t.unit))
			continue;
		wm_arena_init(&t.arena);
		tell_possible(&t);
		char *problem = tell_counts(&t);
		if (problem)
			refuse_all(&t, problem);
		free(problem);
		free(t.record);
		free(t.path);
		wm_arena_release(&t.arena);
	}
	note_abandoned(story);
}
