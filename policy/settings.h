/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The options of the compiler: the only table of their names and the only check of their values.
 * `waymark cc` accepts an option as -fwaymark-NAME=VALUE and passes the value on in the option's
 * environment variable; the plugin reads the variables.  An empty variable counts as unset.
 */
#ifndef WM_POLICY_SETTINGS_H
#define WM_POLICY_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

enum wm_setting_kind {
	WM_SETTING_CHOICE, /* one of `values` */
	WM_SETTING_SWITCH, /* the same, off and on; -fwaymark-NAME without a value is `on` */
	WM_SETTING_SCHEME, /* what wm_scheme_parse accepts */
	WM_SETTING_FILE, /* the name of a readable file */
	WM_SETTING_FILES, /* names of readable files, separated by commas */
	WM_SETTING_LOOPS, /* FUNCTION:LINE:K,... or @FILE (policy/chosen_loops.h) */
	WM_SETTING_DEPTH, /* a number, 1 … WM_MAX_COPIES */
	WM_SETTING_PERCENT, /* a number, 100 … WM_MOST_PERCENT */
	WM_SETTING_PATHS, /* how many paths: 0 … WM_CRASH_PATHS; alone, `values` has the number */
};

struct wm_setting {
	const char *name, *variable;
	enum wm_setting_kind kind;
	const char *const *values; /* WM_SETTING_CHOICE: NULL-terminated; the first is the default */
	const char *help;
};

/* Indices into wm_settings, which is in the order of --help. */
enum {
	WM_SET_SCHEME,
	WM_SET_WPP,
	WM_SET_CFG,
	WM_SET_CONDITIONS,
	WM_SET_UPDATE,
	WM_SET_ALLOW,
	WM_SET_DENY,
	WM_SET_SYSTEM_HEADERS,
	WM_SET_WEIGHTS,
	WM_SET_INTERESTING,
	WM_SET_RESIDUAL,
	WM_SET_USE,
	WM_SET_SUPERBLOCKS,
	WM_SET_MARKS,
	WM_SET_K,
	WM_SET_UNFINISHED,
	WM_SET_CRASH,
	WM_SET_CROSS,
	WM_SET_SEGMENTS,
	WM_SET_SITES,
	WM_SET_SEGMENTS_SIZE,
	WM_SETTING_COUNT
};
#define WM_MOST_PERCENT 100000ul
extern const struct wm_setting wm_settings[WM_SETTING_COUNT];

/* By the first `length` characters of `name`; NULL: there is none. */
const struct wm_setting *wm_setting_find(const char *name, size_t length);
/* Whether earlier versions had a setting of this name: *error is one sentence that says what to use instead. */
bool wm_setting_removed(const char *name, size_t length, char error[300]);

/* A buffer of this size holds the texts of wm_setting_values and wm_scheme_names. */
#define WM_SETTING_TEXT 256
/* The valid values in words: "single, atomic, thread", "FILE". */
void wm_setting_values(const struct wm_setting *setting, char text[WM_SETTING_TEXT]);
/* "acyclic, preferential, kiter=K", and so on, with the schemes of paths across calls. */
void wm_scheme_names(char text[WM_SETTING_TEXT]);

/* `where` is how the user gave the value, for the message.  false: *error is one sentence. */
bool wm_setting_check(const struct wm_setting *setting, const char *value, const char *where, char error[300]);

/* The value in the environment, or NULL. */
const char *wm_setting_get(const struct wm_setting *setting);
/* The index of the value in `values`; 0 when the variable is unset.  The value must be valid. */
int wm_setting_choice(const struct wm_setting *setting);
/* The number that the value in the environment is; 0: the variable is unset.  The value must be valid. */
unsigned wm_setting_number(const struct wm_setting *setting);
/* The file that the value in the environment names, or NULL; of several files, use wm_setting_next_file. */
const char *wm_setting_file(const struct wm_setting *setting);
/* The files that the value in the environment names, one after the other: *at, which is NULL first, is the place of the next.
 * Heap; NULL: no more. */
char *wm_setting_next_file(const struct wm_setting *setting, const char **at);

/* Checks every variable by itself, and that those of earlier versions are not set.  false: *error is one sentence. */
bool wm_settings_check(char error[300]);
/* Checks what the variables say together, when each is valid.  false: *error is one sentence. */
bool wm_settings_check_together(char error[300]);

#endif
