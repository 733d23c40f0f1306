/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Merges files: merge_files.c reads and adds them, cmd/cmd_merge.c implements the command. */
#ifndef WM_ANALYSIS_JOIN_MERGE_FILES_H
#define WM_ANALYSIS_JOIN_MERGE_FILES_H

#include "profile/base/function_counts.h"
#include "support/buffer.h"

#include <sys/types.h>

enum wm_input_state {
	WM_INPUT_WAITING,
	WM_INPUT_MERGED,
	WM_INPUT_MERGED_IN_PART, /* it is damaged */
	WM_INPUT_MERGED_APART, /* some of its counts cannot be trusted and are kept apart */
	WM_INPUT_REFUSED,
	WM_INPUT_SUPERSEDED, /* another input contains the same run */
	WM_INPUT_STATES
};

struct wm_input {
	const char *path;
	char *name; /* the same without the password of a store, for messages */
	enum wm_input_state state;
	struct wm_buffer held; /* the content of an input that can be read only once, such as a pipe */
	bool is_store, has_file, has_identity;
	bool is_unfinished; /* its program still counts in it */
	dev_t device;
	ino_t inode;
	struct wm_raw_identity identity;
	size_t next;    /* next input of the same run and epoch, or SIZE_MAX */
	bool is_first;  /* of its run and epoch */
	char *trouble;  /* one clause, or NULL */
	struct wm_profile runs; /* of a sum: its number of runs and their ids, as far as they were read; no counts */
};

struct wm_merge {
	struct wm_profile *into;
	struct wm_input *input;
	size_t count, done;
	size_t tally[WM_INPUT_STATES];
	struct wm_raw_table *table; /* of the raw profile read last; may be NULL */
	const char *first[2]; /* the first merged inputs that count all paths, and only untested paths */
};

/* a + b, at most 2^64-1. */
uint64_t wm_count_add(uint64_t a, uint64_t b);

/* The name of a state in the JSON document. */
extern const char *const wm_input_state_name[];
/* Per bit of enum wm_doubt up to WM_DOUBT_PROCESS: one clause. */
extern const char *const wm_doubt_reason[];

/* `paths` must stay valid; `into` must be initialised. */
void wm_merge_init(struct wm_merge *merge, struct wm_profile *into, char *const *paths, size_t count);
/* Adds every input, and warns about inputs that could not be added completely. */
void wm_merge_all(struct wm_merge *merge);
void wm_merge_release(struct wm_merge *merge);
/* Reads and adds every input (raw or indexed, or a store with filters).  Damaged inputs are named on stderr with what was lost, and the other inputs
 * are added.  Snapshots that another input contains are left out.  Returns the number of inputs of which nothing was added. */
size_t wm_merge_files(struct wm_profile *into, char *const *paths, size_t count);

/* What merge_files.c and merge_sums.c share. */

/* Reads the ids of the runs of all sums, and lists the sums in the order in which they are merged: as they were given, then those
 * that have runs in common, from most to fewest runs.  Returns their number; `order` has room for all inputs. */
size_t wm_merge_order_sums(struct wm_merge *merge, size_t *order);
/* Notes the runs of a sum that was merged. */
void wm_merge_note_runs(struct wm_input *input, const struct wm_profile *profile);
/* "a.wmprof", "a.wmprof and others" or "other inputs": which merged sums have a run of the profile; heap. */
char *wm_merge_holders(const struct wm_merge *merge, const struct wm_profile *profile);
/* The ids of the runs of the profile that are in `merged`, too: "1234…, 5678… and 3 more"; heap. */
char *wm_merge_shared_text(const struct wm_profile *merged, const struct wm_profile *profile);

#endif
