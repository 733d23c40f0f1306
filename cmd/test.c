/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * waymark test: runs a command that runs many tests, and keeps one profile per test.  The command keeps its terminal, its
 * signals, its output and its exit status.
 */
#include "abi/family.h"
#include "analysis/story/merge.h"
#include "analysis/tests/suite.h"
#include "profile/raw_file.h"
#include "support/options.h"
#include "support/process.h"
#include "support/scratch.h"
#include "support/standard_output.h"
#include "view/test_print.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usage[] = "usage: waymark test [options] [--] COMMAND [ARGUMENTS]\n"
			    "\n"
			    "Runs ctest, `meson test`, `make check` or any other command that runs tests, of which\n"
			    "the programs were built with `waymark cc`, and writes one profile per test, named after\n"
			    "the test.  Prints which test takes how many paths, and exits with the status of the\n"
			    "command.  `waymark tests DIR BINARY...` then says more.\n";

struct run {
	const char *directory;
	bool json, quiet, all;
	char **command;
	char *scratch;
	int status;
	struct wm_session session;
};

static void parse(struct run *run, int argc, char **argv)
{
	const struct wm_option own[] = {
		{.name = "output",
			.letter = 'o',
			.kind = WM_OPTION_TEXT,
			.target = &run->directory,
			.value = "DIR",
			.help = "write the profiles to DIR (waymark-tests); those of an earlier run\n"
				"of this command are removed"},
		WM_FLAG("json", &run->json, "print the table as JSON (schema waymark.test/1)"),
		WM_FLAG("all", &run->all, "print all tests"),
		{.name = "quiet",
			.letter = 'q',
			.kind = WM_OPTION_FLAG,
			.target = &run->quiet,
			.help = "print no table"},
		{0},
	};
	run->directory = "waymark-tests";
	int first = wm_parse_options(
		&(struct wm_syntax){.usage = usage, .table = {own}, .until_operand = true}, argc, argv);
	if (first >= argc)
		wm_fail("no command was given, as in `waymark test -- ctest`");
	run->command = argv + first;
}

/* The directory */

static bool is_index(const char *name)
{
	return strcmp(name, WM_TEST_INDEX) == 0;
}

static bool is_profile(const char *name)
{
	size_t length = strlen(name);
	return length > 7 && strcmp(name + length - 7, ".wmprof") == 0;
}

/* Whether the directory contains the index that this command writes. */
static bool is_ours(const char *directory)
{
	char *index = wm_xprintf("%s/%s", directory, WM_TEST_INDEX);
	bool ours = access(index, F_OK) == 0;
	free(index);
	return ours;
}

/* Profiles of an earlier run would be tests that did not run.  Only a directory that this command has written is emptied. */
static void prepare(const struct run *run)
{
	if (mkdir(run->directory, 0777) && errno != EEXIST)
		wm_fail("cannot make the directory %s: %s", run->directory, strerror(errno));
	DIR *directory = opendir(run->directory);
	if (!directory)
		wm_fail("%s: %s", run->directory, strerror(errno));
	bool ours = is_ours(run->directory);
	for (struct dirent *entry; (entry = readdir(directory));) {
		if (!is_profile(entry->d_name) && !is_index(entry->d_name))
			continue;
		if (!ours) {
			closedir(directory);
			wm_fail("%s contains profiles that `waymark test` did not write; choose another directory with "
				"-o",
				run->directory);
		}
		unlinkat(dirfd(directory), entry->d_name, 0);
	}
	closedir(directory);
}

/* Running */

static void fail_exec(struct run *run, int error)
{
	wm_warn("cannot run %s: %s", run->command[0], strerror(error));
	wm_scratch_remove(run->scratch, NULL);
	exit(error == ENOENT ? 127 : 126);
}

static void run_command(struct run *run)
{
	char *pattern = wm_xprintf("%s/%%p.wmraw", run->scratch), *self = wm_xprintf("%d", (int)getpid());
	setenv("WAYMARK_FILE", pattern, 1);
	setenv(WM_FAMILY_VARIABLE, self, 1);
	clock_gettime(CLOCK_REALTIME, &run->session.begun);
	/* File systems take the time of the last clock tick. */
	run->session.begun.tv_sec -= 1;
	pid_t pid = wm_process_start(run->command);
	if (!pid)
		fail_exec(run, errno);
	wm_process_ended(pid, true, &run->status);
	unsetenv("WAYMARK_FILE");
	unsetenv(WM_FAMILY_VARIABLE);
	free(pattern);
	free(self);
}

/* Tests */

