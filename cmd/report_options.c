/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cmd/report_options.h"
#include "analysis/change/change.h"
#include "support/fail.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

uint64_t wm_named_number(const char *option, const char *want, const char *text, size_t *length)
{
	const char *colon = strrchr(text, ':');
	char *end;
	if (!colon || colon == text || colon[1] < '0' || colon[1] > '9')
		wm_fail("%s needs %s, not '%s'", option, want, text);
	errno = 0;
	uint64_t number = strtoull(colon + 1, &end, 10);
	if (errno || *end)
		wm_fail("%s: '%s' is not a number", option, colon + 1);
	*length = (size_t)(colon - text);
	return number;
}

void wm_take_source_dir(void *target, const char *value)
{
	struct wm_source_dirs *dirs = target;
	if (dirs->count == WM_SOURCE_DIRS)
		wm_fail("--source-dir can be given %d times; name a directory above several of them", WM_SOURCE_DIRS);
	dirs->name[dirs->count++] = value;
}

void wm_source_option_table(struct wm_option table[WM_SOURCE_OPTIONS], struct wm_report_options *options)
{
	static const char *const colours[] = {
		[WM_COLOUR_AUTO] = "auto", [WM_COLOUR_ALWAYS] = "always", [WM_COLOUR_NEVER] = "never", NULL};
	const struct wm_option made[WM_SOURCE_OPTIONS] = {
		WM_FLAG("full", &options->full, "do not shorten sequences of lines without a decision", WM_RARE),
		WM_FLAG("no-source", &options->no_source, "do not read source files"),
		WM_CALL("source-dir", wm_take_source_dir, &options->source_dirs, "DIR",
			"look for source files in DIR first; may be given several times; HTML\n"
			"pages contain only source files below the current directory or DIR"),
		WM_TEXT("debug-dir", &options->debug_dir, "DIR", "look for separate debug files in DIR first", WM_RARE),
		WM_CHOICE("colour", &options->colour, "WHEN", colours, "auto, always or never"),
		WM_CHOICE("color", &options->colour, "WHEN", colours, NULL),
	};
	memcpy(table, made, sizeof made);
}

/* WM_OPTION_CALL of --file and --exclude. */
static void take_glob(void *target, const char *value)
{
	struct wm_globs *globs = target;
	if (globs->count == WM_MOST_GLOBS)
		wm_fail("--file and --exclude can be given %d times each", WM_MOST_GLOBS);
	globs->glob[globs->count++] = value;
}

void wm_filter_option_table(struct wm_option table[WM_FILTER_OPTIONS], struct wm_report_options *options)
{
	const struct wm_option made[WM_FILTER_OPTIONS] = {
		WM_CALL("file", take_glob, &options->filter.files.only, "GLOB",
			"print only functions that are defined in a file that GLOB matches, as in\n"
			"'parse.c' or 'src/*', relative to the root of the project; may be given\n"
			"several times"),
		WM_CALL("exclude", take_glob, &options->filter.files.without, "GLOB",
			"leave out functions that are defined in a file that GLOB matches"),
	};
	memcpy(table, made, sizeof made);
}

const char *const wm_scope_names[] = {[WM_SCOPE_PROJECT] = "project", [WM_SCOPE_ALL] = "all", NULL};

void wm_report_scope(struct wm_report_options *options, bool named, const struct wm_object *object, size_t object_count)
{
	if (options->scope.mode == WM_SCOPE_NOT_ASKED && (named || options->source))
		options->scope.mode = WM_SCOPE_ALL;
	wm_scope_add(&options->scope, object, object_count);
	const struct wm_project_file *file = wm_scope_project_file(&options->scope);
	if (file && options->scope.mode != WM_SCOPE_ALL)
		options->ignored |= file->checks;
}

void wm_report_base(const struct wm_report_options *options, struct wm_change *change)
{
	const struct wm_project_file *file = wm_scope_project_file(&options->scope);
	if (!change->range || strcmp(change->range, "base") != 0 || !file || !file->base)
		return;
	change->range = file->base;
	change->since_branch = true;
}

int wm_report_parse(
	struct wm_report_options *options, const char *text, const struct wm_option *own, int argc, char **argv)
{
	struct wm_option filter[WM_FILTER_OPTIONS], source[WM_SOURCE_OPTIONS];
	wm_report_options_init(options);
	wm_filter_option_table(filter, options);
	wm_source_option_table(source, options);
	int first = wm_parse_options(&(struct wm_syntax){.usage = text, .table = {own, filter, source}}, argc, argv);
	wm_report_check(options);
	return first;
}

void wm_report_check(const struct wm_report_options *options)
{
	if (options->correlations + options->mcdc + options->prime_paths > 1 && wm_report_wants_document(options))
		wm_fail("--correlations, --mcdc and --prime-paths are different reports; choose one of them, or --json "
			"for all");
	if (options->expand && !options->json)
		wm_fail("--expand needs --json, whose paths it expands");
	if (options->markdown && (options->json || options->html || options->source))
		wm_fail("--markdown prints Markdown, and --json, --html and --source other forms; choose one of them");
	if (options->source && options->html)
		wm_fail("--source prints one file, and --html writes pages of all files; choose one of them");
}

/* The value `--all` stands for all functions. */
static void take_correlations(void *target, const char *value)
{
	struct wm_report_options *options = target;
	options->correlations = true;
	if (strcmp(value, "--all") == 0)
		options->all = true;
	else
		options->filter.function = value;
}

void wm_report_option_table(struct wm_option table[WM_REPORT_OPTIONS], struct wm_report_options *options)
{
	const struct wm_option made[WM_REPORT_OPTIONS] = {
		WM_FLAG("json", &options->json, "print everything as JSON (schema waymark.report/1)"),
		WM_TEXT("html", &options->html, "DIR", "write an HTML report into DIR"),
		WM_MARKDOWN_OPTION(options),
		WM_TEXT("source", &options->source, "FILE",
			"print the annotated source of FILE, a name as for --file: counts of lines\n"
			"and decisions"),
		WM_TEXT("function", &options->filter.function, "NAME",
			"print only functions with this name, or a glob such as 'parse_*'"),
		WM_NUMBER("functions", &options->functions, "print the N functions with the most path executions (10)"),
		WM_NUMBER("paths", &options->paths, "print the N hottest paths of each function (5)"),
		WM_FLAG("all", &options->all, "print all functions and all executed paths"),
		WM_SCOPE_OPTION(options),
		WM_FLAG("expand", &options->expand, "with --json: repeat lines and decisions in every path", WM_RARE),
		WM_CALL("correlations", take_correlations, options, "FUNCTION|--all",
			"print which decisions of FUNCTION determine later ones on every path that\n"
			"ran, instead of paths; with --json: also"),
		WM_FLAG("prime-paths", &options->prime_paths,
			"print which prime paths ran instead of the paths of the profile; with --json: also"),
		WM_FLAG("mcdc", &options->mcdc,
			"print MC/DC of every boolean expression instead of paths; with --json: also"),
		WM_FLAG("balance", &options->balance, "print the balance of every function", WM_RARE),
		WM_CHECKS_OPTION(options),
		WM_TEXT("by", &options->by, "METRIC",
			"order the paths of a profile of `waymark hw` by METRIC (frequency)"),
		WM_FLAG("any-program", &options->any_program,
			"add the counts of functions with the same name and graph over all programs", WM_RARE),
	};
	memcpy(table, made, sizeof made);
}
