/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "store/postgresql_schema.h"
#include "abi/abi.h"
#include "profile/base/function_counts.h"
#include "store/schema.h"
#include "store/url.h"
#include "support/string_builder.h"
#include "support/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* The cast alone would round up, into the future. */
#define WM_SERVER_NOW "floor(extract(epoch FROM now()))::bigint"

static const char *const words[][2] = {
	{WM_SQL_ID, "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY"},
	{WM_SQL_SHARDED, "PARTITION BY HASH (function)"},
	{WM_SQL_STAGE, "CREATE TEMP TABLE "},
	{WM_SQL_STAGED, "ON COMMIT DELETE ROWS"},
	{WM_SQL_LAST_BUNDLE, "current_setting('waymark.bundle')::bigint"},
	{WM_SQL_NOW, WM_SERVER_NOW},
	{WM_SQL_USER, "session_user::text"},
	{WM_SQL_LABELS_COLUMN, ", writer"},
	{WM_SQL_LABELS_OWNER, ", push_labels_owner()"},
	{WM_SQL_LABELS_OWNED, " AND s.writer = push_labels_owner()"},
	{NULL, NULL},
};

/* Who may push what.  A role is *bound* to the programs of its rows of writer_program and of those of its groups; without such
 * a row it may push every program.  `tests`: it may push tests of the program, too.  Without a row of writer_limit, the
 * limits of meta hold. */
static const char owner_tables[] =
	"CREATE TABLE writer_program (role text NOT NULL, program text NOT NULL, tests bigint NOT NULL,"
	" PRIMARY KEY (role, program));"
	"CREATE TABLE writer_limit (role text PRIMARY KEY, rows_per_push bigint, rows_per_day bigint);"
	"CREATE TABLE writer_day (role text NOT NULL, day bigint NOT NULL, rows bigint NOT NULL, PRIMARY KEY (role, "
	"day));"
	"INSERT INTO meta (key, value) VALUES ('rows_per_push', '10000000');";

/* run_lock stays empty: its rows are locks that are only seen by whoever waits for them. */
static const char lock_tables[] =
	"CREATE TABLE " WM_LOCK_ROLL_UP " (); CREATE TABLE " WM_LOCK_PUSH " ();"
	"CREATE UNLOGGED TABLE run_lock (high bigint, low bigint, epoch bigint, PRIMARY KEY (high, low, epoch));"
	/* Label sets of a bound writer are its own: push_labels_owner(). */
	"ALTER TABLE label_set DROP CONSTRAINT label_set_labels_key, ADD writer text NOT NULL DEFAULT '',"
	" ADD UNIQUE (labels, writer);";

#define DEFINER \
	" LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, waymark, pg_temp SET client_min_messages = " \
	"warning AS $body$ "

/* Tables of the stage, with the columns that a caller may fill. */
static const struct {
	const char *name, *columns;
} stage[] = {
	{"stage_bundle", "labels, runs, unsafe, any_program, first, last, machine"},
	{"stage_label", "key, value"},
	{"stage_run", "high, low, epoch, part, start, digest, earlier"},
	{"stage_object", "object, build_id, program, runs"},
	{"stage_doubtful", "object, start, pid, doubt"},
	{"stage_function", "function, object, key, graph, source, flags, apart, doubt, entries, resumed, base_entries, "
			   "base_resumed,"
			   " lost"},
	{"stage_path", "function, path, count, base, first_seen, pid"},
	{"stage_unfinished", "function, site, sum, count"},
};
enum { STAGES = sizeof(stage) / sizeof(*stage) };

/* The roles whose grants hold for whoever is connected: its own, and its groups.  None for an owner of the store, which is the
 * owner of the function; a superuser is a member of every role, and so of that one.  The other functions call these with the
 * rights of the owner. */
