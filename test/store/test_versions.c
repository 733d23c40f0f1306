/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Stores of earlier versions: what they do not keep, and what becomes of them.  test_store_versions SQL [URL]: the statements by which
 * an earlier waymark has made a store of version 2 on a server.
 */
#include "test/store/random_runs.h"

#include "profile/base/scheme_name.h"
#include "profile/base/unfinished_paths.h"
#include "profile/collect.h"
#include "store/schema.h"
#include "support/attempt.h"
#include "support/buffer.h"
#include "support/xalloc.h"

#include <stdlib.h>
#include <string.h>

static const char *statements; /* the name of the file */

static void execute(struct wm_profile_store *store, const char *sql)
{
	store->database->base.kind->execute(store->database, sql);
}

/* As the waymark of version 2 has made it. */
static void make_version_2(void)
{
	struct wm_buffer sql;
	drop_store();
	struct wm_profile_store *store = wm_store_open(name_of_store(), WM_DATABASE_CREATE);
	assert_true(wm_buffer_read(&sql, statements));
	char *text = wm_xprintf("%.*s", (int)sql.size, (const char *)sql.data);
	store->database->base.kind->begin(store->database, WM_PUSHING);
	execute(store, text);
	store->database->base.kind->commit(store->database);
	free(text);
	wm_buffer_release(&sql);
	wm_store_close(store);
}

/* The server of version 1 refuses names of schemes.  The tables of a file are those of the newest version but one. */
static struct wm_profile_store *store_of_version(int version)
{
	if (!store_is_on_server()) {
		struct wm_profile_store *store = new_store();
		execute(store, "DROP TABLE unfinished; UPDATE meta SET value = '2' WHERE key = 'version'");
		wm_store_close(store);
	} else {
		make_version_2();
	}
	struct wm_profile_store *store = wm_store_open(name_of_store(), WM_DATABASE_WRITE);
	if (version == 1)
		execute(store, "UPDATE meta SET value = '1' WHERE key = 'version'");
	if (version == 1 && store_is_on_server())
		execute(store,
			"CREATE OR REPLACE FUNCTION waymark.push_check() RETURNS void LANGUAGE plpgsql AS $$ BEGIN IF "
			"EXISTS"
			" (SELECT 1 FROM stage_function WHERE flags >= 16384) THEN RAISE EXCEPTION 'the functions make "
			"no"
			" sense'; END IF; END $$; COMMENT ON FUNCTION waymark.push_check() IS NULL");
	return store;
}

/* A run of one function with a named scheme and an unfinished path. */
static void named_run(struct wm_profile *profile, uint64_t id)
{
	wm_profile_init(profile);
	struct wm_profile_object *object = wm_profile_append_object(profile, (const uint8_t[]){1}, 1);
	assert_non_null(object);
	struct wm_profile_function *f = object->function = calloc(1, sizeof *f);
	assert_non_null(f);
	object->function_count = object->function_capacity = 1;
	*f = (struct wm_profile_function){.key = 1, .graph_hash = 2, .scheme = wm_scheme_name("kiter=1000,sequences")};
	assert_true(wm_function_append(f, 1, 1, 0));
	assert_true(wm_unfinished_append(f, &(struct wm_unfinished_path){.sum = id, .count = 2, .site = 3}));
	profile->runs = object->runs = 1;
	assert_true(wm_profile_append_run_id(profile, &(struct wm_run_id){id, 1, 0, 0, 1790000000}));
}

/* A function that has nothing but unfinished paths is not stored without them. */
static void add_unfinished_only(struct wm_profile *profile)
{
	struct wm_profile_object *object = &profile->object[0];
	object->function = wm_xrealloc(object->function, object->function_count + 1, sizeof *object->function);
	object->function_capacity = object->function_count + 1;
	object->function[object->function_count++] = (struct wm_profile_function){.key = UINT64_MAX};
	assert_true(wm_unfinished_append(&object->function[object->function_count - 1],
		&(struct wm_unfinished_path){.sum = UINT64_MAX, .count = 7, .site = UINT32_MAX}));
}

