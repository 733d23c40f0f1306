/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cmd/commands.h"
#include "cmd/hw_command.h"
#include "cmd/report_options.h"
#include "profile/base/function_counts.h"
#include "support/fail.h"
#include "support/interrupt.h"
#include "support/process.h"
#include "support/progress.h"
#include "support/standard_output.h"
#include "support/xalloc.h"
#include "view/hw/hw_view.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] = "usage: waymark hw [options] [--] PROGRAM [ARGUMENTS]\n"
			    "       waymark hw [options] --replay TRACE\n"
			    "\n"
			    "Runs an unmodified program under QEMU, with a model of a hardware path profiler, and\n"
			    "prints its hot paths.  Exits with the status of the program.\n";

static uint64_t number(const char *option, const char *text, uint64_t least, uint64_t most)
{
	char *end;
	errno = 0;
	uint64_t value = strtoull(text, &end, 10);
	if (errno || *end || *text < '0' || *text > '9' || value < least || value > most)
		wm_fail("%s needs a number from %llu to %llu, not '%s'", option, (unsigned long long)least,
			(unsigned long long)most, text);
	return value;
}

enum wm_hw_metric wm_hw_metric_need(const char *name)
{
	enum wm_hw_metric found = wm_hw_metric_find(name);
	if (found == WM_HW_METRIC_COUNT)
		wm_fail("there is no metric '%s'; the metrics are frequency, instructions, l1-misses, l2-misses, "
			"mispredictions, energy, cycle-energy and cycles",
			name);
	return found;
}

static void table_word(struct wm_hw_table_config *config, const char *word)
{
	if (strcmp(word, "xor") == 0)
		config->index = WM_HW_INDEX_XOR;
	else if (strcmp(word, "address") == 0)
		config->index = WM_HW_INDEX_ADDRESS;
	else if (strcmp(word, "lfu") == 0)
		config->replacement = WM_HW_LFU;
	else if (strcmp(word, "lru") == 0)
		config->replacement = WM_HW_LRU;
	else if (strncmp(word, "bits=", 5) == 0)
		config->counter_bits = (uint32_t)number("--table bits", word + 5, 1, 32);
	else
		config->metric = wm_hw_metric_need(word);
}

static void take_table(void *target, const char *value)
{
	struct wm_hw_options *options = target;
	struct wm_hw_table_config config = wm_hw_table_default;
	char *copy = wm_xstrdup(value), *rest = copy, *word;
	for (unsigned i = 0; (word = strsep(&rest, ",")); i++) {
		if (i == 0)
			config.entries = (uint32_t)number("--table", word, 1, 1 << 24);
		else if (i == 1)
			config.ways = (uint32_t)number("--table", word, 1, config.entries);
		else
			table_word(&config, word);
	}
	free(copy);
	size_t count = options->analysis.table_count++;
	WM_XGROW(options->table, count);
	options->table[count] = config;
}

static void take_mode(void *target, const char *value)
{
	struct wm_hw_options *options = target;
	struct wm_hw_control *control = &options->analysis.detector.control;
	options->mode = value;
	if (wm_hw_control_parse(control, value))
		wm_fail("--mode is acyclic, wpp or five sets of letters as in cp,co,u,uop,uop, not '%s'", value);
}

static void take_extension(void *target, const char *value)
{
	struct wm_hw_control *control = target;
	bool loops = strncmp(value, "loops=", 6) == 0;
	if (!loops && strncmp(value, "calls=", 6) != 0)
		wm_fail("--extend is loops=N or calls=N, not '%s'", value);
	control->extension = loops ? WM_HW_EXTEND_LOOPS : WM_HW_EXTEND_CALLS;
	control->extension_max = (uint32_t)number("--extend", value + 6, 1, 65535);
}

static void take_cache(void *target, const char *value)
{
	static const char option[] = "the size of a cache";
	struct wm_hw_cache_config *cache = target;
	char *copy = wm_xstrdup(value), *rest = copy;
	const char *size = strsep(&rest, ","), *ways = strsep(&rest, ","), *block = strsep(&rest, ",");
	cache->size = (uint32_t)number(option, size, 1, 1 << 20) << 10;
	if (ways)
		cache->ways = (uint32_t)number(option, ways, 1, 1 << 20);
	if (block)
		cache->block = (uint32_t)number(option, block, 1, 4096);
	free(copy);
}

