/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "store/store_sightings.h"
#include "core/base/search.h"
#include "store/runs.h"
#include "store/select.h"
#include "support/attempt.h"
#include "support/fail.h"
#include "support/xalloc.h"

#include <stdlib.h>
#include <string.h>

struct reading {
	struct wm_sightings *sightings;
	const struct wm_profile_store *store;
	bool versions; /* rows end with a version */
	struct wm_function_list functions;
};

static int64_t number(const struct reading *reading, const struct wm_sql_value *value)
{
	if (value->kind != WM_SQL_INTEGER)
		wm_fail("the store %s is damaged: a number is missing; restore it from a copy",
			reading->store->database->base.location);
	return value->integer;
}

static char *text(const struct reading *reading, const struct wm_sql_value *value)
{
	if (value->kind != WM_SQL_TEXT || !wm_label_value_is_valid(value->text))
		wm_fail("the store %s is damaged: a version makes no sense; restore it from a copy",
			reading->store->database->base.location);
	return wm_xstrdup(value->text);
}

static void take_sighting(void *closure, const struct wm_sql_value *value)
{
	const struct reading *reading = closure;
	struct wm_sightings *sightings = reading->sightings;
	WM_XGROW(sightings->sighting, sightings->count);
	sightings->sighting[sightings->count++] = (struct wm_sighting){.key = (uint64_t)number(reading, &value[0]),
		.graph_hash = (uint64_t)number(reading, &value[1]),
		.path = (uint64_t)number(reading, &value[2]),
		.first = number(reading, &value[3]),
		.last = number(reading, &value[4]),
		.machines = (uint64_t)number(reading, &value[5]),
		.version = reading->versions ? text(reading, &value[6]) : NULL};
}

static void take_version(void *closure, const struct wm_sql_value *value)
{
	const struct reading *reading = closure;
	struct wm_sightings *sightings = reading->sightings;
	WM_XGROW(sightings->version, sightings->version_count);
	sightings->version[sightings->version_count++] = (struct wm_version){.name = text(reading, &value[0]),
		.machines = (uint64_t)number(reading, &value[1]),
		.first = number(reading, &value[2]),
		.last = number(reading, &value[3])};
}

/* key, graph, path, least and most runs; the sightings are sorted. */
static void take_runs(void *closure, const struct wm_sql_value *value)
{
	const struct reading *reading = closure;
	const struct wm_sighting *found = wm_sightings_find(reading->sightings, (uint64_t)number(reading, &value[0]),
		false, (uint64_t)number(reading, &value[1]), (uint64_t)number(reading, &value[2]));
	int64_t least = number(reading, &value[3]), most = number(reading, &value[4]);
	if (!found || found->version || least < 0 || most < 1 || least > most)
		wm_fail("the store %s is damaged: the number of runs of a path makes no sense; restore it from a copy",
			reading->store->database->base.location);
	struct wm_sighting *sighting = &reading->sightings->sighting[found - reading->sightings->sighting];
	sighting->least_runs = least ? (uint64_t)least : 1;
	sighting->most_runs = (uint64_t)most;
}

/* On which machines a path of a sum was taken is in `seen`. */
#define SIGHTINGS \
	"SELECT f.key, f.graph, p.path," \
	" min(CASE WHEN coalesce(p.first_seen, 0) > 0 THEN p.first_seen ELSE b.first * 1000000 END), max(b.last)," \
	" count(DISTINCT coalesce(m.machine, s.machine))"
#define FROM_PATHS \
	" FROM path p JOIN function f ON f.id = p.function JOIN bundle b ON b.id = p.bundle" \
	" JOIN content c ON c.bundle = b.id AND c.build = f.build JOIN build d ON d.id = c.build" \
	" LEFT JOIN machine m ON m.bundle = b.id AND b.sums = 0" \
	" LEFT JOIN seen s ON s.function = p.function AND s.bundle = p.bundle AND s.path = p.path AND b.sums <> 0"
/* Runs are asked for apart: the machines of a sum are several rows.  Several records of a bundle may have the path, perhaps of the
 * same runs, perhaps of others. */
#define RUNS \
	"SELECT x.key, x.graph, x.path, count(DISTINCT x.begun) + CAST(sum(x.others_least) AS bigint)," \
	" count(DISTINCT x.run) + CAST(sum(x.others_most) AS bigint) FROM (SELECT f.key, f.graph, p.path, max(" WM_RUN \
	") AS run, max(" WM_RUN_THAT_BEGINS ") AS begun, max(" WM_OTHER_RUNS_LEAST \
	") AS others_least, sum(" WM_OTHER_RUNS_MOST ") AS others_most" \
	" FROM path p JOIN function f ON f.id = p.function JOIN bundle b ON b.id = p.bundle" \
	" JOIN content c ON c.bundle = b.id AND c.build = f.build JOIN build d ON d.id = c.build LEFT " \
	"JOIN " WM_RUNS_OF_BUNDLES("h.id NOT IN (SELECT old FROM roll_up)")
#define RUNS_MIDDLE WM_RUNS_OF_BUNDLES_END " n ON n.bundle = p.bundle WHERE p.count <> 0"
#define RUNS_END " GROUP BY f.key, f.graph, p.path, p.bundle) x GROUP BY x.key, x.graph, x.path"
#define WITH_VERSION " LEFT JOIN label v ON v.label_set = b.label_set AND v.key = 'version'"

