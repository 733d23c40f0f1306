/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Bundles of one day with the same labels and the same objects become one bundle, their sum.
 *
 * The tables of paths may lie on several servers, which have no common transaction.  So a roll-up has three stages, each of
 * which can be repeated, by anybody, after any failure:
 *   1. One transaction creates the sum, without runs, and notes which bundles it will hold (table roll_up).
 *   2. For each partition, a transaction replaces the rows of these bundles by their sums, on the one server that has the
 *      partition.  A row is thus always either a row of its bundle or part of a row of the sum, and both count.
 *   3. One transaction gives the sum the runs, the unfinished paths and other facts of its bundles, and removes these.
 * No reader reads while one of these transactions is committed (WM_MOVING), because it would see two servers at two times.  They
 * also exclude each other and those of prunes, so that several roll-ups and prunes may run at once: stage 1 looks again which of
 * the bundles that were found before are there, prunes leave the bundles of begun roll-ups alone, and stages 2 and 3 do
 * nothing when somebody else has done them.
 *
 * SQL adds numbers here, which are signed: a bundle with a number of 2^44 or more is left alone.
 */
#define XXH_INLINE_ALL
#include "store/runs.h"
#include "store/schema.h"
#include "store/select.h"
#include "store/store.h"
#include "support/attempt.h"
#include "support/fail.h"
#include "support/string_builder.h"
#include "support/xalloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define ABSURD "17592186044416" /* 2^44; times LARGEST_GROUP, it is less than 2^63 */
/* The ids of a group are one parameter of a query, which must be less than a megabyte. */
enum { LARGEST_GROUP = 1 << 14 };

struct candidate {
	int64_t bundle;
	uint64_t group[2]; /* hash of its labels, day, objects, and whether its machine is known */
	bool absurd;
};
struct roll_up {
	struct wm_profile_store *store;
	struct candidate *candidate;
	size_t count;
	int64_t number; /* what the last query gave */
	bool answered; /* the last query gave a number */
};

static const struct wm_database_kind *kind_of(const struct roll_up *roll_up)
{
	return roll_up->store->database->base.kind;
}

static void query(struct roll_up *roll_up, const char *sql, const int64_t *number, size_t count, size_t columns,
	wm_sql_take *take)
{
	struct wm_sql_value parameter[4];
	for (size_t i = 0; i < count; i++)
		parameter[i] = WM_SQL_NUMBER(number[i]);
	kind_of(roll_up)->query(roll_up->store->database, &(struct wm_sql_query){.sql = sql,
								  .parameter = parameter,
								  .parameter_count = count,
								  .columns = columns,
								  .take = take,
								  .closure = roll_up});
}

static void begin(struct roll_up *roll_up, enum wm_transaction transaction)
{
	kind_of(roll_up)->begin(roll_up->store->database, transaction);
}

static void commit(struct roll_up *roll_up)
{
	kind_of(roll_up)->commit(roll_up->store->database);
}

/* Stage 1. */

static void fail_damaged(const struct roll_up *roll_up)
{
	wm_fail("the store %s is damaged: a number is missing; restore it from a copy",
		roll_up->store->database->base.location);
}

/* bundle, labels, day, whether it has a machine, build, program; ascending by bundle and build. */
static void take_candidate(void *closure, const struct wm_sql_value *value)
{
	struct roll_up *roll_up = closure;
	if (value[5].kind != WM_SQL_TEXT)
		fail_damaged(roll_up);
	for (size_t i = 0; i < 5; i++)
		if (value[i].kind != WM_SQL_INTEGER)
			fail_damaged(roll_up);
	struct candidate *last = roll_up->count ? &roll_up->candidate[roll_up->count - 1] : NULL;
	if (!last || last->bundle != value[0].integer) {
		WM_XGROW(roll_up->candidate, roll_up->count);
		last = &roll_up->candidate[roll_up->count++];
		*last = (struct candidate){.bundle = value[0].integer};
	}
	const uint64_t words[] = {last->group[0], last->group[1], (uint64_t)value[1].integer,
		(uint64_t)value[2].integer, (uint64_t)value[3].integer, (uint64_t)value[4].integer,
		XXH3_64bits(value[5].text, strlen(value[5].text))};
	XXH128_hash_t hash = XXH3_128bits(words, sizeof(words));
	last->group[0] = hash.low64;
	last->group[1] = hash.high64;
}

