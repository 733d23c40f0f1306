/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profile/branch_paths.h"

#include "abi/abi.h"
#include "core/base/grow.h"
#include "profile/collect.h"

#include <stdlib.h>

enum { LEAST_GROUP = 14, LEAST_PATH = 4, METRIC_MAX = 255 };

static int compare_words(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

int wm_branch_path_compare(const void *left, const void *right)
{
	const struct wm_branch_path *a = left, *b = right;
	int order = compare_words(a->control, b->control);
	if (!order)
		order = compare_words(a->metric, b->metric);
	if (!order)
		order = compare_words(a->start, b->start);
	if (!order)
		order = compare_words(a->length, b->length);
	return order ? order : compare_words(a->outcomes, b->outcomes);
}

bool wm_branch_path_is_valid(const struct wm_branch_path *path)
{
	return path->length == WM_BRANCH_PATH_MAX ||
	       (path->length < WM_BRANCH_PATH_MAX && !(path->outcomes >> path->length));
}

bool wm_object_append_branches(struct wm_profile_object *object, const struct wm_branch_path *path)
{
	if (!WM_RESERVE(object->branches, object->branch_capacity, object->branch_count, 1))
		return false;
	object->branches[object->branch_count++] = *path;
	return true;
}

void wm_object_sort_branches(struct wm_profile_object *object)
{
	struct wm_branch_path *path = object->branches;
	uint32_t ignored = 0;
	size_t kept = 0;
	if (!object->branch_count)
		return;
	qsort(path, object->branch_count, sizeof(*path), wm_branch_path_compare);
	for (size_t i = 0; i < object->branch_count; i++) {
		if (kept && !wm_branch_path_compare(&path[kept - 1], &path[i]))
			path[kept - 1].count = wm_add_saturating(path[kept - 1].count, path[i].count, &ignored);
		else
			path[kept++] = path[i];
	}
	object->branch_count = kept;
}

/* ---- Files ------------------------------------------------------------------------------ */

/* The index after the last of the paths that follow `first` with the same control register and metric. */
static size_t end_of_group(const struct wm_profile_object *object, size_t first)
{
	const struct wm_branch_path *path = object->branches;
	size_t end = first + 1;
	while (end < object->branch_count && path[end].control == path[first].control &&
		path[end].metric == path[first].metric)
		end++;
	return end;
}

static void put_group(struct wm_bytes *out, const struct wm_branch_path *path, size_t count)
{
	wm_bytes_put_u64(out, path->control);
	wm_bytes_put_uleb(out, path->metric);
	wm_bytes_put_uleb(out, count);
	for (size_t i = 0; i < count; i++)
		wm_bytes_put_uleb(out, path[i].start - (i ? path[i - 1].start : 0));
	for (size_t i = 0; i < count; i++)
		wm_bytes_put_uleb(out, path[i].length);
	for (size_t i = 0; i < count; i++)
		wm_bytes_put_uleb(out, path[i].outcomes);
	for (size_t i = 0; i < count; i++)
		wm_bytes_put_uleb(out, path[i].count);
}

void wm_branch_paths_put(struct wm_bytes *out, const struct wm_profile_object *object)
{
	uint64_t groups = 0;
	for (size_t i = 0; i < object->branch_count; i = end_of_group(object, i))
		groups++;
	wm_bytes_put_uleb(out, groups);
	for (size_t i = 0, end; i < object->branch_count; i = end) {
		end = end_of_group(object, i);
		put_group(out, &object->branches[i], end - i);
	}
}

static void get_starts(struct wm_cursor *in, struct wm_branch_path *path, size_t count)
{
	uint64_t start = 0;
	for (size_t i = 0; i < count; i++) {
		if (__builtin_add_overflow(start, wm_cursor_uleb(in), &start))
			wm_cursor_fail(in);
		path[i].start = start;
	}
}

static bool get_group(struct wm_cursor *in, struct wm_profile_object *object)
{
	struct wm_branch_path group = {.control = wm_cursor_u64(in)};
	group.metric = (uint32_t)wm_cursor_bounded(in, METRIC_MAX);
	size_t count = wm_cursor_count(in, LEAST_PATH), first = object->branch_count;
	if (!count) {
		wm_cursor_fail(in);
		return true;
	}
	if (!WM_RESERVE(object->branches, object->branch_capacity, first, count))
		return false;
	struct wm_branch_path *path = object->branches + first;
	for (size_t i = 0; i < count; i++)
		path[i] = group;
	get_starts(in, path, count);
	for (size_t i = 0; i < count; i++)
		path[i].length = (uint32_t)wm_cursor_bounded(in, WM_BRANCH_PATH_MAX);
	for (size_t i = 0; i < count; i++)
		path[i].outcomes = (uint32_t)wm_cursor_bounded(in, UINT32_MAX);
	for (size_t i = 0; i < count; i++)
		path[i].count = wm_cursor_uleb(in);
	object->branch_count += count;
	return true;
}

bool wm_branch_paths_get(struct wm_cursor *in, struct wm_profile_object *object)
{
	size_t groups = wm_cursor_count(in, LEAST_GROUP);
	for (size_t i = 0; i < groups && !in->failed; i++)
		if (!get_group(in, object))
			return false;
	for (size_t i = 0; i < object->branch_count; i++) {
		const struct wm_branch_path *path = &object->branches[i];
		if (!path->count || !wm_branch_path_is_valid(path) ||
			(i && wm_branch_path_compare(path - 1, path) >= 0))
			wm_cursor_fail(in);
	}
	return true;
}

/* ---- Files of versions 4 and 5 ------------------------------------------------------------ */

/* The key is the start; the graph hash is the control register, with the metric in its highest byte; an id is the length, shifted
 * by 32, and the outcomes. */
static bool move_function(struct wm_cursor *in, struct wm_profile_object *object, const struct wm_profile_function *f)
{
	for (size_t i = 0; i < f->path_count; i++) {
		const struct wm_branch_path path = {.control = f->graph_hash & ((UINT64_C(1) << 56) - 1),
			.metric = (uint32_t)(f->graph_hash >> 56),
			.start = f->key,
			.length = (uint32_t)(f->path[i].id >> 32),
			.outcomes = (uint32_t)f->path[i].id,
			.count = f->path[i].count};
		if (!path.count || !wm_branch_path_is_valid(&path))
			wm_cursor_fail(in);
		if (!wm_object_append_branches(object, &path))
			return false;
	}
	return true;
}

bool wm_branch_paths_from_functions(struct wm_cursor *in, struct wm_profile_object *object)
{
	size_t kept = 0;
	bool ok = true;
	for (size_t i = 0; i < object->function_count; i++) {
		struct wm_profile_function *f = &object->function[i];
		if (f->flags & WM_FUNC_BRANCHES) {
			ok = ok && move_function(in, object, f);
			wm_function_release(f);
		} else {
			object->function[kept++] = *f;
		}
	}
	object->function_count = kept;
	wm_object_sort_branches(object);
	return ok;
}
