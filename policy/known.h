/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What earlier profiles know of a function: it is found by its key and the hash of its
 * graph, in every object and for every way it was counted.  Doubtful counts are not knowledge.
 */
#ifndef WM_POLICY_KNOWN_H
#define WM_POLICY_KNOWN_H

#include "core/paths/pathset.h"
#include "profile/map.h"
#include "profile/profile.h"

struct wm_known {
	const struct wm_profile *profile;
	const struct wm_map_function *function;
	size_t object;
	const struct wm_profile_function *at;
};
/* The counts of the function, one record after another; then NULL.  Begin with {profile, function}. */
const struct wm_profile_function *wm_known_next(struct wm_known *known);
/* Whether there are counts of the function in any graph. */
bool wm_known_function(const struct wm_profile *profile, const struct wm_map_function *function);
/* All paths that were taken.  The compiler does not know which program it compiles the function for: if
 * several programs of the profile took paths of it, only those that all of them took, unless the profile says
 * that any program counts for every other. */
enum wm_status wm_known_paths(struct wm_path_set *set, const struct wm_profile *profile,
	const struct wm_map_function *function, const struct wm_plan *plan, struct wm_arena *arena);
/* How often each path of the set was, into count[set->count]. */
void wm_known_counts(uint64_t *count, const struct wm_path_set *set, const struct wm_profile *profile,
	const struct wm_map_function *function);

#endif