static int compare_bundles(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	return (x->bundle > y->bundle) - (x->bundle < y->bundle);
}

static int compare_groups(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	int order = memcmp(x->group, y->group, sizeof(x->group));
	return order ? order : compare_bundles(a, b);
}

static void take_absurd(void *closure, const struct wm_sql_value *value)
{
	struct roll_up *roll_up = closure;
	struct candidate wanted = {.bundle = value[0].integer};
	struct candidate *found =
		roll_up->count ? bsearch(&wanted, roll_up->candidate, roll_up->count, sizeof(wanted), compare_bundles)
			       : NULL;
	if (found)
		found->absurd = true;
}

static void take_number(void *closure, const struct wm_sql_value *value)
{
	struct roll_up *roll_up = closure;
	roll_up->answered = value[0].kind == WM_SQL_INTEGER;
	roll_up->number = roll_up->answered ? value[0].integer : 0;
}

/* The number that a query gives; `answered` says whether it gave one. */
static int64_t ask(struct roll_up *roll_up, const char *sql, const int64_t *number, size_t count)
{
	roll_up->answered = false;
	roll_up->number = 0;
	query(roll_up, sql, number, count, 1, take_number);
	return roll_up->number;
}

#define IS_ABSURD(x) "(" x " < 0 OR " x " >= " ABSURD ")"

/* Runs without a machine are kept apart: a sum of them and of one machine would pass for a sum of that machine. */
#define CANDIDATES \
	"SELECT b.id, b.label_set, b.last / 86400, CASE WHEN EXISTS (SELECT 1 FROM machine m WHERE m.bundle = b.id) " \
	"THEN 1 ELSE 0 END, c.build, c.program FROM bundle b JOIN content c ON c.bundle = b.id WHERE b.first >= 0" \
	" AND b.id NOT IN (SELECT old FROM roll_up) AND b.id NOT IN (SELECT new FROM roll_up)"

/* clang-format off */
static const char absurd[] =
	"SELECT bundle FROM path WHERE path >= 0 AND (" IS_ABSURD("count") " OR " IS_ABSURD("base") ")"
	" OR first_seen < 0 OR pid < 0"
	" UNION SELECT bundle FROM tally WHERE " IS_ABSURD("entries") " OR " IS_ABSURD("resumed")
	" OR " IS_ABSURD("base_entries") " OR " IS_ABSURD("base_resumed") " OR " IS_ABSURD("lost") " OR doubt < 0 OR doubt > 31"
	" UNION SELECT id FROM bundle WHERE " IS_ABSURD("runs") " OR " IS_ABSURD("unsafe")
	" UNION SELECT bundle FROM content WHERE " IS_ABSURD("runs");
static const char absurd_unfinished[] = "SELECT bundle FROM unfinished WHERE " IS_ABSURD("count");
/* clang-format on */

/* In a transaction: the store may be migrated between two. */
static bool has_unfinished(const struct roll_up *roll_up)
{
	return wm_store_version(roll_up->store) >= WM_SCHEMA_WITH_UNFINISHED;
}

static void find_candidates(struct roll_up *roll_up, int64_t before)
{
	struct wm_guard guard;
	roll_up->count = 0;
	begin(roll_up, WM_READING);
	wm_guard_begin(&guard, wm_store_roll_back, roll_up->store);
	query(roll_up, CANDIDATES " AND b.last < $1 ORDER BY b.id, c.build", &before, 1, 6, take_candidate);
	query(roll_up, absurd, NULL, 0, 1, take_absurd);
	if (has_unfinished(roll_up))
		query(roll_up, absurd_unfinished, NULL, 0, 1, take_absurd);
	wm_guard_end(&guard);
	if (roll_up->count)
		qsort(roll_up->candidate, roll_up->count, sizeof(*roll_up->candidate), compare_groups);
}

