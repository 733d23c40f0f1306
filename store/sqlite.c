/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A store in an SQLite file.  The file is hostile input when it is read: its tables must be those that wm_schema_tables
 * creates, without a view, a trigger or anything else that would run code of the file, and every value that is read
 * is checked by whoever takes it.
 */
#include "store/database.h"
#include "store/schema.h"
#include "support/attempt.h"
#include "support/fail.h"
#include "support/string_builder.h"
#include "support/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUSY_MILLISECONDS = 60000, COLUMNS_MAX = 16 };

struct sqlite {
	struct wm_database_base base;
	sqlite3 *handle;
	sqlite3_stmt *staging;
	size_t staging_columns;
};

static const char *const words[][2] = {
	{WM_SQL_ID, "INTEGER PRIMARY KEY AUTOINCREMENT"},
	{WM_SQL_SHARDED, "WITHOUT ROWID"},
	{WM_SQL_STAGE, "CREATE TEMP TABLE IF NOT EXISTS "},
	{WM_SQL_STAGED, ""},
	{WM_SQL_LAST_BUNDLE, "last_insert_rowid()"},
	{WM_SQL_LABELS_COLUMN, ""},
	{WM_SQL_LABELS_OWNER, ""},
	{WM_SQL_LABELS_OWNED, ""},
	{WM_SQL_NOW, "CAST(strftime('%s', 'now') AS INTEGER)"},
	{WM_SQL_USER, "''"},
	{NULL, NULL},
};

static bool is_away(int code)
{
	switch (code & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
	case SQLITE_FULL:
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
		return true;
	}
	return false;
}

/* A process was killed while it wrote.  What it wrote must be undone before anybody reads, which a reader cannot do. */
static bool is_interrupted(int code)
{
	return code == SQLITE_READONLY_ROLLBACK || code == SQLITE_READONLY_RECOVERY || code == SQLITE_READONLY_CANTINIT;
}

static bool is_missing(const struct sqlite *db, int code)
{
	return (code & 0xff) == SQLITE_CANTOPEN && access(db->base.location, F_OK) && errno == ENOENT;
}

static _Noreturn void fail(struct sqlite *db)
{
	int code = sqlite3_extended_errcode(db->handle);
	db->base.away = is_away(code) || is_interrupted(code);
	bool refused = (code & 0xff) == SQLITE_CONSTRAINT || (code & 0xff) == SQLITE_TOOBIG;
	snprintf(db->base.refusal, sizeof(db->base.refusal), "%s", refused ? sqlite3_errmsg(db->handle) : "");
	if (is_interrupted(code))
		wm_fail("a process was killed while it wrote the store %s, which must be repaired by a user who may "
			"write the file and its directory; `waymark store migrate` does it",
			db->base.location);
	if ((code & 0xff) == SQLITE_READONLY)
		wm_fail("the store %s cannot be written by this user; change the rights of the file and of its "
			"directory",
			db->base.location);
	if (is_missing(db, code))
		wm_fail("there is no store %s; create it with `waymark store init`", db->base.location);
	if ((code & 0xff) == SQLITE_BUSY)
		wm_fail("the store %s is locked by another process for more than %d seconds; try again",
			db->base.location, BUSY_MILLISECONDS / 1000);
	if ((code & 0xff) == SQLITE_NOTADB || (code & 0xff) == SQLITE_CORRUPT)
		wm_fail("the store %s is damaged or no SQLite file (%s); restore it from a copy", db->base.location,
			sqlite3_errmsg(db->handle));
	wm_fail("the store %s cannot be used (%s)", db->base.location, sqlite3_errmsg(db->handle));
}

static void check(struct sqlite *db, int code)
{
	if (code != SQLITE_OK)
		fail(db);
}

static void execute(struct wm_database *database, const char *sql)
{
	struct sqlite *db = (struct sqlite *)database;
	check(db, sqlite3_exec(db->handle, sql, NULL, NULL, NULL));
}

static void execute_words(struct wm_database *database, const char *sql)
{
	char *text = wm_schema_text(sql, words);
	execute(database, text);
	free(text);
}

