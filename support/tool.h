/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions that the library and all commands share.  A failure is one sentence that says what was wrong, where, and what to
 * do.  In a command it ends the process; a function of the library returns it to its caller (support/attempt.h).
 */
#ifndef WM_SUPPORT_TOOL_H
#define WM_SUPPORT_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A mistake of the user, and a defect of Waymark: the work is left, and the sentence goes to the innermost attempt of the
 * thread.  Without an attempt, a command prints "waymark NAME: <sentence>" on stderr and exits with code 1 or 2. */
_Noreturn void wm_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void wm_bug(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* wm_bug when memory lacks. */
_Noreturn void wm_no_memory(void);
/* A sentence for the listener of the attempt; without an attempt, a command prints the same on stderr.  Returns. */
void wm_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Set by cmd/main.c; used in messages. */
extern const char *wm_command_name;

/* Allocation functions that end in wm_no_memory on failure. */
void *wm_xmalloc(size_t size);
void *wm_xrealloc(void *old, size_t count, size_t size);
/* WM_GROW of core/base/grow.h, which also ends in wm_bug on failure. */
#define WM_XGROW(array, count) wm_xgrow(&(array), (count), sizeof *(array))
void wm_xgrow(void *array, size_t count, size_t size);
char *wm_xstrdup(const char *text);
char *wm_xprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A text that grows.  Must be initialised with zeros; `text` is NULL while nothing was added, and is released with free. */
struct wm_string {
	char *text;
	size_t length, room;
};
void wm_string_add(struct wm_string *string, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The text, which is "" if nothing was added, on the heap. */
char *wm_string_text(struct wm_string *string);

/* Reads a whole file ("-": standard input) and appends a NUL that is not part of its size.  False: errno gives the
 * reason.  Release the buffer with wm_buffer_release. */
struct wm_buffer {
	uint8_t *data;
	size_t size;
};
bool wm_buffer_read(struct wm_buffer *buffer, const char *path);
/* The same for what a descriptor still has to read. */
bool wm_buffer_read_fd(struct wm_buffer *buffer, int fd);
void wm_buffer_release(struct wm_buffer *buffer);

/* output.c: writes a whole output file; ends in wm_fail on failure. */
void wm_write_file(const char *path, const void *data, size_t size);

/* The same for a regular file that exists: it keeps its rights.  Does not sync, as compilers and linkers do not. */
void wm_rewrite_file(const char *path, const void *data, size_t size);

/* Tells the listener of the attempt how far the work is; without an attempt, a command prints it on stderr if that is a terminal.
 * `total` 0: it is not known. */
void wm_progress(const char *what, size_t done, size_t total);
void wm_progress_end(void);

/* The directory of the running executable, and the path of a file that belongs to it.  In the build tree such files are
 * beside the command; in an installation they are in ../lib/waymark and ../share/waymark. */
const char *wm_exe_dir(void);
char *wm_resource(const char *name); /* ends in wm_fail if the file is missing */

#endif
