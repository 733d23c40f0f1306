/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A connection to a database that speaks SQL: sqlite.c and postgresql.c implement the table of functions, and everything
 * else in store/ is written once for both.  SQL text contains no value of a user: values are parameters ($1, $2, …), or rows
 * of a stage (store/schema.h).
 *
 * Numbers are 64-bit signed in both databases.  A number of a profile, which is unsigned, is stored as the signed number with
 * the same bits, and SQL adds them only in roll-ups, which leave large ones alone (store/roll_up.c).
 *
 * A function that fails ends in wm_fail (support/attempt.h).
 */
#ifndef WM_STORE_DATABASE_H
#define WM_STORE_DATABASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wm_sql_kind { WM_SQL_NULL, WM_SQL_INTEGER, WM_SQL_TEXT };
struct wm_sql_value {
	enum wm_sql_kind kind;
	int64_t integer;
	const char *text; /* of a row: valid while the row is taken; ends in NUL, which it does not contain */
};
#define WM_SQL_NUMBER(n) ((struct wm_sql_value){.kind = WM_SQL_INTEGER, .integer = (int64_t)(n)})
#define WM_SQL_STRING(s) ((struct wm_sql_value){.kind = WM_SQL_TEXT, .text = (s)})

/* The values of a row, in the order of the query.  The stored numbers and texts are hostile; their number is right. */
typedef void wm_sql_take(void *closure, const struct wm_sql_value *value);

struct wm_sql_query {
	const char *sql; /* one statement */
	const struct wm_sql_value *parameter;
	size_t parameter_count;
	size_t columns;
	wm_sql_take *take; /* NULL: the statement returns nothing */
	void *closure;
};

enum wm_database_purpose { WM_DATABASE_READ, WM_DATABASE_WRITE, WM_DATABASE_CREATE };

enum wm_transaction {
	WM_READING, /* sees one state of the store */
	WM_PUSHING, /* adds to the store */
	WM_MOVING, /* moves what is stored: nobody reads meanwhile */
	WM_SWEEPING, /* the same, and nobody pushes */
};

struct wm_database; /* each kind has its own, which begins with struct wm_database_base */
struct wm_database_kind {
	const char *name;
	void (*close)(struct wm_database *database);
	void (*query)(struct wm_database *database, const struct wm_sql_query *query);
	/* Several statements without parameters. */
	void (*execute)(struct wm_database *database, const char *sql);
	void (*begin)(struct wm_database *database, enum wm_transaction transaction);
	void (*commit)(struct wm_database *database);
	/* After a failure: nothing of the transaction remains.  Does not fail. */
	void (*roll_back)(struct wm_database *database);
	/* Appends rows to a table of the stage: begin, rows, end.  table: "name (column, …)". */
	void (*stage_begin)(struct wm_database *database, const char *table, size_t columns);
	void (*stage_row)(struct wm_database *database, const struct wm_sql_value *value);
	void (*stage_end)(struct wm_database *database);
	/* Creates the tables of the stage, if need be, and empties them. */
	void (*stage_open)(struct wm_database *database);
	/* How much of the staged runs the store has: enum wm_staged in store/schema.h. */
	int (*stage_compare)(struct wm_database *database);
	/* Moves what was staged into the store. */
	void (*stage_take)(struct wm_database *database);
	/* The tables that are divided by function consist of NAME_0, NAME_1, …, each of which lies on one server; 0: they are whole. */
	size_t partitions;
	/* A condition that a number is in a list, which is a text parameter: what stands before and behind the parameter in SQL, and
	 * the brackets of the list. */
	struct {
		const char *before, *behind, *brackets;
	} among;
	/* Creates the tables of a store; the database is empty of them. */
	void (*create)(struct wm_database *database, const char *shards);
	/* A query that whoever may push may make: the version of the store, which says what it keeps. */
	const char *version;
	/* Brings the tables and functions of an older store to WM_SCHEMA_VERSION, in a transaction. */
	void (*migrate)(struct wm_database *database, int64_t version);
};
struct wm_database_base {
	const struct wm_database_kind *kind;
	const char *location; /* for messages; the owner keeps it */
	/* The failure was that of the database: it is locked, away, or its disk is full.  The same may succeed later. */
	bool away;
	/* The failure was that of a value: it is too long, or a check of the database refuses it.  The same will never succeed.
	 * What the database said; "": it was another failure. */
	char refusal[256];
};
struct wm_database {
	struct wm_database_base base;
};

/* How long whoever talks to a server waits for it, in seconds, and what is done meanwhile. */
struct wm_patience {
	unsigned connect; /* for a connection to a host, unless its connection string says something else */
	unsigned answer; /* for each answer: the result of a statement, or the next row of a query */
	/* The process has no other threads, so that its memory may be limited while it reads an answer.  Else a server that sends
	 * faster than this process reads may make it take up to a gigabyte. */
	bool is_alone;
	void (*meanwhile)(void *closure); /* about once a second, when an answer is some seconds late; NULL: nothing */
	void *closure;
};
/* Of commands that somebody waits for: their statements may have to move or remove many rows. */
#define WM_PATIENCE_OF_COMMANDS ((struct wm_patience){.connect = 30, .answer = 3600})

struct wm_database *wm_postgresql_open(
	const char *location, enum wm_database_purpose purpose, const struct wm_patience *patience);
/* A file has no server: whoever waits for its lock waits for at most half a minute. */
struct wm_database *wm_sqlite_open(const char *location, enum wm_database_purpose purpose);

#endif
