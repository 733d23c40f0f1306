/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profile/collect.h"

#include "abi/sequence.h"
#include "core/base/grow.h"
#include "profile/base/unfinished_paths.h"
#include "profile/map/identity.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY_PATHS = 64 };

/* What both say, or what the one says that says something. */
static uint64_t common(uint64_t a, uint64_t b, uint32_t *doubt, enum wm_doubt otherwise)
{
	if (a && b && a != b)
		*doubt |= otherwise;
	/* The result must not depend on the order of inputs. */
	return !a || (b && b < a) ? b : a;
}

static uint64_t same_name(uint64_t a, uint64_t b, uint32_t *doubt)
{
	return common(a, b, doubt, WM_DOUBT_NAMES);
}

void wm_function_join(struct wm_profile_function *into, const struct wm_profile_function *from)
{
	into->source = wm_common_source(into->source, from->source);
	into->scheme = (uint32_t)common(into->scheme, from->scheme, &into->doubt, WM_DOUBT_SCHEMES);
	wm_function_add_scalars(into, from);
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

/* Counts of many runs are appended one after the other: before the array grows, those of one path are added up.  If it is still
 * more than half full, it grows to twice its size, so that sorting stays cheap. */
static size_t make_room(struct wm_profile_function *function)
{
	if (function->path_count < function->path_capacity)
		return 1;
	if (function->path_count < MANY_PATHS)
		return function->path_count ? 1 : 4; /* Most functions take few paths: start small. */
	wm_function_sort(function);
	return function->path_count > function->path_capacity / 2 ? function->path_count : 1;
}

bool wm_function_append_path(struct wm_profile_function *function, const struct wm_counted_path *path)
{
	size_t more = make_room(function);
	if (!WM_RESERVE(function->path, function->path_capacity, function->path_count, more))
		return false;
	function->path[function->path_count++] = *path;
	return true;
}

bool wm_function_append(struct wm_profile_function *function, uint64_t id, uint64_t count, uint64_t base)
{
	return wm_function_append_path(function, &(struct wm_counted_path){.id = id, .count = count, .base = base});
}

static int compare_paths(const void *a, const void *b)
{
	const struct wm_counted_path *x = a, *y = b;
	return (x->id > y->id) - (x->id < y->id);
}

static bool paths_ascend(const struct wm_profile_function *function)
{
	for (size_t i = 1; i < function->path_count; i++)
		if (function->path[i - 1].id >= function->path[i].id)
			return false;
	return true;
}

void wm_function_sort(struct wm_profile_function *function)
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

static bool move_paths(struct wm_profile_function *into, const struct wm_profile_function *from)
{
	if (!WM_RESERVE(into->path, into->path_capacity, into->path_count, from->path_count))
		return false;
	if (from->path_count)
		memcpy(into->path + into->path_count, from->path, from->path_count * sizeof(*from->path));
	into->path_count += from->path_count;
	return true;
}

static bool move_unfinished(struct wm_profile_function *into, const struct wm_profile_function *from)
{
	for (size_t i = 0; i < from->unfinished_count; i++)
		if (!wm_unfinished_append(into, &from->unfinished[i]))
			return false;
	return true;
}

bool wm_object_sort(struct wm_profile_object *object)
{
	struct wm_profile_function *function = object->function;
	size_t kept = 0;
	bool ok = true;
	if (object->function_count > 1)
		qsort(function, object->function_count, sizeof(*function), compare_functions);
	for (size_t i = 0; i < object->function_count; i++) {
		if (ok && kept && !wm_function_compare(&function[kept - 1], &function[i])) {
			ok = move_paths(&function[kept - 1], &function[i]) &&
			     move_unfinished(&function[kept - 1], &function[i]);
			wm_function_join(&function[kept - 1], &function[i]);
			wm_function_release(&function[i]);
		} else {
			function[kept++] = function[i];
		}
	}
	object->function_count = kept;
	for (size_t i = 0; i < kept; i++) {
		wm_function_sort(&function[i]);
		wm_unfinished_sort(&function[i]);
	}
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
	return !mixed || wm_object_sort(object);
}

bool wm_object_append_doubtful(struct wm_profile_object *object, const struct wm_doubtful_run *run)
{
	if (!WM_RESERVE(object->doubtful, object->doubtful_capacity, object->doubtful_count, 1))
		return false;
	object->doubtful[object->doubtful_count++] = *run;
	return true;
}

bool wm_profile_append_run_id(struct wm_profile *profile, const struct wm_run_id *id)
{
	if (!WM_RESERVE(profile->run_id, profile->run_id_capacity, profile->run_id_count, 1))
		return false;
	profile->run_id[profile->run_id_count++] = *id;
	return true;
}

void wm_profile_sort_run_ids(struct wm_profile *profile)
{
	struct wm_run_id *id = profile->run_id;
	size_t kept = 0;
	if (!profile->run_id_count)
		return;
	qsort(id, profile->run_id_count, sizeof(*id), wm_run_id_compare);
	for (size_t i = 1; i < profile->run_id_count; i++)
		if (wm_run_id_compare(&id[kept], &id[i]))
			id[++kept] = id[i];
	profile->run_id_count = kept + 1;
}

struct wm_profile_object *wm_profile_append_object(struct wm_profile *profile, const uint8_t *build_id, uint32_t size)
{
	if (!WM_RESERVE(profile->object, profile->object_capacity, profile->object_count, 1))
		return NULL;
	struct wm_profile_object *object = &profile->object[profile->object_count++];
	*object = (struct wm_profile_object){.build_id_size = size < WM_BUILD_ID_MAX ? size : WM_BUILD_ID_MAX};
	if (size)
		memcpy(object->build_id, build_id, object->build_id_size);
	return object;
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

enum wm_profile_status wm_profile_say_scheme(struct wm_profile_error *error, uint32_t name)
{
	return wm_profile_say(WM_PROFILE_REFUSED, error,
		"it names a scheme of paths that this waymark does not know (%#x): it is of a newer waymark, or "
		"damaged",
		name);
}
