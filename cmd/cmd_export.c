/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/hw/source_paths.h"
#include "analysis/join/operands.h"
#include "analysis/replay/summary.h"
#include "analysis/segments/set.h"
#include "cmd/commands.h"
#include "cmd/report_options.h"
#include "support/fail.h"
#include "support/interrupt.h"
#include "support/output.h"
#include "support/standard_output.h"
#include "support/string_builder.h"
#include "support/xalloc.h"
#include "view/export/export.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] = "usage: waymark export --format FORMAT [-o FILE] PROFILE... BINARY...\n"
			    "       waymark export --format FORMAT [-o FILE] RECORDING BINARY...\n"
			    "\n"
			    "Writes a profile or a recording in the format of another program.\n";

struct export_options {
	struct wm_report_options common;
	const struct wm_export_format *format;
	const char *output; /* NULL: standard output */
};

static char *format_list(void)
{
	struct wm_string list = {0};
	for (const struct wm_export_format *format = wm_export_formats; format->name; format++)
		wm_string_add(&list, "%s%s", list.length ? ", " : "", format->name);
	return wm_string_text(&list);
}

static void take_format(void *target, const char *value)
{
	const struct wm_export_format *format = wm_export_find(value);
	if (strcmp(value, "instr") == 0)
		wm_fail("the format instr cannot be written: LLVM accepts the counters of a function only with a hash "
			"of "
			"its syntax tree or of its graph in the middle of the optimiser, which a binary does not have; "
			"`--format sample` gives clang the same counts per line");
	if (!format)
		wm_fail("there is no format '%s'; the formats are %s", value, format_list());
	*(const struct wm_export_format **)target = format;
}

static void print_formats(void)
{
	puts("\nformats:");
	for (const struct wm_export_format *format = wm_export_formats; format->name; format++)
		printf("  %-12s %s\n", format->name, format->reader);
}

static void check(const struct export_options *options)
{
	if (!options->format)
		wm_fail("--format is missing; the formats are %s", format_list());
	if (options->format->binary && !options->output)
		wm_fail("the format %s is not text: name a file by -o FILE", options->format->name);
}

/* The warnings are about the file as a whole, whose format has no place for them. */
static void warn_of_doubts(const struct wm_coverage *coverage)
{
	if (coverage->unknown_count)
		wm_warn("%zu function%s left out, because %s counts are not known: %s%s; `waymark report` says why",
			coverage->unknown_count, coverage->unknown_count == 1 ? " is" : "s are",
			coverage->unknown_count == 1 ? "its" : "their", coverage->unknown->display,
			coverage->unknown_count == 1 ? "" : " and others");
	if (coverage->inexact_count)
		wm_warn("the counts inside %zu function%s are not exact, because activations were left inside a call "
			"(by exit, longjmp or an exception), and what they did after their last complete path is not "
			"known: %s%s",
			coverage->inexact_count, coverage->inexact_count == 1 ? "" : "s", coverage->inexact->display,
			coverage->inexact_count == 1 ? "" : " and others");
}

/* The cost of a call is known only if nothing else enters what it leads to. */
static void warn_of_costs(const struct wm_costs *costs)
{
	size_t unknown = 0;
	for (size_t i = 0; i < costs->call_count; i++)
		unknown += !costs->call[i].known;
	if (unknown)
		wm_warn("%zu of %zu direct calls are left out, because a profile does not say what they cost: a "
			"recording (-fwaymark-wpp) has the costs of all calls",
			unknown, costs->call_count);
}

/* Standard output escapes control characters, and the formats have escaped them already. */
static void write_export(const struct export_options *options, const struct wm_export *export)
{
	if (!options->output) {
		options->format->write(export, stdout);
		return;
	}
	struct wm_output output;
	wm_output_open(&output, options->output);
	options->format->write(export, output.file);
	wm_output_close(&output);
}

static void export_story(struct wm_story *story, const struct export_options *options)
{
	const struct wm_function_filter *filter = &options->common.filter;
	struct wm_flows flows;
	struct wm_coverage coverage;
	struct wm_costs costs = {0};
	wm_flows_build(&flows, story);
	wm_coverage_build(&coverage, &flows, filter);
	warn_of_doubts(&coverage);
	if (options->format->need == WM_EXPORT_COSTS)
		wm_costs_of_flows(&costs, &flows, filter);
	if (strcmp(options->format->name, "callgrind") == 0)
		warn_of_costs(&costs);
	write_export(options,
		&(struct wm_export){
			.story = story, .flows = &flows, .coverage = &coverage, .costs = &costs, .filter = filter});
	wm_costs_release(&costs);
	wm_coverage_release(&coverage);
	wm_flows_release(&flows);
}

