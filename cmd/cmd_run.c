/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * waymark run: runs a program and its children, merges their profiles, and prints one report.  The program keeps its
 * terminal, its signals and its exit status, as under time(1).
 */
#include "abi/family.h"
#include "analysis/join/merge_files.h"
#include "analysis/join/story_checks.h"
#include "cmd/cmd_spool.h"
#include "cmd/commands.h"
#include "cmd/report_options.h"
#include "cmd/run_crash.h"
#include "support/directory.h"
#include "support/fail.h"
#include "support/output.h"
#include "support/process.h"
#include "support/scratch.h"
#include "support/standard_output.h"
#include "support/xalloc.h"
#include "view/report/report.h"
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usage[] = "usage: waymark run [options] [--] PROGRAM [ARGUMENTS]\n"
			    "\n"
			    "Runs a program built with `waymark cc`, merges the profiles that the program and its\n"
			    "children wrote, and prints the hot paths.  Exits with the status of the program.\n"
			    "If a process crashes, prints what `waymark crash` prints, and keeps its profile.\n";

struct run {
	struct wm_report_options report;
	const char *output;
	bool keep, quiet;
	const char *recordings; /* --wpp: a directory, or NULL */
	char **binary; /* those of --binary, then those that were found */
	size_t binary_count;
	char **command;
	char *directory;
	struct wm_run_ending ending;
	struct wm_run_crashes crashes;
};

static void take_binary(void *target, const char *path)
{
	struct run *run = target;
	WM_XGROW(run->binary, run->binary_count);
	run->binary[run->binary_count++] = wm_xstrdup(path);
}

static void parse_options(struct run *run, int argc, char **argv)
{
	const struct wm_option own[] = {
		{.name = "output",
			.letter = 'o',
			.kind = WM_OPTION_TEXT,
			.target = &run->output,
			.value = "FILE",
			.help = "write the merged profile to FILE (.wmprof)"},
		WM_FLAG("keep", &run->keep, "keep the raw profiles, and print where they are"),
		WM_CALL("binary", take_binary, run, "FILE",
			"also use this binary, which was loaded by dlopen or run as a child", WM_RARE),
		WM_TEXT("wpp", &run->recordings, "DIR",
			"keep the recordings of programs built with -fwaymark-wpp in\n"
			"DIR, compressed while they run; no report"),
		{.name = "quiet",
			.letter = 'q',
			.kind = WM_OPTION_FLAG,
			.target = &run->quiet,
			.help = "print no report"},
		{0},
	};
	struct wm_option report[WM_REPORT_OPTIONS], filter[WM_FILTER_OPTIONS], source[WM_SOURCE_OPTIONS];
	wm_report_options_init(&run->report);
	wm_filter_option_table(filter, &run->report);
	wm_report_option_table(report, &run->report);
	wm_source_option_table(source, &run->report);
	int first = wm_parse_options(
		&(struct wm_syntax){.usage = usage, .table = {own, report, filter, source}, .until_operand = true},
		argc, argv);
	wm_report_check(&run->report);
	if (first >= argc)
		wm_fail("no program was given, as in `waymark run -- ./app`");
	run->command = argv + first;
}

static void make_directory(struct run *run)
{
	if (run->recordings) {
		if (mkdir(run->recordings, 0777) && errno != EEXIST)
			wm_fail("cannot make the directory %s: %s", run->recordings, strerror(errno));
		run->directory = realpath(run->recordings, NULL);
		if (!run->directory)
			wm_fail("%s: %s", run->recordings, strerror(errno));
		return;
	}
	run->directory = wm_scratch_make("waymark-run");
}

static const struct wm_run_crashes *kept; /* wm_scratch_remove has no argument for it */

static bool is_kept(const char *path)
{
	return wm_run_crashes_have(kept, path);
}

static void remove_directory(struct run *run)
{
	if (run->recordings)
		return;
	if (run->keep)
		wm_warn("the raw profiles are in %s", run->directory);
	kept = &run->crashes;
	if (!run->keep)
		wm_scratch_remove(run->directory, is_kept);
	free(run->directory);
}

/* Running */

static void fail_exec(struct run *run, int error)
{
	wm_warn("cannot run %s: %s", run->command[0], strerror(error));
	run->keep = false;
	remove_directory(run);
	exit(error == ENOENT ? 127 : 126);
}