/* The ids of bundles, as wm_database_kind.among has them; release it with free. */
static char *list_of(const struct roll_up *roll_up, const struct candidate *first, size_t count)
{
	const char *brackets = kind_of(roll_up)->among.brackets;
	char *text = wm_xmalloc(24 * count + 3), *to = text;
	*to++ = brackets[0];
	for (size_t i = 0; i < count; i++)
		to += snprintf(to, 24, "%s%lld", i ? "," : "", (long long)first[i].bundle);
	*to++ = brackets[1];
	*to = 0;
	return text;
}

/* Continues a query with the condition that b.id is in the list, and runs it. */
static void run_listed(struct roll_up *roll_up, struct wm_select *select, const char *list, const char *end)
{
	bool candidates = *end;
	wm_select_add(select, " AND b.id");
	wm_select_add(select, kind_of(roll_up)->among.before);
	wm_select_add_value(select, WM_SQL_STRING(list));
	wm_select_add(select, kind_of(roll_up)->among.behind);
	wm_select_add(select, end);
	wm_select_run(
		select, roll_up->store->database, candidates ? 6 : 0, candidates ? take_candidate : NULL, roll_up);
	wm_select_release(select);
}

/* Those of a group that still belong to it: another roll-up or a prune may have run since they were found. */
static void find_again(struct roll_up *again, const struct candidate *first, size_t count)
{
	struct wm_select select;
	char *list = list_of(again, first, count);
	size_t kept = 0;
	wm_select_init(&select, CANDIDATES);
	run_listed(again, &select, list, " ORDER BY b.id, c.build");
	for (size_t i = 0; i < again->count; i++)
		if (!memcmp(again->candidate[i].group, first->group, sizeof(first->group)))
			again->candidate[kept++] = again->candidate[i];
	again->count = kept;
	free(list);
}

/* The row of the sum, without runs, and which bundles it will hold. */
static int64_t insert_sum(struct roll_up *roll_up, const struct candidate *first, size_t count)
{
	struct wm_select select;
	char *list = list_of(roll_up, first, count);
	int64_t sum = ask(roll_up,
		"INSERT INTO bundle (label_set, runs, unsafe, any_program, first, last, stored, sums, writer)"
		" SELECT label_set, 0, 0, 0, first, last, stored, 1, '' FROM bundle WHERE id = $1 RETURNING id",
		&first->bundle, 1);
	if (!roll_up->answered)
		wm_bug("a roll-up of %s has no sum", roll_up->store->database->base.location);
	wm_select_init(&select, "INSERT INTO roll_up (old, new) SELECT b.id, CAST(");
	wm_select_add_value(&select, WM_SQL_NUMBER(sum));
	wm_select_add(&select, " AS bigint) FROM bundle b WHERE true");
	run_listed(roll_up, &select, list, "");
	free(list);
	return sum;
}

static bool names_agree(struct roll_up *roll_up, int64_t sum)
{
	return !ask(roll_up,
		"SELECT count(*) FROM (SELECT 1 AS one FROM path WHERE path < 0 AND bundle IN (SELECT old FROM roll_up "
		"WHERE new = $1)"
		" GROUP BY function, path HAVING count(DISTINCT count) > 1 OR count(DISTINCT base) > 1) x",
		&sum, 1);
}

