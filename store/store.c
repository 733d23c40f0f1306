/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "store/store.h"
#include "abi/abi.h"
#include "profile/collect.h"
#include "store/schema.h"
#include "store/select.h"
#include "support/attempt.h"
#include "support/fail.h"
#include "support/xalloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void take_version(void *closure, const struct wm_sql_value *value)
{
	*(int64_t *)closure = value[0].kind == WM_SQL_TEXT ? strtoll(value[0].text, NULL, 10) : -1;
}

int64_t wm_store_version(struct wm_profile_store *store)
{
	int64_t version = -1;
	store->database->base.kind->query(
		store->database, &(struct wm_sql_query){.sql = "SELECT value FROM meta WHERE key = 'version'",
					 .columns = 1,
					 .take = take_version,
					 .closure = &version});
	if (version > WM_SCHEMA_VERSION)
		wm_fail("the store %s has version %" PRId64 " and this waymark reads version %d; use a newer waymark",
			store->database->base.location, version, WM_SCHEMA_VERSION);
	if (version < 1)
		wm_fail("the store %s does not say which version it has; restore it from a copy",
			store->database->base.location);
	return version;
}

struct wm_profile_store *wm_store_open(const char *name, enum wm_database_purpose purpose)
{
	return wm_store_open_within(name, purpose, &WM_PATIENCE_OF_COMMANDS);
}

struct wm_profile_store *wm_store_open_within(
	const char *name, enum wm_database_purpose purpose, const struct wm_patience *patience)
{
	struct wm_profile_store *store = wm_xmalloc(sizeof(*store));
	struct wm_guard guard;
	*store = (struct wm_profile_store){0};
	wm_store_url_parse(&store->url, name, time(NULL));
	wm_guard_begin(&guard, wm_store_close, store);
	store->database = store->url.is_server ? wm_postgresql_open(store->url.location, purpose, patience)
					       : wm_sqlite_open(store->url.location, purpose);
	if (purpose == WM_DATABASE_READ)
		wm_store_version(store);
	guard.what = NULL; /* It stays open. */
	wm_guard_end(&guard);
	return store;
}

void wm_store_close(void *argument)
{
	struct wm_profile_store *store = argument;
	if (!store)
		return;
	if (store->database)
		store->database->base.kind->close(store->database);
	wm_store_url_release(&store->url);
	free(store);
}

bool wm_store_is_away(const struct wm_profile_store *store)
{
	return store->database->base.away;
}

void wm_store_roll_back(void *argument)
{
	struct wm_profile_store *store = argument;
	store->database->base.kind->roll_back(store->database);
}

void wm_store_init(struct wm_profile_store *store, const char *shards)
{
	const struct wm_database_kind *kind = store->database->base.kind;
	struct wm_guard guard;
	struct wm_sql_value version = WM_SQL_STRING("3");
	_Static_assert(WM_SCHEMA_VERSION == 3, "the text above");
	wm_guard_begin(&guard, wm_store_roll_back, store);
	kind->begin(store->database, WM_PUSHING);
	kind->create(store->database, shards);
	kind->query(
		store->database, &(struct wm_sql_query){.sql = "INSERT INTO meta (key, value) VALUES ('version', $1)",
					 .parameter = &version,
					 .parameter_count = 1});
	kind->commit(store->database);
	wm_guard_end(&guard);
}

/* In a transaction. */
static void migrate(struct wm_profile_store *store, int64_t version)
{
	const struct wm_database_kind *kind = store->database->base.kind;
	kind->migrate(store->database, version);
	kind->execute(store->database, "UPDATE meta SET value = '3' WHERE key = 'version'");
	_Static_assert(WM_SCHEMA_VERSION == 3, "the text above");
}

int64_t wm_store_migrate(struct wm_profile_store *store)
{
	const struct wm_database_kind *kind = store->database->base.kind;
	struct wm_guard guard;
	wm_guard_begin(&guard, wm_store_roll_back, store);
	kind->begin(store->database, WM_PUSHING);
	int64_t version = wm_store_version(store);
	if (version < WM_SCHEMA_VERSION)
		migrate(store, version);
	kind->commit(store->database);
	wm_guard_end(&guard);
	return WM_SCHEMA_VERSION;
}

