/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* waymark merge: operands, summary and output. */
#include "abi/abi.h"
#include "abi/sequence.h"
#include "analysis/join/merge_files.h"
#include "cmd/commands.h"
#include "hardware/model/path.h"
#include "support/attempt.h"
#include "support/buffer.h"
#include "support/directory.h"
#include "support/fail.h"
#include "support/json.h"
#include "support/option_table.h"
#include "support/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One path per line; empty lines and lines that begin with # are skipped. */
static void add_list(struct wm_file_list *paths, const char *list)
{
	struct wm_buffer buffer;
	if (!wm_buffer_read(&buffer, list))
		wm_fail("the list of inputs %s cannot be read (%s)", list, strerror(errno));
	char *rest = (char *)buffer.data, *line;
	while ((line = strsep(&rest, "\n"))) {
		size_t length = strlen(line);
		if (length && line[length - 1] == '\r')
			line[length - 1] = 0;
		if (*line && *line != '#')
			wm_file_list_add_profiles(paths, line);
	}
	wm_buffer_release(&buffer);
}

struct totals {
	uint64_t functions, paths, count, executed, residual;
	uint64_t doubt[4]; /* functions per bit of enum wm_doubt */
};

static void add_function(struct totals *totals, const struct wm_profile_function *f)
{
	for (size_t bit = 0; bit < 4; bit++)
		totals->doubt[bit] += f->doubt >> bit & 1;
	if (wm_function_is_apart(f))
		return;
	totals->functions++;
	totals->executed += f->path_count || f->entries;
	totals->residual += !!(f->flags & WM_FUNC_RESIDUAL);
	for (size_t i = 0; i < f->path_count && !(f->path[i].id & WM_NAME_BIT); i++) {
		totals->paths += f->path[i].count != 0;
		totals->count = wm_count_add(totals->count, f->path[i].count);
	}
}

/* Every path of machine code has a frequency; further metrics are about the same paths. */
static void add_branches(struct totals *totals, const struct wm_profile_object *object)
{
	for (size_t i = 0; i < object->branch_count; i++)
		if (object->branches[i].metric == WM_HW_FREQUENCY) {
			totals->paths++;
			totals->count = wm_count_add(totals->count, object->branches[i].count);
		}
}

static struct totals sum_profile(const struct wm_profile *profile)
{
	struct totals totals = {0};
	for (size_t o = 0; o < profile->object_count; o++) {
		for (size_t f = 0; f < profile->object[o].function_count; f++)
			add_function(&totals, &profile->object[o].function[f]);
		add_branches(&totals, &profile->object[o]);
	}
	return totals;
}

static void warn_of_doubt(const struct totals *totals)
{
	for (size_t bit = 0; bit < 4; bit++)
		if (totals->doubt[bit])
			wm_warn("reports will not print the counts of %" PRIu64 " function%s in these runs: %s",
				totals->doubt[bit], totals->doubt[bit] == 1 ? "" : "s", wm_doubt_reason[bit]);
}

/* Inputs of which something was added. */
static size_t count_used(const struct wm_merge *merge)
{
	return merge->tally[WM_INPUT_MERGED] + merge->tally[WM_INPUT_MERGED_IN_PART] +
	       merge->tally[WM_INPUT_MERGED_APART];
}

static void warn_summary(const struct wm_merge *merge)
{
	if (merge->tally[WM_INPUT_MERGED] == merge->count)
		return;
	wm_warn("merged %zu of %zu inputs; %zu damaged, %zu doubtful, %zu refused, %zu superseded", count_used(merge),
		merge->count, merge->tally[WM_INPUT_MERGED_IN_PART], merge->tally[WM_INPUT_MERGED_APART],
		merge->tally[WM_INPUT_REFUSED], merge->tally[WM_INPUT_SUPERSEDED]);
}

static void print_text(const struct wm_merge *merge, const struct totals *totals)
{
	printf("inputs     %zu of %zu\n", count_used(merge), merge->count);
	printf("runs       %" PRIu64 "\n", merge->into->runs);
	printf("objects    %zu\n", merge->into->object_count);
	printf("functions  %" PRIu64 " executed\n", totals->executed);
	printf("paths      %" PRIu64 " executed\n", totals->paths);
	printf("count      %" PRIu64 "\n", totals->count);
	if (totals->residual)
		printf("residual   only untested paths of %" PRIu64 " functions\n", totals->residual);
}

