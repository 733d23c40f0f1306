/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * waymark test: runs a command that runs many tests, and keeps one profile per test.  The command keeps its terminal, its
 * signals, its output and its exit status.
 */
#include "abi/family.h"
#include "analysis/join/merge_files.h"
#include "analysis/suite/suite.h"
#include "analysis/suite/test_index.h"
#include "cmd/commands.h"
#include "cmd/test_parts.h"
#include "profile/raw/raw_file.h"
#include "support/attempt.h"
#include "support/buffer.h"
#include "support/directory.h"
#include "support/fail.h"
#include "support/interrupt.h"
#include "support/option_table.h"
#include "support/output.h"
#include "support/printable.h"
#include "support/process.h"
#include "support/scratch.h"
#include "support/standard_output.h"
#include "support/xalloc.h"
#include "view/tests/test_print.h"
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
			    "command, or with 5 if the command has succeeded but no test wrote a profile.\n"
			    "`waymark tests DIR BINARY...` then says more.\n";

/* The status if the command has succeeded and there is nothing to tell; support/fail.h has the others. */
enum { EXIT_NO_PROFILE = 5 };

struct run {
	const char *directory;
	bool json, quiet, all;
	char **command;
	int status;
	bool residual; /* a profile counts only untested paths */
	size_t profiles; /* that were written */
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

static bool is_listed(const struct wm_file_list *listed, const char *name)
{
	for (size_t i = 0; i < listed->count; i++)
		if (strcmp(listed->path[i], name) == 0)
			return true;
	return false;
}

/* Profiles that this command did not write would be tests that did not run, and are not removed either. */
static void refuse_foreign(const struct run *run, bool ours, const struct wm_file_list *listed)
{
	struct wm_file_list entries = wm_directory_list(run->directory);
	for (size_t i = 0; i < entries.count; i++) {
		const char *name = strrchr(entries.path[i], '/') + 1;
		if (strcmp(name, WM_TEST_INDEX) == 0 ? ours : !wm_is_profile_name(name) || is_listed(listed, name))
			continue;
		wm_fail("%s contains the file %s, which `waymark test` did not write; choose another directory with -o",
			run->directory, wm_one_line(name));
	}
	wm_file_list_release(&entries);
}

static void remove_listed(const struct run *run, const struct wm_file_list *listed)
{
	for (size_t i = 0; i < listed->count; i++) {
		char *path = wm_xprintf("%s/%s", run->directory, listed->path[i]);
		if (unlink(path) && errno != ENOENT)
			wm_fail("cannot remove %s of an earlier run: %s", wm_one_line(path), strerror(errno));
		free(path);
	}
}

/* Empties a directory of an earlier run.  Already the index without tests shows whose directory it is. */
static void prepare(const struct run *run)
{
	struct wm_file_list listed = {0};
	if (mkdir(run->directory, 0777) && errno != EEXIST)
		wm_fail("cannot make the directory %s: %s", run->directory, strerror(errno));
	refuse_foreign(run, wm_test_index_read(run->directory, &listed), &listed);
	remove_listed(run, &listed);
	wm_file_list_release(&listed);
	wm_test_write_index(&(struct wm_test_table){.directory = run->directory, .command = run->command});
}

/* The directory of raw profiles */

static char *scratch; /* atexit has no argument for it */

static void remove_scratch(void)
{
	if (scratch)
		wm_scratch_remove(scratch, NULL);
	free(scratch);
	scratch = NULL;
}

/* It is removed also if this command fails. */
static void make_scratch(void)
{
	if (atexit(remove_scratch))
		wm_no_memory();
	scratch = wm_scratch_make("waymark-test");
}

/* The first Ctrl-C after the end of the command ends this command before the next step. */
static void stop_if_interrupted(void)
{
	if (!wm_interrupted())
		return;
	remove_scratch();
	wm_interrupt_pass_on();
}

/* Running */

static void fail_exec(struct run *run, int error)
{
	wm_warn("cannot run %s: %s", run->command[0], strerror(error));
	exit(error == ENOENT ? 127 : 126);
}

static void run_command(struct run *run)
{
	char *pattern = wm_xprintf("%s/%%p.wmraw", scratch), *self = wm_xprintf("%d", (int)getpid());
	setenv("WAYMARK_FILE", pattern, 1);
	setenv(WM_FAMILY_VARIABLE, self, 1);
	/* File systems take the time of the last clock tick, as this clock does. */
	clock_gettime(CLOCK_REALTIME_COARSE, &run->session.begun);
	pid_t pid = wm_process_start(run->command);
	if (!pid)
		fail_exec(run, errno);
	wm_process_ended(pid, true, &run->status);
	wm_process_restore_signals();
	wm_interrupt_catch();
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

/* A raw profile of a process, which may have named its tests itself. */
struct process {
	struct wm_session *session;
	struct wm_session_file file;
};

static void take_part(void *closure, const char *name, const char *path)
{
	struct process *process = closure;
	process->file.path = path;
	process->file.test = *name ? name : NULL;
	wm_session_add(process->session, &process->file);
}

static void take_file(struct run *run, const char *path, size_t number)
{
	struct wm_family family;
	wm_family_read(&family, path);
	char *program = family.count ? NULL : program_of(path);
	struct process process = {
		&run->session, {.path = path, .family = &family, .program = program, .process = number}};
	if (!wm_test_parts(path, take_part, &process))
		wm_session_add(&run->session, &process.file);
	wm_family_release(&family);
	free(program);
}

static void gather(struct run *run)
{
	struct wm_file_list raw = wm_directory_list(scratch);
	for (size_t i = 0; i < raw.count; i++) {
		stop_if_interrupted();
		if (wm_is_raw_name(raw.path[i]))
			take_file(run, raw.path[i], i + 1);
	}
	wm_file_list_release(&raw);
	wm_session_finish(&run->session);
}

/* Merges the profiles of a test and writes the result.  False: none of them can be used. */
static bool write_test(struct run *run, const struct wm_session_test *test, const char *file)
{
	struct wm_profile profile;
	uint8_t *data;
	size_t size;
	wm_profile_init(&profile);
	bool usable = wm_merge_files(&profile, test->file, test->file_count) < test->file_count;
	run->residual |= wm_profile_is_residual(&profile);
	if (usable) {
		if (wm_indexed_write(&profile, &data, &size) != WM_PROFILE_OK)
			wm_no_memory();
		char *path = wm_xprintf("%s/%s", run->directory, file);
		wm_write_quickly(path, data, size);
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

/* The index lists files before they are written. */
static void plan_tests(const struct run *run, struct wm_test_table *table)
{
	for (size_t i = 0; i < run->session.count; i++) {
		const struct wm_session_test *test = &run->session.test[i];
		char *file = choose_file(table, test->name);
		WM_XGROW(table->row, table->count);
		table->row[table->count++] = (struct wm_test_row){.test = test, .file = file};
	}
	wm_test_write_index(table);
}

/* Leaves out tests without a usable profile. */
static void write_tests(struct run *run, struct wm_test_table *table)
{
	size_t kept = 0;
	for (size_t i = 0; i < table->count; i++) {
		struct wm_test_row row = table->row[i];
		stop_if_interrupted();
		if (write_test(run, row.test, row.file))
			table->row[kept++] = row;
		else
			free(row.file);
	}
	table->count = kept;
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
	table->counted = true;
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

static void print(const struct run *run, const struct wm_test_table *table)
{
	if (run->json)
		wm_test_json(table, stdout);
	else if (!run->quiet)
		wm_test_text(table, run->all, stdout);
	wm_flush_output();
}

/* How many tests have a profile. */
static size_t tell(struct run *run)
{
	struct wm_test_table table = {
		.directory = run->directory, .command = run->command, .ended = true, .status = run->status};
	plan_tests(run, &table);
	write_tests(run, &table);
	if (!table.count)
		wm_warn("no test wrote a profile, and %s contains none: build the programs with `waymark cc`, and let "
			"the "
			"tests keep WAYMARK_FILE in their environment",
			run->directory);
	else if (run->residual)
		wm_warn("the numbers of paths are not known, because profiles count only untested paths; build the "
			"programs without -fwaymark-residual");
	else
		count_paths(run, &table);
	stop_if_interrupted();
	wm_test_write_index(&table);
	if (table.count)
		print(run, &table);
	for (size_t i = 0; i < table.count; i++)
		free(table.row[i].file);
	free(table.row);
	return table.count;
}

static void release_scratch(void *unused)
{
	(void)unused;
	remove_scratch();
}

/* If a signal ends this process, as it has ended the command, nothing is done at exit. */
static void finish(void *argument)
{
	struct run *run = argument;
	struct wm_guard guard;
	wm_guard_begin(&guard, release_scratch, NULL);
	gather(run);
	run->profiles = tell(run);
	wm_guard_end(&guard);
}

int wm_cmd_test(int argc, char **argv)
{
	struct run run = {0};
	parse(&run, argc, argv);
	prepare(&run);
	make_scratch();
	run_command(&run);
	int status = wm_process_finish(run.status, finish, &run);
	wm_session_release(&run.session);
	return status || run.profiles ? status : EXIT_NO_PROFILE;
}
