/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An SQLite file of somebody else: whatever it contains, it is read as a valid profile or refused with a sentence. */
#include "test/profile/testing.h"

#include "profile/collect.h"
#include "store/store.h"
#include "support/attempt.h"
#include "support/buffer.h"
#include "support/xalloc.h"
#include "test/profile/random_profile.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char file[] = "/tmp/wm-test-hostile-XXXXXX";

struct reading {
	struct wm_profile profile;
	struct wm_profile_store *store;
};

static void read_store(void *argument)
{
	struct reading *reading = argument;
	struct wm_guard guard;
	reading->store = wm_store_open(file, WM_DATABASE_READ);
	wm_guard_begin(&guard, wm_store_close, reading->store);
	wm_store_load(reading->store, &reading->store->url.filter, &reading->profile);
	wm_guard_end(&guard);
}

/* NULL: it was read, and the profile is valid. */
static char *try_to_read(void)
{
	struct reading reading = {0};
	struct wm_heap heap = {0};
	struct wm_attempt attempt = {.heap = &heap};
	struct wm_profile again;
	struct wm_profile_error error;
	uint8_t *data;
	size_t size;
	wm_profile_init(&reading.profile);
	if (wm_attempt_run(&attempt, read_store, &reading)) {
		wm_profile_init(&again);
		assert_int_equal(wm_indexed_write(&reading.profile, &data, &size), 0);
		assert_int_equal(wm_indexed_read(&again, data, size, &error), 0);
		free(data);
		wm_profile_release(&again);
	}
	wm_heap_release(&heap);
	return attempt.sentence;
}

static void expect_refusal(const char *words)
{
	char *sentence = try_to_read();
	if (!sentence)
		fail_msg("not refused: %s", words);
	if (!strstr(sentence, words))
		fail_msg("%s", sentence);
	free(sentence);
}

static void expect_valid(void)
{
	char *sentence = try_to_read();
	if (sentence)
		fail_msg("%s", sentence);
}

static void make_store(void)
{
	uint64_t seed = 3;
	char *reason;
	struct wm_label_list labels = {0};
	struct wm_push_facts facts = {.labels = &labels, .machine = "m", .now = 1790000000};
	unlink(file);
	struct wm_profile_store *store = wm_store_open(file, WM_DATABASE_CREATE);
	wm_store_init(store, NULL);
	for (uint64_t i = 1; i < 8; i++) {
		struct wm_profile profile;
		random_profile(&seed, &profile);
		profile.runs = 1;
		free(profile.run_id);
		profile.run_id = NULL;
		profile.run_id_count = profile.run_id_capacity = 0;
		assert_true(wm_profile_append_run_id(&profile, &(struct wm_run_id){.high = i, .low = i}));
		assert_int_equal(wm_store_push(store, &profile, &facts, &reason), WM_PUSH_STORED);
		wm_profile_release(&profile);
	}
	wm_store_close(store);
}

