/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What `waymark push` has done and what it has before it: for people, for programs, and for Prometheus.
 *
 * What was done is counted over all passes and agents that use a state directory (cmd/push_state.h), in its file totals.json, a
 * document "waymark.push-totals/1".  An agent that is killed may leave out what its last push has done.  The file is not synced: after
 * a power failure, counting may begin anew, and `since` says when it began.
 */
#ifndef WM_CMD_PUSH_STATUS_H
#define WM_CMD_PUSH_STATUS_H

#include "cmd/push_directory.h"
#include "cmd/push_state.h"

/* Times are seconds since 1970; 0: never. */
struct wm_push_status {
	/* In the file: */
	uint64_t since; /* when counting began */
	uint64_t stored, known; /* profiles and increments that the store took, and that it had already */
	uint64_t refused; /* those that it will never take */
	uint64_t kept; /* files moved to `kept` */
	uint64_t removed; /* files removed by the limit of the queue */
	uint64_t failed; /* what is tried again */
	uint64_t last_pass, last_contact, last_error;
	uint64_t is_failing; /* whether something failed in the last pass */
	char *error; /* the last sentence about something that went wrong; NULL: there is none */
	/* Of the directories, after wm_push_status_measure: */
	uint64_t waiting, waiting_bytes; /* files of processes that have ended, and what they take on the disk */
	uint64_t waiting_age; /* seconds since the oldest of them changed */
	uint64_t living; /* files of living processes */
	uint64_t kept_files; /* files in `kept` */

	bool is_changed; /* since it was read or written */
};

void wm_push_status_release(struct wm_push_status *status);
/* Reads what is in the file.  False: there is none, or it is damaged, of which it warns; the totals are 0. */
bool wm_push_status_read(struct wm_push_status *status, const struct wm_push_state *state);
/* Writes the file.  False: errno says why. */
bool wm_push_status_write(struct wm_push_status *status, const struct wm_push_state *state);
/* One more of a total. */
void wm_push_status_count(struct wm_push_status *status, uint64_t *total);
/* Something went wrong. */
void wm_push_status_note(struct wm_push_status *status, const char *sentence);
/* Which files of the last scan are still there. */
void wm_push_status_measure(
	struct wm_push_status *status, const struct wm_push_directory *directory, const struct wm_push_state *state);
/* Writes the text format of Prometheus beside the path and renames it.  False: errno says why. */
bool wm_push_status_export(const struct wm_push_status *status, const char *directory, const char *path);
/* Whether a file of this name may be one that the functions above write; path: of wm_push_status_export, or NULL. */
bool wm_push_status_is_own(const char *name, const char *path);

/* waymark push --status: prints what is known of a directory and its agent.  Returns the exit code.  Makes and changes nothing.
 * Ends in wm_fail if one of the directories cannot be read. */
int wm_push_status_show(const char *directory, const char *state, bool json);

#endif