static void insert_facts(struct roll_up *roll_up, int64_t sum, int64_t first)
{
	query(roll_up,
		"INSERT INTO content (bundle, build, program, runs) SELECT CAST($1 AS bigint), build, program, 0 FROM "
		"content WHERE bundle = $2",
		(const int64_t[]){sum, first}, 2, 0, NULL);
	query(roll_up,
		"INSERT INTO machine (bundle, machine) SELECT DISTINCT r.new, m.machine FROM machine m JOIN roll_up r"
		" ON r.old = m.bundle WHERE r.new = $1",
		&sum, 1, 0, NULL);
	query(roll_up,
		"UPDATE bundle SET last = (SELECT max(b.last) FROM bundle b JOIN roll_up r ON r.old = b.id WHERE r.new "
		"= $1),"
		" first = (SELECT min(b.first) FROM bundle b JOIN roll_up r ON r.old = b.id WHERE r.new = $1) WHERE id "
		"= $1",
		&sum, 1, 0, NULL);
}

/* Creates the sum of a group; false: nothing is left to add up, or the names of its paths contradict each other. */
static bool begin_group(struct roll_up *roll_up, const struct candidate *first, size_t count)
{
	struct roll_up again = {.store = roll_up->store};
	struct wm_guard guard;
	bool fine = false;
	wm_guard_begin(&guard, wm_store_roll_back, roll_up->store);
	begin(roll_up, WM_MOVING);
	find_again(&again, first, count);
	if (again.count > 1) {
		int64_t sum = insert_sum(roll_up, again.candidate, again.count);
		fine = names_agree(roll_up, sum);
		if (fine) {
			insert_facts(roll_up, sum, again.candidate[0].bundle);
			commit(roll_up);
		}
	}
	wm_guard_end(&guard);
	free(again.candidate);
	return fine;
}

/* Stage 2. */

/* Rows of the table that are moved: those of bundles that count.  A bundle is looked for among its own functions, by which the table is ordered. */
#define MOVED(t) \
	t ".bundle IN (SELECT r.old FROM roll_up r JOIN bundle o ON o.id = r.old WHERE r.new = $1) AND " t \
	  ".function IN (SELECT f.id FROM function f WHERE f.build IN" \
	  " (SELECT c.build FROM content c WHERE c.bundle = $1))"

/* Whether a bit of the doubts is set in one of them. */
#define ANY_DOUBT(bit) "max(coalesce(t.doubt, 0) & " bit ")"
#define SUM(x) "CAST(sum(" x ") AS bigint)"
/* Of paths only: SQLite computes sums of names, too, which are not used, and fails because they are too large. */
#define SUM_PATHS(column) "CAST(sum(CASE WHEN x.path >= 0 THEN x." column " END) AS bigint)"

/* The runs of the bundles that are moved. */
#define RUNS_OF_MOVED \
	WM_RUNS_OF_BUNDLES("h.id IN (SELECT old FROM roll_up WHERE new = $1)") \
	" JOIN roll_up v ON v.old = r.bundle AND v.new = $1" WM_RUNS_OF_BUNDLES_END

