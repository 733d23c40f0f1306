/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cmd/commands.h"
#include "support/fail.h"
#include "support/resource.h"
#include "support/standard_output.h"
#include "support/string_builder.h"
#include "support/terminal.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where --help lists a command.  DEVELOPER: under `waymark dev`, and by their names alone. */
enum group { EVERYDAY, MORE, DEVELOPER };

static int run_dev(int argc, char **argv);

static const struct command {
	enum group group;
	const char *name;
	int (*run)(int argc, char **argv);
	const char *arguments, *summary;
} commands[] = {
	{EVERYDAY, "cc", wm_cmd_cc, "[clang options] FILE...", "compile and link C with clang and path probes"},
	{EVERYDAY, "c++", wm_cmd_cc, "[clang options] FILE...", "the same for C++"},
	{EVERYDAY, "run", wm_cmd_run, "[options] -- PROGRAM ARGS",
		"run a program, merge its profiles, print the hot paths"},
	{EVERYDAY, "merge", wm_cmd_merge, "-o OUT.wmprof FILE...", "add the profiles of several runs"},
	{EVERYDAY, "report", wm_cmd_report, "PROFILE... BINARY...", "print which paths were executed, and how often"},
	{EVERYDAY, "untested", wm_cmd_untested, "TESTS... BINARY...", "print which paths no test executed"},
	{EVERYDAY, "residual", wm_cmd_untested, "--tested T FIELD... BINARY...",
		"the same for paths that ran in the field"},
	{MORE, "segments", wm_cmd_segments, "PROFILE... BINARY...", "print path segments across calls"},
	{EVERYDAY, "test", wm_cmd_test, "[options] -- COMMAND",
		"run a test suite; one profile per test, named after it"},
	{EVERYDAY, "tests", wm_cmd_tests, "PROFILE... [BINARY...]",
		"print which tests take which paths, and which suffice"},
	{EVERYDAY, "diff", wm_cmd_diff, "OLD NEW BINARY...", "print what changed between runs or builds"},
	{EVERYDAY, "blame", wm_cmd_blame, "--passed F... --failed F... BINARY",
		"print what goes with failed runs: decisions, lines, paths"},
	{EVERYDAY, "crash", wm_cmd_crash, "PROFILE BINARY...",
		"how each frame of a program that died got where it was"},
	{EVERYDAY, "push", wm_cmd_push, "--watch DIR STORE", "store what programs write to a directory"},
	{EVERYDAY, "store", wm_cmd_store, "COMMAND URL ...", "keep the profiles of many machines in a database"},
	{EVERYDAY, "export", wm_cmd_export, "--format F PROFILE BINARY...",
		"write a profile in the format of another program"},
	{MORE, "show", wm_cmd_show, "BINARY...", "list instrumented functions: blocks, paths, status"},
	{DEVELOPER, "spool", wm_cmd_spool, "DIRECTORY", "compress recordings while their programs run"},
	{MORE, "wpp", wm_cmd_wpp, "[options] RECORDING BINARY...",
		"ask a recording: hot sequences, segments, profiles"},
	{MORE, "hw", wm_cmd_hw, "[options] -- PROGRAM ARGS", "print the hot paths of an unmodified program"},
	{MORE, "version", wm_cmd_version, "[--json]", "print the version, and those of the file formats"},
	{MORE, "dev", run_dev, "COMMAND ...", "commands for the development of path profilers"},
	{DEVELOPER, "number", wm_cmd_number, "GRAPH.cfg", "number the paths of the functions in a graph file"},
	{DEVELOPER, "replay", wm_cmd_replay, "GRAPH.cfg < WALK", "count the paths of a sequence of basic blocks"},
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static const struct command *find_command(const char *name)
{
	for (int i = 0; i < COMMAND_COUNT; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

static void print_group(enum group group)
{
	for (int i = 0; i < COMMAND_COUNT; i++)
		if (commands[i].group == group)
			printf("  %-8s %-31s %s\n", commands[i].name, commands[i].arguments, commands[i].summary);
}

static void print_help(void)
{
	puts("Waymark tells which paths a program really takes, how often, and where in the source.\n"
	     "\n"
	     "usage: waymark COMMAND ...\n");
	print_group(EVERYDAY);
	puts("\nless often:");
	print_group(MORE);
	puts("\n"
	     "  waymark help COMMAND       print the manual page of a command\n"
	     "  waymark COMMAND --help     list the options of a command\n"
	     "  waymark --version\n"
	     "\n"
	     "start with:\n"
	     "  waymark cc -O2 -g -o prog prog.c\n"
	     "  waymark run -- ./prog");
}

/* The optimal string alignment distance: like the Levenshtein distance, but two swapped letters cost one. */
static size_t distance(const char *a, const char *b)
{
	enum { MAX = 16 };
	size_t d[MAX + 1][MAX + 1], m = strlen(a), n = strlen(b);
	if (m > MAX || n > MAX)
		return MAX;
	for (size_t i = 0; i <= m; i++) {
		for (size_t j = 0; j <= n; j++) {
			if (!i || !j) {
				d[i][j] = i + j;
				continue;
			}
			size_t best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
			if (d[i - 1][j] + 1 < best)
				best = d[i - 1][j] + 1;
			if (d[i][j - 1] + 1 < best)
				best = d[i][j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
				d[i - 2][j - 2] + 1 < best)
				best = d[i - 2][j - 2] + 1;
			d[i][j] = best;
		}
	}
	return d[m][n];
}

static const char *nearest(const char *name)
{
	const char *best = NULL;
	size_t least = 3;
	for (int i = 0; i < COMMAND_COUNT; i++) {
		size_t far = distance(name, commands[i].name);
		if (far < least && far < strlen(commands[i].name)) {
			least = far;
			best = commands[i].name;
		}
	}
	return best;
}

static _Noreturn void fail_unknown(const char *name)
{
	struct wm_string names = {0};
	for (int i = 0; i < COMMAND_COUNT; i++)
		wm_string_add(&names, "%s%s", i ? ", " : "", commands[i].name);
	char *list = wm_string_text(&names);
	const char *close = nearest(name);
	if (close)
		wm_fail("there is no command '%s'; did you mean '%s'? The commands are %s", name, close, list);
	wm_fail("there is no command '%s'; the commands are %s", name, list);
}

/* The name under which a command with several names is described. */
static const char *main_name(const struct command *command)
{
	const struct command *first = commands;
	while (first->run != command->run)
		first++;
	return first->name;
}

/* Prefers the page that belongs to this command, in its build tree or its installation, so that page and command have
 * the same version. */
static void exec_manual(const char *name)
{
	char *title = wm_xprintf("waymark-%s", name);
	const char *const local[] = {"../doc/man", "man", "../share/man/man1"};
	for (size_t i = 0; i < sizeof local / sizeof *local; i++) {
		char *file = wm_xprintf("%s/%s/%s.1", wm_exe_dir(), local[i], title);
		if (access(file, R_OK) == 0)
			execlp("man", "man", file, (char *)NULL);
		free(file);
	}
	if (access("/usr/bin/man", X_OK) == 0) {
		char *probe = wm_xprintf("man -w %s >/dev/null 2>&1", title);
		if (system(probe) == 0)
			execlp("man", "man", title, (char *)NULL);
		free(probe);
	}
	free(title);
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c)
{
	return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

static int help(int argc, char **argv)
{
	if (argc < 2) {
		print_help();
		return 0;
	}
	bool of_dev = argc > 2 && strcmp(argv[1], "dev") == 0;
	const struct command *command = find_command(argv[1 + of_dev]);
	if (!command)
		fail_unknown(argv[1 + of_dev]);
	exec_manual(main_name(command));
	char *arguments[] = {argv[1], (char[]){"--help"}, NULL};
	wm_command_name = command->name;
	return command->run(2, arguments);
}

static void print_dev_help(void)
{
	puts("usage: waymark dev COMMAND ...\n"
	     "\n"
	     "Commands for those who develop path profilers, and for experiments of the papers.\n");
	print_group(DEVELOPER);
	puts("  hw       --plackett-burman ...           print which parameters of the hardware profiler matter");
}

/* A command of the developers, whose names also work without `dev`, or `hw`, of which some options are experiments. */
static int run_dev(int argc, char **argv)
{
	if (argc < 2 || is_one_of(argv[1], "--help", "-h", "--help-all")) {
		print_dev_help();
		return argc < 2;
	}
	const struct command *command = find_command(argv[1]);
	if (!command || (command->group != DEVELOPER && command->run != wm_cmd_hw))
		wm_fail("there is no command '%s' under `waymark dev`; they are number, replay, spool and hw", argv[1]);
	wm_command_name = command->name;
	return command->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	wm_terminal_use();
	wm_printable_stdout();
	if (argc < 2) {
		print_help();
		return 1;
	}
	if (is_one_of(argv[1], "--help", "-h", "-help")) {
		print_help();
		return 0;
	}
	if (is_one_of(argv[1], "--version", "-V", "-version")) {
		puts("waymark " WM_VERSION);
		return 0;
	}
	if (strcmp(argv[1], "help") == 0)
		return help(argc - 1, argv + 1);
	const struct command *command = find_command(argv[1]);
	if (!command)
		fail_unknown(argv[1]);
	wm_command_name = command->name;
	int status = command->run(argc - 1, argv + 1);
	wm_finish_output();
	return status;
}