static void run_program(struct run *run)
{
	char *pattern = wm_xprintf("%s/%%p.wmraw", run->directory);
	setenv("WAYMARK_FILE", pattern, 1);
	/* `waymark test` may have started this process; its tests do not write to this directory. */
	unsetenv(WM_FAMILY_VARIABLE);
	free(pattern);
	struct wm_spooler spooler;
	if (run->recordings)
		wm_spooler_start(&spooler, run->directory);
	pid_t pid = wm_process_start(run->command);
	if (!pid)
		fail_exec(run, errno);
	run->ending = (struct wm_run_ending){.program = run->command[0], .pid = pid};
	wm_process_ended(pid, true, &run->ending.status);
	if (run->recordings)
		wm_spooler_stop(&spooler);
}

/* Finding profiles and binaries */

static struct {
	char **path;
	size_t count;
} found;

static int collect_raw(const char *path, const struct stat *info, int type, struct FTW *where)
{
	(void)info, (void)where;
	if (type == FTW_F && wm_is_raw_name(path)) {
		WM_XGROW(found.path, found.count);
		found.path[found.count++] = wm_xstrdup(path);
	}
	return 0;
}

struct binaries {
	struct wm_object *object;
	size_t count;
	const char *debug_dir;
	struct wm_arena arena;
};

static bool has_build(const struct binaries *binaries, const struct wm_object *object)
{
	for (size_t i = 0; i < binaries->count; i++) {
		const struct wm_object *other = &binaries->object[i];
		if (other->build_id_size == object->build_id_size &&
			memcmp(other->build_id, object->build_id, object->build_id_size) == 0 && object->build_id_size)
			return true;
	}
	return false;
}

/* Adds the file to the binaries if it has a map and, if `profile` is given, counts in the profile. */
static void try_binary(struct binaries *binaries, const char *path, const struct wm_profile *profile)
{
	struct wm_object object;
	enum wm_object_status status = wm_object_open(&object, path, binaries->debug_dir, &binaries->arena);
	bool wanted = status == WM_OBJECT_OK || status == WM_OBJECT_DAMAGED;
	if (wanted && has_build(binaries, &object))
		wanted = false;
	if (wanted && profile && !wm_profile_find_object(profile, object.build_id, object.build_id_size))
		wanted = false;
	if (!wanted) {
		wm_object_release(&object);
		return;
	}
	if (status == WM_OBJECT_DAMAGED)
		wm_warn("%s: the map is damaged (%s); the functions after the damage are missing", object.map_path,
			object.trouble);
	WM_XGROW(binaries->object, binaries->count);
	binaries->object[binaries->count++] = object;
}

static size_t count_missing(const struct binaries *binaries, const struct wm_profile *profile)
{
	size_t missing = 0;
	for (size_t i = 0; i < profile->object_count; i++) {
		struct wm_object object = {.build_id_size = profile->object[i].build_id_size};
		memcpy(object.build_id, profile->object[i].build_id, sizeof object.build_id);
		missing += object.build_id_size && !has_build(binaries, &object);
	}
	return missing;
}

/* Children and plugins of a program are usually in its build tree.  The limit prevents a run that is started in / from
 * searching the whole file system. */
enum { SCAN_LIMIT = 20000 };
static struct {
	struct binaries *binaries;
	const struct wm_profile *profile;
	size_t seen;
} scan;

static int scan_file(const char *path, const struct stat *info, int type, struct FTW *where)
{
	if (++scan.seen > SCAN_LIMIT)
		return 1;
	const char *leaf = path + where->base;
	if (type == FTW_D && where->level && leaf[0] == '.' && strcmp(leaf, ".libs") != 0)
		return FTW_SKIP_SUBTREE;
	bool candidate = type == FTW_F && info->st_size > 64 && ((info->st_mode & 0111) || strstr(leaf, ".so"));
	if (!candidate || !wm_is_object_file(path))
		return FTW_CONTINUE;
	try_binary(scan.binaries, path, scan.profile);
	return count_missing(scan.binaries, scan.profile) ? FTW_CONTINUE : FTW_STOP;
}

static void find_binaries(struct run *run, struct binaries *binaries, const struct wm_profile *profile)
{
	char **needed;
	char *program = wm_find_program(run->command[0]);
	for (size_t i = 0; i < run->binary_count; i++) {
		struct wm_object object;
		wm_object_need(&object, run->binary[i], binaries->debug_dir, &binaries->arena);
		wm_object_release(&object);
		try_binary(binaries, run->binary[i], NULL);
	}
	if (wm_is_object_file(program)) {
		try_binary(binaries, program, NULL);
		size_t count = wm_object_needed(program, &needed);
		for (size_t i = 0; i < count; i++) {
			try_binary(binaries, needed[i], profile);
			free(needed[i]);
		}
		free(needed);
	}
	free(program);
	if (!count_missing(binaries, profile))
		return;
	scan.binaries = binaries;
	scan.profile = profile;
	nftw(".", scan_file, 16, FTW_PHYS | FTW_ACTIONRETVAL);
}