static const char role_functions[] =
	"CREATE FUNCTION push_roles() RETURNS SETOF text LANGUAGE sql STABLE SET search_path = pg_catalog, waymark, "
	"pg_temp AS $body$"
	" SELECT r.rolname::text FROM pg_roles r WHERE pg_has_role(session_user, r.oid, 'MEMBER')"
	" AND NOT pg_has_role(session_user, current_user, 'MEMBER') $body$;"
	"CREATE FUNCTION push_is_bound() RETURNS boolean LANGUAGE sql STABLE SET search_path = pg_catalog, waymark, "
	"pg_temp AS $body$"
	" SELECT EXISTS (SELECT 1 FROM waymark.writer_program w WHERE w.role IN (SELECT waymark.push_roles())) $body$;"
	"CREATE FUNCTION push_labels_owner() RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog, waymark, "
	"pg_temp AS $body$"
	" SELECT CASE WHEN waymark.push_is_bound() THEN session_user::text ELSE '' END $body$;";

/* The limit of rows is the end of a sequence, so that COPY stops there. */
static const char limit_function[] =
	"CREATE FUNCTION rows_per_push() RETURNS bigint LANGUAGE sql STABLE SET search_path = pg_catalog, waymark, "
	"pg_temp AS $body$"
	" SELECT coalesce((SELECT min(l.rows_per_push) FROM waymark.writer_limit l WHERE l.role IN (SELECT "
	"waymark.push_roles())),"
	" (SELECT value::bigint FROM waymark.meta WHERE key = 'rows_per_push')) $body$;";

static const char text_limits[] =
	"ALTER TABLE pg_temp.stage_bundle ADD CHECK (octet_length(labels) <= 16384 AND octet_length(machine) <= 64);"
	"ALTER TABLE pg_temp.stage_label ADD CHECK (octet_length(key) <= 64 AND octet_length(value) <= 256);"
	"ALTER TABLE pg_temp.stage_object ADD CHECK (octet_length(build_id) <= 64 AND octet_length(program) <= 64);";

/* The tables of the caller that have a name of the stage; a session that has lived through a migration has those of the older version. */
#define STAGE_TABLES \
	" FROM pg_class c WHERE c.relnamespace = pg_my_temp_schema() AND c.relname LIKE 'stage\\_%' AND" \
	" c.relkind NOT IN ('i', 'S')"

static char *begin_function(void)
{
	struct wm_string text = {0};
	wm_string_add(&text, "%s",
		"CREATE OR REPLACE FUNCTION push_begin() RETURNS void" DEFINER
		"DECLARE made integer := 0; entry record; most bigint := rows_per_push(); BEGIN "
		"FOR entry IN SELECT c.relowner = current_user::regrole AND c.relkind = 'r' AND c.relpersistence = 't' "
		"AS fine" STAGE_TABLES " LOOP made := made + 1;"
		" IF NOT entry.fine THEN RAISE EXCEPTION 'this session has a table of its own with the name of one of "
		"the"
		" stage'; END IF; END LOOP;");
	wm_string_add(&text, "IF made <> %d THEN ", STAGES);
	wm_string_add(&text, "%s",
		"FOR entry IN SELECT c.relname AS name" STAGE_TABLES
		" LOOP EXECUTE format('DROP TABLE pg_temp.%I', entry.name); END LOOP;");
	wm_string_take(&text, wm_schema_text(wm_schema_stage, words));
	wm_string_add(&text, "%s", text_limits);
	for (size_t i = 0; i < STAGES; i++)
		wm_string_add(&text,
			"EXECUTE format('ALTER TABLE pg_temp.%s ADD n bigint GENERATED ALWAYS AS IDENTITY "
			"(MAXVALUE %%s)',"
			" most); EXECUTE format('GRANT INSERT (%s) ON pg_temp.%s TO %%I', session_user);",
			stage[i].name, stage[i].columns, stage[i].name);
	wm_string_add(&text, "%s", "ELSE ");
	for (size_t i = 0; i < STAGES; i++)
		wm_string_add(&text,
			"DELETE FROM %s; PERFORM setval(pg_get_serial_sequence('pg_temp.%s', 'n'), 1, false);",
			stage[i].name, stage[i].name);
	wm_string_add(&text, "%s", "END IF; END $body$;");
	return wm_string_text(&text);
}

