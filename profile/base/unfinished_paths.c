/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profile/base/unfinished_paths.h"

#include "core/base/grow.h"
#include "core/base/search.h"

#include <stdlib.h>
#include <string.h>

enum {
	MANY = 64,
	LEAST_BYTES = 3, /* of a path in an indexed profile */
};

int wm_unfinished_compare(const void *a, const void *b)
{
	const struct wm_unfinished_path *x = a, *y = b;
	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	return (x->sum > y->sum) - (x->sum < y->sum);
}

const struct wm_unfinished_path *wm_unfinished_find(
	const struct wm_profile_function *function, uint32_t site, uint64_t sum)
{
	const struct wm_unfinished_path wanted = {.site = site, .sum = sum}, *list = function->unfinished;
	size_t i, count = function->unfinished_count;
	WM_LOWER_BOUND(i, 0, count, wm_unfinished_compare(&list[i], &wanted) < 0);
	return i < count && !wm_unfinished_compare(&list[i], &wanted) ? &list[i] : NULL;
}

/* Records of many runs are appended one after the other: before the array grows, those of one path are added up. */
static size_t make_room(struct wm_profile_function *function)
{
	if (function->unfinished_count < function->unfinished_capacity || function->unfinished_count < MANY)
		return 1;
	wm_unfinished_sort(function);
	return function->unfinished_count > function->unfinished_capacity / 2 ? function->unfinished_count : 1;
}

bool wm_unfinished_append(struct wm_profile_function *function, const struct wm_unfinished_path *path)
{
	if (!path->count)
		return true;
	size_t more = make_room(function);
	if (!WM_RESERVE(function->unfinished, function->unfinished_capacity, function->unfinished_count, more))
		return false;
	function->unfinished[function->unfinished_count++] = *path;
	return true;
}

static bool ascends(const struct wm_profile_function *function)
{
	for (size_t i = 1; i < function->unfinished_count; i++)
		if (wm_unfinished_compare(&function->unfinished[i - 1], &function->unfinished[i]) >= 0)
			return false;
	return true;
}

static void add_count(struct wm_unfinished_path *into, const struct wm_unfinished_path *from, uint32_t *doubt)
{
	into->count = wm_add_saturating(into->count, from->count, doubt);
}

void wm_unfinished_sort(struct wm_profile_function *function)
{
	struct wm_unfinished_path *list = function->unfinished;
	size_t kept = 0;
	if (ascends(function))
		return;
	qsort(list, function->unfinished_count, sizeof(*list), wm_unfinished_compare);
	for (size_t i = 0; i < function->unfinished_count; i++) {
		if (kept && !wm_unfinished_compare(&list[kept - 1], &list[i]))
			add_count(&list[kept - 1], &list[i], &function->doubt);
		else
			list[kept++] = list[i];
	}
	function->unfinished_count = kept;
}

/* How many of `from` are not in `into`. */
static size_t count_missing(const struct wm_profile_function *into, const struct wm_profile_function *from)
{
	size_t missing = 0, i = 0;
	for (size_t j = 0; j < from->unfinished_count; j++) {
		int order = 1;
		while (i < into->unfinished_count &&
			(order = wm_unfinished_compare(&into->unfinished[i], &from->unfinished[j])) < 0)
			i++;
		missing += i == into->unfinished_count || order;
	}
	return missing;
}

bool wm_unfinished_reserve(struct wm_profile_function *into, const struct wm_profile_function *from)
{
	return !from->unfinished_count || WM_RESERVE(into->unfinished, into->unfinished_capacity,
						  into->unfinished_count, count_missing(into, from));
}

/* Backwards, so that the room is opened at the end and nothing moves twice. */
void wm_unfinished_merge(struct wm_profile_function *into, const struct wm_profile_function *from)
{
	struct wm_unfinished_path *list = into->unfinished;
	size_t i = into->unfinished_count, j = from->unfinished_count, k = i + count_missing(into, from);
	into->unfinished_count = k;
	while (j) {
		int order = i ? wm_unfinished_compare(&list[i - 1], &from->unfinished[j - 1]) : -1;
		list[--k] = order >= 0 ? list[--i] : from->unfinished[--j];
		if (!order)
			add_count(&list[k], &from->unfinished[--j], &into->doubt);
	}
}

