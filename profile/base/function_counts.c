/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profile/base/function_counts.h"

#include "abi/abi.h"
#include "core/base/search.h"

#include <stdlib.h>
#include <string.h>

void wm_profile_init(struct wm_profile *profile)
{
	*profile = (struct wm_profile){0};
}

void wm_function_release(struct wm_profile_function *function)
{
	free(function->path);
	function->path = NULL;
	function->path_count = function->path_capacity = 0;
	free(function->unfinished);
	function->unfinished = NULL;
	function->unfinished_count = function->unfinished_capacity = 0;
}

void wm_profile_object_release(struct wm_profile_object *object)
{
	for (size_t i = 0; i < object->function_count; i++)
		wm_function_release(&object->function[i]);
	free(object->function);
	free(object->branches);
	free(object->doubtful);
	*object = (struct wm_profile_object){0};
}

void wm_profile_release(struct wm_profile *profile)
{
	for (size_t i = 0; i < profile->object_count; i++)
		wm_profile_object_release(&profile->object[i]);
	free(profile->object);
	free(profile->run_id);
	wm_profile_init(profile);
}

uint64_t wm_add_saturating(uint64_t a, uint64_t b, uint32_t *doubt)
{
	uint64_t sum;
	if (__builtin_add_overflow(a, b, &sum))
		sum = UINT64_MAX;
	if (sum == UINT64_MAX)
		*doubt |= WM_DOUBT_SATURATED;
	return sum;
}

