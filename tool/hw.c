/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tool/hw.h"
#include "profile/profile.h"
#include "tool/process.h"
#include "tool/report.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"usage: waymark hw [options] [--] PROGRAM [ARGUMENTS]\n"
	"       waymark hw [options] --replay TRACE\n"
	"\n"
	"Runs an unmodified program under QEMU, with a model of the hardware path profiler, and\n"
	"prints its hot paths.  Exits with the program's status.\n"
	"\n"
	"  --by METRIC          order paths by frequency (default), instructions, l1-misses,\n"
	"                       l2-misses, mispredictions or energy\n"
	"  --paths N, --all     print the N hottest paths (10), or all\n"
	"  --json               print everything as JSON (schema waymark.hw/1)\n"
	"  --html DIR           write a browsable report into DIR\n"
	"  -o FILE              keep the profile in FILE (.wmprof), for merge and report\n"
	"  --record FILE        keep the trace in FILE, for --replay\n"
	"  --replay FILE        analyse a recorded trace instead of running a program\n"
	"  --limit N            stop after N instructions; the program goes on untraced, or is\n"
	"                       ended with --kill\n"
	"  --stdout FILE        the program's standard output goes to FILE\n"
	"  --quiet              print nothing\n"
	"  --no-source, --source-dir DIR, --debug-dir DIR   as in `waymark report`\n"
	"\n"
	"The profiler:\n"
	"  --mode NAME          acyclic (table 5.1, default), wpp (table 5.2), or the operations of\n"
	"                       call,return,forward,backward,indirect as letters: u update,\n"
	"                       c update-count, o pop, p push, - none; acyclic is cp,co,u,uop,uop\n"
	"  --extend loops=N     paths span N backward branches; calls=N: N calls\n"
	"  --branches N         branches in a path, at most 32 (32)\n"
	"  --stack N            entries of the path stack (default: unbounded); overflow drops\n"
	"                       the oldest\n"
	"  --spill              an overflow of the path stack spills to memory instead\n"
	"  --table E,W[,OPTION...]  a hot path table of E entries and W ways; options: xor or\n"
	"                       address, lfu or lru, bits=N, and a metric.  May be repeated\n"
	"  --window N           judge tables over windows of N instructions, and show phases\n"
	"  --plackett-burman    print the effect of each parameter of table 5.4 on the overlap instead\n"
	"  --phase-threshold P  overlap in percent that makes two windows one phase (50)\n"
	"\n"
	"The machine (table 5.3 unless changed):\n"
	"  --metrics            model caches and branch prediction: misses, mispredictions, energy\n"
	"  --core               model an out-of-order core, too: cycles, energy by cycle\n"
	"  --l1i, --l1d, --l2 KB[,WAYS[,BLOCK]]   size of a cache\n"
	"  --memory-latency N   cycles (100)\n"
	"  --predictor NAME     combined, two-level, hybrid or perfect\n"
	"  --queue N            entries of the branch queue, with --core (default: unbounded)\n";

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

static void table_option(struct wm_hw_options *options, const char *value)
{
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
	options->table = wm_xrealloc(options->table, count + 1, sizeof *options->table);
	options->table[count] = config;
}

static void mode_option(struct wm_hw_control *control, const char *value)
{
	if (strcmp(value, "acyclic") == 0)
		memcpy(control->operations, wm_hw_ball_larus.operations, sizeof control->operations);
	else if (strcmp(value, "wpp") == 0)
		memcpy(control->operations, wm_hw_whole_program.operations, sizeof control->operations);
	else if (wm_hw_control_parse(control, value))
		wm_fail("--mode is acyclic, wpp or five sets of letters as in cp,co,u,uop,uop, not '%s'", value);
}

static void extend_option(struct wm_hw_control *control, const char *value)
{
	bool loops = strncmp(value, "loops=", 6) == 0;
	if (!loops && strncmp(value, "calls=", 6) != 0)
		wm_fail("--extend is loops=N or calls=N, not '%s'", value);
	control->extension = loops ? WM_HW_EXTEND_LOOPS : WM_HW_EXTEND_CALLS;
	control->extension_max = (uint32_t)number("--extend", value + 6, 1, 65535);
}

