/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The names of functions in path segments: the linkage name, or NAME@KEY where several functions have this name, or
 * NAME@PROGRAM where the binaries have different functions of this name and key (profile/map/identity.h).
 */
#ifndef WM_ANALYSIS_SEGMENTS_SEGMENT_NAMES_H
#define WM_ANALYSIS_SEGMENTS_SEGMENT_NAMES_H

#include "analysis/join/story.h"
#include "analysis/projection/projection.h"

/* A profiled function of a binary. */
struct wm_segment_named {
	const struct wm_map_function *map;
	const struct wm_object *object;
	size_t at; /* in the order of the binaries */
	size_t first; /* `at` of the first of those that are the same function */
	char *text; /* its name in segments */
};

/* Of the profiled functions of the binaries of a story, which must outlive it. */
struct wm_segment_names {
	size_t count;
	struct wm_segment_named *named; /* by name, key and `at` */
	struct wm_segment_named **by_map; /* the same, by `map` */
	/* Other functions that may call a profiled one, directly or through each other, and aliases of profiled functions. */
	struct wm_words callers;
};
/* any_program: functions with the same name and key are the same function, also if the profile of the story does not say
 * so. */
void wm_segment_names_init(struct wm_segment_names *names, const struct wm_story *story, bool any_program);
void wm_segment_names_release(struct wm_segment_names *names);

/* Whether a function with this linkage name is profiled. */
bool wm_segment_names_has(const struct wm_segment_names *names, const char *name);
/* Whether a profiled function may run during a call.  Nothing is known of functions that are not compiled by Waymark. */
bool wm_segment_names_reach(
	const struct wm_segment_names *names, const struct wm_map_module *module, const struct wm_call *call);
/* The name of a function in segments; as long as the names. */
const char *wm_segment_text(const struct wm_segment_names *names, const struct wm_map_function *function);

/* For wm_block_names: FUNCTION:INDEX. */
struct wm_segment_bodies {
	const struct wm_segment_names *names;
	const struct wm_story_function *const *body;
};
char *wm_segment_block_name(const void *bodies, const struct wm_trail_frame *frame, uint32_t block);

#endif
