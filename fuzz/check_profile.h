/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What function_counts.h promises of every profile that a reader accepted; aborts otherwise. */
#ifndef WM_FUZZ_CHECK_PROFILE_H
#define WM_FUZZ_CHECK_PROFILE_H

#include "abi/abi.h"
#include "profile/base/scheme_name.h"
#include "profile/base/unfinished_paths.h"
#include "profile/branch_paths.h"
#include "profile/collect.h"

#include <stdlib.h>

static inline void check_function(const struct wm_profile_function *f)
{
	if (f->flags & (~WM_FUNC_KNOWN | WM_FUNC_IDS | WM_FUNC_BRANCHES) || !wm_scheme_name_is_valid(f->scheme))
		abort();
	for (size_t i = 0; i < f->path_count; i++) {
		if (!f->path[i].count && !f->path[i].base)
			abort();
		if (f->path[i].first_seen ? !(f->flags & WM_FUNC_RESIDUAL) : f->path[i].pid != 0)
			abort();
		if (i && f->path[i - 1].id >= f->path[i].id)
			abort();
	}
}

static inline void check_unfinished(const struct wm_profile_function *f)
{
	for (size_t i = 0; i < f->unfinished_count; i++) {
		const struct wm_unfinished_path *path = &f->unfinished[i];
		if (!path->count || !wm_unfinished_site_is_valid(path->site))
			abort();
		if (i && wm_unfinished_compare(path - 1, path) >= 0)
			abort();
	}
}

static inline void check_object(const struct wm_profile_object *object)
{
	if (object->build_id_size > WM_BUILD_ID_MAX)
		abort();
	for (size_t i = 0; i < object->function_count; i++) {
		check_function(&object->function[i]);
		check_unfinished(&object->function[i]);
		if (i && wm_function_compare(&object->function[i - 1], &object->function[i]) >= 0)
			abort();
	}
	for (size_t i = 0; i < object->branch_count; i++) {
		const struct wm_branch_path *path = &object->branches[i];
		if (!path->count || !wm_branch_path_is_valid(path) ||
			(i && wm_branch_path_compare(path - 1, path) >= 0))
			abort();
	}
}

static inline size_t count_unfinished(const struct wm_profile_object *object)
{
	size_t count = 0;
	for (size_t i = 0; i < object->function_count; i++)
		count += object->function[i].unfinished_count;
	return count;
}

/* Also adds it to itself and sends it through the indexed format. */
static inline void check_profile(struct wm_profile *profile)
{
	struct wm_profile twice, back;
	struct wm_profile_error error;
	uint8_t *data;
	size_t size;
	for (size_t i = 0; i < profile->object_count; i++) {
		check_object(&profile->object[i]);
		if (i && wm_object_compare(&profile->object[i - 1], &profile->object[i]) >= 0)
			abort();
	}
	wm_profile_init(&twice);
	wm_profile_init(&back);
	if (wm_profile_merge(&twice, profile) || wm_profile_merge(&twice, profile) ||
		wm_indexed_write(&twice, &data, &size))
		abort();
	if (wm_indexed_read(&back, data, size, &error) || back.object_count != twice.object_count)
		abort();
	for (size_t i = 0; i < twice.object_count; i++)
		if (back.object[i].branch_count != profile->object[i].branch_count ||
			count_unfinished(&back.object[i]) != count_unfinished(&profile->object[i]))
			abort();
	free(data);
	wm_profile_release(&twice);
	wm_profile_release(&back);
}

#endif
