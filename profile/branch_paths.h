/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Paths of machine code in a profile, which `waymark hw` counts (hardware/model/path.h).  The binary has no map, so nothing is
 * known of functions: a path is the address at which it starts and the outcomes of its branches.
 */
#ifndef WM_PROFILE_BRANCH_PATHS_H
#define WM_PROFILE_BRANCH_PATHS_H

#include "profile/base/bytes.h"
#include "profile/base/function_counts.h"

#define WM_BRANCH_PATH_MAX 32 /* branches */

/* By control register, metric, start, length and outcomes. */
int wm_branch_path_compare(const void *left, const void *right);
/* Whether the length is in its range, and no outcome is beyond it. */
bool wm_branch_path_is_valid(const struct wm_branch_path *path);
/* Appends a path to those of the object, which wm_object_sort_branches then brings into their order.  False: no memory. */
bool wm_object_append_branches(struct wm_profile_object *object, const struct wm_branch_path *path);
/* Sorts the appended paths and adds the counts of equal ones; a sum that does not fit is 2^64-1. */
void wm_object_sort_branches(struct wm_profile_object *object);

/* The paths of an object in an indexed profile of version 6 (doc/formats.md). */
void wm_branch_paths_put(struct wm_bytes *out, const struct wm_profile_object *object);
/* Fails the cursor if they make no sense; false: no memory.  Hostile input. */
bool wm_branch_paths_get(struct wm_cursor *in, struct wm_profile_object *object);
/* Versions 4 and 5 have them as functions with the flag WM_FUNC_BRANCHES: moves these to the paths, and fails the cursor if one
 * makes no sense; false: no memory. */
bool wm_branch_paths_from_functions(struct wm_cursor *in, struct wm_profile_object *object);

#endif
