/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A pass of `waymark push` over the directory: what is there is stored, kept, refused, or tried again in a later pass.
 *
 * The agent may be killed at any moment, and the server may go away or hang at any moment.  A file is removed only after the store has
 * confirmed that it has the run, and a run that is stored in parts is remembered on disk (cmd/push_state.h); the store
 * ignores what it has already.  The directory itself is the queue.
 */
#ifndef WM_CMD_PUSH_PASS_H
#define WM_CMD_PUSH_PASS_H

#include "cmd/push_directory.h"
#include "cmd/push_queue.h"
#include "cmd/push_state.h"
#include "cmd/push_status.h"
#include "store/store.h"

struct wm_push_agent {
	const char *watched, *state_path, *name, *machine, *metrics;
	struct wm_label_list labels;
	uint64_t interval, living, timeout, file_limit;
	bool once, quiet;
	struct wm_push_directory directory;
	struct wm_push_queue queue;
	struct wm_push_state state;
	struct wm_push_status status;
	struct wm_patience patience;
	struct wm_profile_store *store; /* NULL: not connected */
	int events; /* of inotify; -1: there is none */
	/* About the current pass. */
	bool is_away;
	size_t stored, known, failed, kept, put_off; /* put_off: living processes whose counts have to wait */
	char *reason; /* of the last refusal */
	/* About the passes so far. */
	unsigned delay; /* seconds, before the store is tried again; 0: it was there */
	size_t strange;
	char **told; /* failures, which are not repeated until a pass succeeds */
	size_t told_count;
};

/* Waits until no other agent makes a pass.  What goes wrong with a file or the store is told, and is no failure. */
void wm_push_pass(struct wm_push_agent *agent);
/* Failures are told again when they happen again. */
void wm_push_forget_failures(struct wm_push_agent *agent);

#endif
