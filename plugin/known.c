/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/known.h"

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

/* Boyer and Moore's vote needs one pass and one candidate per end; a second pass counts. */
struct vote {
	uint64_t lead, votes, all;
};

static void cast(struct vote *vote, uint64_t *favourite, uint64_t id, uint64_t count)
{
	vote->all += count;
	if (*favourite == id || !vote->lead) {
		*favourite = id;
		vote->lead += count;
	} else if (vote->lead >= count) {
		vote->lead -= count;
	} else {
		*favourite = id;
		vote->lead = count - vote->lead;
	}
}

static uint32_t asked_edge(const struct wm_path *path, const bool *asked)
{
	uint32_t i = path->length - 1;
	while (i && !asked[path->edge[i]])
		i--;
	return path->edge[i];
}

enum wm_status wm_known_favourites(uint64_t *favourite, uint64_t none, const bool *asked,
	const struct wm_profile *profile, const struct wm_map_function *function, const struct wm_plan *plan,
	struct wm_arena *arena)
{
	struct vote *vote = WM_NEW(arena, struct vote, plan->dag.edge_count);
	struct wm_path path = {.edge = WM_NEW(arena, uint32_t, plan->dag.node_count)};
	if (!vote || !path.edge)
		return WM_NO_MEMORY;
	for (int pass = 0; pass < 2; pass++) {
		struct wm_known known = {profile, function, 0, NULL};
		const struct wm_profile_function *counts;
		while ((counts = wm_known_next(&known)))
			for (size_t i = 0; i < counts->path_count; i++) {
				const struct wm_counted_path *p = &counts->path[i];
				if (wm_dag_decode(&plan->dag, &plan->numbering, p->id, &path, arena) != WM_OK)
					continue;
				uint32_t end = asked_edge(&path, asked);
				if (pass == 0)
					cast(&vote[end], &favourite[end], p->id, p->count);
				else
					vote[end].votes += favourite[end] == p->id ? p->count : 0;
			}
	}
	for (uint32_t e = 0; e < plan->dag.edge_count; e++)
		if (vote[e].votes <= vote[e].all / 2)
			favourite[e] = none;
	return WM_OK;
}
