/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Removing what is old.  First it ceases to count, in one transaction: bundles, or, if the filter selects objects, these objects of
 * bundles and then the bundles that have none any more.  Afterwards the rows that belong to nothing are removed from each partition,
 * also those of pushes that were killed between two servers.  The ids of runs stay, so that a late second push does nothing.
 *
 * Roll-ups that were begun are completed before, because until then it is not known whose rows a row is.
 */
#include "store/schema.h"
#include "store/select.h"
#include "store/store.h"
#include "support/attempt.h"
#include "support/xalloc.h"

#include <stdio.h>
#include <stdlib.h>

struct prune {
	struct wm_profile_store *store;
	const struct wm_filter *filter;
	uint64_t number; /* what the last query gave */
};

static const struct wm_database_kind *kind_of(const struct prune *prune)
{
	return prune->store->database->base.kind;
}

static void execute(struct prune *prune, const char *sql)
{
	kind_of(prune)->execute(prune->store->database, sql);
}

static void take_number(void *closure, const struct wm_sql_value *value)
{
	struct prune *prune = closure;
	prune->number = value[0].kind == WM_SQL_INTEGER ? (uint64_t)value[0].integer : 0;
}

/* start: ends in conditions on the bundle b and, with `objects`, on the content c and the build d.  Gives a number if `asks`. */
static void run(struct prune *prune, const char *start, bool objects, bool asks, const char *end)
{
	struct wm_select select;
	prune->number = 0;
	wm_select_init(&select, start);
	wm_select_add_bundles(&select, prune->filter);
	if (objects)
		wm_select_add_objects(&select, prune->filter);
	wm_select_add(&select, end);
	wm_select_run(&select, prune->store->database, asks, asks ? take_number : NULL, prune);
	wm_select_release(&select);
}

#define BUNDLES "SELECT b.id FROM bundle b WHERE true"
#define OBJECTS \
	" FROM bundle b JOIN content c ON c.bundle = b.id JOIN build d ON d.id = c.build WHERE c.bundle = x.bundle " \
	"AND " \
	"c.build = x.build"

/* They are beside the bundles, on one server, and refer to them. */
static void forget_unfinished(struct prune *prune)
{
	if (wm_store_version(prune->store) < WM_SCHEMA_WITH_UNFINISHED)
		return;
	if (wm_filter_has_objects(prune->filter))
		run(prune,
			"DELETE FROM unfinished AS x WHERE EXISTS (SELECT 1 FROM bundle b JOIN content c ON c.bundle = "
			"b.id"
			" JOIN build d ON d.id = c.build JOIN function f ON f.build = d.id WHERE b.id = x.bundle AND "
			"f.id = "
			"x.function",
			true, false, ")");
	else
		run(prune, "DELETE FROM unfinished WHERE bundle IN (" BUNDLES, false, false, ")");
}

/* The objects that are selected, and the runs of bundles that consist of nothing else. */
static void forget_objects(struct prune *prune)
{
	run(prune, "DELETE FROM doubtful AS x WHERE EXISTS (SELECT 1" OBJECTS, true, false, ")");
	/* A bundle that had no object before is not concerned. */
	run(prune,
		"UPDATE run SET bundle = 0 WHERE bundle IN (SELECT g.id FROM bundle g WHERE EXISTS (SELECT 1 FROM "
		"content y WHERE y.bundle = g.id) AND NOT EXISTS (SELECT 1 FROM content x WHERE x.bundle = g.id"
		" AND NOT EXISTS (SELECT 1" OBJECTS,
		true, false, ")))");
	run(prune,
		"DELETE FROM bundle WHERE id IN (SELECT g.id FROM bundle g WHERE EXISTS (SELECT 1 FROM "
		"content y WHERE y.bundle = g.id) AND NOT EXISTS (SELECT 1 FROM content x WHERE x.bundle = g.id"
		" AND NOT EXISTS (SELECT 1" OBJECTS,
		true, false, ")))");
	run(prune, "DELETE FROM content AS x WHERE EXISTS (SELECT 1" OBJECTS, true, false, ")");
}

static void forget_bundles(struct prune *prune)
{
	run(prune, "UPDATE run SET bundle = 0 WHERE bundle IN (" BUNDLES, false, false, ")");
	run(prune, "DELETE FROM doubtful WHERE bundle IN (" BUNDLES, false, false, ")");
	/* Conditions may be on machines and content: the bundle goes first. */
	run(prune, "DELETE FROM bundle WHERE id IN (" BUNDLES, false, false, ")");
}

/* False: a roll-up was begun meanwhile. */
static bool forget(struct prune *prune, uint64_t *bundles)
{
	struct wm_guard guard;
	wm_guard_begin(&guard, wm_store_roll_back, prune->store);
	kind_of(prune)->begin(prune->store->database, WM_MOVING);
	kind_of(prune)->query(prune->store->database,
		&(struct wm_sql_query){
			.sql = "SELECT count(*) FROM roll_up", .columns = 1, .take = take_number, .closure = prune});
	bool free_of_roll_ups = !prune->number;
	if (free_of_roll_ups) {
		wm_select_check_machines(prune->store->database, prune->filter);
		run(prune, "SELECT count(*) FROM bundle b WHERE true", false, true, "");
		*bundles = prune->number;
		forget_unfinished(prune);
		(wm_filter_has_objects(prune->filter) ? forget_objects : forget_bundles)(prune);
		execute(prune, "DELETE FROM machine WHERE bundle NOT IN (SELECT id FROM bundle);"
			       "DELETE FROM content WHERE bundle NOT IN (SELECT id FROM bundle)");
		kind_of(prune)->commit(prune->store->database);
	}
	wm_guard_end(&guard);
	return free_of_roll_ups;
}

/* A row counts if its bundle has the object of its function. */
static void sweep(struct prune *prune, const char *suffix)
{
	static const char *const table[] = {"tally", "path", "seen"};
	struct wm_guard guard;
	wm_guard_begin(&guard, wm_store_roll_back, prune->store);
	kind_of(prune)->begin(prune->store->database, WM_SWEEPING);
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		char *sql = wm_xprintf("DELETE FROM %s%s AS x WHERE NOT EXISTS (SELECT 1 FROM function f JOIN content c"
				       " ON c.build = f.build WHERE f.id = x.function AND c.bundle = x.bundle)",
			table[i], suffix);
		execute(prune, sql);
		free(sql);
	}
	kind_of(prune)->commit(prune->store->database);
	wm_guard_end(&guard);
}

uint64_t wm_store_prune(struct wm_profile_store *store, const struct wm_filter *filter)
{
	struct prune prune = {.store = store, .filter = filter};
	size_t partitions = kind_of(&prune)->partitions;
	uint64_t bundles = 0;
	do
		wm_store_complete_roll_ups(store);
	while (!forget(&prune, &bundles));
	for (size_t i = 0; i < partitions; i++) {
		char suffix[24];
		snprintf(suffix, sizeof(suffix), "_%zu", i);
		sweep(&prune, suffix);
	}
	if (!partitions)
		sweep(&prune, "");
	return bundles;
}