/* What a store of the version keeps of it. */
static void copy_for(struct wm_profile *copy, const struct wm_profile *profile, int version)
{
	wm_profile_init(copy);
	assert_int_equal(wm_profile_merge(copy, profile), WM_PROFILE_OK);
	if (version < WM_SCHEMA_WITH_UNFINISHED)
		wm_profile_drop_unfinished(copy);
	if (version < WM_SCHEMA_WITH_SCHEMES)
		copy->object[0].function[0].scheme = WM_SCHEME_UNNAMED;
}

static void prune(struct wm_profile_store *store, const char *name)
{
	struct wm_store_url url;
	wm_store_url_parse(&url, name, 0);
	wm_store_prune(store, &url.filter);
	wm_store_url_release(&url);
}

/* They are used as before, and what they keep stays when they are migrated. */
static void older_stores_are_migrated(void **state)
{
	(void)state;
	for (int version = 1; version < WM_SCHEMA_VERSION; version++) {
		struct wm_profile_store *store = store_of_version(version);
		struct wm_profile run[4], kept[3], sum;
		for (size_t i = 0; i < 4; i++) {
			named_run(&run[i], i + 1);
			add_unfinished_only(&run[i]);
		}
		wm_profile_init(&sum);
		for (size_t i = 0; i < 3; i++) {
			copy_for(&kept[i], &run[i], version);
			assert_int_equal(push(store, &run[i], i == 2 ? "version=2" : ""), WM_PUSH_STORED);
			assert_int_equal(push(store, &run[i], ""), WM_PUSH_KNOWN);
			if (i < 2)
				assert_int_equal(wm_profile_merge(&sum, &kept[i]), WM_PROFILE_OK);
		}
		assert_int_equal(wm_store_version(store), version);
		assert_int_equal(wm_store_roll_up(store, INT64_MAX), 1);
		prune(store, "x#version=2");
		check_store(store, "", &sum);
		for (int i = 0; i < 2; i++)
			assert_int_equal(wm_store_migrate(store), WM_SCHEMA_VERSION);
		check_store(store, "", &sum);
		assert_int_equal(push(store, &run[3], ""), WM_PUSH_STORED);
		assert_int_equal(push(store, &run[3], ""), WM_PUSH_KNOWN);
		assert_int_equal(wm_profile_merge(&sum, &run[3]), WM_PROFILE_OK);
		check_store(store, "", &sum);
		assert_int_equal(wm_store_roll_up(store, INT64_MAX), 1);
		check_store(store, "", &sum);
		wm_profile_release(&sum);
		for (size_t i = 0; i < 4; i++)
			wm_profile_release(&run[i]);
		for (size_t i = 0; i < 3; i++)
			wm_profile_release(&kept[i]);
		wm_store_close(store);
	}
}

/* The checksum of a run covers them; what an earlier version has stored is the same run with and without them. */
static void unfinished_paths_distinguish_runs(void **state)
{
	(void)state;
	struct wm_profile run[3], bare[3];
	struct wm_profile_store *store = store_of_version(2);
	for (size_t i = 0; i < 3; i++) {
		named_run(&run[i], i + 1);
		copy_for(&bare[i], &run[i], 2);
	}
	assert_int_equal(push(store, &run[0], ""), WM_PUSH_STORED);
	wm_store_migrate(store);
	assert_int_equal(push(store, &run[0], ""), WM_PUSH_KNOWN);
	assert_int_equal(push(store, &bare[0], ""), WM_PUSH_KNOWN);
	check_store(store, "", &bare[0]);
	assert_int_equal(push(store, &run[1], ""), WM_PUSH_STORED);
	assert_int_equal(push(store, &run[1], ""), WM_PUSH_KNOWN);
	assert_int_equal(push(store, &bare[1], ""), WM_PUSH_REFUSED);
	run[1].object[0].function[0].unfinished[0].count++;
	assert_int_equal(push(store, &run[1], ""), WM_PUSH_REFUSED);
	assert_int_equal(push(store, &bare[2], ""), WM_PUSH_STORED);
	assert_int_equal(push(store, &bare[2], ""), WM_PUSH_KNOWN);
	assert_int_equal(push(store, &run[2], ""), WM_PUSH_REFUSED);
	for (size_t i = 0; i < 3; i++) {
		wm_profile_release(&run[i]);
		wm_profile_release(&bare[i]);
	}
	wm_store_close(store);
}

