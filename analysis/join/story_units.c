/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Paths across calls in a story.  The profile counts such a path in the function in which it ends; the story lists it
 * under the function in which it begins.
 */
#include "analysis/join/story.h"
#include "profile/map/identity.h"
#include "support/fail.h"
#include "support/xalloc.h"
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
		wm_no_memory();
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
			all->unit[at].count = binary->unit.function_count;
			all->unit[at].plan = binary->plan.function;
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
	uint32_t count = unit->count;
	for (uint32_t f = 1; f < count; f++)
		if (!unit->function[f] && member[f].map->key == member[f - 1].map->key)
			unit->function[f] = unit->function[f - 1];
	for (uint32_t f = count; f-- > 1;)
		if (!unit->function[f - 1] && member[f].map->key == member[f - 1].map->key)
			unit->function[f - 1] = unit->function[f];
}

static void point_to_bodies(struct wm_story_unit *unit, struct wm_arena *arena)
{
	for (uint32_t f = 0; f < unit->count; f++) {
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
			story->units.unit[u].count * sizeof(struct wm_story_function *));
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

static void tell_possible(const struct wm_story_unit *unit)
{
	for (uint32_t f = 0; f < unit->count; f++)
		unit->function[f]->possible = (struct wm_story_possible){.countable = true};
	for (uint32_t f = 0; f < unit->count; f++) {
		struct wm_story_possible *possible = &unit->function[f]->possible;
		uint64_t first;
		possible->count += wm_plan_paths(&unit->plan[f], &first);
		possible->ids = possible->count;
		possible->countable &= unit->plan[f].cut_count == 0;
		possible->log10 = possible->count ? log10((double)possible->count) : -INFINITY;
	}
}

bool wm_story_unit_is_whole(const struct wm_story_unit *unit)
{
	for (uint32_t f = 0; f < unit->count; f++)
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
		struct wm_story_unit *unit = &story->units.unit[u];
		if (!wm_story_unit_is_whole(unit))
			continue;
		tell_possible(unit);
		wm_story_tell(unit);
	}
	note_abandoned(story);
}