static void bind(struct sqlite *db, sqlite3_stmt *statement, int at, const struct wm_sql_value *value)
{
	switch (value->kind) {
	case WM_SQL_NULL:
		check(db, sqlite3_bind_null(statement, at));
		break;
	case WM_SQL_INTEGER:
		check(db, sqlite3_bind_int64(statement, at, value->integer));
		break;
	case WM_SQL_TEXT:
		check(db, sqlite3_bind_text(statement, at, value->text, -1, SQLITE_TRANSIENT));
		break;
	}
}

static _Noreturn void fail_value(struct sqlite *db)
{
	wm_fail("the store %s is damaged: a value has a wrong type; restore it from a copy", db->base.location);
}

static struct wm_sql_value column(struct sqlite *db, sqlite3_stmt *statement, int at)
{
	switch (sqlite3_column_type(statement, at)) {
	case SQLITE_NULL:
		return (struct wm_sql_value){.kind = WM_SQL_NULL};
	case SQLITE_INTEGER:
		return WM_SQL_NUMBER(sqlite3_column_int64(statement, at));
	case SQLITE_TEXT: {
		const char *text = (const char *)sqlite3_column_text(statement, at);
		if (!text || strlen(text) != (size_t)sqlite3_column_bytes(statement, at))
			fail_value(db);
		return WM_SQL_STRING(text);
	}
	default:
		fail_value(db);
	}
}

static void finalize(void *statement)
{
	sqlite3_finalize(statement);
}

static void step_all(struct sqlite *db, sqlite3_stmt *statement, const struct wm_sql_query *query)
{
	struct wm_sql_value row[COLUMNS_MAX];
	int code;
	while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
		for (size_t i = 0; i < query->columns; i++)
			row[i] = column(db, statement, (int)i);
		if (query->take)
			query->take(query->closure, row);
	}
	if (code != SQLITE_DONE)
		fail(db);
}

static void run_query(struct wm_database *database, const struct wm_sql_query *query)
{
	struct sqlite *db = (struct sqlite *)database;
	struct wm_guard guard;
	sqlite3_stmt *statement;
	check(db, sqlite3_prepare_v2(db->handle, query->sql, -1, &statement, NULL));
	wm_guard_begin(&guard, finalize, statement);
	for (size_t i = 0; i < query->parameter_count; i++) {
		char name[16];
		snprintf(name, sizeof(name), "$%zu", i + 1);
		int at = sqlite3_bind_parameter_index(statement, name);
		if (at)
			bind(db, statement, at, &query->parameter[i]);
	}
	if (query->columns > COLUMNS_MAX || (query->take && (size_t)sqlite3_column_count(statement) != query->columns))
		wm_bug("a query of the store has %d columns", sqlite3_column_count(statement));
	step_all(db, statement, query);
	wm_guard_end(&guard);
}

static void begin(struct wm_database *database, enum wm_transaction transaction)
{
	execute(database, transaction != WM_READING ? "BEGIN IMMEDIATE" : "BEGIN");
}

static void commit(struct wm_database *database)
{
	execute(database, "COMMIT");
}

static void roll_back(struct wm_database *database)
{
	struct sqlite *db = (struct sqlite *)database;
	sqlite3_finalize(db->staging);
	db->staging = NULL;
	if (!sqlite3_get_autocommit(db->handle))
		sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
}

static void stage_begin(struct wm_database *database, const char *table, size_t columns)
{
	struct sqlite *db = (struct sqlite *)database;
	char *marks = wm_xstrdup("?");
	for (size_t i = 1; i < columns; i++) {
		char *more = wm_xprintf("%s,?", marks);
		free(marks);
		marks = more;
	}
	char *sql = wm_xprintf("INSERT INTO %s VALUES (%s)", table, marks);
	free(marks);
	int code = sqlite3_prepare_v2(db->handle, sql, -1, &db->staging, NULL);
	free(sql);
	check(db, code);
	db->staging_columns = columns;
}

static void stage_row(struct wm_database *database, const struct wm_sql_value *value)
{
	struct sqlite *db = (struct sqlite *)database;
	for (size_t i = 0; i < db->staging_columns; i++)
		bind(db, db->staging, (int)i + 1, &value[i]);
	if (sqlite3_step(db->staging) != SQLITE_DONE)
		fail(db);
	sqlite3_reset(db->staging);
}

static void stage_end(struct wm_database *database)
{
	struct sqlite *db = (struct sqlite *)database;
	sqlite3_finalize(db->staging);
	db->staging = NULL;
}

