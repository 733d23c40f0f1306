/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/untested/triaged.h"
#include "support/xalloc.h"
#include <string.h>

uint64_t wm_path_triage_id(const struct wm_story_function *function, uint64_t id)
{
	return wm_triage_id(function->map->key, wm_story_hash(function), id);
}

/* Whether the object of the profile is one of the binaries that have the function. */
static bool is_of(const struct wm_story *story, size_t object, const struct wm_story_function *function)
{
	switch (story->owner[object].kind) {
	case WM_OWNER_BUILD:
	case WM_OWNER_PROGRAM:
	case WM_OWNER_LIKELY:
		return wm_story_has_binary(function, story->owner[object].binary);
	case WM_OWNER_ANY:
		return true;
	case WM_OWNER_UNCLEAR:
	case WM_OWNER_NONE:
		break;
	}
	return false;
}

bool wm_path_is_triaged(const struct wm_triages *triages, const struct wm_story *story,
	const struct wm_story_function *function, uint64_t id)
{
	uint64_t source = wm_story_source(function);
	if (wm_triages_find(triages, id, "", source))
		return true;
	for (size_t o = 0; o < story->profile->object_count; o++)
		if (is_of(story, o, function) && wm_triages_find(triages, id, story->profile->object[o].program, 0))
			return true;
	return false;
}

static bool counts_path(const struct wm_profile_function *record, uint64_t id)
{
	for (size_t i = 0; i < record->path_count; i++)
		if (record->path[i].id == id && record->path[i].count)
			return true;
	return false;
}

static void append(struct wm_triages *triages, const struct wm_profile_object *object,
	const struct wm_profile_function *record, const struct wm_story_function *function, uint64_t id)
{
	WM_XGROW(triages->triage, triages->count);
	struct wm_triage *triage = &triages->triage[triages->count++];
	*triage = (struct wm_triage){.id = wm_path_triage_id(function, id),
		.build_id_size = object->build_id_size,
		.key = record->key,
		.graph_hash = record->graph_hash,
		.source = record->source,
		.flags = record->flags,
		.path = id,
		.function = wm_xstrdup(function->display)};
	memcpy(triage->build_id, object->build_id, sizeof triage->build_id);
	memcpy(triage->program, object->program, sizeof triage->program);
}

/* The path of a unit is counted in whatever function it ends in. */
void wm_path_triage(
	struct wm_triages *triages, const struct wm_story *story, const struct wm_story_function *function, uint64_t id)
{
	uint64_t hash = wm_story_hash(function);
	for (size_t o = 0; o < story->profile->object_count; o++) {
		const struct wm_profile_object *object = &story->profile->object[o];
		for (size_t f = 0; f < object->function_count && is_of(story, o, function); f++) {
			const struct wm_profile_function *record = &object->function[f];
			if (record->graph_hash == hash &&
				(wm_story_crosses_calls(function) || record->key == function->map->key) &&
				counts_path(record, id))
				append(triages, object, record, function, id);
		}
	}
}