static void say_what_is_known(const struct wm_hw_source_summary *known)
{
	double all = known->executions ? (double)known->executions / 100 : 1;
	printf("%llu executions of %zu paths in %zu functions\n", (unsigned long long)known->executions, known->paths,
		known->functions);
	printf("%.1f %% of these join fragments in one of several ways, and %.1f %% have blocks that no fragment has "
	       "left\n",
		(double)known->chosen / all, (double)known->assumed / all);
	if (known->halved)
		printf("%llu executions of machine paths have places at which the way is not known\n",
			(unsigned long long)known->halved);
	if (known->left_out)
		printf("%zu functions that ran are left out\n", known->left_out);
}

/* Paths of the graph `source` from those of machine code. */
static void export_hardware(
	const struct wm_profile *profile, const struct wm_operands *operands, const struct export_options *options)
{
	struct wm_hw_view view = {.counted = true, .debug_dir = options->common.debug_dir};
	struct wm_hw_source_summary known;
	struct wm_hw_story story;
	struct wm_profile result;
	uint8_t *data;
	size_t size;
	wm_hw_story_build(&story, profile, operands->binary, operands->binary_count, &view);
	wm_hw_source_paths(&result, &story, &known);
	if (wm_indexed_write(&result, &data, &size) != WM_PROFILE_OK)
		wm_no_memory();
	wm_write_file(options->output, data, size);
	say_what_is_known(&known);
	free(data);
	wm_profile_release(&result);
	wm_hw_story_release(&story);
}

/* Coverage is about the project; compilers and programs that show costs want everything. */
static void open_scope(struct export_options *options, const struct wm_binaries *binaries)
{
	bool whole = options->format->need != WM_EXPORT_COVERAGE;
	wm_report_scope(&options->common, whole, binaries->object, binaries->count);
}

/* Files of other programs have no place for the sentence. */
static void warn_of_scope(const struct wm_story *story, const struct export_options *options)
{
	struct wm_unscoped left = {0};
	wm_unscoped_add(&left, &options->common.filter, story);
	char *text = wm_unscoped_text(&left);
	if (text)
		wm_warn("%s", text);
	free(text);
}

static void export_profile(const struct wm_operands *operands, struct export_options *options)
{
	struct wm_profile profile;
	struct wm_binaries binaries;
	struct wm_story story;
	wm_profile_init(&profile);
	wm_profile_need(&profile, operands->profile, operands->profile_count);
	profile.any_program |= options->common.any_program;
	bool hardware = wm_profile_has_branches(&profile);
	if (options->format->need == WM_EXPORT_HARDWARE && !hardware)
		wm_fail("%s is no profile of `waymark hw`: -fwaymark-use takes it as it is", operands->profile[0]);
	if (options->format->need == WM_EXPORT_HARDWARE) {
		export_hardware(&profile, operands, options);
		wm_profile_release(&profile);
		return;
	}
	if (hardware)
		wm_fail("%s is a profile of `waymark hw`, which has paths of machine code; `waymark export` needs one "
			"of a build with `waymark cc`",
			operands->profile[0]);
	wm_binaries_open(&binaries, operands, options->common.debug_dir);
	open_scope(options, &binaries);
	wm_story_build(&story, WM_STORY_OF_BINARIES, &profile, binaries.object, binaries.count);
	wm_story_need_match(&story, "the profile");
	const char *refusal = wm_story_all_refused(&story);
	if (refusal)
		wm_fail("every run was refused: %s", refusal);
	wm_report_need_wanted(&story, &options->common);
	export_story(&story, options);
	warn_of_scope(&story, options);
	wm_scope_release(&options->common.scope);
	wm_story_release(&story);
	wm_binaries_release(&binaries);
	wm_profile_release(&profile);
}

static void export_recording(const struct wm_operands *operands, const struct export_options *options)
{
	struct wm_wpp wpp;
	struct wm_wpp_view view;
	struct wm_costs costs = {0};
	if (wm_filter_has_files(&options->common.filter) || options->common.filter.function)
		wm_fail("--function, --file and --exclude choose among the functions of a profile: the calls of a "
			"recording are exported as they were");
	wm_wpp_load(&wpp, operands->profile, operands->profile_count);
	if (wpp.table.kind == WM_WPP_BRANCHES)
		wm_fail("%s is a recording of `waymark hw`, which has paths of machine code; `waymark export` needs "
			"one of a build with -fwaymark-wpp",
			operands->profile[0]);
	wm_interrupt_catch();
	wm_wpp_view_open(&view, &wpp, operands, options->common.debug_dir);
	if (options->format->need == WM_EXPORT_COSTS)
		wm_costs_of_recording(&costs, &view);
	write_export(options, &(struct wm_export){.story = &view.story, .costs = &costs, .recording = &view});
	char *stopped = wm_wpp_stopped_text(&view);
	if (stopped)
		wm_warn("%s", stopped);
	free(stopped);
	wm_costs_release(&costs);
	wm_wpp_view_release(&view);
}