/* Pushes of one run wait for each other, whole or in parts: the second one cannot insert the row that the first one has inserted, until the first
 * one's transaction has ended, although the row is deleted again.  All insert in one order, and cannot meet crosswise.  Whoever does
 * not end a transaction holds up nobody who has other runs; the ids of runs are random, and writers cannot read them. */
static const char compare_begin[] =
	"CREATE OR REPLACE FUNCTION push_compare() RETURNS integer" DEFINER "DECLARE result integer; BEGIN "
	"PERFORM push_check_stage(); LOCK TABLE " WM_LOCK_PUSH WM_LOCK_SHARED ";"
	"INSERT INTO run_lock SELECT DISTINCT r.high, r.low, r.epoch FROM stage_run r WHERE r.high IS NOT NULL AND"
	" r.low IS NOT NULL AND r.epoch IS NOT NULL ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING;"
	"DELETE FROM run_lock k USING stage_run r WHERE k.high = r.high AND k.low = r.low AND k.epoch = r.epoch;";
static const char compare_end[] = " INTO result; RETURN result; END $body$;";

/* A caller cannot have replaced the tables: they belong to the owner, and a name is used once.  If the store was migrated since
 * push_begin, the caller is asked to repeat the transaction. */
static const char check_stage[] =
	"CREATE OR REPLACE FUNCTION push_check_stage() RETURNS void" DEFINER "BEGIN IF (SELECT count(*)" STAGE_TABLES
	" AND c.relowner = current_user::regrole AND c.relkind = 'r' AND c.relpersistence = 't') <> 8 THEN RAISE"
	" EXCEPTION 'the stage is missing; push_begin creates it' USING ERRCODE = '40001'; END IF; END $body$;";
_Static_assert(STAGES == 8, "as above");

/* How many runs a profile of an older version may have: it does not name them, and they are one run with this epoch of
 * store/store_push.c.  Sums of so many stay far below 2^63. */
#define RUNS_WITHOUT_ID "4294967296"

/* Whoever may push cannot read the version of the store, but which functions there are, and the comment. */
#define KEEPS_SCHEMES "keeps names of schemes"
const char wm_postgresql_version[] =
	"SELECT 1 + count(*) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = 'waymark'"
	" AND (p.proname = 'push_check_unfinished' OR (p.proname = 'push_check' AND"
	" obj_description(p.oid, 'pg_proc') = '" KEEPS_SCHEMES "'))";

static const char check_unfinished[] =
	"CREATE OR REPLACE FUNCTION push_check_unfinished() RETURNS void" DEFINER "BEGIN "
	"IF EXISTS (SELECT 1 FROM stage_unfinished u LEFT JOIN stage_function f ON f.function = u.function WHERE "
	"f.function IS NULL OR u.site IS NULL OR u.site NOT BETWEEN 1 AND 4294967295 OR u.sum IS NULL OR u.count IS "
	"NULL OR u.count = 0) THEN RAISE EXCEPTION 'the unfinished paths make no sense'; END IF; END $body$;";