struct listing {
	struct wm_profile_store *store;
	wm_store_take_entry *take;
	void *closure;
};

static _Noreturn void fail_damaged(const struct wm_profile_store *store)
{
	wm_fail("the store %s is damaged: a value is missing or makes no sense; restore it from a copy",
		store->database->base.location);
}

/* What is printed must not contain control characters. */
static bool is_printable(const char *text, size_t longest)
{
	size_t length = 0;
	for (; text[length]; length++)
		if (!wm_program_byte((uint8_t)text[length]))
			return false;
	return length <= longest;
}

static void take_entry(void *closure, const struct wm_sql_value *value)
{
	const struct listing *listing = closure;
	for (size_t i = 0; i < 7; i++)
		if (value[i].kind != (i < 3 ? WM_SQL_TEXT : WM_SQL_INTEGER))
			fail_damaged(listing->store);
	if (!is_printable(value[0].text, WM_PROGRAM_MAX - 1) || !is_printable(value[1].text, 2 * WM_BUILD_ID_MAX) ||
		!is_printable(value[2].text, (size_t)WM_LABELS_MAX * (WM_LABEL_KEY_MAX + WM_LABEL_VALUE_MAX + 2)))
		fail_damaged(listing->store);
	listing->take(listing->closure, &(struct wm_store_entry){.program = value[0].text,
						.build_id = value[1].text,
						.labels = value[2].text,
						.runs = (uint64_t)value[3].integer,
						.machines = (uint64_t)value[4].integer,
						.first = value[5].integer,
						.last = value[6].integer});
}

/* So that no sum of them exceeds 2^63, whatever somebody wrote into the store. */
#define RUNS \
	"CASE WHEN coalesce(c.runs, b.runs) BETWEEN 0 AND 1099511627776 THEN coalesce(c.runs, b.runs) ELSE " \
	"1099511627776 END"

/* x: an object of a bundle; n: on how many machines an object with certain labels ran. */
static const char list_start[] =
	"WITH x AS (SELECT b.id AS bundle, c.program, d.build_id, c.build, s.labels, " RUNS " AS runs,"
	" b.first, b.last FROM bundle b JOIN label_set s ON s.id = b.label_set JOIN content c ON c.bundle = b.id"
	" JOIN build d ON d.id = c.build WHERE true";
static const char list_end[] =
	"), n AS (SELECT y.program, y.build, y.labels, count(DISTINCT m.machine) AS machines FROM x y"
	" JOIN machine m ON m.bundle = y.bundle GROUP BY y.program, y.build, y.labels)"
	" SELECT x.program, x.build_id, x.labels, CAST(sum(x.runs) AS bigint), coalesce(n.machines, 0), min(x.first),"
	" max(x.last) FROM x LEFT JOIN n ON n.program = x.program AND n.build = x.build AND n.labels = x.labels"
	" GROUP BY x.program, x.build_id, x.build, x.labels, n.machines"
	" ORDER BY x.program, max(x.last), x.build_id, x.labels";

void wm_store_list(
	struct wm_profile_store *store, const struct wm_filter *filter, wm_store_take_entry *take, void *closure)
{
	struct listing listing = {store, take, closure};
	struct wm_guard guard;
	struct wm_select select;
	store->database->base.kind->begin(store->database, WM_READING);
	wm_guard_begin(&guard, wm_store_roll_back, store);
	wm_select_check_machines(store->database, filter);
	wm_select_init(&select, list_start);
	wm_select_add_bundles(&select, filter);
	wm_select_add_objects(&select, filter);
	wm_select_add(&select, list_end);
	wm_select_run(&select, store->database, 7, take_entry, &listing);
	wm_select_release(&select);
	wm_guard_end(&guard);
}
