/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The files of one run and epoch in a watched directory: that of its counters, and snapshots.  One of them, the *best*, is
 * stored.  The others may be removed only if they have nothing that the best one lacks.
 */
#ifndef WM_CMD_PUSH_GROUP_H
#define WM_CMD_PUSH_GROUP_H

#include "cmd/push_directory.h"
#include "cmd/push_state.h"

struct wm_push_group {
	const struct wm_push_file *file;
	size_t count;
	struct wm_push_run run;
	bool is_alive;
	/* After wm_push_group_read: */
	const struct wm_push_file *best; /* NULL: no file can be read */
	bool is_whole; /* the best one is intact */
	struct wm_profile profile; /* of the best */
	char trouble[256]; /* why no file can be read; or what of the best is damaged */
};

/* The group that begins with a file of the directory. */
struct wm_push_group wm_push_group_at(const struct wm_push_directory *directory, size_t first);
/* Finds the best file: an intact one before a damaged one, then the one that has counted most. */
void wm_push_group_read(struct wm_push_group *group, const struct wm_push_directory *directory);
void wm_push_group_release(struct wm_push_group *group);

/* The best file was stored.  Whether nothing is lost if a file of the group is removed; if not, `reason` says what it has. */
bool wm_push_group_is_done(const struct wm_push_group *group, const struct wm_push_directory *directory,
	const struct wm_push_file *file, char reason[256]);

#endif
