/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How a user names a store, and what of it: LOCATION, or LOCATION#FILTER&FILTER.
 *
 * LOCATION is the name of an SQLite file, or postgresql://… or postgres://… with everything that libpq allows there.  The filters
 * begin after the last '#', so that a location that contains one ends in another.  A filter is KEY=VALUE, where %XX in the value is a byte:
 *   program, build   name of the program, build-id in hexadecimal
 *   since, until     when the run last counted, as far as it is known: a date (2026-11-18, 2026-11-18T07:15 or …:30, UTC) or how long ago (7d, 12h, 30m, 2w)
 *   machine          what the machine is called in the store
 *   anything else    a label; kind (field or test), test and commit are labels too
 * Values of one key are alternatives, and filters of different keys must all hold.
 */
#ifndef WM_STORE_URL_H
#define WM_STORE_URL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes, without the NUL.  Keys consist of letters, digits, '_', '-' and '.', and begin with a letter; values are UTF-8 and contain
 * neither control characters nor commas. */
enum { WM_LABEL_KEY_MAX = 64, WM_LABEL_VALUE_MAX = 256, WM_MACHINE_MAX = 64, WM_LABELS_MAX = 32 };
/* Of the text of all labels of a run: an index of PostgreSQL takes no longer ones. */
enum { WM_LABELS_TEXT_MAX = 2048 };

/* The bytes of the UTF-8 character at the beginning of a text that is not empty; 0: there is none, or it is a control
 * character. */
size_t wm_utf8_length(const char *text);

struct wm_label {
	char *key, *value;
};
struct wm_label_list {
	struct wm_label *label; /* ascending by key, then by value */
	size_t count;
};
bool wm_label_key_is_valid(const char *key);
bool wm_label_value_is_valid(const char *value);
/* Ends in wm_fail if the key or the value is not valid.  Copies both. */
void wm_label_list_add(struct wm_label_list *list, const char *key, const char *value);
/* The same, for a label that must not be there yet. */
void wm_label_list_add_new(struct wm_label_list *list, const char *key, const char *value);
/* Adds `kind` if it is missing: "test" if there is a test, else "field".  Ends in wm_fail if there are then too many labels, or
 * their text is too long. */
void wm_label_list_add_kind(struct wm_label_list *list);
/* KEY=VALUE,KEY=VALUE: the keys must be different, and none of them a word that filters use otherwise.  Ends in wm_fail. */
void wm_label_list_parse(struct wm_label_list *list, const char *text);
/* The value of the first label with the key; NULL: there is none. */
const char *wm_label_list_find(const struct wm_label_list *list, const char *key);
/* KEY=VALUE,KEY=VALUE; release it with free. */
char *wm_label_list_text(const struct wm_label_list *list);
void wm_label_list_release(struct wm_label_list *list);

struct wm_filter {
	struct wm_label_list labels; /* all keys but since and until */
	int64_t since, until; /* seconds since 1970: since ≤ time < until; INT64_MIN and INT64_MAX: no limit */
};

bool wm_filter_is_empty(const struct wm_filter *filter);

struct wm_store_url {
	char *location;
	bool is_server; /* PostgreSQL */
	struct wm_filter filter;
};

/* `now`: seconds since 1970, for times that are relative.  Ends in wm_fail if a filter is wrong. */
void wm_store_url_parse(struct wm_store_url *url, const char *text, int64_t now);
void wm_store_url_release(struct wm_store_url *url);
/* The name of a store without its passwords, for messages and reports; release it with free. */
char *wm_store_public_name(const char *name);
/* A time as in since=.  False: the text is none. */
bool wm_store_time_parse(int64_t *time, const char *text, int64_t now);
/* Whether an operand of a command names a store: it begins with one of the two schemes, or it names an SQLite file, if need be
 * with filters. */
bool wm_is_store(const char *operand);

#endif
