/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tool/report.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char wm_report_option_help[] =
	"  --json               print everything as JSON (schema waymark.report/1)\n"
	"  --html DIR           write a browsable report into DIR\n"
	"  --function NAME      only functions of this name; a glob such as 'parse_*' works\n"
	"  --functions N        print the N functions that executed most paths (10)\n"
	"  --paths N            print the N hottest paths of each (5)\n"
	"  --all                print all functions and all executed paths\n"
	"  --full               do not shorten runs of lines without a decision\n"
	"  --balance            print every function's balance of frames\n"
	"  --by METRIC          of a profile of `waymark hw`: the order of its paths (frequency)\n"
	"  --any-program        sum functions of one name and graph over all programs\n"
	"  --no-source          do not read source files\n"
	"  --source-dir DIR     look for source files in DIR first; may be given several times; pages\n"
	"                       hold source files below the current directory or DIR, and no others\n"
	"  --debug-dir DIR      look for separate debug files in DIR first\n"
	"  --colour WHEN        auto, always or never\n";

void wm_report_options_init(struct wm_report_options *options)
{
	*options = (struct wm_report_options){.functions = 10, .paths = 5};
}

const char *wm_option_value(const char *name, int argc, char **argv, int *at)
{
	size_t length = strlen(name);
	const char *word = argv[*at];
	if (strncmp(word, name, length) != 0)
		return NULL;
	if (word[length] && word[length] != '=')
		return NULL;
	const char *value = word[length] ? word + length + 1 : *at + 1 < argc ? argv[++*at] : "";
	if (!*value)
		wm_fail("%s needs a value", name);
	return value;
}

bool wm_number_option(size_t *number, const char *name, int argc, char **argv, int *at)
{
	const char *value = wm_option_value(name, argc, argv, at);
	if (!value)
		return false;
	char *end;
	errno = 0;
	*number = strtoul(value, &end, 10);
	if (errno || *end || *value < '0' || *value > '9')
		wm_fail("%s needs a number, not '%s'", name, value);
	return true;
}

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

static bool text_option(const char **text, const char *name, int argc, char **argv, int *at)
{
	const char *value = wm_option_value(name, argc, argv, at);
	if (value)
		*text = value;
	return value;
}

bool wm_source_dir_option(struct wm_source_dirs *dirs, int argc, char **argv, int *at)
{
	const char *value = wm_option_value("--source-dir", argc, argv, at);
	if (!value)
		return false;
	if (dirs->count == WM_SOURCE_DIRS)
		wm_fail("--source-dir can be given %d times; name a directory above several of them", WM_SOURCE_DIRS);
	dirs->name[dirs->count++] = value;
	return true;
}

static bool flag_option(struct wm_report_options *options, const char *word)
{
	const struct {
		const char *name;
		bool *flag;
	} flags[] = {
		{"--json", &options->json},
		{"--all", &options->all},
		{"--balance", &options->balance},
		{"--full", &options->full},
		{"--no-source", &options->no_source},
		{"--any-program", &options->any_program},
	};
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		if (strcmp(word, flags[i].name) == 0) {
			*flags[i].flag = true;
			return true;
		}
	}
	return false;
}

static bool colour_option(struct wm_report_options *options, int argc, char **argv, int *at)
{
	const char *value = wm_option_value("--colour", argc, argv, at);
	if (!value)
		value = wm_option_value("--color", argc, argv, at);
	if (!value)
		return false;
	if (strcmp(value, "auto") == 0)
		options->colour = WM_COLOUR_AUTO;
	else if (strcmp(value, "always") == 0)
		options->colour = WM_COLOUR_ALWAYS;
	else if (strcmp(value, "never") == 0)
		options->colour = WM_COLOUR_NEVER;
	else
		wm_fail("--colour is auto, always or never, not '%s'", value);
	return true;
}

bool wm_report_option(struct wm_report_options *options, int argc, char **argv, int *at)
{
	return flag_option(options, argv[*at]) || text_option(&options->html, "--html", argc, argv, at) ||
	       text_option(&options->function, "--function", argc, argv, at) ||
	       text_option(&options->by, "--by", argc, argv, at) ||
	       text_option(&options->debug_dir, "--debug-dir", argc, argv, at) ||
	       wm_source_dir_option(&options->source_dirs, argc, argv, at) ||
	       wm_number_option(&options->functions, "--functions", argc, argv, at) ||
	       wm_number_option(&options->paths, "--paths", argc, argv, at) || colour_option(options, argc, argv, at);
}

bool wm_report_wants(const struct wm_story_function *function, const struct wm_report_options *options)
{
	return !options->function || wm_story_name_matches(function, options->function);
}

/* "a/b/../c" as "a/c": compilers name their own headers that way.  For reading
 * only; with symbolic links it may be another file. */
static void drop_parents(char *path)
{
	char *up;
	while ((up = strstr(path + 1, "/../"))) {
		char *start = up;
		while (start > path && start[-1] != '/')
			start--;
		if (start == up || strncmp(start, "../", 3) == 0)
			return;
		memmove(start, up + 4, strlen(up + 4) + 1);
	}
}

const char *wm_short_file(const char *file)
{
	static char here[4096], buffers[4][4096];
	static unsigned next;
	if (!here[0] && !getcwd(here, sizeof here))
		here[0] = 0;
	size_t length = strlen(here);
	if (length > 1 && strncmp(file, here, length) == 0 && file[length] == '/')
		return file + length + 1;
	if (strncmp(file, "./", 2) == 0)
		file += 2;
	if (!strstr(file, "/../"))
		return file;
	char *text = buffers[next++ % 4];
	snprintf(text, sizeof buffers[0], "%s", file);
	drop_parents(text);
	return text;
}

double wm_share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

void wm_report_need_wanted(const struct wm_story *story, const struct wm_report_options *options)
{
	if (!options->function)
		return;
	for (size_t i = 0; i < story->function_count; i++)
		if (wm_report_wants(&story->function[i], options))
			return;
	wm_fail("no function is called '%s' here; `waymark show` lists the names", options->function);
}

void wm_report(const struct wm_story *story, const struct wm_report_options *options)
{
	wm_report_need_wanted(story, options);
	if (options->html)
		wm_report_html(story, options);
	if (options->json)
		wm_report_json(story, options, stdout);
	else if (!options->html)
		wm_report_text(story, options, stdout);
	if (story->refused_count && (options->json || options->html))
		wm_warn("%zu %s refused; the report says which and why", story->refused_count,
			story->refused_count == 1 ? "function is" : "functions are");
}
