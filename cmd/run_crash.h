/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What `waymark run` says of processes that crashed. */
#ifndef WM_CMD_RUN_CRASH_H
#define WM_CMD_RUN_CRASH_H

#include "view/recording/crash_print.h"
#include <sys/types.h>

/* The program that was run, and how it ended, as wait(2) has it. */
struct wm_run_ending {
	const char *program;
	pid_t pid;
	int status;
};

struct wm_run_crash {
	char *path; /* of the raw profile */
	struct wm_crash_notes notes;
	int status; /* 0: not known */
};
struct wm_run_crashes {
	size_t count;
	struct wm_run_crash *crash;
};

/* Finds the raw profiles of processes that noted a fault or abort and, if a signal ended the program itself, those of the program that
 * have frames. */
void wm_run_crashes_find(
	struct wm_run_crashes *crashes, char *const *path, size_t count, const struct wm_run_ending *ending);
/* Prints how the program ended, and for each crash what `waymark crash` prints and the command that prints it again; if
 * `brief`, only the commands.  Nothing is printed if there are no crashes. */
void wm_run_crashes_print(const struct wm_run_crashes *crashes, const struct wm_run_ending *ending,
	struct wm_object *object, size_t object_count, const struct wm_report_options *options, bool brief, FILE *out);
bool wm_run_crashes_have(const struct wm_run_crashes *crashes, const char *path);
void wm_run_crashes_release(struct wm_run_crashes *crashes);

#endif
