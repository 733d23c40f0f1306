/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Removing what is old.  First the bundles cease to count, in one transaction; then rows without a bundle are removed from each
 * partition, also those of pushes that were killed between two servers.  The ids of runs stay, so that a late
 * second push does nothing.
 */
#include "store/select.h"
#include "store/store.h"
#include "support/attempt.h"
#include "support/tool.h"

#include <stdlib.h>

struct prune {
	struct wm_profile_store *store;
	uint64_t bundles;
};

static const struct wm_database_kind *kind_of(const struct prune *prune)
{
	return prune->store->database->base.kind;
}

static void take_count(void *closure, const struct wm_sql_value *value)
{
	struct prune *prune = closure;
	prune->bundles = value[0].kind == WM_SQL_INTEGER ? (uint64_t)value[0].integer : 0;
}

static void run(struct prune *prune, const char *start, const struct wm_filter *filter, size_t columns, const char *end)
{
	struct wm_select select;
	wm_select_init(&select, start);
	wm_select_add_bundles(&select, filter);
	wm_select_add(&select, end);
	wm_select_run(&select, prune->store->database, columns, columns ? take_count : NULL, prune);
	wm_select_release(&select);
}

/* A bundle whose rows are being moved is left to the next prune. */
#define CHOSEN \
	" IN (SELECT b.id FROM bundle b WHERE b.id NOT IN (SELECT old FROM roll_up) AND b.id NOT IN (SELECT new FROM " \
	"roll_up)"

static void forget_bundles(struct prune *prune, const struct wm_filter *filter)
{
	struct wm_guard guard;
	wm_guard_begin(&guard, wm_store_roll_back, prune->store);
	kind_of(prune)->begin(prune->store->database, WM_MOVING);
	run(prune, "SELECT count(*) FROM bundle x WHERE x.id" CHOSEN, filter, 1, ")");
	run(prune, "UPDATE run SET bundle = 0 WHERE bundle" CHOSEN, filter, 0, ")");
	run(prune, "DELETE FROM doubtful WHERE bundle" CHOSEN, filter, 0, ")");
	/* Conditions may be on machines and content: the bundle goes first. */
	run(prune, "DELETE FROM bundle WHERE id" CHOSEN, filter, 0, ")");
	kind_of(prune)->execute(prune->store->database,
		"DELETE FROM machine WHERE bundle NOT IN (SELECT id FROM bundle); DELETE FROM content WHERE bundle NOT "
		"IN (SELECT id FROM"
		" bundle);");
	kind_of(prune)->commit(prune->store->database);
	wm_guard_end(&guard);
}

static void sweep(struct prune *prune, const char *suffix)
{
	static const char *const table[] = {"tally", "path", "seen"};
	struct wm_guard guard;
	wm_guard_begin(&guard, wm_store_roll_back, prune->store);
	kind_of(prune)->begin(prune->store->database, WM_SWEEPING);
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		char *sql =
			wm_xprintf("DELETE FROM %s%s WHERE bundle NOT IN (SELECT id FROM bundle)", table[i], suffix);
		kind_of(prune)->execute(prune->store->database, sql);
		free(sql);
	}
	kind_of(prune)->commit(prune->store->database);
	wm_guard_end(&guard);
}

uint64_t wm_store_prune(struct wm_profile_store *store, const struct wm_filter *filter)
{
	struct prune prune = {.store = store};
	size_t partitions = kind_of(&prune)->partitions;
	forget_bundles(&prune, filter);
	for (size_t i = 0; i < partitions; i++) {
		char suffix[24];
		snprintf(suffix, sizeof(suffix), "_%zu", i);
		sweep(&prune, suffix);
	}
	if (!partitions)
		sweep(&prune, "");
	return prune.bundles;
}