static void take_predictor(void *target, const char *value)
{
	struct wm_hw_predictor_config *predictor = target;
	if (strcmp(value, "combined") == 0)
		*predictor = wm_hw_predictor_table_5_3();
	else if (strcmp(value, "two-level") == 0)
		*predictor = wm_hw_predictor_table_5_4_low();
	else if (strcmp(value, "hybrid") == 0)
		*predictor = wm_hw_predictor_table_5_4_high();
	else if (strcmp(value, "perfect") == 0)
		predictor->direction = WM_HW_PERFECT;
	else
		wm_fail("--predictor is combined, two-level, hybrid or perfect, not '%s'", value);
}

static void take_latency(void *target, const char *value)
{
	*(uint32_t *)target = (uint32_t)number("--memory-latency", value, 1, 10000);
}

static void take_queue(void *target, const char *value)
{
	*(uint32_t *)target = (uint32_t)number("--queue", value, 0, 1 << 20);
}

static void take_branches(void *target, const char *value)
{
	struct wm_hw_control *control = target;
	control->max_branches = (uint32_t)number("--branches", value, 1, WM_HW_MAX_BRANCHES);
}

static void take_stack(void *target, const char *value)
{
	struct wm_hw_detector_config *detector = target;
	detector->stack_entries = (uint32_t)number("--stack", value, 1, 1 << 20);
	detector->overflow = WM_HW_DROP_OLDEST;
}

static void take_window(void *target, const char *value)
{
	*(uint64_t *)target = number("--window", value, 1000, UINT64_MAX);
}

static void take_threshold(void *target, const char *value)
{
	*(double *)target = (double)number("--phase-threshold", value, 0, 100) / 100;
}

static void take_metric(void *target, const char *value)
{
	*(enum wm_hw_metric *)target = wm_hw_metric_need(value);
}

static void take_paths(void *target, const char *value)
{
	*(size_t *)target = number("--paths", value, 1, SIZE_MAX);
}

static void take_limit(void *target, const char *value)
{
	*(uint64_t *)target = number("--limit", value, 1, UINT64_MAX);
}

