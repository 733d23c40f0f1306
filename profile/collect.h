/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Building a struct wm_profile; used by the readers: profile/ and store/ alone.  Records are appended in any order;
 * sorting then establishes the order and uniqueness that function_counts.h promises.
 */
#ifndef WM_PROFILE_COLLECT_H
#define WM_PROFILE_COLLECT_H

#include "profile/base/function_counts.h"

/* into += from, for all numbers of a function except its paths and unfinished paths. */
void wm_function_add_scalars(struct wm_profile_function *into, const struct wm_profile_function *from);

/* The same, for records of one function.  If their sources differ, that of the sum is not known.  If one of them does not name
 * its scheme, the sum has the name of the other; if their names differ, it gets WM_DOUBT_SCHEMES. */
void wm_function_join(struct wm_profile_function *into, const struct wm_profile_function *from);

/* into += from, for one path.  The earlier of two times is kept, with its pid.  If names (abi/sequence.h) differ, *doubt
 * gets WM_DOUBT_NAMES. */
void wm_path_add(struct wm_counted_path *into, const struct wm_counted_path *from, uint32_t *doubt);

/* False: no memory. */
bool wm_function_append_path(struct wm_profile_function *function, const struct wm_counted_path *path);
bool wm_function_append(struct wm_profile_function *function, uint64_t id, uint64_t count, uint64_t base);
/* Sorts the appended paths and sums those with one id. */
void wm_function_sort(struct wm_profile_function *function);
/* Sorts the functions, sums duplicates, sorts the paths and the unfinished paths of each.  False: no memory; the
 * object is then still safe to release. */
bool wm_object_sort(struct wm_profile_object *object);

/* For a sorted object of one run: since the records of a function are summed, a doubt about one of them is recorded for
 * all.  False: out of memory. */
bool wm_object_share_doubts(struct wm_profile_object *object);

/* Whether it may stand in wm_profile_object.program: no control character. */
static inline bool wm_program_byte(uint8_t byte)
{
	return byte >= ' ' && byte != 127;
}
/* The caller maintains the order.  False: out of memory. */
bool wm_object_append_doubtful(struct wm_profile_object *object, const struct wm_doubtful_run *run);
/* Appends it; the caller maintains the order, or sorts at the end.  False: out of memory. */
bool wm_profile_append_run_id(struct wm_profile *profile, const struct wm_run_id *id);
/* Sorts the ids and keeps one of each. */
void wm_profile_sort_run_ids(struct wm_profile *profile);
/* A new, empty object at the end of the profile; NULL: no memory.  The caller
 * keeps the order of build-ids. */
struct wm_profile_object *wm_profile_append_object(struct wm_profile *profile, const uint8_t *build_id, uint32_t size);

/* Refuses a file in which a function has such a name of a scheme. */
enum wm_profile_status wm_profile_say_scheme(struct wm_profile_error *error, uint32_t name);
enum wm_profile_status wm_profile_say(enum wm_profile_status status, struct wm_profile_error *error, const char *format,
	...) __attribute__((format(printf, 3, 4)));

#endif
