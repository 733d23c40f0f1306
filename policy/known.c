/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/known.h"

#include "profile/map/identity.h"

#include <stdlib.h>
#include <string.h>

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

static const struct wm_profile_function *next_record(struct wm_known *known)
{
	const struct wm_profile_object *object = &known->profile->object[known->object];
	const struct wm_profile_function *next = known->at ? known->at + 1 : first_of(known, object);
	if (next && next < object->function + object->function_count && matches(known, next))
		return known->at = next;
	known->at = NULL;
	known->object++;
	return NULL;
}

/* The compiler does not know for which program it compiles the function. */
static bool is_same(const struct wm_known *known, const struct wm_profile_function *counts)
{
	const struct wm_map_function *f = known->function;
	const struct wm_function_identity here = {f->key, f->graph_hash, wm_map_source(f)},
					  there = wm_record_identity(counts);
	return wm_same_function(&here, &there, known->profile->any_program);
}

const struct wm_profile_function *wm_known_next(struct wm_known *known)
{
	while (known->object < known->profile->object_count) {
		const struct wm_profile_function *counts = next_record(known);
		if (counts && !counts->doubt && (counts->path_count || known->idle) &&
			(!known->same || is_same(known, counts)))
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

double wm_known_executions(const struct wm_profile *profile)
{
	double sum = 0;
	for (size_t o = 0; o < profile->object_count; o++)
		for (size_t f = 0; f < profile->object[o].function_count; f++)
			for (size_t i = 0; i < profile->object[o].function[f].path_count; i++)
				sum += (double)profile->object[o].function[f].path[i].count;
	return sum;
}

/* Into id[], if that is not NULL; how many. */
static size_t collect_ids(
	uint64_t *id, const struct wm_profile *profile, const struct wm_map_function *function, uint64_t path_count)
{
	struct wm_known known = {.profile = profile, .function = function, .same = true};
	const struct wm_profile_function *counts;
	size_t count = 0;
	while ((counts = wm_known_next(&known)))
		for (size_t i = 0; i < counts->path_count; i++) {
			if (!counts->path[i].count || counts->path[i].id >= path_count)
				continue;
			if (id)
				id[count] = counts->path[i].id;
			count++;
		}
	return count;
}

static int by_id(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return (a > b) - (a < b);
}

uint64_t *wm_known_ids(size_t *count, const struct wm_profile *profile, const struct wm_map_function *function,
	uint64_t path_count, struct wm_arena *arena)
{
	size_t all = collect_ids(NULL, profile, function, path_count), kept = 0;
	uint64_t *id = WM_NEW(arena, uint64_t, all);
	if (!id)
		return NULL;
	collect_ids(id, profile, function, path_count);
	if (all)
		qsort(id, all, sizeof *id, by_id);
	for (size_t i = 0; i < all; i++)
		if (!kept || id[kept - 1] != id[i])
			id[kept++] = id[i];
	*count = kept;
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
	struct wm_known known = {.profile = profile, .function = function, .same = true};
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

static bool has_source(const struct wm_map_module *map, uint64_t source)
{
	for (size_t i = 0; i < map->function_count; i++)
		if (map->function[i].own_source == source)
			return true;
	return false;
}

/* Every program has its own `main`. */
static bool is_main(const struct wm_map_function *function)
{
	return !strcmp(function->name, "main");
}

enum wm_known_trouble wm_known_trouble(const struct wm_profile *profile, const struct wm_map_module *map)
{
	enum wm_known_trouble trouble = WM_KNOWN_NO_TROUBLE;
	uint64_t main_source = wm_source_of_file(map->source, &map->source_sum);
	/* Functions of headers say nothing about the main file, unless it has no function of its own. */
	bool all = !has_source(map, main_source);
	for (size_t i = 0; i < map->function_count; i++) {
		const struct wm_map_function *function = &map->function[i];
		struct wm_known same = {.profile = profile, .function = function, .same = true, .idle = true};
		struct wm_known any = {.profile = profile, .function = function, .idle = true};
		if (function->status == WM_SKIPPED || (!all && function->own_source != main_source))
			continue;
		if (wm_known_next(&same))
			return WM_KNOWN_NO_TROUBLE;
		if (wm_known_next(&any))
			trouble = is_main(function) ? trouble : WM_KNOWN_OTHER_SOURCE;
		else if (!trouble && !is_main(function) && wm_known_function(profile, function))
			trouble = WM_KNOWN_OTHER_GRAPH;
	}
	return trouble;
}