static int parse_options(struct wm_hw_options *options, int argc, char **argv)
{
	struct wm_hw_view *view = &options->view;
	struct wm_hw_detector_config *detector = &options->analysis.detector;
	struct wm_hw_machine_config *machine = &options->analysis.machine;
	struct wm_hw_memory_config *memory = &machine->memory_config;
	bool all = false, spill = false, metrics = false;
	const struct wm_option own[] = {
		WM_CALL("by", take_metric, &view->by, "METRIC",
			"order paths by frequency (default), instructions, l1-misses,\n"
			"l2-misses, mispredictions, energy, cycle-energy or cycles; implies\n"
			"--metrics or --core where the metric needs it"),
		WM_CALL("paths", take_paths, &view->paths, "N", "print the N hottest paths (10)"),
		WM_FLAG("all", &all, "print all paths"),
		WM_FLAG("json", &view->json, "print everything as JSON (schema waymark.hw/1)"),
		WM_TEXT("html", &view->html, "DIR", "write an HTML report into DIR"),
		{.name = "output",
			.letter = 'o',
			.kind = WM_OPTION_TEXT,
			.target = &options->output,
			.value = "FILE",
			.help = "write the profile to FILE (.wmprof), for merge and report, and those\n"
				"of children to FILE.PID"},
		WM_TEXT("wpp", &options->wpp, "FILE",
			"write the whole program path to FILE (.wmwpp), for `waymark wpp`;\n"
			"implies --mode wpp"),
		WM_TEXT("record", &options->record, "FILE", "write the trace to FILE, for --replay"),
		WM_TEXT("replay", &options->replay, "FILE", "analyse a recorded trace instead of running a program"),
		WM_CALL("limit", take_limit, &options->limit, "N",
			"stop profiling after N instructions; the program continues"),
		WM_FLAG("kill", &options->kill, "end the program at the limit", WM_RARE),
		WM_TEXT("stdout", &options->program_output, "FILE",
			"redirect the standard output of the program to FILE"),
		{.name = "quiet",
			.letter = 'q',
			.kind = WM_OPTION_FLAG,
			.target = &options->quiet,
			.help = "print nothing"},
		WM_FLAG("no-source", &view->no_source, "do not read source files"),
		WM_CALL("source-dir", wm_take_source_dir, &view->source_dirs, "DIR", "as in `waymark report`"),
		WM_TEXT("debug-dir", &view->debug_dir, "DIR", "look for separate debug files in DIR first", WM_RARE),
		{0},
	};
	const struct wm_option profiler[] = {
		WM_CALL("mode", take_mode, options, "NAME",
			"acyclic (table 5.1, default), wpp (table 5.2), or the operations of\n"
			"call,return,forward,backward,indirect as letters: u update,\n"
			"c update-count, o pop, p push, - none; acyclic is cp,co,u,uop,uop",
			WM_RARE),
		WM_CALL("extend", take_extension, &detector->control, "WHAT=N",
			"loops=N: paths span N backward branches; calls=N: paths span N calls", WM_RARE),
		WM_CALL("branches", take_branches, &detector->control, "N", "branches in a path, at most 32 (32)",
			WM_RARE),
		WM_CALL("stack", take_stack, detector, "N",
			"entries of the path stack (default: unbounded); if the stack is\n"
			"full, the oldest entry is dropped",
			WM_RARE),
		WM_FLAG("spill", &spill, "if the path stack is full, spill the oldest entry to memory", WM_RARE),
		WM_CALL("table", take_table, options, "E,W[,OPTION...]",
			"a hot path table of E entries and W ways; options: xor or\n"
			"address, lfu or lru, bits=N, and a metric.  May be repeated",
			WM_RARE),
		WM_FLAG("from-table", &options->from_table,
			"-o writes what the first table has at the end instead of the complete profile", WM_RARE),
		WM_CALL("window", take_window, &options->analysis.window, "N",
			"also compute the overlap for windows of N instructions, and phases", WM_RARE),
		WM_FLAG("plackett-burman", &options->plackett,
			"instead of paths, print how much each parameter of table 5.4 changes\n"
			"the overlap",
			WM_RARE),
		WM_CALL("phase-threshold", take_threshold, &options->analysis.phase_threshold, "P",
			"two windows are in one phase if their overlap is at least P percent (50)", WM_RARE),
		{0},
	};
	const struct wm_option machine_table[] = {
		WM_FLAG("metrics", &metrics, "model caches and branch prediction: misses, mispredictions, energy"),
		WM_FLAG("core", &machine->core, "also model an out-of-order core: cycles, energy by cycle"),
		WM_CALL("l1i", take_cache, &memory->l1i, "KB[,WAYS[,BLOCK]]", "size of the instruction cache", WM_RARE),
		WM_CALL("l1d", take_cache, &memory->l1d, "KB[,WAYS[,BLOCK]]", "size of the data cache", WM_RARE),
		WM_CALL("l2", take_cache, &memory->l2, "KB[,WAYS[,BLOCK]]", "size of the second-level cache", WM_RARE),
		WM_CALL("memory-latency", take_latency, &memory->memory_latency, "N",
			"latency of the memory in cycles (100)", WM_RARE),
		WM_CALL("predictor", take_predictor, &machine->predictor_config, "NAME",
			"combined, two-level, hybrid or perfect", WM_RARE),
		WM_CALL("queue", take_queue, &machine->queue, "N",
			"entries of the branch queue, with --core (default: unbounded)", WM_RARE),
		{0},
	};
	int first =
		wm_parse_options(&(struct wm_syntax){.usage = usage,
					 .table = {own, profiler, machine_table},
					 .title = {NULL, "The profiler:", "The machine (table 5.3 unless changed):"},
					 .until_operand = true},
			argc, argv);
	view->paths = all ? SIZE_MAX : view->paths;
	detector->overflow = spill ? WM_HW_SPILL : detector->overflow;
	machine->caches |= metrics;
	machine->predictor |= metrics;
	return first;
}