/* clang-format off */
static const char *const moves[] = {
	"INSERT INTO tally@ (function, bundle, doubt, entries, resumed, base_entries, base_resumed, lost)"
	" SELECT t.function, CAST($1 AS bigint), "
	ANY_DOUBT("1") " | " ANY_DOUBT("2") " | " ANY_DOUBT("4") " | " ANY_DOUBT("8") " | " ANY_DOUBT("16") ", "
	SUM("t.entries") ", " SUM("t.resumed") ", " SUM("t.base_entries") ", " SUM("t.base_resumed") ", " SUM("t.lost")
	" FROM tally@ t WHERE " MOVED("t") " GROUP BY t.function",
	/* The machines of a sum are in `seen`; another bundle has one at most. */
	"INSERT INTO seen@ (function, bundle, path, machine)"
	" SELECT s.function, CAST($1 AS bigint), s.path, s.machine FROM seen@ s WHERE " MOVED("s")
	" UNION SELECT p.function, CAST($1 AS bigint), p.path, m.machine FROM path@ p"
	" JOIN machine m ON m.bundle = p.bundle JOIN bundle b ON b.id = p.bundle AND b.sums = 0 WHERE " MOVED("p"),
	"INSERT INTO path@ (function, bundle, path, count, base, first_seen, pid, runs, most)"
	" SELECT x.function, CAST($1 AS bigint), x.path, CASE WHEN x.path < 0 THEN min(x.count) ELSE " SUM_PATHS("count") " END,"
	" CASE WHEN x.path < 0 THEN min(x.base) ELSE " SUM_PATHS("base") " END, min(x.first_seen),"
	" min(CASE WHEN x.first_seen = x.earliest THEN coalesce(x.pid, 0) END),"
	" count(DISTINCT x.begun) + " SUM("x.others_least") ", count(DISTINCT x.run) + " SUM("x.others_most")
	" FROM (SELECT p.function, p.path, p.count, p.base, p.first_seen, p.pid,"
	" min(p.first_seen) OVER (PARTITION BY p.function, p.path) AS earliest, " WM_RUN " AS run, " WM_RUN_THAT_BEGINS " AS begun, "
	WM_OTHER_RUNS_LEAST " AS others_least, " WM_OTHER_RUNS_MOST " AS others_most"
	" FROM path@ p JOIN function e ON e.id = p.function JOIN bundle b ON b.id = p.bundle"
	" JOIN content c ON c.bundle = p.bundle AND c.build = e.build LEFT JOIN " RUNS_OF_MOVED " n ON n.bundle = p.bundle"
	" WHERE " MOVED("p") ") x GROUP BY x.function, x.path",
	"DELETE FROM tally@ WHERE " MOVED("tally@"),
	"DELETE FROM seen@ WHERE " MOVED("seen@"),
	"DELETE FROM path@ WHERE " MOVED("path@"),
};
/* clang-format on */

/* The statement with the suffix of a partition for each '@'; release it with free. */
static char *for_partition(const char *sql, const char *suffix)
{
	struct wm_string text = {0};
	for (const char *at; (at = strchr(sql, '@')); sql = at + 1)
		wm_string_add(&text, "%.*s%s", (int)(at - sql), sql, suffix);
	wm_string_add(&text, "%s", sql);
	return wm_string_text(&text);
}

static void move_partition(struct roll_up *roll_up, int64_t sum, const char *suffix)
{
	struct wm_guard guard;
	wm_guard_begin(&guard, wm_store_roll_back, roll_up->store);
	begin(roll_up, WM_MOVING);
	for (size_t i = 0; i < sizeof(moves) / sizeof(*moves); i++) {
		char *sql = for_partition(moves[i], suffix);
		query(roll_up, sql, &sum, 1, 0, NULL);
		free(sql);
	}
	commit(roll_up);
	wm_guard_end(&guard);
}

static void move_rows(struct roll_up *roll_up, int64_t sum)
{
	size_t count = kind_of(roll_up)->partitions;
	for (size_t i = 0; i < count; i++) {
		char suffix[24];
		snprintf(suffix, sizeof(suffix), "_%zu", i);
		move_partition(roll_up, sum, suffix);
	}
	if (!count)
		move_partition(roll_up, sum, "");
}

/* Stage 3. */

#define OLD "(SELECT old FROM roll_up WHERE new = $1)"

