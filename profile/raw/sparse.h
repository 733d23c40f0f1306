/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads files of which most is a hole, as raw profiles are: time and memory follow what was written to them. */
#ifndef WM_PROFILE_RAW_SPARSE_H
#define WM_PROFILE_RAW_SPARSE_H

#include "profile/base/function_counts.h"

struct wm_sparse_file {
	struct wm_profile_image image;
	size_t mapped;
};

/* Reads a regular file.  False: errno gives the reason.  Nothing between this and wm_sparse_release may fail. */
bool wm_sparse_read(struct wm_sparse_file *file, int fd);
void wm_sparse_release(struct wm_sparse_file *file);

#endif