static void change(const char *sql)
{
	sqlite3 *handle;
	make_store();
	assert_int_equal(sqlite3_open(file, &handle), SQLITE_OK);
	assert_int_equal(sqlite3_exec(handle, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(handle);
}

static void other_tables_are_refused(void **state)
{
	(void)state;
	static const char *const changes[] = {"CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run; END",
		"CREATE VIEW v AS SELECT 1", "CREATE TABLE more (a)", "DROP TABLE machine",
		"DROP TABLE machine; CREATE VIEW machine AS SELECT 1 AS bundle, 'm' AS machine",
		"DROP INDEX run_bundle; CREATE INDEX run_bundle ON run (abs(bundle))"};
	make_store();
	expect_valid();
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		change(changes[i]);
		expect_refusal("other tables");
	}
}

static void other_values_are_refused(void **state)
{
	(void)state;
	static const struct {
		const char *sql, *words;
	} changes[] = {
		{"UPDATE OR IGNORE path SET count = 0, base = NULL", "counts of a path"},
		{"UPDATE OR IGNORE path SET count = 'x'", "a number is missing"},
		{"UPDATE OR IGNORE path SET count = 1.5", "wrong type"},
		{"UPDATE OR IGNORE path SET function = -function", ""},
		{"UPDATE OR IGNORE tally SET doubt = 1, entries = 'a'", ""},
		{"UPDATE OR IGNORE tally SET doubt = 4294967296", "doubts"},
		{"UPDATE OR IGNORE function SET flags = -1", "flags"},
		{"UPDATE OR IGNORE function SET apart = 1 - apart", "doubts"},
		{"UPDATE OR IGNORE build SET build_id = 'zz' || id", "build-id"},
		{"UPDATE OR IGNORE build SET build_id = 'abc' || id || '0'", ""},
		{"UPDATE OR IGNORE content SET program = char(10)", "control"},
		{"UPDATE OR IGNORE content SET program = hex(zeroblob(99))", "too long"},
		{"UPDATE OR IGNORE content SET program = 'a' || char(0) || 'b'", "wrong type"},
		{"UPDATE OR IGNORE run SET high = 0, low = 0 WHERE high = 1", "no id"},
		{"UPDATE OR IGNORE bundle SET runs = 'many'", "a number is missing"},
		{"UPDATE OR IGNORE meta SET value = '99'", "version 99"},
		{"DELETE FROM meta", "which version"},
		{"DROP TABLE unfinished", "no such table"},
		{"INSERT OR IGNORE INTO unfinished SELECT bundle, function, 0, 1, 1 FROM tally", "unfinished path"},
		{"INSERT OR IGNORE INTO unfinished SELECT bundle, function, 4294967297, 1, 1 FROM tally",
			"unfinished path"},
		{"INSERT OR IGNORE INTO unfinished SELECT bundle, function, 1, 1, 0 FROM tally", "unfinished path"},
		{"INSERT OR IGNORE INTO unfinished SELECT bundle, function, 1, 'x', 1 FROM tally",
			"a number is missing"},
		{"INSERT OR IGNORE INTO unfinished SELECT bundle, -function, 1, 1, 1 FROM tally", ""},
		{"INSERT INTO doubtful SELECT bundle, build, 1, 1, 4 FROM content LIMIT 1", "doubtful"},
	};
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		change(changes[i].sql);
		if (*changes[i].words)
			expect_refusal(changes[i].words);
		else
			free(try_to_read());
	}
}

/* What ANALYZE creates is no concern of the store; a view of that name is. */
static void statistics_are_ignored(void **state)
{
	(void)state;
	change("ANALYZE");
	expect_valid();
	change("ANALYZE; PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE sqlite_stat1(tbl, "
	       "a)'"
	       " WHERE name = 'sqlite_stat1'");
	expect_refusal("");
}

/* A process that is killed while it writes leaves a journal, which only who may write can undo. */
static void kill_a_writer(void)
{
	pid_t child = fork();
	if (!child) {
		sqlite3 *handle;
		bool ok = sqlite3_open(file, &handle) == SQLITE_OK &&
			  sqlite3_exec(handle,
				  "PRAGMA cache_size = 1; BEGIN IMMEDIATE; UPDATE path SET count = 77;"
				  "DELETE FROM run; DELETE FROM tally; UPDATE bundle SET runs = 5",
				  NULL, NULL, NULL) == SQLITE_OK;
		_exit(!ok);
	}
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void append_to_journal(const void *data, size_t size)
{
	char *name = wm_xprintf("%s-journal", file);
	int fd = open(name, O_WRONLY | O_APPEND);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), size);
	close(fd);
	free(name);
}