static const char *const folds[] = {
	"UPDATE bundle SET runs = runs + (SELECT coalesce(" SUM(
		"b.runs") ", 0) FROM bundle b WHERE b.id IN " OLD "),"
			  " unsafe = unsafe + (SELECT coalesce(" SUM(
				  "b.unsafe") ", 0) FROM bundle b WHERE b.id IN " OLD "),"
					      " any_program = (SELECT coalesce(max(b.any_program), 0) FROM bundle b "
					      "WHERE b.id IN " OLD ") WHERE id = $1"
					      " AND EXISTS (SELECT 1 FROM roll_up WHERE new = $1)",
	"UPDATE content SET runs = (SELECT CASE WHEN count(c.runs) = count(*) THEN " SUM(
		"c.runs") " END FROM content c WHERE c.build ="
			  " content.build AND c.bundle IN " OLD
			  ") WHERE bundle = $1 AND EXISTS (SELECT 1 FROM roll_up WHERE new = $1)",
	"UPDATE run SET bundle = $1 WHERE bundle IN " OLD,
	"UPDATE doubtful SET bundle = $1 WHERE bundle IN " OLD,
	"DELETE FROM machine WHERE bundle IN " OLD,
	"DELETE FROM content WHERE bundle IN " OLD,
	"DELETE FROM bundle WHERE id IN " OLD,
	"DELETE FROM roll_up WHERE new = $1",
};

/* Those of the bundles and of the sum are on one server, so that they need no stage of their own. */
static const char *const unfinished_folds[] = {
	"INSERT INTO unfinished (bundle, function, site, sum, count) SELECT CAST($1 AS bigint), u.function, u.site, "
	"u.sum, " SUM("u.count") " FROM unfinished u WHERE u.bundle IN " OLD " GROUP BY u.function, u.site, u.sum",
	"DELETE FROM unfinished WHERE bundle IN " OLD,
};

static void run_folds(struct roll_up *roll_up, const char *const *sql, size_t count, int64_t sum)
{
	for (size_t i = 0; i < count; i++)
		query(roll_up, sql[i], &sum, 1, 0, NULL);
}

static void fold(struct roll_up *roll_up, int64_t sum)
{
	struct wm_guard guard;
	wm_guard_begin(&guard, wm_store_roll_back, roll_up->store);
	begin(roll_up, WM_MOVING);
	if (has_unfinished(roll_up))
		run_folds(roll_up, unfinished_folds, sizeof unfinished_folds / sizeof *unfinished_folds, sum);
	run_folds(roll_up, folds, sizeof folds / sizeof *folds, sum);
	commit(roll_up);
	wm_guard_end(&guard);
}

void wm_store_complete_roll_ups(struct wm_profile_store *store)
{
	struct roll_up roll_up = {.store = store};
	for (;;) {
		int64_t sum = ask(&roll_up, "SELECT min(new) FROM roll_up", NULL, 0);
		if (!roll_up.answered)
			return;
		move_rows(&roll_up, sum);
		fold(&roll_up, sum);
	}
}

static size_t end_of_group(const struct roll_up *roll_up, size_t first)
{
	const struct candidate *candidate = roll_up->candidate;
	size_t end = first;
	while (end < roll_up->count && end - first < LARGEST_GROUP &&
		!memcmp(candidate[end].group, candidate[first].group, sizeof(candidate->group)))
		end++;
	return end;
}

/* *divided: a group was so large that it has several sums now. */
static size_t roll_up_once(struct roll_up *roll_up, int64_t before, bool *divided)
{
	size_t groups = 0;
	find_candidates(roll_up, before);
	for (size_t first = 0, end; first < roll_up->count; first = end) {
		size_t fine = 0;
		end = end_of_group(roll_up, first);
		for (size_t i = first; i < end; i++)
			if (!roll_up->candidate[i].absurd)
				roll_up->candidate[first + fine++] = roll_up->candidate[i];
		if (fine < 2 || !begin_group(roll_up, &roll_up->candidate[first], fine))
			continue;
		groups++;
		*divided |= end - first == LARGEST_GROUP;
		wm_store_complete_roll_ups(roll_up->store);
	}
	return groups;
}

size_t wm_store_roll_up(struct wm_profile_store *store, int64_t before)
{
	struct roll_up roll_up = {.store = store};
	size_t groups = 0;
	bool divided;
	wm_store_complete_roll_ups(store);
	do {
		divided = false;
		groups += roll_up_once(&roll_up, before, &divided);
	} while (divided);
	free(roll_up.candidate);
	return groups;
}