bool wm_unfinished_copy(struct wm_profile_function *into, const struct wm_profile_function *from)
{
	size_t count = from->unfinished_count;
	struct wm_unfinished_path *copy = count ? malloc(count * sizeof(*copy)) : NULL;
	if (copy)
		memcpy(copy, from->unfinished, count * sizeof(*copy));
	into->unfinished = copy;
	into->unfinished_count = into->unfinished_capacity = copy ? count : 0;
	return copy || !count;
}

bool wm_unfinished_contains(const struct wm_profile_function *function, const struct wm_profile_function *part)
{
	size_t i = 0;
	for (size_t j = 0; j < part->unfinished_count; j++) {
		const struct wm_unfinished_path *wanted = &part->unfinished[j];
		int order = 1;
		while (i < function->unfinished_count &&
			(order = wm_unfinished_compare(&function->unfinished[i], wanted)) < 0)
			i++;
		if (i == function->unfinished_count || order || function->unfinished[i].count < wanted->count)
			return false;
	}
	return true;
}

bool wm_unfinished_subtract(struct wm_profile_function *function, const struct wm_profile_function *part)
{
	struct wm_unfinished_path *list = function->unfinished;
	size_t kept = 0, j = 0;
	if (!wm_unfinished_contains(function, part))
		return false;
	for (size_t i = 0; i < function->unfinished_count; i++) {
		struct wm_unfinished_path left = list[i];
		if (j < part->unfinished_count && !wm_unfinished_compare(&left, &part->unfinished[j]))
			left.count -= part->unfinished[j++].count;
		if (left.count)
			list[kept++] = left;
	}
	function->unfinished_count = kept;
	return true;
}

bool wm_profile_has_unfinished(const struct wm_profile *profile)
{
	for (size_t o = 0; o < profile->object_count; o++)
		for (size_t i = 0; i < profile->object[o].function_count; i++)
			if (profile->object[o].function[i].unfinished_count)
				return true;
	return false;
}

void wm_profile_drop_unfinished(struct wm_profile *profile)
{
	for (size_t o = 0; o < profile->object_count; o++)
		for (size_t i = 0; i < profile->object[o].function_count; i++)
			profile->object[o].function[i].unfinished_count = 0;
}

/* Sites, sums and counts each in a run of their own: they compress better apart.  Where the site is that of the path before, the sum
 * is larger. */
void wm_unfinished_put(struct wm_bytes *out, const struct wm_profile_function *f)
{
	const struct wm_unfinished_path *path = f->unfinished;
	wm_bytes_put_uleb(out, f->unfinished_count);
	for (size_t i = 0; i < f->unfinished_count; i++)
		wm_bytes_put_uleb(out, path[i].site - (i ? path[i - 1].site : 0));
	for (size_t i = 0; i < f->unfinished_count; i++) {
		bool same = i && path[i].site == path[i - 1].site;
		wm_bytes_put_uleb(out, path[i].sum - (same ? path[i - 1].sum + 1 : 0));
	}
	for (size_t i = 0; i < f->unfinished_count; i++)
		wm_bytes_put_uleb(out, path[i].count);
}

static void get_sites(struct wm_cursor *in, struct wm_profile_function *f)
{
	uint64_t site = 0;
	for (size_t i = 0; i < f->unfinished_count; i++) {
		site += wm_cursor_bounded(in, UINT32_MAX - site);
		f->unfinished[i].site = (uint32_t)site;
	}
}

static void get_sums(struct wm_cursor *in, struct wm_profile_function *f)
{
	struct wm_unfinished_path *path = f->unfinished;
	for (size_t i = 0; i < f->unfinished_count; i++) {
		bool same = i && path[i].site == path[i - 1].site;
		uint64_t least = same ? path[i - 1].sum + 1 : 0;
		if ((same && !least) || __builtin_add_overflow(least, wm_cursor_uleb(in), &path[i].sum))
			wm_cursor_fail(in);
	}
}

bool wm_unfinished_get(struct wm_cursor *in, struct wm_profile_function *f)
{
	size_t count = wm_cursor_count(in, LEAST_BYTES);
	f->unfinished = count ? calloc(count, sizeof(*f->unfinished)) : NULL;
	if (!f->unfinished) {
		wm_cursor_fail(in);
		return !count;
	}
	f->unfinished_count = f->unfinished_capacity = count;
	get_sites(in, f);
	get_sums(in, f);
	for (size_t i = 0; i < count; i++) {
		f->unfinished[i].count = wm_cursor_uleb(in);
		if (!f->unfinished[i].count || !wm_unfinished_site_is_valid(f->unfinished[i].site))
			wm_cursor_fail(in);
	}
	return true;
}
