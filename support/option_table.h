/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The options of a subcommand, in a table.  One function parses the command line by the table and prints
 * --help from it, so that all subcommands treat unknown options, missing values and bad values alike:
 *
 *     --name VALUE, --name=VALUE, --name VALUE... (WM_OPTION_MANY), an unambiguous beginning of a name, -x VALUE, -xVALUE
 *     "--" ends the options; "-" alone is an operand; -h, --help and --help-all are in every table
 */
#ifndef WM_SUPPORT_OPTION_TABLE_H
#define WM_SUPPORT_OPTION_TABLE_H

#include <stdbool.h>
#include <stdint.h>

enum wm_option_kind {
	WM_OPTION_FLAG, /* no value; target: bool, becomes true */
	WM_OPTION_TEXT, /* target: const char * */
	WM_OPTION_NUMBER, /* target: uint64_t */
	WM_OPTION_CHOICE, /* one of `choices`; target: int, becomes its index */
	WM_OPTION_CALL, /* take(target, value) */
	WM_OPTION_MAYBE, /* take(target, value), value NULL for --name without =VALUE */
	WM_OPTION_MANY, /* --name VALUE...; target: struct wm_option_many */
};

/* take(target, value) for the value, and for each argument that follows it up to the next option or the first argument that
 * is not `also` a value. */
struct wm_option_many {
	void (*take)(void *target, const char *value);
	bool (*also)(const char *argument);
	void *target;
};

struct wm_option {
	const char *name; /* NULL: the end of the table */
	char letter; /* 0: none */
	enum wm_option_kind kind;
	void *target;
	const char *value; /* what --help calls the value; NULL: there is none */
	const char *help; /* lines, without the last newline; NULL: --help does not show the option */
	const char *const *choices; /* ends in NULL */
	void (*take)(void *target, const char *value); /* ends in wm_fail if the value is wrong */
	bool rare; /* only --help-all shows the option */
};
/* Entries of a table, for options without a letter.  Further members may follow, such as WM_RARE. */
#define WM_FLAG(n, t, ...) {.name = n, .kind = WM_OPTION_FLAG, .target = t, .help = __VA_ARGS__}
#define WM_TEXT(n, t, v, ...) {.name = n, .kind = WM_OPTION_TEXT, .target = t, .value = v, .help = __VA_ARGS__}
#define WM_NUMBER(n, t, ...) {.name = n, .kind = WM_OPTION_NUMBER, .target = t, .value = "N", .help = __VA_ARGS__}
#define WM_CHOICE(n, t, v, c, ...) \
	{.name = n, .kind = WM_OPTION_CHOICE, .target = t, .value = v, .choices = c, .help = __VA_ARGS__}
#define WM_MANY(n, t, v, ...) {.name = n, .kind = WM_OPTION_MANY, .target = t, .value = v, .help = __VA_ARGS__}
#define WM_CALL(n, f, t, v, ...) \
	{.name = n, .kind = WM_OPTION_CALL, .take = f, .target = t, .value = v, .help = __VA_ARGS__}
#define WM_RARE .rare = true

struct wm_syntax {
	const char *usage; /* "usage: ...", an empty line, and what the command does */
	const struct wm_option *table[4]; /* shown in this order; NULL: no more */
	const char *title[4]; /* what --help prints above a table; NULL: nothing */
	void (*more)(void); /* prints what follows the options; may be NULL */
	bool until_operand; /* arguments after the first operand are not options */
};
/* Returns the index in argv of the first operand, after moving all operands to the end.  Ends in wm_fail if an
 * option is wrong, and in exit(0) after --help or --help-all. */
int wm_parse_options(const struct wm_syntax *syntax, int argc, char **argv);

#endif
