/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The schema `waymark` of a PostgreSQL database: the tables, and the functions by which a writer adds to them.
 *
 * The functions run with the rights of the owner (SECURITY DEFINER), and everything that the caller supplies is hostile:
 *   - They take names only from pg_catalog and waymark, and from pg_temp last.
 *   - The tables of the stage are created by push_begin, belong to the owner, and the caller may only insert into them.  A
 *     table, view or trigger that the caller prepared under the same name is refused, because it would run code of
 *     the caller with the rights of the owner.
 *   - What was staged is checked before it is moved: all that a reader would refuse, sizes, and, if the owner
 *     granted them for certain programs only, that the objects are of these.
 */
#ifndef WM_STORE_POSTGRESQL_SCHEMA_H
#define WM_STORE_POSTGRESQL_SCHEMA_H

#include "store/shards.h"

#include <stdbool.h>
#include <stdint.h>

/* Empty tables, which are there to be locked: whoever has no right to them cannot lock them either, whereas every user of the
 * database can take an advisory lock.  A reader locks WM_LOCK_ROLL_UP in a mode that it shares with other readers, and what
 * moves counted rows locks it alone; pushes and sweeps do the same with WM_LOCK_PUSH, because rows are on a
 * server before their bundle is. */
#define WM_LOCK_ROLL_UP "waymark.roll_up_lock"
#define WM_LOCK_PUSH "waymark.push_lock"
#define WM_LOCK_SHARED " IN ACCESS SHARE MODE"
#define WM_LOCK_ALONE " IN ACCESS EXCLUSIVE MODE"

/* Parts into which the tables that grow with paths are divided, by function. */
enum { WM_PARTITIONS = 8 };

/* The statements that create it; release the text with free.  shards: NULL, or where the tables that grow with paths lie. */
char *wm_postgresql_schema(const struct wm_shards *shards, bool trusted);
/* The statements that bring one of an older version to WM_SCHEMA_VERSION; likewise. */
char *wm_postgresql_migration(int64_t version);
extern const char wm_postgresql_version[]; /* wm_database_kind.version */
/* The statements for a shard. */
char *wm_postgresql_shard_schema(void);

#endif