static char *check_function(void)
{
	/* %u: doubts of a run; flags that no function has; doubts of a run; the flag of residual functions.  A name of a scheme may
	 * be one that only newer readers know. */
	return wm_xprintf(
		"CREATE OR REPLACE FUNCTION push_check() RETURNS void" DEFINER "DECLARE most bigint; BEGIN "
		"SELECT CASE WHEN bool_or(epoch = -1) THEN " RUNS_WITHOUT_ID " ELSE count(*) END INTO most FROM "
		"stage_run;"
		"IF (SELECT count(*) FROM stage_bundle) <> 1 OR EXISTS (SELECT 1 FROM stage_bundle b WHERE b.labels IS "
		"NULL OR b.machine"
		" IS NULL OR b.machine ~ '[[:cntrl:],]' OR b.runs IS NULL OR b.runs NOT BETWEEN 0 AND most OR b.unsafe "
		"IS NULL OR b.unsafe NOT BETWEEN 0 AND most OR b.any_program"
		" IS NULL OR b.any_program NOT IN (0, 1) OR b.first IS NULL OR b.last IS NULL OR b.first > b.last"
		" OR b.first < 0)"
		" THEN RAISE EXCEPTION 'the facts of the profile make no sense'; END IF;"
		"IF EXISTS (SELECT 1 FROM stage_label WHERE key IS NULL OR value IS NULL OR key !~ "
		"'^[A-Za-z][A-Za-z0-9_.-]*$' OR value ~"
		" '[[:cntrl:],]') OR (SELECT count(*) FROM stage_label) > %d OR (SELECT labels FROM stage_bundle) IS "
		"DISTINCT FROM (SELECT"
		" string_agg(key || '=' || value, ',' ORDER BY key COLLATE \"C\") FROM stage_label)"
		" THEN RAISE EXCEPTION 'the labels make no sense'; END IF;"
		"IF NOT EXISTS (SELECT 1 FROM stage_run) OR EXISTS (SELECT 1 FROM stage_run WHERE high IS NULL OR low "
		"IS NULL OR (high = 0"
		" AND low = 0) OR epoch IS NULL OR part IS NULL OR part < 0 OR start IS NULL)"
		" THEN RAISE EXCEPTION 'the ids of the runs make no sense'; END IF;"
		"IF EXISTS (SELECT 1 FROM stage_object WHERE build_id IS NULL OR build_id !~ '^([0-9a-f]{2})*$' OR "
		"program IS NULL OR"
		" program ~ '[[:cntrl:]]' OR runs NOT BETWEEN 0 AND most)"
		" OR (SELECT count(DISTINCT (build_id, CASE WHEN build_id = '' THEN program ELSE '' END)) <> count(*) "
		"FROM stage_object)"
		" THEN RAISE EXCEPTION 'the objects make no sense'; END IF;"
		"IF EXISTS (SELECT 1 FROM stage_doubtful WHERE start IS NULL OR pid IS NULL OR doubt IS NULL OR doubt "
		"= 0 OR doubt & ~%u::"
		"bigint <> 0) THEN RAISE EXCEPTION 'the doubtful runs make no sense'; END IF;"
		"IF EXISTS (SELECT 1 FROM stage_function f LEFT JOIN stage_object o ON o.object = f.object WHERE "
		"o.object IS NULL OR f.key IS"
		" NULL OR f.graph IS NULL OR f.source IS NULL OR f.flags IS NULL OR f.flags NOT BETWEEN 0 AND "
		"4294967295 OR f.flags & %u::"
		"bigint <> 0 OR f.apart IS NULL OR coalesce(f.doubt, 0) NOT BETWEEN 0 AND 4294967295 OR f.apart <>"
		" CASE WHEN coalesce(f.doubt, 0) & %u::bigint <> 0 THEN 1 ELSE 0 END)"
		" OR (SELECT count(DISTINCT (object, key, graph, flags, apart)) <> count(*) FROM stage_function)"
		" THEN RAISE EXCEPTION 'the functions make no sense'; END IF;"
		"IF EXISTS (SELECT 1 FROM stage_path p LEFT JOIN stage_function f ON f.function = p.function WHERE "
		"f.function IS NULL OR p.path"
		" IS NULL OR (coalesce(p.count, 0) = 0 AND coalesce(p.base, 0) = 0) OR (coalesce(p.first_seen, 0) <> 0 "
		"AND f.flags & %u::"
		"bigint = 0) OR (coalesce(p.first_seen, 0) = 0 AND coalesce(p.pid, 0) <> 0))"
		" THEN RAISE EXCEPTION 'the paths make no sense'; END IF;"
		"PERFORM push_check_unfinished(); PERFORM push_check_kinds(); END $body$;"
		"COMMENT ON FUNCTION push_check() IS '" KEEPS_SCHEMES "';",
		WM_LABELS_MAX, (unsigned)WM_DOUBT_OF_RUN, wm_indexed_refused_flags() & WM_FUNC_KNOWN,
		(unsigned)WM_DOUBT_OF_RUN, (unsigned)WM_FUNC_RESIDUAL);
}

