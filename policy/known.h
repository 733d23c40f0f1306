/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What an earlier profile knows about a function.  The function is found by its key and the hash of its graph, in
 * every object of the profile and for every way of counting.  Counts whose `doubt` is not zero are ignored.
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
/* An iterator over the records of the function in the profile.  Begin with {profile, function}; NULL: no more. */
const struct wm_profile_function *wm_known_next(struct wm_known *known);
/* Whether the profile has counts of the function, for this or another graph. */
bool wm_known_function(const struct wm_profile *profile, const struct wm_map_function *function);
/* The executions of all paths in a profile. */
double wm_known_executions(const struct wm_profile *profile);
/* How often a function ran, whatever its graph was: its entries where they were counted, its paths otherwise.  Of
 * functions whose paths cross calls, calls that were crossed do not count. */
uint64_t wm_known_activity(const struct wm_profile *profile, uint64_t key);
/* The ids below path_count of the paths that were taken, ascending, by key and graph hash of the function.  The compiler
 * does not know for which program it compiles the function.  So, if several programs of the profile executed it, only the
 * paths that all of them took are known, unless profile->any_program.  NULL: out of memory. */
uint64_t *wm_known_ids(size_t *count, const struct wm_profile *profile, const struct wm_map_function *function,
	uint64_t path_count, struct wm_arena *arena);
/* The same as a set. */
enum wm_status wm_known_paths(struct wm_path_set *set, const struct wm_profile *profile,
	const struct wm_map_function *function, const struct wm_plan *plan, struct wm_arena *arena);
/* count[i] receives how often path i of the set was taken. */
void wm_known_counts(uint64_t *count, const struct wm_path_set *set, const struct wm_profile *profile,
	const struct wm_map_function *function);

/* Whether the profile has functions of the module, but none with its present graph: then it is probably out of date. */
bool wm_known_other_graphs(const struct wm_profile *profile, const struct wm_map_module *map);

#endif
