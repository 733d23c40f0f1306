/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The interface between the copies of the runtime in one process.  Each copy contains an ELF note with the address of its control
 * record, and the notes of all loaded objects are visited.  This needs no exported symbol, and works in static executables.
 */
#ifndef WM_RUNTIME_STATE_CONTROL_RECORD_H
#define WM_RUNTIME_STATE_CONTROL_RECORD_H

#include "runtime/state/state.h"

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
extern const struct wm_control __wm_control; /* of this copy: api.c */

/* Of the names of tests; in a note of its own, which copies of earlier versions do not have. */
struct wm_test_control {
	uint64_t version;
	int (*set)(const char *name); /* NULL: the test ends */
	const char *(*open)(void); /* the test that has begun; NULL: there is none */
};
extern const struct wm_test_control __wm_test_control; /* of this copy: api.c */

/* Of activations that are left (runtime/process/leaving.h): the executable calls all copies, which must not search for each other
 * then, because a signal handler may be the caller.  In a note of its own, likewise. */
struct wm_leavers;
struct wm_leave_control {
	uint64_t version;
	uint64_t layout; /* sizeof(struct wm_leaving): copies with another one are not called */
	struct wm_leavers *leavers;
};
extern const struct wm_leave_control __wm_leave_control; /* of this copy: leaving.c */

/* Must be called once, in the constructor, before wm_each_control. */
void wm_control_start(void);
/* Calls `visit` for each copy; stops at the first non-zero result. */
int wm_each_control(int (*visit)(const struct wm_control *control, void *data), void *data);
int wm_each_test_control(int (*visit)(const struct wm_test_control *control, void *data), void *data);
/* The record of the executable; NULL: it has none. */
const struct wm_leave_control *wm_leave_control_of_program(void);

#endif