static void killed_writers_are_undone(void **state)
{
	(void)state;
	struct wm_buffer before, after;
	make_store();
	assert_true(wm_buffer_read(&before, file));
	kill_a_writer();
	assert_true(wm_buffer_read(&after, file));
	assert_true(before.size != after.size || memcmp(before.data, after.data, after.size));
	wm_buffer_release(&after);
	expect_valid();
	assert_true(wm_buffer_read(&after, file));
	assert_int_equal(before.size, after.size);
	assert_memory_equal(before.data, after.data, after.size);
	wm_buffer_release(&after);
	wm_buffer_release(&before);
	/* A journal of several databases names a file that SQLite would remove. */
	kill_a_writer();
	append_to_journal("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8);
	expect_refusal("-journal is not that of a store");
	char *name = wm_xprintf("%s-journal", file);
	unlink(name);
	free(name);
}

static void list_entry(void *closure, const struct wm_store_entry *entry)
{
	(void)entry;
	++*(size_t *)closure;
}

static void list_store(void *argument)
{
	struct wm_guard guard;
	struct wm_profile_store *store = wm_store_open(file, WM_DATABASE_READ);
	wm_guard_begin(&guard, wm_store_close, store);
	wm_store_list(store, &store->url.filter, list_entry, argument);
	wm_guard_end(&guard);
}

/* What a command prints has no control characters. */
static void lists_are_printable(void **state)
{
	(void)state;
	static const char *const changes[] = {"UPDATE label_set SET labels = 'kind=field' || char(10) || 'x'",
		"UPDATE content SET program = 'a' || char(27)",
		"UPDATE OR IGNORE build SET build_id = 'a' || char(10) || id",
		"UPDATE label_set SET labels = hex(zeroblob(9999))", "SELECT 1"};
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		struct wm_heap heap = {0};
		struct wm_attempt attempt = {.heap = &heap};
		size_t count = 0;
		bool harmless = i + 1 == sizeof(changes) / sizeof(*changes);
		change(changes[i]);
		assert_int_equal(wm_attempt_run(&attempt, list_store, &count), harmless);
		assert_true(harmless ? count > 0 : strstr(attempt.sentence, "is damaged") != NULL);
		free(attempt.sentence);
		wm_heap_release(&heap);
	}
}

static void passwords_are_not_told(void **state)
{
	(void)state;
	static const char *const names[][2] = {
		{"postgresql://u:secret@h/db?host=/x#program=p", "postgresql://u@h/db?host=/x#program=p"},
		{"postgresql://u:sec/ret@h/db", "postgresql://u@h/db"},
		{"postgresql://u:se@cret@h/db", "postgresql://u@h/db"},
		{"postgres://h:5432/db", "postgres://h:5432/db"},
		{"postgresql://u@h:5432/db#version=a@b", "postgresql://u@h:5432/db#version=a@b"},
		{"postgresql:///db?user=u&password=secret&x=1", "postgresql:///db?user=u&password=*&x=1"},
		{"postgresql:///db?%70assword=secret", "postgresql:///db?%70assword=*"},
		{"postgresql:///db?sslpassword=secret#kind=test", "postgresql:///db?sslpassword=*#kind=test"},
		{"postgresql:///db?passfile=/home/u/.pgpass", "postgresql:///db?passfile=/home/u/.pgpass"},
		{"a:b@c.db", "a:b@c.db"},
	};
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *name = wm_store_public_name(names[i][0]);
		assert_string_equal(name, names[i][1]);
		free(name);
	}
}

/* Random bytes of the file. */
static void damage_is_named(void **state)
{
	(void)state;
	uint64_t seed = 5;
	struct wm_buffer whole;
	make_store();
	assert_true(wm_buffer_read(&whole, file));
	for (int i = 0; i < 400; i++) {
		int fd = open(file, O_WRONLY | O_TRUNC);
		size_t size = random_below(&seed, 10) ? whole.size : random_below(&seed, (uint32_t)whole.size);
		assert_int_equal(write(fd, whole.data, size), size);
		for (unsigned n = random_below(&seed, 8) + 1; n; n--) {
			uint8_t byte = (uint8_t)random_next(&seed);
			assert_int_equal(pwrite(fd, &byte, 1, random_below(&seed, (uint32_t)whole.size)), 1);
		}
		close(fd);
		char *sentence = try_to_read();
		assert_true(!sentence || *sentence);
		free(sentence);
	}
	wm_buffer_release(&whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_tables_are_refused),
		cmocka_unit_test(other_values_are_refused),
		cmocka_unit_test(statistics_are_ignored),
		cmocka_unit_test(killed_writers_are_undone),
		cmocka_unit_test(lists_are_printable),
		cmocka_unit_test(passwords_are_not_told),
		cmocka_unit_test(damage_is_named),
	};
	close(mkstemp(file));
	int status = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(file);
	return status;
}
