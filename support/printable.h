/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Names of functions, files and programs and lines of source come from other people's files.  A control character among
 * them could make a terminal do something.  Everything that the command prints goes through this module: standard output
 * as a stream, messages in wm_fail and its kin, HTML pages by wm_html_print, and JSON by wm_json_dumpf.
 *
 * Control characters (U+0000 to U+001F, U+007F to U+009F), marks of direction, by which a name could look like another one
 * (U+202E and its kin), and bytes that are not UTF-8 are printed as \x1b.
 */
#ifndef WM_SUPPORT_PRINTABLE_H
#define WM_SUPPORT_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The first character of a text that is not empty.  A byte that belongs to no UTF-8 character is one of its own. */
struct wm_character {
	unsigned char length; /* bytes */
	bool printable;
	bool cut; /* the text ends inside of the character */
};
struct wm_character wm_character_at(const char *text, size_t size);

enum { WM_ESCAPED_BYTE = 4 }; /* characters */
/* Writes a byte as \x1b; `to` has room for WM_ESCAPED_BYTE characters and gets no NUL. */
void wm_escape_byte(char *to, unsigned char byte);

/* A copy in which everything but newlines and tabs is printable; release it with free. */
char *wm_printable(const char *text);

/* A copy in which newlines and tabs are printable, too, and everything else is unchanged: a name that stays on its line. */
char *wm_one_line(const char *text);

/* Writes a character of the text: itself, or its bytes as \\x1b.  Returns the number of bytes written; `to` has room for
 * WM_ESCAPED_BYTE per byte of the character and gets no NUL. */
size_t wm_put_character(char *to, const char *text, struct wm_character character);

#endif
