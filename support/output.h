/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * All files that the command writes for its user are written here.
 *
 * A regular file is written beside its final name, as a temporary file, and gets its name when it is complete; if the
 * command ends before that, the temporary file is removed.  Links are followed, so that the file that a link names is
 * replaced, and not the link.  Devices, FIFOs and descriptors of the process (/dev/stdout) are written to.
 *
 * A link of another user in a directory in which anybody may create files (/tmp) is refused, as the kernel refuses it to
 * open(2): it could name any file of this user.
 */
#ifndef WM_SUPPORT_OUTPUT_H
#define WM_SUPPORT_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

struct wm_output {
	const char *path; /* as given */
	char *target; /* the file that is replaced */
	char *temporary; /* NULL: the output is written in place */
	FILE *file; /* NULL: it is not open */
	bool quick; /* the data need not be on the disk before the name is */
	struct wm_output *next; /* of those that are open */
};

/* Each function ends in wm_fail on failure.  An output stays where it is while it is open. */
void wm_output_open(struct wm_output *output, const char *path);
void wm_output_close(struct wm_output *output);
/* Adds to a regular file, which need not exist yet.  It is written in place, for files of which the command still has others to write
 * before they are complete, such as those in a directory that is put in place as a whole. */
void wm_output_append(struct wm_output *output, const char *path);
/* For a write that failed; errno gives the reason. */
_Noreturn void wm_output_fail(struct wm_output *output);

/* The file to which an output of this name goes, after all links; release it with free.  Ends in wm_fail if one of the
 * links is refused. */
char *wm_output_target(const char *path);

/* Writes a whole output file; ends in wm_fail on failure. */
void wm_write_file(const char *path, const void *data, size_t size);
/* The same for one of many files that can be made again: does not sync. */
void wm_write_quickly(const char *path, const void *data, size_t size);

/* The same for a regular file that exists: it keeps its rights.  Does not sync, as compilers and linkers do not. */
void wm_rewrite_file(const char *path, const void *data, size_t size);

#endif
