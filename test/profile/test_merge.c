/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* waymark merge on files: who counts, who is named, and with which exit code. */
#include "cmd/commands.h"
#include "test/profile/testing.h"

#include "abi/sequence.h"
#include "abi/unfinished.h"
#include "analysis/join/merge_files.h"
#include "profile/collect.h"
#include "support/buffer.h"
#include "support/fail.h"
#include "support/terminal.h"
#include "support/xalloc.h"
#include "test/profile/raw_builder.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/wm-test-merge-XXXXXX";

static int enter_directory(void **state)
{
	(void)state;
	return mkdtemp(directory) && !chdir(directory) ? 0 : -1;
}

static int leave_directory(void **state)
{
	(void)state;
	char *command = wm_xprintf("rm -rf '%s'", directory);
	int status = chdir("/") || system(command);
	free(command);
	return status;
}

static void save(const char *name, const void *data, size_t size)
{
	FILE *file = fopen(name, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static void save_text(const char *name, const char *text)
{
	save(name, text, strlen(text));
}

/* One function of two paths; `count` for its path 1.  Cuts `cut` bytes off the end. */
static void save_raw(const char *name, uint64_t run, uint64_t epoch, uint64_t snapshot, uint64_t count, size_t cut)
{
	struct raw_builder builder;
	size_t size;
	raw_builder_init(&builder);
	raw_builder_function(&builder, 1, 1, 0, 2);
	raw_builder_function(&builder, 2, 2, WM_FUNC_HASH, 0);
	*raw_builder_cell(&builder, 0, 1) = count;
	builder.header.run_id_low = run;
	builder.header.epoch = epoch;
	builder.header.snapshot = snapshot;
	builder.header.flags |= snapshot ? WM_RAW_SNAPSHOT : 0;
	uint8_t *image = raw_builder_image(&builder, &size);
	save(name, image, size - cut);
	free(image);
	raw_builder_release(&builder);
}

static char messages[8192];

/* Runs the command; its standard error is left in `messages`. */
static int run_merge(char **argv)
{
	int argc = 0, saved = dup(STDERR_FILENO), out = dup(STDOUT_FILENO);
	while (argv[argc])
		argc++;
	int fd = open("stderr", O_RDWR | O_CREAT | O_TRUNC, 0600);
	fflush(stdout);
	dup2(fd, STDERR_FILENO);
	int null = open("/dev/null", O_WRONLY);
	dup2(null, STDOUT_FILENO);
	wm_command_name = "merge";
	int status = wm_cmd_merge(argc, argv);
	fflush(stdout);
	dup2(saved, STDERR_FILENO);
	dup2(out, STDOUT_FILENO);
	ssize_t size = pread(fd, messages, sizeof(messages) - 1, 0);
	messages[size > 0 ? size : 0] = 0;
	close(saved);
	close(out);
	close(null);
	close(fd);
	return status;
}

#define MERGE(...) run_merge((char *[]){"merge", "-o", "out.wmprof", __VA_ARGS__, NULL})

static void expect(uint64_t runs, uint64_t count)
{
	struct wm_profile profile;
	struct wm_profile_error error;
	struct wm_buffer buffer;
	assert_true(wm_buffer_read(&buffer, "out.wmprof"));
	wm_profile_init(&profile);
	assert_int_equal(wm_profile_read(&profile, buffer.data, buffer.size, &error), WM_PROFILE_OK);
	assert_int_equal(profile.runs, runs);
	assert_true(profile.object[0].function[0].path[0].count == count);
	wm_profile_release(&profile);
	wm_buffer_release(&buffer);
	unlink("out.wmprof");
}

static void sums(void **state)
{
	(void)state;
	save_raw("a.wmraw", 1, 0, 0, 10, 0);
	save_raw("b.wmraw", 2, 0, 0, 100, 0);
	assert_int_equal(MERGE("a.wmraw", "b.wmraw"), 0);
	assert_string_equal(messages, "");
	assert_int_equal(rename("out.wmprof", "first.wmprof"), 0);
	save_raw("c.wmraw", 3, 0, 0, 1000, 0);
	assert_int_equal(MERGE("first.wmprof", "c.wmraw"), 0);
	expect(3, 1110);
	assert_int_equal(MERGE("--json", "first.wmprof", "c.wmraw"), 0);
	expect(3, 1110);
}

static void lists_and_directories(void **state)
{
	(void)state;
	assert_int_equal(mkdir("runs", 0700), 0);
	save_raw("runs/a.wmraw", 1, 0, 0, 10, 0);
	save_raw("runs/b.wmraw", 2, 0, 0, 100, 0);
	save_text("runs/note.txt", "x");
	assert_int_equal(MERGE("runs"), 0);
	expect(2, 110);
	save_text("list", "# comment\n\nruns/a.wmraw\nruns/b.wmraw\r\n");
	assert_int_equal(MERGE("@list"), 0);
	expect(2, 110);
	assert_int_equal(MERGE("-f", "list"), 0);
	expect(2, 110);
}

static void damaged_inputs_are_named_and_the_rest_goes_on(void **state)
{
	(void)state;
	save_raw("a.wmraw", 1, 0, 0, 10, 0);
	save_raw("cut.wmraw", 2, 0, 0, 100, 8);
	save_text("text", "hello, this is no profile");
	save_text("empty", "");
	assert_int_equal(MERGE("a.wmraw", "cut.wmraw", "text", "empty", "absent"), 0);
	assert_non_null(strstr(messages, "waymark merge: cut.wmraw was merged in part: "));
	assert_non_null(strstr(messages, "the counts of 1 of 2 functions are lost"));
	assert_non_null(strstr(messages, "text was left out: it is no Waymark profile"));
	assert_non_null(strstr(messages, "empty was left out: it is empty"));
	assert_non_null(strstr(messages, "absent was left out: it cannot be read"));
	assert_non_null(strstr(messages, "merged 2 of 5 inputs; 1 damaged, 0 doubtful, 3 refused"));
	expect(2, 110);
}

static void nothing_usable_or_strict(void **state)
{
	(void)state;
	save_raw("a.wmraw", 1, 0, 0, 10, 0);
	save_text("text", "hello, this is no profile");
	assert_int_equal(MERGE("text"), 1);
	assert_int_equal(access("out.wmprof", F_OK), -1);
	assert_int_equal(MERGE("--strict", "a.wmraw", "text"), 1);
	assert_int_equal(access("out.wmprof", F_OK), -1);
	assert_int_equal(MERGE("--strict", "a.wmraw"), 0);
	expect(1, 10);
}

static void a_run_counts_once(void **state)
{
	(void)state;
	save_raw("live.wmraw", 1, 0, 0, 30, 0);
	save_raw("s1.wmraw", 1, 0, 1, 10, 0);
	save_raw("s2.wmraw", 1, 0, 2, 20, 0);
	save_raw("reset.wmraw", 1, 1, 0, 400, 0);
	assert_int_equal(MERGE("s1.wmraw", "live.wmraw", "s2.wmraw", "reset.wmraw"), 0);
	assert_non_null(strstr(messages, "s1.wmraw was left out: live.wmraw holds the counts of the same run"));
	assert_non_null(strstr(messages, "s2.wmraw was left out: live.wmraw holds the counts of the same run"));
	expect(2, 430);
	assert_int_equal(MERGE("s1.wmraw", "s2.wmraw"), 0);
	expect(1, 20);
	assert_int_equal(MERGE("live.wmraw", "./live.wmraw"), 0);
	assert_non_null(strstr(messages, "the same file as live.wmraw"));
	expect(1, 30);
	assert_int_equal(symlink("live.wmraw", "link.wmraw"), 0);
	assert_int_equal(MERGE("live.wmraw", "link.wmraw"), 0);
	expect(1, 30);
}

/* The live file lost some functions: the snapshot, older but whole, stands in. */
static void whole_snapshot_beats_damaged_live_file(void **state)
{
	(void)state;
	save_raw("live.wmraw", 1, 0, 0, 30, 8);
	save_raw("s1.wmraw", 1, 0, 1, 10, 0);
	assert_int_equal(MERGE("live.wmraw", "s1.wmraw"), 0);
	expect(1, 10);
}

static void save_zeroed(const char *name, const char *from)
{
	struct wm_buffer buffer;
	assert_true(wm_buffer_read(&buffer, from));
	uint64_t at;
	memcpy(&at, buffer.data + offsetof(struct wm_raw_header, cells_offset), sizeof(at));
	memset(buffer.data + at, 0, buffer.size - at);
	save(name, buffer.data, buffer.size);
	wm_buffer_release(&buffer);
}

/* Whatever the damage and the order. */
static void intact_copy_beats_damaged_one(void **state)
{
	(void)state;
	for (size_t cut = 0; cut < 4; cut++) {
		static const size_t bytes[] = {0, 1, 8, 4096};
		save_raw("intact.wmraw", 1, 0, 0, 30, 0);
		if (cut)
			save_raw("damaged.wmraw", 1, 0, 0, 30, bytes[cut]);
		else
			save_zeroed("damaged.wmraw", "intact.wmraw");
		assert_int_equal(MERGE("intact.wmraw", "damaged.wmraw"), 0);
		assert_non_null(strstr(messages, "damaged.wmraw was left out"));
		expect(1, 30);
		assert_int_equal(MERGE("damaged.wmraw", "intact.wmraw"), 0);
		assert_non_null(strstr(messages, "damaged.wmraw was left out"));
		expect(1, 30);
	}
}

static void save_threaded(const char *name, uint64_t run)
{
	struct raw_builder builder;
	size_t size;
	raw_builder_init(&builder);
	raw_builder_function(&builder, 1, 1, 0, 1);
	*raw_builder_cell(&builder, 0, 0) = 77;
	builder.header.run_id_low = run;
	builder.header.flags |= WM_RAW_SECOND_THREAD;
	uint8_t *image = raw_builder_image(&builder, &size);
	save(name, image, size);
	free(image);
	raw_builder_release(&builder);
}

static void doubtful_run_is_named_and_the_rest_counts(void **state)
{
	(void)state;
	save_raw("a.wmraw", 1, 0, 0, 10, 0);
	save_threaded("threads.wmraw", 2);
	for (int first = 0; first < 2; first++) {
		assert_int_equal(first ? MERGE("threads.wmraw", "a.wmraw") : MERGE("a.wmraw", "threads.wmraw"), 0);
		assert_non_null(strstr(messages, "threads.wmraw was merged in part: the counts of 1 functions are left "
						 "out, because a thread without counters of its own ran"));
		assert_non_null(strstr(messages, "1 doubtful"));
		expect(2, 10);
	}
	assert_int_equal(MERGE("--strict", "a.wmraw", "threads.wmraw"), 1);
}

static void saturation_is_reported(void **state)
{
	(void)state;
	save_raw("a.wmraw", 1, 0, 0, UINT64_MAX - 1, 0);
	save_raw("b.wmraw", 2, 0, 0, 5, 0);
	assert_int_equal(MERGE("a.wmraw", "b.wmraw"), 0);
	assert_non_null(
		strstr(messages, "reports will not print the counts of 1 function in these runs: reached 2^64-1"));
	expect(2, UINT64_MAX);
}

static void save_residual(const char *name, uint64_t run, uint64_t key)
{
	struct raw_builder builder;
	const struct wm_hash_slot slot = {1, 3};
	size_t size;
	raw_builder_init(&builder);
	raw_builder_function(&builder, key, 1, WM_FUNC_HASH | WM_FUNC_RESIDUAL, 0);
	raw_builder_table(&builder, 0, 1, &slot, 1, WM_TABLE_TIMES);
	builder.header.run_id_low = run;
	uint8_t *image = raw_builder_image(&builder, &size);
	save(name, image, size);
	free(image);
	raw_builder_release(&builder);
}

/* Other functions may be of either kind. */
static void whole_and_residual_counts_stay_apart(void **state)
{
	(void)state;
	save_raw("a.wmraw", 1, 0, 0, 10, 0);
	save_residual("r.wmraw", 2, 1);
	save_residual("s.wmraw", 3, 7);
	assert_int_equal(MERGE("a.wmraw", "r.wmraw", "s.wmraw"), 0);
	assert_non_null(strstr(
		messages, "r.wmraw was left out: it has only untested paths of functions of which a.wmraw has all"));
	assert_null(strstr(messages, "s.wmraw"));
	expect(2, 10);
	assert_int_equal(MERGE("r.wmraw", "a.wmraw"), 0);
	assert_non_null(strstr(messages,
		"a.wmraw was left out: it has all paths of functions of which r.wmraw has only untested ones"));
	expect(1, 3);
	assert_int_equal(MERGE("--strict", "r.wmraw", "a.wmraw"), 1);
}

static void shared_entry_point(void **state)
{
	(void)state;
	struct wm_profile profile;
	char *paths[] = {"a.wmraw", "text"};
	save_raw("a.wmraw", 1, 0, 0, 10, 0);
	save_text("text", "hello, this is no profile");
	wm_profile_init(&profile);
	assert_int_equal(wm_merge_files(&profile, paths, 1), 0);
	assert_int_equal(wm_merge_files(&profile, paths + 1, 1), 1);
	assert_int_equal(profile.runs, 1);
	wm_profile_release(&profile);
}

/* ---- Unfinished paths ------------------------------------------------------- */

static void save_unfinished(const char *name, uint64_t run, uint64_t snapshot, uint64_t count)
{
	struct raw_builder builder;
	const struct wm_unfinished record[] = {{2, 3, 5, count}, {2, WM_SITE_BLOCK | 1, 0, 1}};
	size_t size;
	raw_builder_init(&builder);
	raw_builder_function(&builder, 1, 1, 0, 2);
	raw_builder_function(&builder, 2, 2, WM_FUNC_HASH, 0);
	*raw_builder_cell(&builder, 0, 1) = 1;
	raw_builder_unfinished(&builder, record, 2);
	builder.header.run_id_low = run;
	builder.header.snapshot = snapshot;
	builder.header.flags |= snapshot ? WM_RAW_SNAPSHOT : 0;
	uint8_t *image = raw_builder_image(&builder, &size);
	save(name, image, size);
	free(image);
	raw_builder_release(&builder);
}

static void expect_unfinished(uint64_t runs, uint64_t count)
{
	struct wm_profile profile;
	struct wm_profile_error error;
	struct wm_buffer buffer;
	assert_true(wm_buffer_read(&buffer, "out.wmprof"));
	wm_profile_init(&profile);
	assert_int_equal(wm_profile_read(&profile, buffer.data, buffer.size, &error), WM_PROFILE_OK);
	assert_int_equal(profile.runs, runs);
	assert_int_equal(profile.object[0].function_count, 2);
	const struct wm_profile_function *f = &profile.object[0].function[1];
	assert_int_equal(f->unfinished_count, 2);
	assert_true(f->unfinished[0].site == 3 && f->unfinished[0].sum == 5 && f->unfinished[0].count == count);
	assert_true(f->unfinished[1].site == (WM_SITE_BLOCK | 1) && f->unfinished[1].count == runs);
	wm_profile_release(&profile);
	wm_buffer_release(&buffer);
}

/* Of functions that have nothing else, too, and from raw and indexed profiles. */
static void unfinished_paths_are_added_up(void **state)
{
	(void)state;
	save_unfinished("u.wmraw", 1, 0, 10);
	save_unfinished("v.wmraw", 2, 0, 100);
	save_unfinished("w.wmraw", 3, 0, 1000);
	assert_int_equal(MERGE("--strict", "u.wmraw", "v.wmraw"), 0);
	expect_unfinished(2, 110);
	assert_int_equal(rename("out.wmprof", "uv.wmprof"), 0);
	assert_int_equal(MERGE("--strict", "w.wmraw", "uv.wmprof"), 0);
	expect_unfinished(3, 1110);
}

/* A file of the same run that has only more of them is the later one. */
static void more_unfinished_paths_are_later(void **state)
{
	(void)state;
	save_unfinished("s1.wmraw", 1, 1, 20);
	save_unfinished("s2.wmraw", 1, 2, 10);
	assert_int_equal(MERGE("s2.wmraw", "s1.wmraw"), 0);
	assert_non_null(strstr(messages, "s2.wmraw was left out"));
	expect_unfinished(1, 20);
}

/* ---- Names of paths --------------------------------------------------------- */

static void one_path(struct wm_profile *profile, uint64_t id, uint64_t count, uint64_t name)
{
	const uint8_t build_id[] = {1, 2, 3, 4};
	wm_profile_init(profile);
	struct wm_profile_object *object = wm_profile_append_object(profile, build_id, sizeof build_id);
	assert_non_null(object);
	object->function = calloc(1, sizeof *object->function);
	object->function_count = object->function_capacity = 1;
	object->function->flags = WM_FUNC_HASH;
	assert_true(wm_function_append(object->function, id, count, 0));
	assert_true(wm_function_append(object->function, wm_name_key(id, 0), name, 0));
	/* The same in an older table of the same run. */
	assert_true(wm_function_append(object->function, wm_name_key(id, 0), name, 0));
	assert_true(wm_function_append(object->function, id, count, 0));
	assert_true(wm_object_sort(object));
}

static void merge_names(uint64_t name, uint64_t other, uint32_t doubt)
{
	struct wm_profile a, b, back;
	struct wm_profile_error error;
	uint8_t *data;
	size_t size;
	one_path(&a, 5, 10, name);
	one_path(&b, 5, 100, other);
	assert_int_equal(wm_profile_merge(&a, &b), WM_PROFILE_OK);
	assert_int_equal(wm_indexed_write(&a, &data, &size), WM_PROFILE_OK);
	wm_profile_init(&back);
	assert_int_equal(wm_indexed_read(&back, data, size, &error), WM_PROFILE_OK);
	const struct wm_profile_function *function = back.object->function;
	assert_int_equal(function->path_count, 2);
	assert_int_equal(function->path[0].count, 220);
	assert_true(function->path[1].id == wm_name_key(5, 0) && function->path[1].count == name);
	assert_int_equal(function->doubt, doubt);
	free(data);
	wm_profile_release(&a);
	wm_profile_release(&b);
	wm_profile_release(&back);
}

static void names_are_not_added_up(void **state)
{
	(void)state;
	merge_names(7, 7, 0);
	merge_names(7, 8, WM_DOUBT_NAMES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums),
		cmocka_unit_test(lists_and_directories),
		cmocka_unit_test(damaged_inputs_are_named_and_the_rest_goes_on),
		cmocka_unit_test(nothing_usable_or_strict),
		cmocka_unit_test(a_run_counts_once),
		cmocka_unit_test(whole_snapshot_beats_damaged_live_file),
		cmocka_unit_test(intact_copy_beats_damaged_one),
		cmocka_unit_test(doubtful_run_is_named_and_the_rest_counts),
		cmocka_unit_test(saturation_is_reported),
		cmocka_unit_test(whole_and_residual_counts_stay_apart),
		cmocka_unit_test(shared_entry_point),
		cmocka_unit_test(unfinished_paths_are_added_up),
		cmocka_unit_test(more_unfinished_paths_are_later),
		cmocka_unit_test(names_are_not_added_up),
	};
	wm_terminal_use();
	return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
