/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What `waymark push` remembers on disk about runs that are stored in parts (profile/increment.h), so that it may be killed at
 * any moment: a directory of its own, with one file per run and state, RUN-EPOCH.PART.wmprof: what the run had counted when
 * part PART was made.  State 0, before the first part, is empty.
 *
 *   one file, PART      the parts up to PART are stored
 *   two, PART, PART+1   part PART+1 is the difference; it was made, and perhaps stored
 *
 * A part is thus fixed before it is stored for the first time, and storing it again changes nothing.
 *
 * A file RUN-EPOCH.refused says that no more parts of the run can be stored, and why: the store has refused one, or one of the
 * files above is damaged.  The file of the run is then kept when its process has ended.
 *
 * totals.json is of cmd/push_status.h; an earlier version did not write it, and leaves it alone.
 *
 * One process at a time uses the directory: a second agent waits until the first has made its pass.
 */
#ifndef WM_CMD_PUSH_STATE_H
#define WM_CMD_PUSH_STATE_H

#include "profile/base/function_counts.h"
#include "support/buffer.h"

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

struct wm_push_run {
	uint64_t high, low, epoch;
};

struct wm_push_progress {
	struct wm_push_run run;
	uint64_t stored; /* the parts up to this one are stored */
	bool is_pending; /* the next one was made */
	time_t stored_at, made_at; /* when the last stored part was made, and when the last part was */
	bool is_refused; /* no more parts are stored */
	bool has_file; /* this pass has seen a file of the run; whoever makes the pass notes it here */
};

struct wm_push_state {
	char *path;
	int fd, lock;
	int kept; /* of the directory of files that could not be stored completely; -1: wm_push_state_look found none */
	struct wm_push_progress *progress;
	size_t count;
};

/* Opens or makes the directory and the one inside it, `kept`.  Ends in wm_fail. */
void wm_push_state_open(struct wm_push_state *state, const char *path);
/* Opens what is there, to be read without the lock, and makes nothing.  False: there is no such directory.  Ends in wm_fail if it
 * cannot be opened.  To be closed in both cases. */
bool wm_push_state_look(struct wm_push_state *state, const char *path);
void wm_push_state_close(struct wm_push_state *state);
/* False: another process uses the directory.  Ends in wm_fail if it cannot be locked. */
bool wm_push_state_lock(struct wm_push_state *state);
void wm_push_state_unlock(struct wm_push_state *state);

/* Reads a file of the directory; release the buffer.  False: errno says why. */
bool wm_push_state_read_file(const struct wm_push_state *state, const char *name, struct wm_buffer *buffer);
struct wm_push_manner {
	mode_t mode;
	bool sync; /* it is on the disk when the function returns; `at` is then a directory that was opened */
};
/* The file appears under its name when it is whole: it is written under another name of the same directory, and renamed.  False:
 * errno says why. */
bool wm_push_write_file(int at, const char *name, const char *temporary, const struct wm_buffer *bytes,
	const struct wm_push_manner *manner);

/* All that follow need the lock. */
/* Looks at what is there.  Ends in wm_fail if the directory cannot be read. */
void wm_push_state_scan(struct wm_push_state *state);
/* NULL: no part of the run was made. */
struct wm_push_progress *wm_push_state_find(struct wm_push_state *state, const struct wm_push_run *run);
/* What the run had counted when the part was made.  False: the file is damaged; *reason, which is to be freed, says so. */
bool wm_push_state_read(struct wm_push_state *state, const struct wm_push_run *run, uint64_t part,
	struct wm_profile *profile, char **reason);
/* Makes the next part; the run has no pending one.  False: it could not be written, and errno says why. */
bool wm_push_state_make(struct wm_push_state *state, const struct wm_push_run *run, const struct wm_profile *profile);
/* The pending part is stored. */
void wm_push_state_stored(struct wm_push_state *state, struct wm_push_progress *progress);
/* No more parts of the run can be stored: what is remembered of its parts goes to `kept`.  False: the reason could not be written,
 * and errno says why. */
bool wm_push_state_refuse(struct wm_push_state *state, const struct wm_push_run *run, const char *reason);
/* Why; release it with free. */
char *wm_push_state_reason(const struct wm_push_state *state, const struct wm_push_run *run);
/* The run is stored or refused, and its file is gone. */
void wm_push_state_forget(struct wm_push_state *state, const struct wm_push_run *run);

#endif