/* A build counts all paths of a function or only the untested ones, and the counts of both cannot be added; the tests are never
 * profiles of untested paths.  A reader refuses what would be stored here. */
static char *kinds_function(void)
{
	return wm_xprintf(
		"CREATE OR REPLACE FUNCTION push_check_kinds() RETURNS void" DEFINER "BEGIN "
		"IF EXISTS (SELECT 1 FROM stage_label WHERE key = 'kind' AND value = 'test') AND EXISTS (SELECT 1 FROM"
		" stage_function WHERE flags & %u::bigint <> 0) THEN RAISE EXCEPTION 'the profile counts only untested"
		" paths, and is no profile of a test'; END IF;"
		"IF EXISTS (SELECT 1 FROM stage_function GROUP BY object, key, graph HAVING count(DISTINCT flags &"
		" %u::bigint) > 1) OR EXISTS (SELECT 1 FROM stage_function f JOIN stage_object o ON o.object = "
		"f.object"
		" JOIN build d ON d.build_id = o.build_id AND d.program = " WM_SQL_BUILD_PROGRAM(
			"o") " JOIN function g ON g.build = d.id AND g.key = f.key AND g.graph = f.graph AND (g.flags "
			     "# f.flags) &"
			     " %u::bigint <> 0) THEN RAISE EXCEPTION 'the build counts all paths of a function in one "
			     "profile, and "
			     "only the untested ones in another'; END IF; END $body$;",
		(unsigned)WM_FUNC_RESIDUAL, (unsigned)WM_FUNC_RESIDUAL, (unsigned)WM_FUNC_RESIDUAL);
}

/* What a bound writer says must concern its own programs only: objects have these names; what one program did counts for no
 * other; and tests, whose paths count as tested wherever the same source is compiled, need a right of their own. */
static const char check_bound[] =
	"CREATE OR REPLACE FUNCTION push_check_bound() RETURNS void" DEFINER "DECLARE name text; BEGIN "
	"IF NOT push_is_bound() THEN RETURN; END IF;"
	"SELECT o.program INTO name FROM stage_object o WHERE NOT EXISTS (SELECT 1 FROM writer_program w WHERE "
	"w.program = o.program AND w.role IN (SELECT push_roles())) LIMIT 1;"
	"IF FOUND THEN RAISE EXCEPTION 'the role % may not push profiles of the program %', session_user, "
	"quote_literal(name); END IF;"
	"IF EXISTS (SELECT 1 FROM stage_bundle WHERE any_program <> 0) THEN RAISE EXCEPTION 'the role % may not push"
	" profiles that count for any program', session_user; END IF;"
	"SELECT value INTO name FROM stage_label WHERE key = 'kind';"
	"IF name IS NULL OR name NOT IN ('field', 'test') THEN RAISE EXCEPTION 'the role % may push the kinds field"
	" and test', session_user; END IF;"
	"IF NOT EXISTS (SELECT 1 FROM stage_label WHERE key = 'test' OR (key = 'kind' AND value = 'test')) THEN "
	"RETURN; END IF;"
	"SELECT o.program INTO name FROM stage_object o WHERE NOT EXISTS (SELECT 1 FROM writer_program w WHERE "
	"w.program = o.program AND w.tests <> 0 AND w.role IN (SELECT push_roles())) LIMIT 1;"
	"IF FOUND THEN RAISE EXCEPTION 'the role % may not push tests of the program %', session_user, "
	"quote_literal(name); END IF; END $body$;";

/* Each role has its own days, also if the limit is that of a group. */
static char *limits_function(void)
{
	struct wm_string text = {0};
	wm_string_add(&text, "%s",
		"CREATE OR REPLACE FUNCTION push_check_limits() RETURNS void" DEFINER
		"DECLARE used bigint; most bigint; BEGIN "
		"SELECT min(l.rows_per_day) INTO most FROM writer_limit l WHERE l.role IN (SELECT push_roles());"
		"IF most IS NULL THEN RETURN; END IF;"
		"INSERT INTO writer_day AS w (role, day, rows) SELECT session_user, " WM_SERVER_NOW " / 86400, 0");
	for (size_t i = 0; i < STAGES; i++)
		wm_string_add(&text, " + (SELECT count(*) FROM %s)", stage[i].name);
	wm_string_add(&text, "%s",
		" ON CONFLICT (role, day) DO UPDATE SET rows = w.rows + excluded.rows RETURNING rows INTO "
		"used;"
		"IF used > most THEN RAISE EXCEPTION 'the role % may store % rows a day', session_user, "
		"most USING ERRCODE = '53400';"
		" END IF; END $body$;");
	return wm_string_text(&text);
}

