/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Stores as operands of commands, in the place of files.  analysis/join/merge_files.c and analysis/suite/suite.c, by which all commands
 * read profiles, call these functions; a command need not know of stores.
 *
 * Functions that fail end in wm_fail.
 */
#ifndef WM_STORE_STORE_OPERAND_H
#define WM_STORE_STORE_OPERAND_H

#include "store/store.h"

/* Adds what the name selects to an initialised profile.  Fails if that is nothing, or cannot be added up. */
void wm_store_read(struct wm_profile *profile, const char *name);
/* The same of an open store; `name` is for messages. */
void wm_store_select(
	struct wm_profile *profile, struct wm_profile_store *store, const struct wm_filter *filter, const char *name);

/* Names of the tests that the filters select, ascending; none if the runs are not of tests. */
typedef void wm_store_take_test(void *closure, const char *test);
void wm_store_tests(const char *name, wm_store_take_test *take, void *closure);

/* The commits of the tests that the filters select, with the begin of their first run; the earliest first. */
typedef void wm_store_take_commit(void *closure, const char *commit, int64_t first);
void wm_store_commits(const char *name, wm_store_take_commit *take, void *closure);

/* The name of the same store with the same filters, except that those of the key are replaced by one with this value; heap. */
char *wm_store_name_with(const char *name, const char *key, const char *value);
/* The name with the filter kind=KIND, unless it has filters that say of what kind the runs are (kind, test); heap. */
char *wm_store_name_of_kind(const char *name, const char *kind);
/* The name of the tests of the same programs in the store: only the filter program stays; heap. */
char *wm_store_name_of_tests(const char *name);
/* Whether the store has runs that the name selects. */
bool wm_store_has(const char *name);

#endif
