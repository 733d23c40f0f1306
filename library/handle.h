/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What stands behind the opaque types of library/waymark/profile.h: functions and paths are those of the story. */
#ifndef WM_LIBRARY_HANDLE_H
#define WM_LIBRARY_HANDLE_H

#include "analysis/join/operands.h"
#include "analysis/tell/steps.h"
#include "library/waymark/profile.h"
#include "support/attempt.h"

struct waymark {
	struct wm_heap heap; /* of all that follows; the handle itself and what `error` describes are in no heap */
	struct waymark_options options; /* only the callbacks, after waymark_open */
	struct wm_listener listener;
	struct wm_profile profile;
	struct wm_binaries binaries;
	struct wm_story story;
	struct wm_source_dirs directories;
	struct wm_sources sources;
	struct waymark_error broken; /* why trails cannot be told any more; status OK: they can */
};

struct waymark_step {
	const struct wm_source_step *step;
	char *source; /* NULL: not found */
};

struct waymark_trail {
	struct waymark *counts;
	struct wm_steps steps;
	struct waymark_step *step; /* per step of `steps` */
};

/* Describes a failure and returns its status.  `error` may be NULL. */
enum waymark_status wm_library_fail(struct waymark_error *error, enum waymark_status status, const char *text);

/* Does work with the heap and the callbacks of a handle.  If it fails: describes that, and returns its status, which is *stage
 * if the failure is a mistake of the user. */
enum waymark_status wm_library_attempt(struct waymark *counts, void (*work)(void *argument), void *argument,
	const enum waymark_status *stage, struct waymark_error *error);

#endif