static void stage_open(struct wm_database *database)
{
	execute_words(database, wm_schema_stage);
	execute(database,
		"DELETE FROM stage_bundle; DELETE FROM stage_label; DELETE FROM stage_run; DELETE FROM stage_object;"
		"DELETE FROM stage_doubtful; DELETE FROM stage_function; DELETE FROM stage_path;"
		"DELETE FROM stage_unfinished;");
}

static void take_number(void *closure, const struct wm_sql_value *value)
{
	*(int64_t *)closure = value[0].integer;
}

static int stage_compare(struct wm_database *database)
{
	int64_t result = WM_STAGED_NEW;
	run_query(database, &(struct wm_sql_query){
				    .sql = wm_schema_compare, .columns = 1, .take = take_number, .closure = &result});
	return (int)result;
}

/* Nothing was staged of what the store does not keep, but an older one has no table for it either. */
static void stage_take(struct wm_database *database)
{
	int64_t rows = 0;
	execute_words(database, wm_schema_take);
	run_query(database, &(struct wm_sql_query){.sql = "SELECT count(*) FROM stage_unfinished",
				    .columns = 1,
				    .take = take_number,
				    .closure = &rows});
	if (rows)
		execute_words(database, wm_schema_take_unfinished);
}

static void create_tables(struct wm_database *database, int64_t version)
{
	execute_words(database, wm_schema_tables);
	execute_words(database, wm_schema_divided);
	if (version >= WM_SCHEMA_WITH_UNFINISHED)
		execute_words(database, wm_schema_unfinished);
}

static void migrate(struct wm_database *database, int64_t version)
{
	if (version < WM_SCHEMA_WITH_UNFINISHED)
		execute_words(database, wm_schema_unfinished);
}

static void close_handle(void *handle)
{
	sqlite3_close_v2(handle);
}

static void close_store(struct wm_database *database)
{
	struct sqlite *db = (struct sqlite *)database;
	sqlite3_finalize(db->staging);
	close_handle(db->handle);
	free(db);
}

/* What the file says of its own tables, in one text; sqlite_sequence and the like are SQLite's.  Tables that ANALYZE creates
 * are left out: nothing in them is more than advice to the planner. */
static void take_object(void *closure, const struct wm_sql_value *value)
{
	struct wm_string *text = closure;
	for (size_t i = 0; i < 3; i++)
		wm_string_add(text, "%s\n", value[i].kind == WM_SQL_TEXT ? value[i].text : "");
}

static char *describe_tables(struct wm_database *database)
{
	struct wm_string text = {0};
	run_query(database,
		&(struct wm_sql_query){.sql = "SELECT type, name, sql FROM sqlite_schema WHERE NOT (type = 'table' AND "
					      "sql IN ('CREATE TABLE sqlite_stat1(tbl,idx,stat)',"
					      "'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)')) ORDER BY "
					      "name",
			.columns = 3,
			.take = take_object,
			.closure = &text});
	return wm_string_text(&text);
}

/* The tables of a store. */
static char *describe_wanted(struct sqlite *db, int64_t version)
{
	struct sqlite memory = {.base = db->base};
	struct wm_guard guard;
	check(db, sqlite3_open_v2(":memory:", &memory.handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL));
	wm_guard_begin(&guard, close_handle, memory.handle);
	create_tables((struct wm_database *)&memory, version);
	char *text = describe_tables((struct wm_database *)&memory);
	wm_guard_end(&guard);
	return text;
}

/* Whether these are the tables of one of the versions. */
static bool is_store(struct sqlite *db, const char *found)
{
	bool is = false;
	for (int64_t version = 1; version <= WM_SCHEMA_VERSION && !is; version++) {
		char *wanted = describe_wanted(db, version);
		is = !strcmp(found, wanted);
		free(wanted);
	}
	return is;
}

static void create(struct wm_database *database, const char *shards)
{
	struct sqlite *db = (struct sqlite *)database;
	if (shards)
		wm_fail("a store in a file has no shards; use a PostgreSQL server");
	char *found = describe_tables(database);
	if (is_store(db, found))
		wm_fail("there is a store in %s already; use it, or name another file", db->base.location);
	if (*found)
		wm_fail("%s has other tables already; name another file", db->base.location);
	free(found);
	create_tables(database, WM_SCHEMA_VERSION);
}

