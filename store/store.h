/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A store: the profiles of many machines and tests in one database, each run once.  doc/store.md explains what is stored and
 * why each run counts exactly once.
 *
 * Functions that fail end in wm_fail (support/attempt.h); whoever goes on after a failure uses wm_attempt_run, and
 * wm_store_is_away then says whether the same may succeed later.  An open store is to be closed, also after a failure:
 * wm_store_close can be the release of a guard.
 */
#ifndef WM_STORE_STORE_H
#define WM_STORE_STORE_H

#include "profile/base/function_counts.h"
#include "store/database.h"
#include "store/url.h"

struct wm_profile_store {
	struct wm_store_url url; /* its filter is that of the name; operations take theirs as an argument */
	struct wm_database *database;
};

/* Parses the name and connects.  The store must exist, unless it is opened with WM_DATABASE_CREATE. */
struct wm_profile_store *wm_store_open(const char *name, enum wm_database_purpose purpose);
struct wm_profile_store *wm_store_open_within(
	const char *name, enum wm_database_purpose purpose, const struct wm_patience *patience);
void wm_store_close(void *store);
/* Whether the last failure was that of the database or of the way to it (away, locked, disk full). */
bool wm_store_is_away(const struct wm_profile_store *store);

/* What was begun and is not committed is undone: the release of a guard. */
void wm_store_roll_back(void *store);

/* Which WM_SCHEMA_VERSION the store has.  Fails if this waymark does not read it, and if it is asked by who may only push. */
int64_t wm_store_version(struct wm_profile_store *store);

/* Creates the tables.  Fails if they exist.  shards: NULL, or the name of a file with a connection string per line. */
void wm_store_init(struct wm_profile_store *store, const char *shards);

/* Who pushes, and what is said of the runs. */
struct wm_push_facts {
	const struct wm_label_list
		*labels; /* `kind` is added if it is missing: "test" if there is a test, else "field" */
	const char *machine; /* "": none */
	int64_t now; /* seconds since 1970: when runs began of which that is not known; nothing is later */
	/* When the counts were made: after the first and not after the second time.  0: it is not known, and the runs are taken as
	 * beginning and ending when they began, and not before a path was first seen. */
	int64_t since, until;
};
enum wm_push_result {
	WM_PUSH_STORED,
	WM_PUSH_KNOWN, /* the store had exactly this already */
	WM_PUSH_UNSURE, /* the store had all runs of the profile already, as a sum with others: whether with all their counts is not known */
	WM_PUSH_REFUSED, /* the store will never take it: counts would be added twice, it has what a store does not hold, or the
			  * database refuses it; *reason says why */
};
/* Stores a profile completely or not at all.  Safe to repeat after any failure, and by several processes at once.
 * Unfinished paths are left out if the store has no table for them (store/schema.h), as those of versions before 3.
 * A profile with runs without id counts as one more run, whose id is the checksum of the profile.
 * *reason: a clause about the profile, to be freed; NULL unless refused or unsure. */
enum wm_push_result wm_store_push(struct wm_profile_store *store, const struct wm_profile *profile,
	const struct wm_push_facts *facts, char **reason);

/* Adds what the filter selects to an initialised profile, as if the stored profiles were merged: byte by byte the
 * same indexed profile.  program and build select objects, and the runs that have one. */
void wm_store_load(struct wm_profile_store *store, const struct wm_filter *filter, struct wm_profile *profile);

/* Adds up bundles of one day (UTC) with the same labels and objects, if their last run counted before a time.  What is loaded stays the
 * same, except that filters can tell neither machines nor times of a day apart.  Returns the number of new sums. */
size_t wm_store_roll_up(struct wm_profile_store *store, int64_t before);
/* Completes the roll-ups that were begun, perhaps by somebody who was killed. */
void wm_store_complete_roll_ups(struct wm_profile_store *store);

/* Removes what the filter selects, except the ids of runs: they are not stored again.  Of a bundle with several objects, conditions
 * on objects remove only those that they select.  Returns the number of bundles of which it removed something. */
uint64_t wm_store_prune(struct wm_profile_store *store, const struct wm_filter *filter);

/* Lets a role of a PostgreSQL database push or read, in place of what it was granted before.  Only the owner of the store may. */
struct wm_grant {
	bool reader; /* it may read; else it may push */
	const char **program; /* the only programs that it may push; none: all */
	size_t program_count;
	bool tests; /* with programs: it may push profiles of their tests, too */
	uint64_t rows_per_push, rows_per_day; /* 0: the limits of the store */
};
void wm_store_grant(struct wm_profile_store *store, const char *role, const struct wm_grant *grant);
/* Takes away what was granted to the role itself; what its groups may do, it may still do. */
void wm_store_revoke(struct wm_profile_store *store, const char *role);

/* Brings the tables to the newest version, and returns it. */
int64_t wm_store_migrate(struct wm_profile_store *store);

/* What a store has, per program, build and set of labels. */
struct wm_store_entry {
	const char *program, *build_id, *labels; /* valid during the call */
	uint64_t runs, machines;
	int64_t first, last; /* when the first run began and when the last one counted, seconds since 1970 */
};
typedef void wm_store_take_entry(void *closure, const struct wm_store_entry *entry);
void wm_store_list(
	struct wm_profile_store *store, const struct wm_filter *filter, wm_store_take_entry *take, void *closure);

#endif
