/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A store in a PostgreSQL database, in its schema `waymark`.
 *
 * Whoever pushes calls functions of the owner (store/postgresql_schema.h), and needs no right to any table.  Rows go by COPY to
 * temporary tables that these functions created.  The connection takes functions, operators and tables only from the
 * schemas pg_catalog and waymark, so that another user of the database cannot replace them.
 */
#include "store/database.h"
#include "store/postgresql_schema.h"
#include "store/schema.h"
#include "store/url.h"
#include "store/wire.h"
#include "support/attempt.h"
#include "support/fail.h"
#include "support/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* How long a command waits for others, unless the connection string says something else (options=-c lock_timeout=…). */
#define PATIENCE "60s"

enum { COLUMNS_MAX = 16, COPY_BUFFER = 1 << 16, PARAMETERS_MAX = 128 };

struct postgresql {
	struct wm_database_base base;
	struct wm_wire wire;
	char *name; /* the location without its password */
	char *copy; /* rows on their way, COPY_BUFFER bytes */
	size_t copy_size, staging_columns;
};

/* Classes of SQLSTATE after which the same may succeed: connection, transaction to be repeated, resources, shutdown, system. */
static bool state_is_away(const char *state)
{
	static const char *const classes[] = {"08", "40", "53", "57", "58", "55"};
	for (size_t i = 0; state && i < sizeof(classes) / sizeof(*classes); i++)
		if (!strncmp(state, classes[i], 2))
			return true;
	return !state;
}

/* Classes of SQLSTATE that are about values: exceptions of data, integrity, limits, and those that push_check raises.  A key that
 * is there twice may be the doing of somebody else at the same time. */
static bool state_is_refusal(const char *state)
{
	static const char *const classes[] = {"22", "23", "54", "P0"};
	for (size_t i = 0; state && i < sizeof(classes) / sizeof(*classes); i++)
		if (!strncmp(state, classes[i], 2))
			return strcmp(state, "23505") != 0;
	return false;
}

static _Noreturn void fail(struct postgresql *db, const PGresult *result)
{
	const char *state = result ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
	const char *text = result && *PQresultErrorMessage(result) ? PQresultErrorMessage(result)
			   : db->wire.is_broken			   ? db->wire.trouble
								   : PQerrorMessage(db->wire.connection);
	char line[256];
	wm_wire_first_line(line, text);
	db->base.away = db->wire.is_broken || PQstatus(db->wire.connection) != CONNECTION_OK || state_is_away(state);
	snprintf(db->base.refusal, sizeof db->base.refusal, "%s", state_is_refusal(state) ? line : "");
	if (state && !strcmp(state, "55P03"))
		wm_fail("the store %s is busy: another command reads or changes it, and did not end in time; try again "
			"later",
			db->base.location);
	if (state && (!strcmp(state, "42P01") || !strcmp(state, "3F000") || !strcmp(state, "42883")))
		wm_fail("the store %s cannot be used (%s); create it with `waymark store init`, or ask its owner for "
			"`waymark store "
			"grant`",
			db->base.location, line);
	wm_fail("the store %s cannot be used (%s)", db->base.location, line);
}

static void clear(void *result)
{
	PQclear(result);
}

static void check(struct postgresql *db, PGresult *result, ExecStatusType wanted)
{
	struct wm_guard guard;
	wm_guard_begin(&guard, clear, result);
	if (PQresultStatus(result) != wanted &&
		!(wanted == PGRES_COMMAND_OK && PQresultStatus(result) == PGRES_TUPLES_OK))
		fail(db, result);
	wm_guard_end(&guard);
}

static void execute(struct wm_database *database, const char *sql)
{
	struct postgresql *db = (struct postgresql *)database;
	check(db, wm_wire_execute(&db->wire, sql), PGRES_COMMAND_OK);
}

/* Parameters are texts; the query determines their types. */
static void send_query(struct postgresql *db, const struct wm_sql_query *query)
{
	const char *value[PARAMETERS_MAX];
	char number[PARAMETERS_MAX][24];
	if (query->parameter_count > PARAMETERS_MAX)
		wm_bug("a query of the store has too many parameters");
	for (size_t i = 0; i < query->parameter_count; i++) {
		snprintf(number[i], sizeof(number[i]), "%lld", (long long)query->parameter[i].integer);
		value[i] = query->parameter[i].kind == WM_SQL_NULL   ? NULL
			   : query->parameter[i].kind == WM_SQL_TEXT ? query->parameter[i].text
								     : number[i];
	}
	if (db->wire.is_broken || !PQsendQueryParams(db->wire.connection, query->sql, (int)query->parameter_count, NULL,
					  value, NULL, NULL, 0))
		fail(db, NULL);
	PQsetSingleRowMode(db->wire.connection);
}

/* The types of the server that queries have. */
enum { TYPE_INT8 = 20, TYPE_INT4 = 23 };