/* function: the column of the function in a table that is divided by function; NULL: the query has none. */
static void finish_query(struct reading *reading, struct wm_select *select, const char *function, const char *end,
	size_t columns, wm_sql_take *take)
{
	const struct wm_filter *filter = &reading->store->url.filter;
	if (function)
		wm_select_add_functions(select, reading->store->database, function, &reading->functions);
	wm_select_add_bundles(select, filter);
	wm_select_add_objects(select, filter);
	wm_select_add(select, end);
	wm_select_run(select, reading->store->database, columns, take, reading);
	wm_select_release(select);
}

static void query(struct reading *reading, const char *sql, const char *function, const char *end, size_t columns,
	wm_sql_take *take)
{
	struct wm_select select;
	wm_select_init(&select, sql);
	finish_query(reading, &select, function, end, columns, take);
}

/* Only the runs of bundles with the functions are looked at. */
static void query_runs(struct reading *reading)
{
	struct wm_select select;
	wm_select_init(&select, RUNS);
	if (reading->functions.text) {
		wm_select_add(&select, " WHERE r.bundle IN (SELECT z.bundle FROM content z JOIN function y ON y.build "
				       "= z.build WHERE true");
		wm_select_add_functions(&select, reading->store->database, "y.id", &reading->functions);
		wm_select_add(&select, ")");
	}
	wm_select_add(&select, RUNS_MIDDLE);
	finish_query(reading, &select, "p.function", RUNS_END, 5, take_runs);
}

static int compare_paths(const struct wm_sighting *a, const struct wm_sighting *b)
{
	if (a->graph_hash != b->graph_hash)
		return a->graph_hash < b->graph_hash ? -1 : 1;
	if (a->path != b->path)
		return a->path < b->path ? -1 : 1;
	return (a->key > b->key) - (a->key < b->key);
}

static int compare(const void *left, const void *right)
{
	const struct wm_sighting *a = left, *b = right;
	int found = compare_paths(a, b);
	if (found || !a->version || !b->version)
		return found ? found : (a->version != NULL) - (b->version != NULL);
	return strcmp(a->version, b->version);
}

void wm_sightings_read(struct wm_sightings *sightings, const char *name)
{
	struct wm_guard guard, transaction;
	struct wm_profile_store *store = wm_store_open(name, WM_DATABASE_READ);
	struct reading reading = {.sightings = sightings, .store = store};
	wm_guard_begin(&guard, wm_store_close, store);
	store->database->base.kind->begin(store->database, WM_READING);
	wm_guard_begin(&transaction, wm_store_roll_back, store);
	wm_function_list_read(&reading.functions, store->database, &store->url.filter);
	query(&reading, SIGHTINGS FROM_PATHS " WHERE p.count <> 0", "p.function", " GROUP BY f.key, f.graph, p.path", 6,
		take_sighting);
	reading.versions = true;
	query(&reading, SIGHTINGS ", coalesce(v.value, '')" FROM_PATHS WITH_VERSION " WHERE p.count <> 0", "p.function",
		" GROUP BY f.key, f.graph, p.path, coalesce(v.value, '')", 7, take_sighting);
	query(&reading,
		"SELECT coalesce(v.value, ''), count(DISTINCT m.machine), min(b.first), max(b.last) FROM bundle b"
		" JOIN content c ON c.bundle = b.id JOIN build d ON d.id = c.build LEFT JOIN machine m ON m.bundle = "
		"b.id" WITH_VERSION " WHERE true",
		NULL, " GROUP BY coalesce(v.value, '') ORDER BY min(b.first), coalesce(v.value, '')", 4, take_version);
	if (sightings->count)
		qsort(sightings->sighting, sightings->count, sizeof *sightings->sighting, compare);
	query_runs(&reading);
	wm_function_list_release(&reading.functions);
	wm_guard_end(&transaction);
	wm_guard_end(&guard);
}

void wm_sightings_release(struct wm_sightings *sightings)
{
	for (size_t i = 0; i < sightings->count; i++)
		free(sightings->sighting[i].version);
	for (size_t i = 0; i < sightings->version_count; i++)
		free(sightings->version[i].name);
	free(sightings->sighting);
	free(sightings->version);
	*sightings = (struct wm_sightings){0};
}

const struct wm_sighting *wm_sightings_find(
	const struct wm_sightings *sightings, uint64_t key, bool any_key, uint64_t graph_hash, uint64_t path)
{
	const struct wm_sighting like = {.graph_hash = graph_hash, .path = path, .key = any_key ? 0 : key};
	size_t i;
	WM_LOWER_BOUND(i, 0, sightings->count, compare_paths(&sightings->sighting[i], &like) < 0);
	if (i == sightings->count)
		return NULL;
	const struct wm_sighting *found = &sightings->sighting[i];
	bool is = found->graph_hash == graph_hash && found->path == path && (any_key || found->key == key);
	return is ? found : NULL;
}

bool wm_sighting_is_of(const struct wm_sighting *a, const struct wm_sighting *b)
{
	return compare_paths(a, b) == 0;
}
