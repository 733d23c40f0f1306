/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* New files, which appear under their name when they are whole. */
#ifndef WM_RUNTIME_FILE_NEW_FILE_H
#define WM_RUNTIME_FILE_NEW_FILE_H

#include "runtime/state/state.h"

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

#endif