static void tell_report(struct run *run, const struct wm_profile *profile, struct binaries *binaries)
{
	struct wm_story story;
	if (!binaries->count) {
		wm_warn("none of the binaries that ran was found; name them with --binary FILE");
		return;
	}
	wm_report_scope(&run->report, false, binaries->object, binaries->count);
	wm_story_build(&story, WM_STORY_OF_BINARIES, profile, binaries->object, binaries->count);
	wm_story_leave_out(&story, wm_report_ignored(&run->report));
	wm_report(&story, &run->report);
	wm_story_release(&story);
}

/* A JSON document on the standard output stays whole. */
static void tell_crashes(const struct run *run, const struct binaries *binaries)
{
	bool aside = run->quiet || run->report.json;
	wm_run_crashes_print(&run->crashes, &run->ending, binaries->object, binaries->count, &run->report, run->quiet,
		aside ? stderr : stdout);
}

static void tell_profile(struct run *run, const struct wm_profile *profile)
{
	struct binaries binaries = {.debug_dir = run->report.debug_dir};
	wm_arena_init(&binaries.arena);
	find_binaries(run, &binaries, profile);
	if (!run->quiet)
		tell_report(run, profile, &binaries);
	tell_crashes(run, &binaries);
	wm_scope_release(&run->report.scope);
	for (size_t i = 0; i < binaries.count; i++)
		wm_object_release(&binaries.object[i]);
	free(binaries.object);
	wm_arena_release(&binaries.arena);
}

static void save(struct run *run, const struct wm_profile *profile)
{
	uint8_t *data;
	size_t size;
	if (wm_indexed_write(profile, &data, &size) != WM_PROFILE_OK)
		wm_no_memory();
	wm_write_file(run->output, data, size);
	free(data);
}

static bool is_instrumented(const struct wm_map *map)
{
	for (size_t m = 0; m < map->module_count; m++)
		for (size_t f = 0; f < map->module[m].function_count; f++)
			if (map->module[m].function[f].status != WM_SKIPPED)
				return true;
	return false;
}

/* Why a program that ran has written nothing. */
static void warn_of_no_profile(const struct run *run)
{
	struct wm_object object;
	struct wm_arena arena;
	char *program = wm_find_program(run->command[0]);
	wm_arena_init(&arena);
	enum wm_object_status status = wm_object_open(&object, program, run->report.debug_dir, &arena);
	if (status != WM_OBJECT_OK && status != WM_OBJECT_DAMAGED)
		wm_warn("%s wrote no profile: build it with `waymark cc`, and let it keep WAYMARK_FILE in its "
			"environment",
			run->command[0]);
	else if (is_instrumented(&object.map))
		wm_warn("%s wrote no profile, although it is instrumented: let it keep WAYMARK_FILE in its "
			"environment; a program that has more rights than its caller writes none",
			run->command[0]);
	else
		wm_warn("%s wrote no profile, because none of its functions is instrumented: `waymark show %s` says "
			"why",
			run->command[0], program);
	wm_object_release(&object);
	wm_arena_release(&arena);
	free(program);
}

static void gather(void *argument)
{
	struct run *run = argument;
	struct wm_profile profile;
	if (run->recordings)
		return;
	nftw(run->directory, collect_raw, 16, FTW_PHYS);
	if (!found.count) {
		warn_of_no_profile(run);
		remove_directory(run);
		return;
	}
	wm_profile_init(&profile);
	bool usable = wm_merge_files(&profile, found.path, found.count) < found.count;
	wm_run_crashes_find(&run->crashes, found.path, found.count, &run->ending);
	if (usable) {
		if (run->output)
			save(run, &profile);
		if (!run->quiet || run->crashes.count)
			tell_profile(run, &profile);
		wm_flush_output();
	}
	remove_directory(run);
	wm_run_crashes_release(&run->crashes);
	wm_profile_release(&profile);
	for (size_t i = 0; i < found.count; i++)
		free(found.path[i]);
	free(found.path);
}

int wm_cmd_run(int argc, char **argv)
{
	struct run run = {0};
	parse_options(&run, argc, argv);
	make_directory(&run);
	run_program(&run);
	int status = wm_process_finish(run.ending.status, gather, &run);
	for (size_t i = 0; i < run.binary_count; i++)
		free(run.binary[i]);
	free(run.binary);
	return status;
}