/* The name of the program in a raw profile, for a process whose family is not known; heap. */
static char *program_of(const char *path)
{
	struct wm_buffer buffer;
	char *name = wm_xstrdup("unknown program");
	if (!wm_buffer_read(&buffer, path))
		return name;
	struct wm_raw_header header = {0};
	if (buffer.size >= sizeof header) {
		memcpy(&header, buffer.data, sizeof header);
		const char *program = (const char *)&header.program0;
		if (header.magic == WM_RAW_MAGIC && header.header_size >= sizeof header && *program) {
			free(name);
			name = wm_xprintf("%.*s", WM_PROGRAM_SIZE, program);
		}
	}
	wm_buffer_release(&buffer);
	return name;
}

static void take_file(struct run *run, const char *path)
{
	struct wm_family family;
	wm_family_read(&family, path);
	char *otherwise = family.count ? NULL : program_of(path);
	wm_session_add(&run->session, path, &family, otherwise);
	wm_family_release(&family);
	free(otherwise);
}

static int is_raw(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);
	return length > 6 && strcmp(entry->d_name + length - 6, ".wmraw") == 0;
}

static void gather(struct run *run)
{
	struct dirent **entry;
	int count = scandir(run->scratch, &entry, is_raw, versionsort);
	for (int i = 0; i < count; i++) {
		char *path = wm_xprintf("%s/%s", run->scratch, entry[i]->d_name);
		take_file(run, path);
		free(path);
		free(entry[i]);
	}
	if (count >= 0)
		free(entry);
	wm_session_finish(&run->session);
}

/* Merges the profiles of a test and writes the result.  False: none of them can be used. */
static bool write_test(const struct run *run, const struct wm_session_test *test, const char *file)
{
	struct wm_profile profile;
	uint8_t *data;
	size_t size;
	wm_profile_init(&profile);
	bool usable = wm_merge_files(&profile, test->file, test->file_count) < test->file_count;
	if (usable) {
		if (wm_indexed_write(&profile, &data, &size) != WM_PROFILE_OK)
			wm_bug("out of memory");
		char *path = wm_xprintf("%s/%s", run->directory, file);
		wm_write_file(path, data, size);
		free(path);
		free(data);
	}
	wm_profile_release(&profile);
	return usable;
}

static bool is_taken(const struct wm_test_table *table, const char *file)
{
	for (size_t i = 0; i < table->count; i++)
		if (strcmp(table->row[i].file, file) == 0)
			return true;
	return false;
}

static char *choose_file(const struct wm_test_table *table, const char *test)
{
	size_t number = 1;
	char *file = wm_suite_file_name(test, number);
	while (is_taken(table, file)) {
		free(file);
		file = wm_suite_file_name(test, ++number);
	}
	return file;
}

static void write_tests(struct run *run, struct wm_test_table *table)
{
	for (size_t i = 0; i < run->session.count; i++) {
		const struct wm_session_test *test = &run->session.test[i];
		char *file = choose_file(table, test->name);
		if (!write_test(run, test, file)) {
			free(file);
			continue;
		}
		WM_XGROW(table->row, table->count);
		table->row[table->count++] = (struct wm_test_row){.test = test, .file = file};
	}
}

/* The numbers of paths, without binaries. */
static void count_paths(const struct run *run, struct wm_test_table *table)
{
	struct wm_suite suite = {0};
	for (size_t i = 0; i < table->count; i++) {
		char *path = wm_xprintf("%s/%s", run->directory, table->row[i].file);
		wm_suite_add(&suite, path);
		free(path);
	}
	wm_suite_load(&suite, NULL, 0, false);
	table->paths = suite.path_count;
	for (size_t t = 0; t < suite.test_count; t++)
		for (size_t i = 0; i < table->count; i++) {
			const char *slash = strrchr(suite.test[t].file[0], '/');
			if (strcmp(slash + 1, table->row[i].file) != 0)
				continue;
			table->row[i].paths = suite.test[t].path_count;
			table->row[i].only = suite.test[t].only;
		}
	wm_suite_release(&suite);
}

static void tell(struct run *run)
{
	struct wm_test_table table = {.directory = run->directory, .command = run->command, .status = run->status};
	write_tests(run, &table);
	if (!table.count) {
		wm_warn("no test wrote a profile: build the programs with `waymark cc`, and let the tests keep "
			"WAYMARK_FILE in "
			"their environment");
		return;
	}
	count_paths(run, &table);
	wm_test_write_index(&table);
	if (run->json)
		wm_test_json(&table, stdout);
	else if (!run->quiet)
		wm_test_text(&table, run->all, stdout);
	wm_flush_output();
	for (size_t i = 0; i < table.count; i++)
		free(table.row[i].file);
	free(table.row);
}

int wm_cmd_test(int argc, char **argv)
{
	struct run run = {0};
	parse(&run, argc, argv);
	prepare(&run);
	run.scratch = wm_scratch_make("waymark-test");
	run_command(&run);
	gather(&run);
	tell(&run);
	wm_scratch_remove(run.scratch, NULL);
	free(run.scratch);
	wm_session_release(&run.session);
	return wm_process_pass_on(run.status);
}
