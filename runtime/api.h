/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The interface between the copies of the runtime in one process. */
#ifndef WM_RUNTIME_API_H
#define WM_RUNTIME_API_H

#include "runtime/distance.h"
#include "runtime/state.h"

struct wm_control {
	uint64_t version;
	int (*dump)(const char *pattern);
	int (*reset)(void);
	int (*set_file)(const char *pattern);
	int *warned;
	void (*set_untested)(const struct wm_untested_hook *hook);
	struct wm_untested_hook *untested;
	const struct wm_file_identity *error_stream;
	struct wm_distances *const *distances;
};
extern const struct wm_control __wm_control;
/* Must be called once, in the constructor, before wm_each_control. */
void wm_control_start(void);
/* Calls `visit` for each copy; stops at the first non-zero result. */
int wm_each_control(int (*visit)(const struct wm_control *control, void *data), void *data);

#endif