/* An agent stays connected while somebody else migrates the store. */
static void sessions_survive_a_migration(void **state)
{
	(void)state;
	struct wm_profile_store *agent = store_of_version(2), *owner;
	struct wm_profile first, second, sum;
	named_run(&first, 1);
	named_run(&second, 2);
	assert_int_equal(push(agent, &first, ""), WM_PUSH_STORED);
	owner = wm_store_open(name_of_store(), WM_DATABASE_WRITE);
	wm_store_migrate(owner);
	assert_int_equal(push(agent, &second, ""), WM_PUSH_STORED);
	copy_for(&sum, &first, 2);
	assert_int_equal(wm_profile_merge(&sum, &second), WM_PROFILE_OK);
	check_store(owner, "", &sum);
	wm_profile_release(&first);
	wm_profile_release(&second);
	wm_profile_release(&sum);
	wm_store_close(agent);
	wm_store_close(owner);
}

static void take_truths(void *closure, const struct wm_sql_value *value)
{
	for (size_t i = 0; i < 4; i++)
		((int64_t *)closure)[i] = value[i].integer;
}

/* Who was granted something keeps it, and has what those of a new store have. */
static void grants_survive_a_migration(void **state)
{
	(void)state;
	int64_t may[4] = {0};
	if (!store_is_on_server())
		return;
	struct wm_profile_store *store = store_of_version(2);
	execute(store, "CREATE ROLE some_reader; CREATE ROLE some_writer");
	wm_store_grant(store, "some_reader", &(struct wm_grant){.reader = true});
	wm_store_grant(store, "some_writer", &(struct wm_grant){0});
	wm_store_migrate(store);
	store->database->base.kind->query(store->database,
		&(struct wm_sql_query){
			.sql = "SELECT has_table_privilege('some_reader', 'waymark.unfinished', 'SELECT')::int,"
			       " has_table_privilege('some_writer', 'waymark.unfinished', 'SELECT')::int,"
			       " has_function_privilege('some_writer', 'waymark.push_end()', 'EXECUTE')::int,"
			       " has_function_privilege('some_writer', 'waymark.push_check_unfinished()', "
			       "'EXECUTE')::int",
			.columns = 4,
			.take = take_truths,
			.closure = may});
	assert_true(may[0] && !may[1] && may[2] && !may[3]);
	execute(store,
		"DROP OWNED BY some_reader; DROP OWNED BY some_writer; DROP ROLE some_reader; DROP ROLE some_writer");
	wm_store_close(store);
}

static void remove_bundles(void *store)
{
	execute(store, "DELETE FROM bundle");
}

/* An earlier version would move the other rows of a bundle to a sum, and lose its unfinished paths. */
static void earlier_roll_ups_fail(void **state)
{
	(void)state;
	struct wm_attempt attempt = {0};
	struct wm_profile run;
	if (!store_is_on_server())
		return;
	struct wm_profile_store *store = new_store();
	named_run(&run, 1);
	assert_int_equal(push(store, &run, ""), WM_PUSH_STORED);
	assert_false(wm_attempt_run(&attempt, remove_bundles, store));
	free(attempt.sentence);
	check_store(store, "", &run);
	wm_profile_release(&run);
	wm_store_close(store);
}

/* A newer waymark has stored a name that is not known here. */
static void unknown_names_are_none(void **state)
{
	(void)state;
	struct wm_profile_store *store = new_store();
	struct wm_profile run;
	named_run(&run, 1);
	run.object[0].function[0].scheme = 31;
	assert_false(wm_scheme_name_is_valid(31));
	assert_int_equal(push(store, &run, ""), WM_PUSH_STORED);
	run.object[0].function[0].scheme = WM_SCHEME_UNNAMED;
	check_store(store, "", &run);
	wm_profile_release(&run);
	wm_store_close(store);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(older_stores_are_migrated),
		cmocka_unit_test(unfinished_paths_distinguish_runs),
		cmocka_unit_test(sessions_survive_a_migration),
		cmocka_unit_test(grants_survive_a_migration),
		cmocka_unit_test(earlier_roll_ups_fail),
		cmocka_unit_test(unknown_names_are_none),
	};
	statements = argv[1];
	return run_store_tests(argc > 2 ? argv[2] : NULL, tests, sizeof tests / sizeof *tests);
}