/* Which of the two the operands are, and whether the format can be made from them. */
static bool wants_recording(const struct wm_operands *operands, const struct export_options *options)
{
	const char *first = operands->profile[0];
	bool recording = wm_segments_is_recording(first);
	switch (options->format->need) {
	case WM_EXPORT_COSTS:
		return recording;
	case WM_EXPORT_RECORDING:
		if (!recording)
			wm_fail("%s is not a recording, and the format %s shows the order of calls, which only a "
				"recording of a build with -fwaymark-wpp has",
				first, options->format->name);
		return true;
	case WM_EXPORT_COVERAGE:
	case WM_EXPORT_FLOW:
	case WM_EXPORT_UNTESTED:
	case WM_EXPORT_HARDWARE:
		if (recording)
			wm_fail("%s is a recording, and the format %s is made from a profile: compute one by `waymark "
				"wpp --as acyclic -o FILE.wmprof`",
				first, options->format->name);
		return false;
	}
	return false;
}

/* Gives the operands, and the options that both have, to `waymark untested`. */
static int export_untested(const struct export_options *options, int count, char **operand)
{
	enum { MOST_OPTIONS = 12 };
	const char **word = wm_xrealloc(NULL, (size_t)count + MOST_OPTIONS, sizeof *word);
	int used = 0;
	word[used++] = "untested";
	word[used++] = "--sarif";
	word[used++] = options->output ? options->output : "-";
	if (wm_filter_has_files(&options->common.filter))
		wm_fail("--file and --exclude are options of `waymark untested --sarif`, which writes the same format");
	if (options->common.filter.function) {
		word[used++] = "--function";
		word[used++] = options->common.filter.function;
	}
	if (options->common.any_program)
		word[used++] = "--any-program";
	if (options->common.scope.mode != WM_SCOPE_NOT_ASKED) {
		word[used++] = "--scope";
		word[used++] = wm_scope_names[options->common.scope.mode];
	}
	if (options->common.debug_dir) {
		word[used++] = "--debug-dir";
		word[used++] = options->common.debug_dir;
	}
	word[used++] = "--";
	for (int i = 0; i < count; i++)
		word[used++] = operand[i];
	word[used] = NULL;
	int status = wm_cmd_untested(used, (char **)word);
	free(word);
	return status;
}

int wm_cmd_export(int argc, char **argv)
{
	struct export_options options = {0};
	const struct wm_option own[] = {
		WM_CALL("format", take_format, &options.format, "FORMAT", "which format; see below"),
		{.name = "output",
			.letter = 'o',
			.kind = WM_OPTION_TEXT,
			.target = &options.output,
			.value = "FILE",
			.help = "write to FILE instead of standard output"},
		WM_SCOPE_OPTION(&options.common),
		WM_TEXT("function", &options.common.filter.function, "NAME",
			"only functions with this name, which may be a glob"),
		WM_FLAG("any-program", &options.common.any_program,
			"use the counts of any program for functions of the same name and graph", WM_RARE),
		WM_TEXT("debug-dir", &options.common.debug_dir, "DIR", "look for separate debug files in DIR first",
			WM_RARE),
		{0},
	};
	struct wm_operands operands = {0};
	struct wm_option filter[WM_FILTER_OPTIONS];
	wm_report_options_init(&options.common);
	wm_filter_option_table(filter, &options.common);
	int first = wm_parse_options(
		&(struct wm_syntax){.usage = usage, .table = {own, filter}, .more = print_formats}, argc, argv);
	check(&options);
	wm_operands_take(&operands, argv + first, argc - first);
	wm_operands_check(&operands, "waymark export");
	if (options.format->need == WM_EXPORT_UNTESTED)
		return export_untested(&options, argc - first, argv + first);
	if (wants_recording(&operands, &options))
		export_recording(&operands, &options);
	else
		export_profile(&operands, &options);
	wm_operands_release(&operands);
	wm_finish_output();
	wm_interrupt_pass_on();
	return 0;
}
