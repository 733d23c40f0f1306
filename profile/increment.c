/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profile/increment.h"

#include "abi/abi.h"
#include "abi/sequence.h"
#include "profile/base/unfinished_paths.h"

#include <string.h>

void wm_state_settle(struct wm_profile *state)
{
	for (size_t o = 0; o < state->object_count; o++)
		for (size_t i = 0; i < state->object[o].function_count; i++) {
			struct wm_profile_function *f = &state->object[o].function[i];
			size_t kept = 0;
			for (size_t p = 0; p < f->path_count; p++) {
				const struct wm_counted_path *path = &f->path[p];
				if (!(f->flags & WM_FUNC_RESIDUAL) || path->first_seen || !path->count)
					f->path[kept++] = *path;
			}
			f->path_count = kept;
		}
}

bool wm_state_is_certain(const struct wm_profile *state)
{
	for (size_t o = 0; o < state->object_count; o++) {
		if (state->object[o].doubtful_count)
			return false;
		for (size_t i = 0; i < state->object[o].function_count; i++)
			if (state->object[o].function[i].doubt)
				return false;
	}
	return true;
}

static bool take_off(uint64_t *value, uint64_t before)
{
	bool grown = *value >= before;
	*value -= grown ? before : 0;
	return grown;
}

/* Names are not counts: what was there must be the same, and is then no news. */
static bool take_off_name(uint64_t *name, uint64_t before)
{
	bool same = !before || *name == before;
	*name = before ? 0 : *name;
	return same;
}

static bool subtract_path(struct wm_counted_path *now, const struct wm_counted_path *before)
{
	bool (*take)(uint64_t *, uint64_t) = now->id & WM_NAME_BIT ? take_off_name : take_off;
	return take(&now->count, before->count) && take(&now->base, before->base);
}

static bool subtract_paths(struct wm_profile_function *now, const struct wm_profile_function *before)
{
	size_t kept = 0, j = 0;
	for (size_t i = 0; i < now->path_count; i++) {
		struct wm_counted_path path = now->path[i];
		bool known = j < before->path_count && before->path[j].id == path.id;
		if (j < before->path_count && before->path[j].id < path.id)
			return false;
		if (known && !subtract_path(&path, &before->path[j]))
			return false;
		if (!known || path.count || path.base)
			now->path[kept++] = path;
		j += known;
	}
	now->path_count = kept;
	return j == before->path_count;
}

static bool subtract_function(struct wm_profile_function *now, const struct wm_profile_function *before)
{
	return now->source == before->source && take_off(&now->entries, before->entries) &&
	       take_off(&now->resumed, before->resumed) && take_off(&now->base_entries, before->base_entries) &&
	       take_off(&now->base_resumed, before->base_resumed) && take_off(&now->lost, before->lost) &&
	       subtract_paths(now, before) && wm_unfinished_subtract(now, before);
}

static bool says_something(const struct wm_profile_function *rest)
{
	return rest->path_count || rest->unfinished_count || rest->entries || rest->resumed || rest->base_entries ||
	       rest->base_resumed || rest->lost || rest->doubt;
}

/* The order of functions, but for doubts. */
static int compare(const struct wm_profile_function *now, const struct wm_profile_function *before)
{
	struct wm_profile_function certain = *now;
	certain.doubt = 0;
	return wm_function_compare(&certain, before);
}

static bool subtract_object(struct wm_profile_object *now, const struct wm_profile_object *before)
{
	size_t kept = 0, j = 0;
	bool ok = now->runs >= before->runs && before->branch_count == 0;
	for (size_t i = 0; i < now->function_count; i++) {
		struct wm_profile_function *f = &now->function[i];
		bool known = j < before->function_count && compare(f, &before->function[j]) == 0;
		ok = ok && (!known || subtract_function(f, &before->function[j]));
		j += known;
		if (!known || says_something(f))
			now->function[kept++] = *f;
		else
			wm_function_release(f);
	}
	now->function_count = kept;
	now->runs -= ok ? before->runs : 0;
	return ok && j == before->function_count;
}

static bool subtract(struct wm_profile *now, const struct wm_profile *before)
{
	bool ok = take_off(&now->runs, before->runs) && take_off(&now->kill_unsafe_runs, before->kill_unsafe_runs);
	for (size_t o = 0; ok && o < before->object_count; o++) {
		const struct wm_profile_object *object = wm_profile_find_like(now, &before->object[o]);
		ok = object && subtract_object((struct wm_profile_object *)object, &before->object[o]);
	}
	return ok;
}

enum wm_profile_status wm_increment(
	struct wm_profile *increment, const struct wm_profile *now, const struct wm_profile *before)
{
	struct wm_profile rest;
	wm_profile_init(&rest);
	if (!wm_state_is_certain(before))
		return WM_PROFILE_REFUSED;
	enum wm_profile_status status = wm_profile_merge(&rest, now);
	if (!status && !subtract(&rest, before))
		status = WM_PROFILE_REFUSED;
	if (status) {
		wm_profile_release(&rest);
		return status;
	}
	wm_profile_release(increment);
	*increment = rest;
	return WM_PROFILE_OK;
}

bool wm_increment_is_empty(const struct wm_profile *increment)
{
	bool empty = !increment->runs && !increment->kill_unsafe_runs;
	for (size_t o = 0; o < increment->object_count; o++)
		empty = empty && !increment->object[o].function_count && !increment->object[o].doubtful_count;
	return empty;
}
