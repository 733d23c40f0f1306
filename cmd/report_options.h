/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The options of commands that print reports, and values that they have in common. */
#ifndef WM_CMD_REPORT_OPTIONS_H
#define WM_CMD_REPORT_OPTIONS_H

#include "elf/elf_object.h"
#include "support/option_table.h"
#include "view/document/view_options.h"

/* The numbers of options that all commands that print source lines share, of those that choose functions by their files,
 * and of options of reports. */
enum { WM_SOURCE_OPTIONS = 7, WM_FILTER_OPTIONS = 3, WM_REPORT_OPTIONS = 18 };
void wm_source_option_table(struct wm_option table[WM_SOURCE_OPTIONS], struct wm_report_options *options);
void wm_filter_option_table(struct wm_option table[WM_FILTER_OPTIONS], struct wm_report_options *options);
/* Parses the options of a command that lists functions, and those of both tables, as wm_parse_options does; `text` is the
 * usage. */
int wm_report_parse(
	struct wm_report_options *options, const char *text, const struct wm_option *own, int argc, char **argv);
/* Ends in wm_fail if options do not fit together; wm_report_parse calls it. */
void wm_report_check(const struct wm_report_options *options);
/* WM_OPTION_CALL of --source-dir; the target is a struct wm_source_dirs. */
void wm_take_source_dir(void *target, const char *value);
void wm_report_option_table(struct wm_option table[WM_REPORT_OPTIONS], struct wm_report_options *options);

/* The row of a command that leaves out what is not of the project, whose table must not be used by others. */
#define WM_SCOPE_OPTION(report) WM_SCOPE_MODE_OPTION(&(report)->scope.mode)
#define WM_SCOPE_MODE_OPTION(mode) \
	WM_CHOICE("scope", mode, "WHAT", wm_scope_names, \
		"project: leave out system headers, code of third parties and tests\n" \
		"(default); all: everything")
extern const char *const wm_scope_names[];
/* Adds the binaries to the scope.  `named`: the question names code, which is therefore in the scope unless --scope is given. */
void wm_report_scope(
	struct wm_report_options *options, bool named, const struct wm_object *object, size_t object_count);

/* --changed base: the base branch that the configuration file of the project names.  The binaries are in the scope. */
struct wm_change;
void wm_report_base(const struct wm_report_options *options, struct wm_change *change);

/* The row of a command whose document can be Markdown. */
#define WM_MARKDOWN_OPTION(report) WM_FLAG("markdown", &(report)->markdown, "print Markdown, for a comment on a change")

/* The row of a command that leaves failures of checks out. */
#define WM_CHECKS_OPTION(report) \
	WM_FLAG("checks", &(report)->checks, \
		"treat failures of asserts and of checks of sanitizers as outcomes of\n" \
		"decisions, too")

/* Rows of a table for a struct wm_change (analysis/change/change.h). */
#define WM_CHANGE_OPTIONS(change, help) \
	WM_TEXT("changed", &(change)->range, "RANGE|-", help), \
		WM_TEXT("changed-root", &(change)->root, "DIR", \
			"the names of the diff are relative to this directory, as it\n" \
			"was called where the binary was compiled")

/* Parses "NAME:NUMBER", the value of `option`.  Returns the number; *length receives the length of NAME.  Ends in
 * wm_fail if the value has another form; `want` describes the form. */
uint64_t wm_named_number(const char *option, const char *want, const char *text, size_t *length);

#endif
