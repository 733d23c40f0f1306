/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An SQLite file of somebody else: whatever it contains, it is read as a valid profile or refused with a sentence. */
#include "test/profile/testing.h"

#include "profile/collect.h"
#include "store/store.h"
#include "support/attempt.h"
#include "support/tool.h"
#include "test/profile/random_profile.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
	assert_null(try_to_read());
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
		cmocka_unit_test(damage_is_named),
	};
	close(mkstemp(file));
	int status = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(file);
	return status;
}
