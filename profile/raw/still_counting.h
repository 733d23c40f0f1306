/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Whether a program still counts in a raw profile.  The counters of a living program are a writable mapping of its file.  On
 * the common local file systems the kernel knows of every such mapping, whichever container the program runs in: it then
 * grants no read lease (fcntl(2), F_SETLEASE).  On others, of which overlayfs is one, and for files of other users, there is
 * only the id of the process that the file names.
 */
#ifndef WM_PROFILE_RAW_STILL_COUNTING_H
#define WM_PROFILE_RAW_STILL_COUNTING_H

#include "profile/base/function_counts.h"

enum wm_counting {
	WM_COUNTING_NO,
	WM_COUNTING_PERHAPS, /* the kernel does not tell, and there is a process with the id that the file names */
	WM_COUNTING_YES,
};
/* fd: the file, opened for reading only.  A snapshot is never mapped: its program may count elsewhere. */
enum wm_counting wm_file_counting(int fd, const struct wm_raw_identity *identity);

#endif
