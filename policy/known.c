/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/known.h"

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
		if (wm_object_has_key(&profile->object[i], function->key))
			return true;
	return false;
}

enum wm_status wm_known_paths(struct wm_path_set *set, const struct wm_profile *profile,
	const struct wm_map_function *function, const struct wm_plan *plan, struct wm_arena *arena)
{
	struct wm_known known = {profile, function, 0, NULL};
	const struct wm_profile_function *counts;
	size_t most = 0, count = 0;
	while ((counts = wm_known_next(&known)))
		most += counts->path_count;
	uint64_t *id = WM_NEW(arena, uint64_t, most);
	if (!id)
		return WM_NO_MEMORY;
	known = (struct wm_known){profile, function, 0, NULL};
	while ((counts = wm_known_next(&known)))
		for (size_t i = 0; i < counts->path_count; i++)
			if (counts->path[i].count && counts->path[i].id < plan->numbering.path_count)
				id[count++] = counts->path[i].id;
	return wm_path_set_make(set, plan, id, count, arena);
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
