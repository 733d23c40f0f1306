/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Building a struct wm_profile, for the readers: records are appended in any
 * order and settled once into the order and uniqueness that profile.h promises.
 * Private to profile/.
 */
#ifndef WM_PROFILE_COLLECT_H
#define WM_PROFILE_COLLECT_H

#include "profile/profile.h"

/* a + b; at 2^64-1 it stays there and *doubt gets WM_DOUBT_SATURATED. */
uint64_t wm_add_saturating(uint64_t a, uint64_t b, uint32_t *doubt);

/* All numbers of a function but its paths: into += from. */
void wm_function_add_scalars(struct wm_profile_function *into, const struct wm_profile_function *from);

/* Room for `more` elements beyond `count`, at least half as much again when the
 * array grows.  False: no memory, nothing changed. */
bool wm_reserve(void **array, size_t *capacity, size_t count, size_t more, size_t size);

/* One path: into += from; of two times the earlier stays, with its pid.  Names (abi/sequence.h) are
 * the same in all profiles that have them; if they differ, *doubt gets WM_DOUBT_NAMES. */
void wm_path_add(struct wm_counted_path *into, const struct wm_counted_path *from, uint32_t *doubt);

/* False: no memory. */
bool wm_function_append_path(struct wm_profile_function *function, const struct wm_counted_path *path);
bool wm_function_append(struct wm_profile_function *function, uint64_t id, uint64_t count, uint64_t base);
/* Sorts the appended paths and sums those with one id. */
void wm_function_settle(struct wm_profile_function *function);
/* Sorts the functions, sums duplicates, settles each.  False: no memory; the
 * object is then still safe to release. */
bool wm_object_settle(struct wm_profile_object *object);

/* Of a settled object of one run: records of one function are summed, so a doubt about one
 * of them is a doubt about all.  False: no memory. */
bool wm_object_share_doubts(struct wm_profile_object *object);

/* Whether it may stand in wm_profile_object.program: no control character. */
static inline bool wm_program_byte(uint8_t byte)
{
	return byte >= ' ' && byte != 127;
}
/* The caller keeps the order.  False: no memory. */
bool wm_object_append_doubtful(struct wm_profile_object *object, const struct wm_doubtful_run *run);
/* A new, empty object at the end of the profile; NULL: no memory.  The caller
 * keeps the order of build-ids. */
struct wm_profile_object *wm_profile_append_object(struct wm_profile *profile, const uint8_t *build_id, uint32_t size);

enum wm_profile_status wm_profile_say(enum wm_profile_status status, struct wm_profile_error *error, const char *format,
	...) __attribute__((format(printf, 3, 4)));

#endif
