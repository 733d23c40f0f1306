/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "store/shards.h"
#include "store/wire.h"
#include "support/attempt.h"
#include "support/buffer.h"
#include "support/fail.h"
#include "support/string_builder.h"
#include "support/xalloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void fail(size_t i, const char *text)
{
	char line[256];
	wm_wire_first_line(line, text);
	wm_fail("shard %zu cannot be used (%s)", i + 1, line);
}

static void add_shard(struct wm_shards *shards, const char *name, const struct wm_patience *patience)
{
	WM_XGROW(shards->name, shards->count);
	WM_XGROW(shards->wire, shards->count);
	size_t i = shards->count++;
	shards->name[i] = wm_xstrdup(name);
	if (!wm_wire_open(&shards->wire[i], name, patience))
		fail(i, shards->wire[i].trouble);
}

void wm_shards_open(struct wm_shards *shards, const char *path, const struct wm_patience *patience)
{
	struct wm_buffer buffer;
	struct wm_guard guard;
	*shards = (struct wm_shards){0};
	if (!wm_buffer_read(&buffer, path))
		wm_fail("the list of shards %s cannot be read (%s)", path, strerror(errno));
	wm_guard_begin(&guard, wm_shards_close, shards);
	char *rest = (char *)buffer.data, *line;
	while ((line = strsep(&rest, "\n")))
		if (*line && *line != '#')
			add_shard(shards, line, patience);
	wm_buffer_release(&buffer);
	if (!shards->count)
		wm_fail("%s names no shard; write one connection string per line", path);
	guard.what = &(struct wm_shards){0}; /* They stay open. */
	wm_guard_end(&guard);
}

void wm_shards_close(void *argument)
{
	struct wm_shards *shards = argument;
	for (size_t i = 0; i < shards->count; i++) {
		wm_wire_close(&shards->wire[i]);
		free(shards->name[i]);
	}
	free(shards->wire);
	free(shards->name);
	*shards = (struct wm_shards){0};
}

static void execute(const struct wm_shards *shards, size_t i, const char *sql)
{
	struct wm_wire *wire = &shards->wire[i];
	PGresult *result = wm_wire_execute(wire, sql);
	bool ok = PQresultStatus(result) == PGRES_COMMAND_OK;
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
	/* Nothing tells the tables of an interrupted init from those of a new store, which must not be shared. */
	bool exists = state && !strcmp(state, "42P06");
	PQclear(result);
	if (exists)
		wm_fail("shard %zu has a schema waymark already: it belongs to another store, or `waymark store init` "
			"was interrupted; in the latter case, execute DROP SCHEMA waymark CASCADE there and try again",
			i + 1);
	if (!ok)
		fail(i, wire->is_broken ? wire->trouble : PQerrorMessage(wire->connection));
}

void wm_shards_create(struct wm_shards *shards, const char *tables)
{
	for (size_t i = 0; i < shards->count; i++) {
		execute(shards, i,
			"BEGIN; CREATE SCHEMA waymark; REVOKE ALL ON SCHEMA waymark FROM PUBLIC; SET LOCAL search_path "
			"= "
			"waymark, pg_catalog");
		execute(shards, i, tables);
	}
}

void wm_shards_commit(struct wm_shards *shards)
{
	for (size_t i = 0; i < shards->count; i++)
		execute(shards, i, "COMMIT");
}

/* KEYWORD 'value', with the quotes of SQL. */
static char *option(PGconn *connection, const PQconninfoOption *given)
{
	char *value = PQescapeLiteral(connection, given->val, strlen(given->val));
	if (!value)
		wm_no_memory();
	char *text = wm_xprintf(", %s %s", given->keyword, value);
	PQfreemem(value);
	return text;
}

static bool is_one_of(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(word, *list))
			return true;
	return false;
}

/* Options of a server and of its users are different options to postgres_fdw.  `of_user`: those of a user. */
static char *options_of(const struct wm_shards *shards, size_t i, bool of_user)
{
	static const char *const user[] = {"user", "password", "sslpassword", "sslcert", "sslkey", NULL};
	static const char *const server[] = {"host", "hostaddr", "port", "dbname", "sslmode", "sslrootcert", "sslcrl",
		"connect_timeout", "keepalives", "keepalives_idle", "keepalives_interval", "keepalives_count",
		"service", "tcp_user_timeout", "ssl_min_protocol_version", "channel_binding", "gssencmode",
		"krbsrvname", NULL};
	struct wm_string text = {0};
	char *error;
	PQconninfoOption *all = PQconninfoParse(shards->name[i], &error);
	if (!all)
		fail(i, error ? error : "out of memory");
	for (PQconninfoOption *given = all; given->keyword; given++)
		if (given->val && is_one_of(given->keyword, of_user ? user : server))
			wm_string_take(&text, option(shards->wire[i].connection, given));
	PQconninfoFree(all);
	return wm_string_text(&text);
}

/* batch_size, fetch_size: rows that go to and come from a shard at once. */
static char *server_text(const struct wm_shards *shards, size_t i, bool trusted)
{
	char *server = options_of(shards, i, false), *user = options_of(shards, i, true);
	bool without = trusted && !strstr(user, ", password ");
	char *text = wm_xprintf("CREATE SERVER waymark_shard_%zu FOREIGN DATA WRAPPER postgres_fdw OPTIONS (batch_size "
				"'1000', fetch_size "
				"'10000', async_capable 'true'%s);"
				"CREATE USER MAPPING FOR PUBLIC SERVER waymark_shard_%zu%s%s%s%s;",
		i, server, i, *user || without ? " OPTIONS (" : "", *user ? user + 2 : "",
		without ? (*user ? ", password_required 'false'" : "password_required 'false'") : "",
		*user || without ? ")" : "");
	free(server);
	free(user);
	return text;
}

static char *partition_text(const char *table, size_t i, size_t partitions, size_t shard)
{
	return wm_xprintf(
		"CREATE FOREIGN TABLE %s_%zu PARTITION OF %s FOR VALUES WITH (MODULUS %zu, REMAINDER %zu) SERVER "
		"waymark_shard_%zu OPTIONS (schema_name 'waymark', table_name '%s_%zu');",
		table, i, table, partitions, i, shard, table, i);
}

/* A partition on another server cannot belong to a key of the whole table; the shards have the keys. */
char *wm_shards_partitions(const struct wm_shards *shards, const char *const *table, size_t partitions, bool trusted)
{
	struct wm_string text = {0};
	wm_string_add(&text, "%s", "CREATE EXTENSION IF NOT EXISTS postgres_fdw;");
	for (size_t i = 0; i < shards->count; i++)
		wm_string_take(&text, server_text(shards, i, trusted));
	for (; *table; table++) {
		wm_string_add(&text, "ALTER TABLE %s DROP CONSTRAINT %s_pkey;", *table, *table);
		for (size_t i = 0; i < partitions; i++)
			wm_string_take(&text, partition_text(*table, i, partitions, i % shards->count));
	}
	return wm_string_text(&text);
}