static char *end_function(void)
{
	struct wm_string text = {0};
	wm_string_add(&text, "%s",
		"CREATE OR REPLACE FUNCTION push_end() RETURNS void" DEFINER
		"BEGIN IF push_compare() <> 0 THEN RAISE EXCEPTION 'the store has some of the runs'; END IF;"
		"UPDATE stage_object SET claim = program WHERE push_is_bound();"
		/* The clock of a machine may be wrong; nothing is later than the clock of the server. */
		"UPDATE stage_bundle SET last = least(last, " WM_SERVER_NOW "), first = least(first, " WM_SERVER_NOW
		");"
		"PERFORM push_check(); PERFORM push_check_bound(); PERFORM push_check_limits();");
	wm_string_take(&text, wm_schema_text(wm_schema_take, words));
	wm_string_add(&text, "%sEND $body$;", wm_schema_take_unfinished);
	return wm_string_text(&text);
}

/* The functions by which writers push; those of an older version are replaced. */
static void add_push_functions(struct wm_string *text)
{
	wm_string_take(text, begin_function());
	wm_string_add(text, "%s", check_stage);
	wm_string_add(text, "%s%s%s", compare_begin, wm_schema_compare, compare_end);
	wm_string_add(text, "%s", check_unfinished);
	wm_string_take(text, check_function());
	wm_string_take(text, kinds_function());
	wm_string_add(text, "%s", check_bound);
	wm_string_take(text, limits_function());
	wm_string_take(text, end_function());
	wm_string_add(text, "%s", "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA waymark FROM PUBLIC;");
}

/* Not a SECURITY DEFINER: whoever calls them needs the rights that they grant.  Taking the rights of the owner away would make
 * the functions above fail. */
static const char grant_functions[] =
	"CREATE FUNCTION revoke_role(role text) RETURNS void LANGUAGE plpgsql AS $body$ BEGIN "
	"IF (SELECT n.nspowner FROM pg_namespace n WHERE n.nspname = 'waymark') = (SELECT r.oid FROM pg_roles r WHERE "
	"r.rolname = role)"
	" THEN RAISE EXCEPTION 'the role % owns the store, and may do everything', role; END IF;"
	"EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA waymark FROM %I', role);"
	"EXECUTE format('REVOKE ALL ON ALL FUNCTIONS IN SCHEMA waymark FROM %I', role);"
	"EXECUTE format('REVOKE ALL ON SCHEMA waymark FROM %I', role);"
	"EXECUTE format('ALTER DEFAULT PRIVILEGES IN SCHEMA waymark REVOKE ALL ON TABLES FROM %I', role);"
	"END $body$;"
	"CREATE FUNCTION grant_role(role text, kind text) RETURNS void LANGUAGE plpgsql AS $body$ BEGIN "
	"PERFORM waymark.revoke_role(role);"
	"EXECUTE format('GRANT USAGE ON SCHEMA waymark TO %I', role);"
	"IF kind = 'reader' THEN"
	" EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA waymark TO %I', role);"
	" EXECUTE format('ALTER DEFAULT PRIVILEGES IN SCHEMA waymark GRANT SELECT ON TABLES TO %I', role);"
	"ELSE EXECUTE format('GRANT EXECUTE ON FUNCTION waymark.push_begin(), waymark.push_compare(), "
	"waymark.push_end() TO %I', role);"
	"END IF; END $body$;";

/* Ids of bundles are random: a number from a sequence may come again if the server crashes before it commits, although a shard
 * has committed rows with that number.  The setting is what the transaction inserted last. */
