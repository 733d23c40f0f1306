/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A PostgreSQL store whose large tables (tally, path, seen) lie on several servers, the *shards*.  The server that is named to
 * commands, the *coordinator*, has all other tables, and foreign partitions (postgres_fdw) in place of the large ones: the
 * partitions, by the hash of the function, are dealt out to the shards.  doc/store.md says why each run still counts once.
 *
 * Everything that fails ends in wm_fail.
 */
#ifndef WM_STORE_SHARDS_H
#define WM_STORE_SHARDS_H

#include <stdbool.h>
#include <stddef.h>

struct wm_patience;
struct wm_wire;

struct wm_shards {
	char **name; /* connection strings */
	struct wm_wire *wire;
	size_t count;
};

/* Reads connection strings, one per line; empty lines and lines that begin with # are skipped.  Connects to each. */
void wm_shards_open(struct wm_shards *shards, const char *path, const struct wm_patience *patience);
/* Closes the connections; what was not committed does not happen.  Can be the release of a guard. */
void wm_shards_close(void *shards);
/* Begins a transaction on each, and creates the tables there: the statements `tables` with search_path waymark. */
void wm_shards_create(struct wm_shards *shards, const char *tables);
void wm_shards_commit(struct wm_shards *shards);
/* The statements for the coordinator: the partitions of the tables that are named {name, …, NULL}; partition i of each is NAME_i
 * on shard i modulo their number.  `trusted`: the user may use a shard without a password, which PostgreSQL allows to superusers.
 * Release the text with free. */
char *wm_shards_partitions(const struct wm_shards *shards, const char *const *table, size_t partitions, bool trusted);

#endif