/* Models the parts of the machine that a metric needs, so that no program runs in vain. */
static void model_metric(struct wm_hw_machine_config *machine, enum wm_hw_metric metric)
{
	switch (metric) {
	case WM_HW_FREQUENCY:
	case WM_HW_INSTRUCTIONS:
	case WM_HW_METRIC_COUNT:
		return;
	case WM_HW_L1_MISSES:
	case WM_HW_L2_MISSES:
	case WM_HW_MISPREDICTIONS:
	case WM_HW_ENERGY:
		machine->caches = machine->predictor = true;
		return;
	case WM_HW_CYCLE_ENERGY:
	case WM_HW_CYCLES:
		machine->core = true;
	}
}

/* The metrics of the paths and tables that will be printed. */
static void model_metrics(struct wm_hw_options *options)
{
	struct wm_hw_machine_config *machine = &options->analysis.machine;
	model_metric(machine, options->view.by);
	for (size_t i = 0; i < options->analysis.table_count; i++)
		model_metric(machine, options->table[i].metric);
	options->view.counted = true;
	if (options->from_table && !options->analysis.table_count)
		wm_fail("--from-table needs --table: for example --table 512,4");
}

static void choose_mode(struct wm_hw_options *options)
{
	if (!options->wpp)
		return;
	if (!options->mode)
		take_mode(options, "wpp");
	if (!wm_hw_control_is_whole(&options->analysis.detector.control))
		wm_fail("--wpp needs --mode wpp, and --mode %s was given", options->mode);
}

static void parse(struct wm_hw_options *options, int argc, char **argv)
{
	*options = (struct wm_hw_options){.view = {.paths = 10}};
	options->analysis.detector = (struct wm_hw_detector_config){
		.control = wm_hw_ball_larus, .stack_entries = 32, .overflow = WM_HW_SPILL};
	options->analysis.phase_threshold = 0.5;
	options->analysis.machine = wm_hw_machine_table_5_3();
	int first = parse_options(options, argc, argv);
	choose_mode(options);
	options->analysis.table = options->table;
	model_metrics(options);
	wm_hw_machine_set_energy(&options->analysis.machine);
	options->accesses = options->analysis.machine.caches || options->analysis.machine.core || options->plackett;
	options->command = argv + first;
	if (first >= argc && !options->replay)
		wm_fail("no program was given, as in `waymark hw -- ./app`");
	if (first < argc && options->replay)
		wm_fail("a program and --replay were given; choose one");
}

/* The files of the program's code, for source lines. */
static size_t mapped_files(const struct wm_trace_program *program, char ***files)
{
	size_t count = 0;
	*files = wm_xrealloc(NULL, program->mapping_count + 1, sizeof **files);
	for (size_t i = 0; i < program->mapping_count; i++) {
		bool known = false;
		for (size_t j = 0; j < count && !known; j++)
			known = strcmp((*files)[j], program->mapping[i].path) == 0;
		if (!known)
			(*files)[count++] = program->mapping[i].path;
	}
	return count;
}

static void print_results(const struct wm_hw_options *options, const struct wm_hw_feed *feed)
{
	struct wm_profile profile;
	struct wm_hw_story story;
	char **files;
	if (options->output)
		wm_hw_profile_write(feed, options->output);
	if (options->quiet)
		return;
	wm_hw_profile_build(&profile, feed);
	size_t count = mapped_files(&feed->program, &files);
	wm_hw_story_build(&story, &profile, files, count, &options->view);
	wm_hw_print(&story, feed);
	wm_hw_story_release(&story);
	free(files);
	wm_profile_release(&profile);
}

int wm_cmd_hw(int argc, char **argv)
{
	struct wm_hw_options options;
	struct wm_hw_feed feed;
	parse(&options, argc, argv);
	wm_hw_feed_init(&feed, &options);
	struct wm_hw_study *study = options.plackett ? wm_hw_study_new(&options.analysis) : NULL;
	if (study)
		feed.listener = wm_hw_study_listener(study);
	feed.listener.progress = wm_hw_progress;
	if (options.replay)
		wm_hw_feed_file(&feed, options.replay);
	else
		wm_hw_run(&feed);
	wm_progress_end();
	if (study)
		wm_hw_study_print(study, &feed);
	else
		print_results(&options, &feed);
	int status = feed.status;
	wm_hw_study_free(study);
	wm_hw_feed_release(&feed);
	free(options.table);
	if (!options.replay)
		return wm_process_pass_on(status);
	wm_finish_output();
	wm_interrupt_pass_on();
	return 0;
}
