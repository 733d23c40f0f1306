/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the subcommands share.  Each subcommand is one file with one entry point, wm_cmd_NAME(argc, argv), where
 * argv[0] is its name; main.c has the table.
 *
 * Exit codes: 0 success; 1 a mistake of the user; 2 a defect of Waymark; 3 a command was asked for a verdict and it
 * is negative.  Only this layer may end the process, and then with one sentence: what was wrong, where, what to do.
 */
#ifndef WM_TOOL_TOOL_H
#define WM_TOOL_TOOL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* "waymark NAME: <sentence>" on stderr, then exit(1) / exit(2). */
_Noreturn void wm_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void wm_bug(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same without the exit. */
void wm_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Set by main.c; used in messages. */
extern const char *wm_command_name;

/* malloc and friends that end in wm_bug("out of memory"). */
void *wm_xmalloc(size_t size);
void *wm_xrealloc(void *old, size_t count, size_t size);
/* WM_GROW of core/base/grow.h, likewise. */
#define WM_XGROW(array, count) wm_xgrow(&(array), (count), sizeof *(array))
void wm_xgrow(void *array, size_t count, size_t size);
char *wm_xstrdup(const char *text);
char *wm_xprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A whole file ("-": standard input), NUL-terminated behind its size.
 * false: errno says why.  Use wm_buffer_release. */
struct wm_buffer {
	uint8_t *data;
	size_t size;
};
bool wm_buffer_read(struct wm_buffer *buffer, const char *path);
void wm_buffer_release(struct wm_buffer *buffer);

/* Writes to a temporary file beside `path`, syncs, renames; wm_fail on trouble. */
void wm_write_file(const char *path, const void *data, size_t size);

/* Gives a file made by mkstemp the rights of one made by open(2). */
void wm_apply_umask(int fd);

/* Checks that stdout took everything; call last.  wm_fail on a full disk or closed pipe. */
void wm_finish_output(void);

/* {"schema": "waymark.<command>/1"}; print adds a newline and releases it. */
json_t *wm_json_document(const char *command);
void wm_json_print(json_t *document);

/* Progress on stderr when it is a terminal; nothing otherwise. */
void wm_progress(const char *what, size_t done, size_t total);
void wm_progress_end(void);

/* Directory of the running executable, and files that live with it: in the build
 * tree all beside the command, installed under ../lib/waymark and ../share/waymark. */
const char *wm_exe_dir(void);
char *wm_resource(const char *name); /* wm_fail when it is missing */

int wm_cmd_cc(int argc, char **argv); /* both cc and c++ */
int wm_cmd_run(int argc, char **argv);
int wm_cmd_merge(int argc, char **argv);
int wm_cmd_report(int argc, char **argv);
int wm_cmd_show(int argc, char **argv);
int wm_cmd_residual(int argc, char **argv);
int wm_cmd_tests(int argc, char **argv);
int wm_cmd_number(int argc, char **argv);
int wm_cmd_replay(int argc, char **argv);
int wm_cmd_hw(int argc, char **argv);
int wm_cmd_wpp(int argc, char **argv);

/* merge.c: reads every input (raw or indexed), names damaged ones on stderr with
 * what was lost and goes on; drops snapshots that another input contains.
 * Returns the number of inputs that gave nothing. */
struct wm_profile;
size_t wm_merge_files(struct wm_profile *into, char *const *paths, size_t count);

#endif
