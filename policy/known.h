/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What an earlier profile knows about a function, in every object of the profile and for every way of counting.  Which
 * paths are known is decided by wm_same_function() (profile/map/identity.h).  Where only cost depends on the answer, as for
 * weights, key and graph are sufficient.  Counts whose `doubt` is not zero are ignored.
 */
#ifndef WM_POLICY_KNOWN_H
#define WM_POLICY_KNOWN_H

#include "core/paths/pathset.h"
#include "profile/base/function_counts.h"
#include "profile/map/map.h"

struct wm_known {
	const struct wm_profile *profile;
	const struct wm_map_function *function;
	size_t object;
	const struct wm_profile_function *at;
	bool same;
	bool idle; /* also records that have no path */
};
/* An iterator over the records with the key and graph of the function; if `same`, only those of the same function.  Begin
 * with the first two members, and perhaps `same`; NULL: no more. */
const struct wm_profile_function *wm_known_next(struct wm_known *known);
/* Whether the profile has counts of the function, for this or another graph. */
bool wm_known_function(const struct wm_profile *profile, const struct wm_map_function *function);
/* The executions of all paths in a profile. */
double wm_known_executions(const struct wm_profile *profile);
/* The ids below path_count of the paths that the same function took, ascending.  NULL: out of memory. */
uint64_t *wm_known_ids(size_t *count, const struct wm_profile *profile, const struct wm_map_function *function,
	uint64_t path_count, struct wm_arena *arena);
/* The same as a set. */
enum wm_status wm_known_paths(struct wm_path_set *set, const struct wm_profile *profile,
	const struct wm_map_function *function, const struct wm_plan *plan, struct wm_arena *arena);
/* count[i] receives how often path i of the set was taken. */
void wm_known_counts(uint64_t *count, const struct wm_path_set *set, const struct wm_profile *profile,
	const struct wm_map_function *function);

/* Why the profile knows functions of the module, but none as it is here: it is probably out of date.  A function that never
 * came to the end of a path, because what it calls ends the program, is known. */
enum wm_known_trouble {
	WM_KNOWN_NO_TROUBLE,
	WM_KNOWN_OTHER_GRAPH,
	WM_KNOWN_OTHER_SOURCE, /* the graph is the same */
};
enum wm_known_trouble wm_known_trouble(const struct wm_profile *profile, const struct wm_map_module *map);

#endif