static int compare_words(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

int wm_function_compare(const struct wm_profile_function *a, const struct wm_profile_function *b)
{
	int order = compare_words(a->key, b->key);
	if (!order)
		order = compare_words(a->graph_hash, b->graph_hash);
	if (!order)
		order = compare_words(a->flags, b->flags);
	return order ? order : wm_function_is_apart(a) - wm_function_is_apart(b);
}

bool wm_function_is_apart(const struct wm_profile_function *function)
{
	return function->doubt & WM_DOUBT_OF_RUN;
}

int wm_object_compare(const struct wm_profile_object *a, const struct wm_profile_object *b)
{
	int order = memcmp(a->build_id, b->build_id, WM_BUILD_ID_MAX);
	if (!order)
		order = compare_words(a->build_id_size, b->build_id_size);
	return order || a->build_id_size ? order : strcmp(a->program, b->program);
}

int wm_doubtful_run_compare(const void *a, const void *b)
{
	const struct wm_doubtful_run *x = a, *y = b;
	int order = compare_words(x->start_time, y->start_time);
	if (!order)
		order = compare_words(x->pid, y->pid);
	return order ? order : compare_words(x->doubt, y->doubt);
}

int wm_run_id_compare(const void *a, const void *b)
{
	const struct wm_run_id *x = a, *y = b;
	int order = compare_words(x->high, y->high);
	if (!order)
		order = compare_words(x->low, y->low);
	if (!order)
		order = compare_words(x->epoch, y->epoch);
	return order ? order : compare_words(x->part, y->part);
}

static int compare_files(const struct wm_run_id *a, const struct wm_run_id *b)
{
	struct wm_run_id x = *a, y = *b;
	x.part = y.part = 0;
	return wm_run_id_compare(&x, &y);
}

static bool is_any_part(const struct wm_run_id *id)
{
	return !id->part || id->part == WM_PART_UNFINISHED;
}

bool wm_run_id_overlaps(const struct wm_run_id *a, const struct wm_run_id *b)
{
	return !compare_files(a, b) && (a->part == b->part || is_any_part(a) || is_any_part(b));
}

/* Whether one of those that begin at `at`, all of one file, overlaps. */
static bool any_overlaps(const struct wm_profile *profile, size_t at, const struct wm_run_id *id)
{
	for (; at < profile->run_id_count && !compare_files(&profile->run_id[at], id); at++)
		if (wm_run_id_overlaps(&profile->run_id[at], id))
			return true;
	return false;
}

size_t wm_profile_shared_runs(const struct wm_profile *a, const struct wm_profile *b, struct wm_run_id *first)
{
	size_t shared = 0, i = 0;
	for (size_t j = 0; j < b->run_id_count; j++) {
		size_t next;
		WM_LOWER_BOUND(next, i, a->run_id_count, compare_files(&a->run_id[next], &b->run_id[j]) < 0);
		i = next;
		if (!any_overlaps(a, i, &b->run_id[j]))
			continue;
		if (!shared++)
			*first = b->run_id[j];
	}
	return shared;
}

bool wm_same_program(const struct wm_profile_object *a, const struct wm_profile_object *b)
{
	if (!a->claimed && !b->claimed && a->build_id_size && a->build_id_size == b->build_id_size &&
		!memcmp(a->build_id, b->build_id, a->build_id_size))
		return true;
	return *a->program && !strcmp(a->program, b->program);
}

bool wm_seen_before(uint64_t time, uint64_t pid, uint64_t other_time, uint64_t other_pid)
{
	int order = compare_words(time, other_time);
	return time && (!other_time || order < 0 || (!order && pid < other_pid));
}

/* Index of the first object that is not before `like`. */
static size_t first_not_before(const struct wm_profile *profile, const struct wm_profile_object *like)
{
	size_t i;
	WM_LOWER_BOUND(i, 0, profile->object_count, wm_object_compare(&profile->object[i], like) < 0);
	return i;
}

const struct wm_profile_object *wm_profile_find_like(
	const struct wm_profile *profile, const struct wm_profile_object *like)
{
	size_t first = first_not_before(profile, like);
	bool found = first < profile->object_count && !wm_object_compare(&profile->object[first], like);
	return found ? &profile->object[first] : NULL;
}

const struct wm_profile_object *wm_profile_find_object(
	const struct wm_profile *profile, const uint8_t *build_id, uint32_t size)
{
	struct wm_profile_object wanted = {.build_id_size = size < WM_BUILD_ID_MAX ? size : WM_BUILD_ID_MAX};
	if (size)
		memcpy(wanted.build_id, build_id, wanted.build_id_size);
	size_t first = first_not_before(profile, &wanted);
	if (first == profile->object_count)
		return NULL;
	const struct wm_profile_object *found = &profile->object[first];
	bool same = found->build_id_size == wanted.build_id_size &&
		    !memcmp(found->build_id, wanted.build_id, WM_BUILD_ID_MAX);
	return same ? found : NULL;
}

/* The first that is not before it, or NULL: flags 0 sort before all others. */
static const struct wm_profile_function *lower_bound(
	const struct wm_profile_object *object, uint64_t key, uint64_t graph_hash)
{
	struct wm_profile_function wanted = {.key = key, .graph_hash = graph_hash};
	size_t i;
	WM_LOWER_BOUND(i, 0, object->function_count, wm_function_compare(&object->function[i], &wanted) < 0);
	return i < object->function_count ? &object->function[i] : NULL;
}

const struct wm_profile_function *wm_object_find_function(
	const struct wm_profile_object *object, uint64_t key, uint64_t graph_hash)
{
	const struct wm_profile_function *found = lower_bound(object, key, graph_hash);
	return found && found->key == key && found->graph_hash == graph_hash ? found : NULL;
}

const struct wm_profile_function *wm_object_find_key(const struct wm_profile_object *object, uint64_t key)
{
	const struct wm_profile_function *found = lower_bound(object, key, 0);
	return found && found->key == key ? found : NULL;
}

static bool any_flag(const struct wm_profile *profile, uint32_t flag)
{
	for (size_t i = 0; i < profile->object_count; i++)
		for (size_t f = 0; f < profile->object[i].function_count; f++)
			if (profile->object[i].function[f].flags & flag)
				return true;
	return false;
}

static bool is_residual(const struct wm_profile_function *function)
{
	return function->flags & WM_FUNC_RESIDUAL;
}

bool wm_profile_is_residual(const struct wm_profile *profile)
{
	return any_flag(profile, WM_FUNC_RESIDUAL);
}

bool wm_profile_has_branches(const struct wm_profile *profile)
{
	for (size_t i = 0; i < profile->object_count; i++)
		if (profile->object[i].branch_count)
			return true;
	return false;
}

bool wm_profile_has_functions(const struct wm_profile *profile)
{
	for (size_t i = 0; i < profile->object_count; i++)
		if (profile->object[i].function_count)
			return true;
	return false;
}

/* Different programs are never summed, so their functions cannot conflict, unless any program counts. */
static bool may_be_summed(const struct wm_profile_object *a, const struct wm_profile_object *b, bool any_program)
{
	return any_program || !*a->program || !*b->program || wm_same_program(a, b);
}

static bool conflicts_with(const struct wm_profile_object *object, const struct wm_profile_function *like)
{
	const struct wm_profile_function *end = object->function + object->function_count;
	const struct wm_profile_function *f = wm_object_find_function(object, like->key, like->graph_hash);
	for (; f && f < end && f->key == like->key && f->graph_hash == like->graph_hash; f++)
		if (is_residual(f) != is_residual(like))
			return true;
	return false;
}

static bool objects_conflict(const struct wm_profile_object *a, const struct wm_profile_object *b)
{
	for (size_t f = 0; f < b->function_count; f++)
		if (conflicts_with(a, &b->function[f]))
			return true;
	return false;
}

bool wm_profile_conflicts(const struct wm_profile *a, const struct wm_profile *b)
{
	bool any_program = a->any_program || b->any_program;
	if (!wm_profile_is_residual(a) && !wm_profile_is_residual(b))
		return false;
	for (size_t i = 0; i < a->object_count; i++)
		for (size_t j = 0; j < b->object_count; j++)
			if (may_be_summed(&a->object[i], &b->object[j], any_program) &&
				objects_conflict(&a->object[i], &b->object[j]))
				return true;
	return false;
}

bool wm_function_is_worth_storing(const struct wm_profile_function *f)
{
	return f->path_count || f->unfinished_count || f->entries || f->resumed || f->base_entries || f->base_resumed ||
	       f->lost || f->doubt || f->flags & WM_FUNC_RESIDUAL;
}