static const char bundle_ids[] =
	"CREATE FUNCTION new_bundle() RETURNS bigint LANGUAGE sql VOLATILE SET search_path = pg_catalog AS $body$"
	" SELECT set_config('waymark.bundle', (('x' || left(md5(gen_random_uuid()::text), 15))::bit(60)::bigint)::text,"
	" true)::bigint $body$;"
	"ALTER TABLE bundle ALTER id DROP IDENTITY; ALTER TABLE bundle ALTER id SET DEFAULT new_bundle();";

static const char *const divided[] = {"tally", "path", "seen", NULL};

static void add_partitions(struct wm_string *text)
{
	for (const char *const *table = divided; *table; table++)
		for (int i = 0; i < WM_PARTITIONS; i++)
			wm_string_add(text,
				"CREATE TABLE %s_%d PARTITION OF %s FOR VALUES WITH (MODULUS %d, "
				"REMAINDER %d);",
				*table, i, *table, WM_PARTITIONS, i);
}

/* Each shard has all partitions as tables; those that lie elsewhere stay empty. */
char *wm_postgresql_shard_schema(void)
{
	static const char *const plain[][2] = {{WM_SQL_SHARDED, ""}, {NULL, NULL}};
	struct wm_string text = {0};
	wm_string_take(&text, wm_schema_text(wm_schema_divided, plain));
	for (const char *const *table = divided; *table; table++) {
		for (int i = 0; i < WM_PARTITIONS; i++)
			wm_string_add(&text, "CREATE TABLE %s_%d (LIKE %s INCLUDING ALL);", *table, i, *table);
		wm_string_add(&text, "DROP TABLE %s;", *table);
	}
	return wm_string_text(&text);
}

char *wm_postgresql_schema(const struct wm_shards *shards, bool trusted)
{
	struct wm_string text = {0};
	wm_string_add(&text, "%s",
		"CREATE SCHEMA waymark; REVOKE ALL ON SCHEMA waymark FROM PUBLIC;"
		"SET LOCAL search_path = waymark, pg_catalog;");
	wm_string_take(&text, wm_schema_text(wm_schema_tables, words));
	wm_string_take(&text, wm_schema_text(wm_schema_divided, words));
	wm_string_add(&text, "%s%s", wm_schema_unfinished, bundle_ids);
	if (shards)
		wm_string_take(&text, wm_shards_partitions(shards, divided, WM_PARTITIONS, trusted));
	else
		add_partitions(&text);
	wm_string_add(&text, "%s", owner_tables);
	wm_string_add(&text, "%s", lock_tables);
	wm_string_add(&text, "%s", role_functions);
	wm_string_add(&text, "%s", limit_function);
	wm_string_add(&text, "%s", grant_functions);
	add_push_functions(&text);
	return wm_string_text(&text);
}

/* What is new belongs to the owner of the store, and those may read it who may read the other tables. */
static const char as_owner[] =
	"DO $$ BEGIN EXECUTE format('SET LOCAL ROLE %I', (SELECT pg_get_userbyid(n.nspowner) FROM pg_namespace n"
	" WHERE n.nspname = 'waymark')); END $$;";
static const char share_unfinished[] =
	"DO $$ DECLARE entry record; BEGIN FOR entry IN SELECT DISTINCT a.grantee FROM pg_class c, aclexplode(c.relacl)"
	" a WHERE c.oid = 'waymark.path'::regclass AND a.privilege_type = 'SELECT' AND a.grantee <> 0 LOOP"
	" EXECUTE format('GRANT SELECT ON waymark.unfinished TO %I', pg_get_userbyid(entry.grantee)); END LOOP; END "
	"$$;";

char *wm_postgresql_migration(int64_t version)
{
	struct wm_string text = {0};
	wm_string_add(&text, "%sSET LOCAL search_path = waymark, pg_catalog;", as_owner);
	if (version < WM_SCHEMA_WITH_UNFINISHED)
		wm_string_add(&text, "%s%s", wm_schema_unfinished, share_unfinished);
	add_push_functions(&text);
	return wm_string_text(&text);
}
