/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rights of roles of a PostgreSQL database.  store/postgresql_schema.h explains what the roles may do. */
#include "store/store.h"
#include "support/attempt.h"
#include "support/fail.h"

static void run_text(
	struct wm_profile_store *store, const char *sql, const struct wm_sql_value *parameter, size_t count)
{
	store->database->base.kind->query(
		store->database, &(struct wm_sql_query){.sql = sql, .parameter = parameter, .parameter_count = count});
}

static struct wm_sql_value limit(uint64_t number)
{
	return number ? WM_SQL_NUMBER(number > INT64_MAX ? INT64_MAX : number)
		      : (struct wm_sql_value){.kind = WM_SQL_NULL};
}

static void forget_limits(struct wm_profile_store *store, const char *role)
{
	const struct wm_sql_value name = WM_SQL_STRING(role);
	run_text(store, "DELETE FROM writer_program WHERE role = $1", &name, 1);
	run_text(store, "DELETE FROM writer_limit WHERE role = $1", &name, 1);
}

static void set_limits(struct wm_profile_store *store, const char *role, const struct wm_grant *grant)
{
	const struct wm_sql_value name = WM_SQL_STRING(role);
	for (size_t i = 0; i < grant->program_count; i++)
		run_text(store,
			"INSERT INTO writer_program (role, program, tests) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
			(const struct wm_sql_value[]){
				name, WM_SQL_STRING(grant->program[i]), WM_SQL_NUMBER(grant->tests)},
			3);
	if (grant->rows_per_push || grant->rows_per_day)
		run_text(store, "INSERT INTO writer_limit (role, rows_per_push, rows_per_day) VALUES ($1, $2, $3)",
			(const struct wm_sql_value[]){name, limit(grant->rows_per_push), limit(grant->rows_per_day)},
			3);
}

static void check_server(const struct wm_profile_store *store)
{
	if (!store->url.is_server)
		wm_fail("a store in a file has no roles: whoever can read or write the file can read or write the "
			"store");
}

static void check_grant(const struct wm_grant *grant)
{
	if (grant->reader && (grant->program_count || grant->tests || grant->rows_per_push || grant->rows_per_day))
		wm_fail("a reader reads all; --program, --tests, --rows-per-push and --rows-per-day are for roles that "
			"push");
	if (grant->tests && !grant->program_count)
		wm_fail("--tests is for roles with --program; without --program, a role may push everything");
}

void wm_store_grant(struct wm_profile_store *store, const char *role, const struct wm_grant *grant)
{
	struct wm_guard guard;
	check_server(store);
	check_grant(grant);
	wm_guard_begin(&guard, wm_store_roll_back, store);
	store->database->base.kind->begin(store->database, WM_PUSHING);
	run_text(store, "SELECT waymark.grant_role($1, $2)",
		(const struct wm_sql_value[]){WM_SQL_STRING(role), WM_SQL_STRING(grant->reader ? "reader" : "writer")},
		2);
	forget_limits(store, role);
	set_limits(store, role, grant);
	store->database->base.kind->commit(store->database);
	wm_guard_end(&guard);
}

void wm_store_revoke(struct wm_profile_store *store, const char *role)
{
	const struct wm_sql_value name = WM_SQL_STRING(role);
	struct wm_guard guard;
	check_server(store);
	wm_guard_begin(&guard, wm_store_roll_back, store);
	store->database->base.kind->begin(store->database, WM_PUSHING);
	run_text(store, "SELECT waymark.revoke_role($1)", &name, 1);
	forget_limits(store, role);
	run_text(store, "DELETE FROM writer_day WHERE role = $1", &name, 1);
	store->database->base.kind->commit(store->database);
	wm_guard_end(&guard);
}
