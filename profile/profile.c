/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profile/profile.h"
#include "abi/sequence.h"

#include "abi/abi.h"
#include "profile/collect.h"
#include "profile/indexed_layout.h"

#include <stdarg.h>
#include <stdio.h>
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
}

void wm_profile_object_release(struct wm_profile_object *object)
{
	for (size_t i = 0; i < object->function_count; i++)
		wm_function_release(&object->function[i]);
	free(object->function);
	free(object->doubtful);
	*object = (struct wm_profile_object){0};
}

void wm_profile_release(struct wm_profile *profile)
{
	for (size_t i = 0; i < profile->object_count; i++)
		wm_profile_object_release(&profile->object[i]);
	free(profile->object);
	wm_profile_init(profile);
}

static uint64_t same_name(uint64_t a, uint64_t b, uint32_t *doubt)
{
	if (a && b && a != b)
		*doubt |= WM_DOUBT_NAMES;
	return a ? a : b;
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

void wm_function_add_scalars(struct wm_profile_function *into, const struct wm_profile_function *from)
{
	uint32_t *doubt = &into->doubt;
	*doubt |= from->doubt;
	into->entries = wm_add_saturating(into->entries, from->entries, doubt);
	into->resumed = wm_add_saturating(into->resumed, from->resumed, doubt);
	into->base_entries = wm_add_saturating(into->base_entries, from->base_entries, doubt);
	into->base_resumed = wm_add_saturating(into->base_resumed, from->base_resumed, doubt);
	into->lost = wm_add_saturating(into->lost, from->lost, doubt);
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

int wm_function_compare(const struct wm_profile_function *a, const struct wm_profile_function *b)
{
	int order = compare(a->key, b->key);
	if (!order)
		order = compare(a->graph_hash, b->graph_hash);
	if (!order)
		order = compare(a->flags, b->flags);
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
		order = compare(a->build_id_size, b->build_id_size);
	return order || a->build_id_size ? order : strcmp(a->program, b->program);
}

int wm_doubtful_run_compare(const void *a, const void *b)
{
	const struct wm_doubtful_run *x = a, *y = b;
	int order = compare(x->start_time, y->start_time);
	if (!order)
		order = compare(x->pid, y->pid);
	return order ? order : compare(x->doubt, y->doubt);
}

bool wm_same_program(const struct wm_profile_object *a, const struct wm_profile_object *b)
{
	if (a->build_id_size && a->build_id_size == b->build_id_size &&
		!memcmp(a->build_id, b->build_id, a->build_id_size))
		return true;
	return *a->program && !strcmp(a->program, b->program);
}

bool wm_reserve(void **array, size_t *capacity, size_t count, size_t more, size_t size)
{
	size_t wanted, bytes;
	if (__builtin_add_overflow(count, more, &wanted))
		return false;
	if (wanted <= *capacity)
		return true;
	if (*capacity && wanted < *capacity + *capacity / 2)
		wanted = *capacity + *capacity / 2;
	if (__builtin_mul_overflow(wanted, size, &bytes))
		return false;
	void *memory = realloc(*array, bytes);
	if (!memory)
		return false;
	*array = memory;
	*capacity = wanted;
	return true;
}

bool wm_seen_before(uint64_t time, uint64_t pid, uint64_t other_time, uint64_t other_pid)
{
	int order = compare(time, other_time);
	return time && (!other_time || order < 0 || (!order && pid < other_pid));
}

void wm_path_add(struct wm_counted_path *into, const struct wm_counted_path *from, uint32_t *doubt)
{
	uint64_t (*add)(uint64_t, uint64_t, uint32_t *) = into->id & WM_NAME_BIT ? same_name : wm_add_saturating;
	into->count = add(into->count, from->count, doubt);
	into->base = add(into->base, from->base, doubt);
	if (wm_seen_before(from->first_seen, from->pid, into->first_seen, into->pid)) {
		into->first_seen = from->first_seen;
		into->pid = from->pid;
	}
}

bool wm_function_append_path(struct wm_profile_function *function, const struct wm_counted_path *path)
{
	void *array = function->path;
	/* Most functions take few paths: start small. */
	size_t more = function->path_count == function->path_capacity && !function->path_count ? 4 : 1;
	if (!wm_reserve(&array, &function->path_capacity, function->path_count, more, sizeof(*function->path)))
		return false;
	function->path = array;
	function->path[function->path_count++] = *path;
	return true;
}

bool wm_function_append(struct wm_profile_function *function, uint64_t id, uint64_t count, uint64_t base)
{
	return wm_function_append_path(function, &(struct wm_counted_path){.id = id, .count = count, .base = base});
}

static int compare_paths(const void *a, const void *b)
{
	return compare(((const struct wm_counted_path *)a)->id, ((const struct wm_counted_path *)b)->id);
}

static bool paths_ascend(const struct wm_profile_function *function)
{
	for (size_t i = 1; i < function->path_count; i++)
		if (function->path[i - 1].id >= function->path[i].id)
			return false;
	return true;
}

void wm_function_settle(struct wm_profile_function *function)
{
	struct wm_counted_path *path = function->path;
	size_t kept = 0;
	if (paths_ascend(function))
		return;
	qsort(path, function->path_count, sizeof(*path), compare_paths);
	for (size_t i = 0; i < function->path_count; i++) {
		if (kept && path[kept - 1].id == path[i].id)
			wm_path_add(&path[kept - 1], &path[i], &function->doubt);
		else
			path[kept++] = path[i];
	}
	function->path_count = kept;
}

static int compare_functions(const void *a, const void *b)
{
	return wm_function_compare(a, b);
}

static bool move_paths(struct wm_profile_function *into, struct wm_profile_function *from)
{
	void *array = into->path;
	if (!wm_reserve(&array, &into->path_capacity, into->path_count, from->path_count, sizeof(*into->path)))
		return false;
	into->path = array;
	if (from->path_count)
		memcpy(into->path + into->path_count, from->path, from->path_count * sizeof(*from->path));
	into->path_count += from->path_count;
	wm_function_release(from);
	return true;
}

bool wm_object_settle(struct wm_profile_object *object)
{
	struct wm_profile_function *function = object->function;
	size_t kept = 0;
	bool ok = true;
	if (object->function_count > 1)
		qsort(function, object->function_count, sizeof(*function), compare_functions);
	for (size_t i = 0; i < object->function_count; i++) {
		if (ok && kept && !wm_function_compare(&function[kept - 1], &function[i])) {
			ok = move_paths(&function[kept - 1], &function[i]);
			wm_function_add_scalars(&function[kept - 1], &function[i]);
			wm_function_release(&function[i]);
		} else {
			function[kept++] = function[i];
		}
	}
	object->function_count = kept;
	for (size_t i = 0; i < kept; i++)
		wm_function_settle(&function[i]);
	return ok;
}

bool wm_object_share_doubts(struct wm_profile_object *object)
{
	struct wm_profile_function *f = object->function;
	bool mixed = false;
	for (size_t first = 0, end; first < object->function_count; first = end) {
		uint32_t doubt = 0;
		for (end = first; end < object->function_count && f[end].key == f[first].key &&
				  f[end].graph_hash == f[first].graph_hash;
			end++)
			doubt |= f[end].doubt & WM_DOUBT_OF_RUN;
		for (size_t i = first; i < end; i++) {
			mixed |= (f[i].doubt | doubt) != f[i].doubt;
			f[i].doubt |= doubt;
		}
	}
	return !mixed || wm_object_settle(object);
}

bool wm_object_append_doubtful(struct wm_profile_object *object, const struct wm_doubtful_run *run)
{
	void *array = object->doubtful;
	if (!wm_reserve(&array, &object->doubtful_capacity, object->doubtful_count, 1, sizeof(*object->doubtful)))
		return false;
	object->doubtful = array;
	object->doubtful[object->doubtful_count++] = *run;
	return true;
}

struct wm_profile_object *wm_profile_append_object(struct wm_profile *profile, const uint8_t *build_id, uint32_t size)
{
	void *array = profile->object;
	if (!wm_reserve(&array, &profile->object_capacity, profile->object_count, 1, sizeof(*profile->object)))
		return NULL;
	profile->object = array;
	struct wm_profile_object *object = &profile->object[profile->object_count++];
	*object = (struct wm_profile_object){.build_id_size = size < WM_BUILD_ID_MAX ? size : WM_BUILD_ID_MAX};
	if (size)
		memcpy(object->build_id, build_id, object->build_id_size);
	return object;
}

/* Index of the first object that is not before `like`. */
static size_t first_not_before(const struct wm_profile *profile, const struct wm_profile_object *like)
{
	size_t low = 0, high = profile->object_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (wm_object_compare(&profile->object[middle], like) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
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
	size_t low = 0, high = object->function_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (wm_function_compare(&object->function[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < object->function_count ? &object->function[low] : NULL;
}

const struct wm_profile_function *wm_object_find_function(
	const struct wm_profile_object *object, uint64_t key, uint64_t graph_hash)
{
	const struct wm_profile_function *found = lower_bound(object, key, graph_hash);
	return found && found->key == key && found->graph_hash == graph_hash ? found : NULL;
}

bool wm_object_has_key(const struct wm_profile_object *object, uint64_t key)
{
	const struct wm_profile_function *found = lower_bound(object, key, 0);
	return found && found->key == key;
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
	return any_flag(profile, WM_FUNC_BRANCHES);
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

enum wm_profile_status wm_profile_say(
	enum wm_profile_status status, struct wm_profile_error *error, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	return status;
}

enum wm_format wm_profile_format(const uint8_t *data, size_t size)
{
	uint64_t magic = 0;
	if (size < sizeof(magic))
		return WM_FORMAT_UNKNOWN;
	memcpy(&magic, data, sizeof(magic));
	return magic == WM_RAW_MAGIC	   ? WM_FORMAT_RAW
	       : magic == WM_INDEXED_MAGIC ? WM_FORMAT_INDEXED
					   : WM_FORMAT_UNKNOWN;
}

enum wm_profile_status wm_profile_read(
	struct wm_profile *profile, const uint8_t *data, size_t size, struct wm_profile_error *error)
{
	struct wm_raw_identity identity;
	switch (wm_profile_format(data, size)) {
	case WM_FORMAT_RAW:
		return wm_raw_read(profile, &identity, data, size, error);
	case WM_FORMAT_INDEXED:
		return wm_indexed_read(profile, data, size, error);
	default:
		return wm_profile_say(WM_PROFILE_REFUSED, error, size ? "it is no Waymark profile" : "it is empty");
	}
}