static void cache_value(struct wm_hw_cache_config *cache, const char *option, const char *value)
{
	char *copy = wm_xstrdup(value), *rest = copy;
	const char *size = strsep(&rest, ","), *ways = strsep(&rest, ","), *block = strsep(&rest, ",");
	cache->size = (uint32_t)number(option, size, 1, 1 << 20) << 10;
	if (ways)
		cache->ways = (uint32_t)number(option, ways, 1, 1 << 20);
	if (block)
		cache->block = (uint32_t)number(option, block, 1, 4096);
	free(copy);
}

static void predictor_value(struct wm_hw_predictor_config *predictor, const char *value)
{
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

static bool machine_option(struct wm_hw_machine_config *machine, int argc, char **argv, int *at)
{
	struct wm_hw_memory_config *memory = &machine->memory_config;
	const char *value;
	if (strcmp(argv[*at], "--metrics") == 0)
		machine->caches = machine->predictor = true;
	else if (strcmp(argv[*at], "--core") == 0)
		machine->core = true;
	else if ((value = wm_option_value("--l1i", argc, argv, at)))
		cache_value(&memory->l1i, "--l1i", value);
	else if ((value = wm_option_value("--l1d", argc, argv, at)))
		cache_value(&memory->l1d, "--l1d", value);
	else if ((value = wm_option_value("--l2", argc, argv, at)))
		cache_value(&memory->l2, "--l2", value);
	else if ((value = wm_option_value("--memory-latency", argc, argv, at)))
		memory->memory_latency = (uint32_t)number("--memory-latency", value, 1, 10000);
	else if ((value = wm_option_value("--predictor", argc, argv, at)))
		predictor_value(&machine->predictor_config, value);
	else if ((value = wm_option_value("--queue", argc, argv, at)))
		machine->queue = (uint32_t)number("--queue", value, 0, 1 << 20);
	else
		return false;
	return true;
}

static bool profiler_option(struct wm_hw_options *options, int argc, char **argv, int *at)
{
	struct wm_hw_detector_config *detector = &options->analysis.detector;
	const char *value;
	if ((value = wm_option_value("--mode", argc, argv, at)))
		mode_option(&detector->control, value);
	else if ((value = wm_option_value("--extend", argc, argv, at)))
		extend_option(&detector->control, value);
	else if ((value = wm_option_value("--branches", argc, argv, at)))
		detector->control.max_branches = (uint32_t)number("--branches", value, 1, WM_HW_MAX_BRANCHES);
	else if ((value = wm_option_value("--stack", argc, argv, at))) {
		detector->stack_entries = (uint32_t)number("--stack", value, 1, 1 << 20);
		detector->overflow = WM_HW_DROP_OLDEST;
	} else if (strcmp(argv[*at], "--spill") == 0)
		detector->overflow = WM_HW_SPILL;
	else if ((value = wm_option_value("--table", argc, argv, at)))
		table_option(options, value);
	else if ((value = wm_option_value("--window", argc, argv, at)))
		options->analysis.window = number("--window", value, 1000, UINT64_MAX);
	else if ((value = wm_option_value("--phase-threshold", argc, argv, at)))
		options->analysis.phase_threshold = (double)number("--phase-threshold", value, 0, 100) / 100;
	else
		return false;
	return true;
}

static bool view_option(struct wm_hw_view *view, int argc, char **argv, int *at)
{
	const char *value;
	if (strcmp(argv[*at], "--json") == 0)
		view->json = true;
	else if (strcmp(argv[*at], "--all") == 0)
		view->paths = 0;
	else if (strcmp(argv[*at], "--no-source") == 0)
		view->no_source = true;
	else if ((value = wm_option_value("--by", argc, argv, at)))
		view->by = wm_hw_metric_need(value);
	else if ((value = wm_option_value("--html", argc, argv, at)))
		view->html = value;
	else if (wm_source_dir_option(&view->source_dirs, argc, argv, at))
		return true;
	else if ((value = wm_option_value("--debug-dir", argc, argv, at)))
		view->debug_dir = value;
	else if ((value = wm_option_value("--paths", argc, argv, at)))
		view->paths = number("--paths", value, 1, SIZE_MAX);
	else
		return false;
	return true;
}

static bool run_option(struct wm_hw_options *options, int argc, char **argv, int *at)
{
	const char *value;
	if (strcmp(argv[*at], "--kill") == 0)
		options->kill = true;
	else if (strcmp(argv[*at], "--plackett-burman") == 0)
		options->plackett = true;
	else if (strcmp(argv[*at], "--quiet") == 0 || strcmp(argv[*at], "-q") == 0)
		options->quiet = true;
	else if ((value = wm_option_value("-o", argc, argv, at)) ||
		 (value = wm_option_value("--output", argc, argv, at)))
		options->output = value;
	else if ((value = wm_option_value("--stdout", argc, argv, at)))
		options->program_output = value;
	else if ((value = wm_option_value("--record", argc, argv, at)))
		options->record = value;
	else if ((value = wm_option_value("--replay", argc, argv, at)))
		options->replay = value;
	else if ((value = wm_option_value("--limit", argc, argv, at)))
		options->limit = number("--limit", value, 1, UINT64_MAX);
	else
		return false;
	return true;
}

static void parse(struct wm_hw_options *options, int argc, char **argv)
{
	int i = 1;
	*options = (struct wm_hw_options){.view = {.paths = 10}};
	options->analysis.detector = (struct wm_hw_detector_config){
		.control = wm_hw_ball_larus, .stack_entries = 32, .overflow = WM_HW_SPILL};
	options->analysis.phase_threshold = 0.5;
	options->analysis.machine = wm_hw_machine_table_5_3();
	for (; i < argc && argv[i][0] == '-'; i++) {
		if (strcmp(argv[i], "--") == 0) {
			i++;
			break;
		}
		if (!run_option(options, argc, argv, &i) && !view_option(&options->view, argc, argv, &i) &&
			!machine_option(&options->analysis.machine, argc, argv, &i) &&
			!profiler_option(options, argc, argv, &i))
			wm_fail("unknown option '%s'; `waymark hw --help` lists the options, and -- ends them",
				argv[i]);
	}
	options->analysis.table = options->table;
	wm_hw_machine_set_energy(&options->analysis.machine);
	options->accesses = options->analysis.machine.caches || options->analysis.machine.core || options->plackett;
	options->command = argv + i;
	if (i >= argc && !options->replay)
		wm_fail("no program was given, as in `waymark hw -- ./app`");
	if (i < argc && options->replay)
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

static void tell(const struct wm_hw_options *options, const struct wm_hw_feed *feed)
{
	struct wm_profile profile;
	struct wm_hw_story story;
	char **files;
	wm_hw_profile_build(&profile, feed);
	if (options->output) {
		uint8_t *data;
		size_t size;
		if (wm_indexed_write(&profile, &data, &size) != WM_PROFILE_OK)
			wm_bug("out of memory");
		wm_write_file(options->output, data, size);
		free(data);
	}
	if (!options->quiet) {
		size_t count = mapped_files(&feed->program, &files);
		wm_hw_story_build(&story, &profile, files, count, &options->view);
		wm_hw_print(&story, feed);
		wm_hw_story_release(&story);
		free(files);
	}
	wm_profile_release(&profile);
}

int wm_cmd_hw(int argc, char **argv)
{
	struct wm_hw_options options;
	struct wm_hw_feed feed;
	if (argc > 1 && strcmp(argv[1], "--help") == 0) {
		fputs(usage, stdout);
		return 0;
	}
	parse(&options, argc, argv);
	wm_hw_feed_init(&feed, &options);
	if (options.replay)
		wm_hw_feed_file(&feed, options.replay);
	else
		wm_hw_run(&feed);
	if (feed.study)
		wm_hw_study_print(feed.study, options.view.json);
	else
		tell(&options, &feed);
	int status = feed.status;
	wm_hw_feed_release(&feed);
	free(options.table);
	return options.replay ? 0 : wm_process_pass_on(status);
}
