/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* New files, which appear under their name when they are whole. */
#ifndef WM_RUNTIME_NEW_FILE_H
#define WM_RUNTIME_NEW_FILE_H

#include "runtime/state.h"

struct wm_file {
	int fd;
	bool named; /* has the temporary name in `temporary` */
	char path[WM_PATH], temporary[WM_PATH + 32];
};
/* A new file in the directory of `path`, not visible under a final name. */
int wm_file_create(struct wm_file *file, const char *path, bool named);
/* Gives the file its name, or one with a number if that exists; `path` receives it.  With N such files, O(log N)
 * attempts. */
int wm_file_publish(struct wm_file *file);
/* Gives the file the name `path`, or fails with -EEXIST. */
int wm_file_publish_exactly(struct wm_file *file);
/* Replaces the existing file `path`; the file must be `named`. */
int wm_file_replace(struct wm_file *file);
/* Closes the file, and removes its temporary name if it has one. */
void wm_file_discard(struct wm_file *file);
/* Allocates zeroed disk space for these bytes, or fails, so that writing to a mapping never fails on a full disk. */
int wm_file_allocate(int fd, uint64_t offset, uint64_t size);
/* Writes all of it, or fails. */
int wm_file_write(int fd, uint64_t offset, const void *data, uint64_t size);
/* The same as wm_file_allocate, but the kernel keeps the pages in memory. */
int wm_file_write_zeros(int fd, uint64_t offset, uint64_t size);
/* When a file would exceed RLIMIT_FSIZE, the kernel sends SIGXFSZ to this thread, which would end the program.  With signals
 * blocked: removes the pending signal before they are unblocked. */
void wm_take_back_xfsz(void);

#endif
