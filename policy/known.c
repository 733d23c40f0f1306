/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/known.h"

#include <stdlib.h>

static bool matches(const struct wm_known *known, const struct wm_profile_function *counts)
{
	return counts->key == known->function->key && counts->graph_hash == known->function->graph_hash;
}

/* Records of one function that differ in their flags are neighbours. */
static const struct wm_profile_function *first_of(const struct wm_known *known, const struct wm_profile_object *object)
{
	const struct wm_profile_function *found =
		wm_object_find_function(object, known->function->key, known->function->graph_hash);
	while (found && found > object->function && matches(known, found - 1))
		found--;
	return found;
}

static const struct wm_profile_function *step(struct wm_known *known)
{
	const struct wm_profile_object *object = &known->profile->object[known->object];
	const struct wm_profile_function *next = known->at ? known->at + 1 : first_of(known, object);
	if (next && next < object->function + object->function_count && matches(known, next))
		return known->at = next;
	known->at = NULL;
	known->object++;
	return NULL;
}

const struct wm_profile_function *wm_known_next(struct wm_known *known)
{
	while (known->object < known->profile->object_count) {
		const struct wm_profile_function *counts = step(known);
		if (counts && !counts->doubt && counts->path_count)
			return counts;
	}
	return NULL;
}

bool wm_known_function(const struct wm_profile *profile, const struct wm_map_function *function)
{
	for (size_t i = 0; i < profile->object_count; i++)
		if (wm_object_find_key(&profile->object[i], function->key))
			return true;
	return false;
}

static uint64_t activity(const struct wm_profile_function *function)
{
	uint64_t sum = 0;
	if (function->doubt)
		return 0;
	if (function->flags & WM_FUNC_ENTRIES)
		return function->entries;
	for (size_t i = 0; i < function->path_count; i++)
		sum += function->path[i].count;
	return sum;
}

double wm_known_executions(const struct wm_profile *profile)
{
	double sum = 0;
	for (size_t o = 0; o < profile->object_count; o++)
		for (size_t f = 0; f < profile->object[o].function_count; f++)
			for (size_t i = 0; i < profile->object[o].function[f].path_count; i++)
				sum += (double)profile->object[o].function[f].path[i].count;
	return sum;
}

uint64_t wm_known_activity(const struct wm_profile *profile, uint64_t key)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < profile->object_count; i++) {
		const struct wm_profile_object *object = &profile->object[i];
		const struct wm_profile_function *f = wm_object_find_key(object, key);
		for (; f && f < object->function + object->function_count && f->key == key; f++)
			sum += activity(f);
	}
	return sum;
}

/* A path that a program took. */
struct taken {
	uint64_t id;
	size_t program; /* index of its first object */
};

static int by_program(const void *left, const void *right)
{
	const struct taken *a = left, *b = right;
	return (a->program > b->program) - (a->program < b->program);
}

static int by_id(const void *left, const void *right)
{
	const struct taken *a = left, *b = right;
	int order = (a->id > b->id) - (a->id < b->id);
	return order ? order : by_program(left, right);
}

static size_t program_of(const struct wm_profile *profile, size_t object)
{
	size_t first = 0;
	if (profile->any_program)
		return 0;
	while (first < object && !wm_same_program(&profile->object[first], &profile->object[object]))
		first++;
	return first;
}

/* Into taken[], if that is not NULL; how many. */
static size_t collect_taken(struct taken *taken, const struct wm_profile *profile,
	const struct wm_map_function *function, uint64_t path_count)
{
	struct wm_known known = {profile, function, 0, NULL};
	const struct wm_profile_function *counts;
	size_t count = 0;
	while ((counts = wm_known_next(&known))) {
		size_t program = program_of(profile, known.object);
		for (size_t i = 0; i < counts->path_count; i++) {
			if (!counts->path[i].count || counts->path[i].id >= path_count)
				continue;
			if (taken)
				taken[count] = (struct taken){counts->path[i].id, program};
			count++;
		}
	}
	return count;
}

/* The ids that all programs took, which took any. */
static size_t keep_common(uint64_t *id, struct taken *taken, size_t count)
{
	size_t kept = 0, programs = 0;
	if (count)
		qsort(taken, count, sizeof *taken, by_program);
	for (size_t i = 0; i < count; i++)
		programs += !i || by_program(&taken[i - 1], &taken[i]);
	if (count)
		qsort(taken, count, sizeof *taken, by_id);
	for (size_t first = 0, end; first < count; first = end) {
		size_t takers = 0;
		for (end = first; end < count && taken[end].id == taken[first].id; end++)
			takers += end == first || by_program(&taken[end - 1], &taken[end]);
		if (takers == programs)
			id[kept++] = taken[first].id;
	}
	return kept;
}

uint64_t *wm_known_ids(size_t *count, const struct wm_profile *profile, const struct wm_map_function *function,
	uint64_t path_count, struct wm_arena *arena)
{
	size_t all = collect_taken(NULL, profile, function, path_count);
	struct taken *taken = WM_NEW(arena, struct taken, all);
	uint64_t *id = WM_NEW(arena, uint64_t, all);
	if (!taken || !id)
		return NULL;
	collect_taken(taken, profile, function, path_count);
	*count = keep_common(id, taken, all);
	return id;
}

enum wm_status wm_known_paths(struct wm_path_set *set, const struct wm_profile *profile,
	const struct wm_map_function *function, const struct wm_plan *plan, struct wm_arena *arena)
{
	size_t count;
	const uint64_t *id = wm_known_ids(&count, profile, function, plan->numbering.path_count, arena);
	return id ? wm_path_set_make(set, plan, id, count, arena) : WM_NO_MEMORY;
}

void wm_known_counts(uint64_t *count, const struct wm_path_set *set, const struct wm_profile *profile,
	const struct wm_map_function *function)
{
	struct wm_known known = {profile, function, 0, NULL};
	const struct wm_profile_function *counts;
	for (uint32_t i = 0; i < set->count; i++)
		count[i] = 0;
	while ((counts = wm_known_next(&known)))
		for (size_t i = 0; i < counts->path_count; i++) {
			uint32_t path = wm_path_set_find(set, counts->path[i].id);
			if (path != WM_NONE)
				count[path] += counts->path[i].count;
		}
}

bool wm_known_other_graphs(const struct wm_profile *profile, const struct wm_map_module *map)
{
	bool other = false;
	for (size_t i = 0; i < map->function_count; i++) {
		const struct wm_map_function *function = &map->function[i];
		struct wm_known known = {profile, function, 0, NULL};
		if (function->status == WM_SKIPPED)
			continue;
		if (wm_known_next(&known))
			return false;
		other |= wm_known_function(profile, function);
	}
	return other;
}