static const struct wm_database_kind kind = {
	.name = "SQLite",
	.close = close_store,
	.query = run_query,
	.execute = execute,
	.begin = begin,
	.commit = commit,
	.roll_back = roll_back,
	.stage_begin = stage_begin,
	.stage_row = stage_row,
	.stage_end = stage_end,
	.stage_open = stage_open,
	.stage_compare = stage_compare,
	.stage_take = stage_take,
	.among = {" IN (SELECT value FROM json_each(", "))", "[]"},
	.create = create,
	.version = "SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'version'",
	.migrate = migrate,
};

static void check_tables(struct sqlite *db)
{
	char *found = describe_tables((struct wm_database *)db);
	bool same = is_store(db, found);
	bool empty = !*found;
	free(found);
	if (empty)
		wm_fail("%s is no store; create one with `waymark store init`", db->base.location);
	if (!same)
		wm_fail("%s is no store, or has other tables than this waymark creates; `waymark store migrate` "
			"changes those of "
			"older versions",
			db->base.location);
}

/* A file of somebody else must not run code: no functions from its schema, no extensions, no writes to its schema. */
static void distrust(struct sqlite *db)
{
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_limit(db->handle, SQLITE_LIMIT_LENGTH, 1 << 20);
	sqlite3_busy_timeout(db->handle, BUSY_MILLISECONDS);
}

static void set_up(struct sqlite *db)
{
	execute((struct wm_database *)db,
		"PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0;"
		"PRAGMA synchronous = FULL;");
}

static int open_handle(struct sqlite *db, enum wm_database_purpose purpose)
{
	static const int flags[] = {[WM_DATABASE_READ] = SQLITE_OPEN_READONLY,
		[WM_DATABASE_WRITE] = SQLITE_OPEN_READWRITE,
		[WM_DATABASE_CREATE] = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE};
	return sqlite3_open_v2(db->base.location, &db->handle, flags[purpose] | SQLITE_OPEN_EXRESCODE, NULL);
}

/* A journal may name a journal of several databases, which SQLite removes once it has undone what the former says.  Those of
 * stores never do: the one of a hostile file could name any file of the user. */
static bool journal_is_strange(const char *location)
{
	static const uint8_t magic[] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
	uint8_t end[sizeof(magic)];
	struct stat info;
	char *name = wm_xprintf("%s-journal", location);
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	free(name);
	if (fd < 0)
		return false;
	bool is = !fstat(fd, &info) && info.st_size >= (off_t)sizeof(end) &&
		  pread(fd, end, sizeof(end), info.st_size - (off_t)sizeof(end)) == sizeof(end) &&
		  !memcmp(end, magic, sizeof(end));
	close(fd);
	return is;
}

static void check_journal(const struct sqlite *db)
{
	if (journal_is_strange(db->base.location))
		wm_fail("%s-journal is not that of a store; restore the store from a copy", db->base.location);
}

/* Reads a little: the code says whether reading is possible. */
static int look(const struct sqlite *db)
{
	return sqlite3_exec(db->handle, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL);
}

/* Undoes what a killed process had begun to write: SQLite does so when whoever may write begins to read. */
static void repair(struct sqlite *db)
{
	struct sqlite writer = {.base = db->base};
	struct wm_guard guard;
	check_journal(db);
	int code = open_handle(&writer, WM_DATABASE_WRITE);
	wm_guard_begin(&guard, close_handle, writer.handle);
	check(&writer, code);
	distrust(&writer);
	check(&writer, look(&writer));
	wm_guard_end(&guard);
}

static void prepare(struct sqlite *db, enum wm_database_purpose purpose)
{
	distrust(db);
	if (purpose == WM_DATABASE_READ && is_interrupted(look(db)))
		repair(db);
	set_up(db);
	if (purpose != WM_DATABASE_CREATE)
		check_tables(db);
}

struct wm_database *wm_sqlite_open(const char *location, enum wm_database_purpose purpose)
{
	struct sqlite *db = wm_xmalloc(sizeof(*db));
	*db = (struct sqlite){.base = {.kind = &kind, .location = location}};
	struct wm_guard guard;
	if (purpose != WM_DATABASE_READ)
		check_journal(db);
	int code = open_handle(db, purpose);
	wm_guard_begin(&guard, close_handle, db->handle);
	check(db, code);
	prepare(db, purpose);
	guard.what = NULL; /* The handle stays open. */
	wm_guard_end(&guard);
	return (struct wm_database *)db;
}