static struct wm_sql_value column(const PGresult *result, int at)
{
	if (PQgetisnull(result, 0, at))
		return (struct wm_sql_value){.kind = WM_SQL_NULL};
	const char *text = PQgetvalue(result, 0, at);
	Oid type = PQftype(result, at);
	return type == TYPE_INT8 || type == TYPE_INT4 ? WM_SQL_NUMBER(strtoll(text, NULL, 10)) : WM_SQL_STRING(text);
}

static void take_result(struct postgresql *db, PGresult *result, const struct wm_sql_query *query)
{
	struct wm_sql_value row[COLUMNS_MAX];
	struct wm_guard guard;
	wm_guard_begin(&guard, clear, result);
	ExecStatusType status = PQresultStatus(result);
	if (status != PGRES_SINGLE_TUPLE && status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
		fail(db, result);
	if (status == PGRES_SINGLE_TUPLE && query->take) {
		if (query->columns > COLUMNS_MAX || (size_t)PQnfields(result) != query->columns)
			wm_bug("a query of the store has %d columns", PQnfields(result));
		for (size_t i = 0; i < query->columns; i++)
			row[i] = column(result, (int)i);
		query->take(query->closure, row);
	}
	wm_guard_end(&guard);
}

static void run_query(struct wm_database *database, const struct wm_sql_query *query)
{
	struct postgresql *db = (struct postgresql *)database;
	PGresult *result;
	send_query(db, query);
	while ((result = wm_wire_result(&db->wire)))
		take_result(db, result, query);
	if (db->wire.is_broken)
		fail(db, NULL);
}

/* Reading: nobody deletes rows on the servers of the store while this transaction reads them.  The snapshot of the transaction
 * is that of the first statement after LOCK TABLE, which itself needs none. */
static void begin(struct wm_database *database, enum wm_transaction transaction)
{
	static const char *const sql[] = {
		[WM_READING] =
			"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; LOCK TABLE " WM_LOCK_ROLL_UP WM_LOCK_SHARED,
		[WM_PUSHING] = "BEGIN ISOLATION LEVEL READ COMMITTED",
		[WM_MOVING] = "BEGIN ISOLATION LEVEL READ COMMITTED; LOCK TABLE " WM_LOCK_ROLL_UP WM_LOCK_ALONE,
		[WM_SWEEPING] = "BEGIN ISOLATION LEVEL READ COMMITTED; LOCK TABLE " WM_LOCK_ROLL_UP WM_LOCK_ALONE
				"; LOCK TABLE " WM_LOCK_PUSH WM_LOCK_ALONE,
	};
	execute(database, sql[transaction]);
}

static void commit(struct wm_database *database)
{
	execute(database, "COMMIT");
}

static void roll_back(struct wm_database *database)
{
	struct postgresql *db = (struct postgresql *)database;
	db->copy_size = 0;
	wm_wire_roll_back(&db->wire);
}

static void flush(struct postgresql *db)
{
	if (db->copy_size && !wm_wire_copy(&db->wire, db->copy, db->copy_size))
		fail(db, NULL);
	db->copy_size = 0;
}

static void put(struct postgresql *db, char byte)
{
	if (db->copy_size == COPY_BUFFER)
		flush(db);
	db->copy[db->copy_size++] = byte;
}

/* The text format of COPY. */
static void put_text(struct postgresql *db, const char *text)
{
	for (; *text; text++) {
		if (strchr("\\\t\n\r", *text))
			put(db, '\\');
		put(db, *text == '\n' ? 'n' : *text == '\r' ? 'r' : *text == '\t' ? 't' : *text);
	}
}

static void put_value(struct postgresql *db, const struct wm_sql_value *value)
{
	char number[24];
	switch (value->kind) {
	case WM_SQL_NULL:
		put(db, '\\');
		put(db, 'N');
		break;
	case WM_SQL_INTEGER:
		snprintf(number, sizeof(number), "%lld", (long long)value->integer);
		put_text(db, number);
		break;
	case WM_SQL_TEXT:
		put_text(db, value->text);
		break;
	}
}

static void stage_begin(struct wm_database *database, const char *table, size_t columns)
{
	struct postgresql *db = (struct postgresql *)database;
	char *sql = wm_xprintf("COPY pg_temp.%s FROM STDIN", table);
	PGresult *result = wm_wire_execute(&db->wire, sql);
	free(sql);
	check(db, result, PGRES_COPY_IN);
	db->staging_columns = columns;
}

static void stage_row(struct wm_database *database, const struct wm_sql_value *value)
{
	struct postgresql *db = (struct postgresql *)database;
	for (size_t i = 0; i < db->staging_columns; i++) {
		put_value(db, &value[i]);
		put(db, i + 1 == db->staging_columns ? '\n' : '\t');
	}
}

static void stage_end(struct wm_database *database)
{
	struct postgresql *db = (struct postgresql *)database;
	flush(db);
	if (!wm_wire_copy_end(&db->wire, NULL))
		fail(db, NULL);
	check(db, wm_wire_last(&db->wire), PGRES_COMMAND_OK);
}

static void stage_open(struct wm_database *database)
{
	execute(database, "SELECT waymark.push_begin()");
}

static void take_number(void *closure, const struct wm_sql_value *value)
{
	*(int *)closure = value[0].kind == WM_SQL_INTEGER ? (int)value[0].integer : -1;
}

static int stage_compare(struct wm_database *database)
{
	int result = -1;
	run_query(database,
		&(struct wm_sql_query){
			.sql = "SELECT waymark.push_compare()", .columns = 1, .take = take_number, .closure = &result});
	return result;
}

static void stage_take(struct wm_database *database)
{
	execute(database, "SELECT waymark.push_end()");
}

static void take_truth(void *closure, const struct wm_sql_value *value)
{
	*(bool *)closure = value[0].kind == WM_SQL_INTEGER && value[0].integer;
}

static bool is_superuser(struct wm_database *database)
{
	bool result = false;
	run_query(database,
		&(struct wm_sql_query){.sql = "SELECT rolsuper::int FROM pg_roles WHERE rolname = current_user",
			.columns = 1,
			.take = take_truth,
			.closure = &result});
	return result;
}

/* The shards commit first: an interruption then leaves empty tables there, and never a store without tables. */
static void create_on_shards(struct wm_database *database, const char *path)
{
	struct wm_shards shards;
	struct wm_guard guard;
	wm_shards_open(&shards, path, &((struct postgresql *)database)->wire.patience);
	wm_guard_begin(&guard, wm_shards_close, &shards);
	char *tables = wm_postgresql_shard_schema(), *sql = wm_postgresql_schema(&shards, is_superuser(database));
	wm_shards_create(&shards, tables);
	execute(database, sql);
	wm_shards_commit(&shards);
	free(tables);
	free(sql);
	wm_guard_end(&guard);
}

static void check_absent(struct wm_database *database)
{
	bool found = false;
	run_query(database, &(struct wm_sql_query){.sql = "SELECT count(*) FROM pg_namespace WHERE nspname = 'waymark'",
				    .columns = 1,
				    .take = take_truth,
				    .closure = &found});
	if (found)
		wm_fail("there is a store in %s already (the schema waymark); use it, or name another database",
			database->base.location);
}

static void create(struct wm_database *database, const char *shards)
{
	check_absent(database);
	if (shards) {
		create_on_shards(database, shards);
		return;
	}
	char *sql = wm_postgresql_schema(NULL, false);
	execute(database, sql);
	free(sql);
}

static void migrate(struct wm_database *database, int64_t version)
{
	char *sql = wm_postgresql_migration(version);
	execute(database, sql);
	free(sql);
}

static void close_store(struct wm_database *database)
{
	struct postgresql *db = (struct postgresql *)database;
	wm_wire_close(&db->wire);
	free(db->copy);
	free(db->name);
	free(db);
}

static void release(void *database)
{
	if (database)
		close_store(database);
}

static const struct wm_database_kind kind = {
	.name = "PostgreSQL",
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
	.partitions = WM_PARTITIONS,
	.among = {" = ANY (", "::bigint[])", "{}"},
	.create = create,
	.version = wm_postgresql_version,
	.migrate = migrate,
};

/* The server ends a statement when nobody waits for it any more.  Rows of a query may be taken slowly. */
static void set_limits(struct postgresql *db, enum wm_database_purpose purpose)
{
	char *sql = wm_xprintf(
		"SET search_path = pg_catalog, waymark, pg_temp; SELECT set_config('lock_timeout', '" PATIENCE
		"', false) WHERE current_setting('lock_timeout') = '0'; SELECT "
		"set_config('statement_timeout', '%us', false) WHERE %d > 0 AND "
		"current_setting('statement_timeout') = '0'",
		db->wire.patience.answer, purpose != WM_DATABASE_READ);
	execute((struct wm_database *)db, sql);
	free(sql);
}

struct wm_database *wm_postgresql_open(
	const char *location, enum wm_database_purpose purpose, const struct wm_patience *patience)
{
	struct postgresql *db = wm_xmalloc(sizeof(*db));
	struct wm_guard guard;
	*db = (struct postgresql){.name = wm_store_public_name(location)};
	db->base = (struct wm_database_base){.kind = &kind, .location = db->name};
	wm_guard_begin(&guard, release, db);
	if (!wm_wire_open(&db->wire, location, patience))
		wm_fail("the store %s cannot be reached (%s)", db->name, db->wire.trouble);
	db->copy = wm_xmalloc(COPY_BUFFER);
	set_limits(db, purpose);
	guard.what = NULL; /* The connection stays open. */
	wm_guard_end(&guard);
	return (struct wm_database *)db;
}
