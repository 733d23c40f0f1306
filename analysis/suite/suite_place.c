/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which function a record of the profile of a suite counts. */
#include "analysis/suite/suite.h"
#include "core/base/search.h"
#include "profile/map/identity.h"
#include "support/xalloc.h"
#include <stdlib.h>

static int by_record_address(const void *left, const void *right)
{
	const struct wm_suite_place *a = left, *b = right;
	if (a->record != b->record)
		return a->record < b->record ? -1 : 1;
	return (a->owner > b->owner) - (a->owner < b->owner);
}

static void add_place(struct wm_suite *suite, const struct wm_profile_function *record, size_t owner)
{
	WM_XGROW(suite->place, suite->place_count);
	suite->place[suite->place_count++] = (struct wm_suite_place){record, owner};
}

size_t wm_suite_owner(const struct wm_story *story, size_t function)
{
	const struct wm_story_unit *unit = wm_story_unit_of(&story->function[function]);
	return unit ? story->function_count + (size_t)(unit - story->units.unit) : function;
}

static void place_by_story(struct wm_suite *suite)
{
	for (size_t f = 0; f < suite->story.function_count; f++) {
		const struct wm_story_records *records = &suite->story.function[f].records;
		for (size_t i = 0; i < records->count; i++)
			add_place(suite, records->record[i], wm_suite_owner(&suite->story, f));
	}
}

/* A record of the profile, where there are no binaries. */
struct found {
	const struct wm_profile_object *object;
	const struct wm_profile_function *record;
	size_t owner;
};

static int by_graph(const void *left, const void *right)
{
	const struct wm_profile_function *a = ((const struct found *)left)->record,
					 *b = ((const struct found *)right)->record;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->graph_hash != b->graph_hash)
		return a->graph_hash < b->graph_hash ? -1 : 1;
	return (a > b) - (a < b);
}

static size_t list_records(const struct wm_profile *profile, struct found **list)
{
	size_t count = 0;
	*list = NULL;
	for (size_t o = 0; o < profile->object_count; o++)
		for (size_t f = 0; f < profile->object[o].function_count; f++) {
			const struct wm_profile_function *record = &profile->object[o].function[f];
			if (record->doubt || !record->path_count)
				continue;
			WM_XGROW(*list, count);
			(*list)[count++] = (struct found){&profile->object[o], record, SIZE_MAX};
		}
	if (count)
		qsort(*list, count, sizeof **list, by_graph);
	return count;
}

static bool is_one_function(const struct wm_profile *profile, const struct found *a, const struct found *b)
{
	const struct wm_function_identity x = wm_record_identity(a->record), y = wm_record_identity(b->record);
	return wm_same_function(&x, &y, profile->any_program || wm_same_program(a->object, b->object));
}

/* Gives all records that are connected with the first one its number: a may be b because of the program, and b may be c
 * because of the source. */
static void connect(const struct wm_profile *profile, struct found *list, size_t first, size_t end, size_t owner)
{
	bool more = true;
	list[first].owner = owner;
	while (more) {
		more = false;
		for (size_t i = first; i < end; i++)
			for (size_t j = first; j < end && list[i].owner == owner; j++)
				if (list[j].owner == SIZE_MAX && is_one_function(profile, &list[i], &list[j])) {
					list[j].owner = owner;
					more = true;
				}
	}
}

static void place_by_profile(struct wm_suite *suite)
{
	struct found *list;
	size_t count = list_records(&suite->profile, &list), owners = 0;
	for (size_t first = 0, end; first < count; first++) {
		for (end = first; end < count && list[end].record->key == list[first].record->key &&
				  list[end].record->graph_hash == list[first].record->graph_hash;
			end++)
			;
		if (list[first].owner == SIZE_MAX)
			connect(&suite->profile, list, first, end, owners++);
		add_place(suite, list[first].record, list[first].owner);
	}
	free(list);
}

/* NULL: the record is left out. */
static const struct wm_suite_place *find_record(const struct wm_suite *suite, const struct wm_profile_function *record)
{
	size_t i;
	WM_LOWER_BOUND(i, 0, suite->place_count, suite->place[i].record < record);
	return i < suite->place_count && suite->place[i].record == record ? &suite->place[i] : NULL;
}

const struct wm_suite_place *wm_suite_find_places(
	const struct wm_suite *suite, const struct wm_profile_object *object, uint64_t key, uint64_t graph_hash)
{
	const struct wm_profile_function *end = object->function + object->function_count;
	const struct wm_profile_function *f = wm_object_find_function(object, key, graph_hash);
	for (; f && f < end && f->key == key && f->graph_hash == graph_hash; f++) {
		const struct wm_suite_place *place = find_record(suite, f);
		if (place)
			return place;
	}
	return NULL;
}

void wm_suite_place(struct wm_suite *suite)
{
	(suite->has_story ? place_by_story : place_by_profile)(suite);
	if (suite->place_count)
		qsort(suite->place, suite->place_count, sizeof *suite->place, by_record_address);
}