static json_t *integer(uint64_t value)
{
	return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

static json_t *json_path_string(const char *path)
{
	json_t *text = json_string(path);
	return text ? text : json_string("(a name that is not UTF-8)");
}

static void print_json(const struct wm_merge *merge, const struct totals *totals, const char *output)
{
	json_t *document = wm_json_document("merge"), *inputs = json_array(), *doubt = json_object();
	static const char *const doubt_name[] = {"threads", "lost", "saturated", "process"};
	for (size_t i = 0; i < merge->count; i++) {
		const struct wm_input *input = &merge->input[i];
		json_t *one = json_pack("{s:o, s:s}", "path", json_path_string(input->name), "status",
			wm_input_state_name[input->state]);
		if (input->trouble)
			json_object_set_new(one, "reason", json_path_string(input->trouble));
		json_array_append_new(inputs, one);
	}
	for (size_t bit = 0; bit < 4; bit++)
		json_object_set_new(doubt, doubt_name[bit], integer(totals->doubt[bit]));
	json_object_set_new(document, "output", json_path_string(output));
	json_object_set_new(document, "inputs", inputs);
	json_object_set_new(document, "runs", integer(merge->into->runs));
	json_object_set_new(document, "objects", integer(merge->into->object_count));
	json_object_set_new(document, "functions", integer(totals->executed));
	json_object_set_new(document, "paths", integer(totals->paths));
	json_object_set_new(document, "count", integer(totals->count));
	json_object_set_new(document, "functions_in_doubt", doubt);
	json_object_set_new(document, "functions_residual", integer(totals->residual));
	wm_json_print(document);
}

struct options {
	const char *output;
	bool json, strict, any_program;
	struct wm_file_list paths;
};

static const char usage[] = "usage: waymark merge -o OUT.wmprof [options] INPUT...\n"
			    "\n"
			    "Adds raw profiles (.wmraw) and indexed profiles (.wmprof).  A directory stands for\n"
			    "the .wmraw files in it, or the .wmprof files if it has none, - for standard input, and "
			    "@LIST for the files named in LIST.\n"
			    "An input that is damaged or not a profile is named with what was lost, and the other\n"
			    "inputs are merged.  A snapshot is left out if the file of the same run is given too.\n";

static void print_status(void)
{
	puts("\nExit status: 0 if the profile was written; 1 if no input could be merged, or with --strict if\n"
	     "an input was not merged completely.");
}

static void take_list(void *target, const char *list)
{
	add_list(target, list);
}

static void parse(struct options *options, int argc, char **argv)
{
	const struct wm_option own[] = {
		{.name = "output",
			.letter = 'o',
			.kind = WM_OPTION_TEXT,
			.target = &options->output,
			.value = "FILE",
			.help = "write the sum to FILE, completely or not at all"},
		{.name = "input-files",
			.letter = 'f',
			.kind = WM_OPTION_CALL,
			.target = &options->paths,
			.value = "LIST",
			.help = "read the names of inputs from LIST, one per line",
			.take = take_list},
		WM_FLAG("strict", &options->strict,
			"write nothing and fail if any input is damaged, doubtful or refused"),
		WM_FLAG("any-program", &options->any_program,
			"record that counts of one program are valid for every other", WM_RARE),
		WM_FLAG("json", &options->json, "print the summary as JSON"),
		{0},
	};
	int first =
		wm_parse_options(&(struct wm_syntax){.usage = usage, .table = {own}, .more = print_status}, argc, argv);
	for (int i = first; i < argc; i++) {
		if (argv[i][0] == '@' && argv[i][1])
			add_list(&options->paths, argv[i] + 1);
		else
			wm_file_list_add_profiles(&options->paths, argv[i]);
	}
}

static void write_profile(const struct wm_profile *profile, const char *path)
{
	uint8_t *data;
	size_t size;
	if (wm_indexed_write(profile, &data, &size))
		wm_fail_as(WM_FAILURE_MEMORY, "out of memory while writing %s", path);
	wm_write_file(path, data, size);
	free(data);
}

static int finish(const struct wm_merge *merge, const struct options *options)
{
	struct totals totals = sum_profile(merge->into);
	bool nothing = !count_used(merge);
	bool too_strict = options->strict && merge->tally[WM_INPUT_MERGED_IN_PART] +
						     merge->tally[WM_INPUT_MERGED_APART] +
						     merge->tally[WM_INPUT_REFUSED];
	warn_summary(merge);
	if (!nothing && !too_strict) {
		warn_of_doubt(&totals);
		write_profile(merge->into, options->output);
	} else {
		wm_warn("%s was not written: %s", options->output,
			nothing ? "no input was usable" : "an input is damaged or doubtful and --strict was given");
	}
	if (options->json)
		print_json(merge, &totals, options->output);
	else if (!nothing && !too_strict)
		print_text(merge, &totals);
	return nothing || too_strict;
}

int wm_cmd_merge(int argc, char **argv)
{
	struct options options = {0};
	struct wm_profile profile;
	struct wm_merge merge;
	parse(&options, argc, argv);
	if (!options.output)
		wm_fail("no output was given; use -o FILE.wmprof");
	if (!options.paths.count)
		wm_fail("no input was given; name .wmraw or .wmprof files");
	wm_profile_init(&profile);
	profile.any_program = options.any_program;
	wm_merge_init(&merge, &profile, options.paths.path, options.paths.count);
	wm_merge_all(&merge);
	int status = finish(&merge, &options);
	wm_merge_release(&merge);
	wm_profile_release(&profile);
	wm_file_list_release(&options.paths);
	return status;
}
