/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Standard output of a command.  It belongs to the process, so only cmd/ and view/ use it; the library has none. */
#ifndef WM_SUPPORT_STANDARD_OUTPUT_H
#define WM_SUPPORT_STANDARD_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/* From now on, all that is written to stdout is printable; newlines and tabs stay. */
void wm_printable_stdout(void);
/* Writes what is left of a character that was never completed; false: errno gives the reason. */
bool wm_printable_finish(void);
/* The descriptor of a stream; -1: it has none. */
int wm_stream_descriptor(FILE *out);

/* Styles of text that the command itself uses.  Only these strings pass through stdout unchanged: they contain a number
 * that no file can know. */
enum wm_style { WM_STYLE_PLAIN, WM_STYLE_BOLD, WM_STYLE_DIM, WM_STYLE_GREEN, WM_STYLE_YELLOW, WM_STYLE_COUNT };
const char *wm_style(enum wm_style style);

/* Writes what was printed to stdout so far.  A command that calls other functions of the system between its last output and
 * its end calls this before them, so that the reason of a failure is known. */
bool wm_flush_output(void);
/* Checks that all output to stdout was written; must be called last.  Ends in wm_fail if the disk is full or the
 * pipe is closed. */
void wm_finish_output(void);

#endif
