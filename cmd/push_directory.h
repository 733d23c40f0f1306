/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The directory from which `waymark push --watch` takes raw profiles.  Others may be able to write to it, as to /tmp: only
 * regular files with one link that belong to the user of this process are opened, no link is followed, and a file is removed
 * only if it is still the one that was read.
 *
 * A file is taken as alive unless profile/raw/still_counting.h is sure that no program counts in it.  On network file systems nobody can
 * tell.
 */
#ifndef WM_CMD_PUSH_DIRECTORY_H
#define WM_CMD_PUSH_DIRECTORY_H

#include "profile/base/function_counts.h"
#include "support/buffer.h"

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

struct wm_push_file {
	char *name;
	dev_t device;
	ino_t inode;
	uint64_t size; /* bytes on the disk */
	struct timespec changed;
	bool is_profile; /* its header is that of a raw profile, and the next two are known */
	struct wm_raw_identity identity;
	bool is_alive;
};

struct wm_push_directory {
	const char *path;
	int fd;
	uint64_t longest; /* bytes of a file that is read; 0: all are */
	struct wm_push_file *file; /* those of one run and epoch follow each other, the oldest first */
	size_t count;
	size_t strange; /* files with names of raw profiles that belong to others, or are no regular files */
	bool told_of_pool; /* that pools are not stored */
};

/* Ends in wm_fail if the directory cannot be used. */
void wm_push_directory_open(struct wm_push_directory *directory, const char *path);
void wm_push_directory_close(struct wm_push_directory *directory);
/* Looks again at what is there.  Ends in wm_fail if the directory cannot be read. */
void wm_push_directory_scan(struct wm_push_directory *directory);
/* Whether both are files of one run and epoch. */
bool wm_push_file_same_run(const struct wm_push_file *a, const struct wm_push_file *b);

/* Reads the whole file.  False: it is gone, another file has its name, it is longer than files may be (EFBIG), or errno says why. */
bool wm_push_file_read(
	const struct wm_push_directory *directory, const struct wm_push_file *file, struct wm_buffer *buffer);
/* Both do nothing if another file has the name.  False: errno says why. */
bool wm_push_file_remove(const struct wm_push_directory *directory, const struct wm_push_file *file);
/* Moves it to another directory, which may be on another file system, and where it gets a number if its name is taken. */
bool wm_push_file_move(const struct wm_push_directory *directory, const struct wm_push_file *file, int to);

#endif
