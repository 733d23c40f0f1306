/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * waymark merge: sums profiles.  Inputs are first identified, by their headers
 * alone, so that a run given twice (a file named twice, a copy, a snapshot and
 * the live file it was taken from) is counted once; then they are read one after
 * another, so memory holds one input and the sum.
 */
#include "abi/abi.h"
#include "abi/sequence.h"
#include "profile/profile.h"
#include "tool/tool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum state { WAITING, MERGED, MERGED_IN_PART, REFUSED, SUPERSEDED };
static const char *const state_name[] = {"waiting", "merged", "damaged", "refused", "superseded"};

struct input {
	const char *path;
	enum state state;
	struct wm_buffer held; /* what can be read only once: a pipe */
	bool has_file, has_identity;
	dev_t device;
	ino_t inode;
	struct wm_raw_identity identity;
	size_t next;    /* next input of the same run and epoch, or SIZE_MAX */
	bool is_first;  /* of its run and epoch */
	char *trouble;  /* one clause, or NULL */
};

struct merge {
	struct wm_profile *into;
	struct input *input;
	size_t count, done;
	size_t tally[5]; /* by enum state */
	const char *first[2]; /* merged input that counts all paths, that counts untested ones only */
};

static void settle(struct merge *merge, struct input *input, enum state state, char *trouble)
{
	static const char *const sentence[] = {"", "", "was merged in part", "was left out", "was left out"};
	input->state = state;
	input->trouble = trouble;
	merge->tally[state]++;
	if (trouble)
		wm_warn("%s %s: %s", input->path, sentence[state], trouble);
	wm_progress("merging", ++merge->done, merge->count);
}

/* Identifying. */

static bool read_start(struct input *input, uint8_t *start, size_t *size)
{
	struct stat info;
	int fd = strcmp(input->path, "-") ? open(input->path, O_RDONLY | O_CLOEXEC) : dup(STDIN_FILENO);
	bool ok = fd >= 0 && !fstat(fd, &info);
	if (ok && !S_ISREG(info.st_mode)) {
		close(fd);
		if (!wm_buffer_read(&input->held, input->path))
			return false;
		*size = input->held.size < *size ? input->held.size : *size;
		memcpy(start, input->held.data, *size);
		return true;
	}
	ssize_t got = ok ? pread(fd, start, *size, 0) : -1;
	int error = errno;
	if (fd >= 0)
		close(fd);
	errno = error;
	if (got < 0)
		return false;
	*size = (size_t)got;
	input->has_file = true;
	input->device = info.st_dev;
	input->inode = info.st_ino;
	return true;
}

static void identify(struct merge *merge, struct input *input)
{
	uint8_t start[sizeof(struct wm_raw_header)];
	size_t size = sizeof(start);
	struct wm_profile_error error;
	input->next = SIZE_MAX;
	input->is_first = true;
	if (!read_start(input, start, &size)) {
		settle(merge, input, REFUSED, wm_xprintf("it cannot be read (%s)", strerror(errno)));
		return;
	}
	input->has_identity = wm_profile_format(start, size) == WM_FORMAT_RAW &&
			      !wm_raw_identify(&input->identity, start, size, &error);
}

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_addresses(const void *a, const void *b)
{
	return order((uintptr_t)*(struct input *const *)a, (uintptr_t)*(struct input *const *)b);
}

static int compare_files(const void *a, const void *b)
{
	const struct input *x = *(struct input *const *)a, *y = *(struct input *const *)b;
	int found = order(x->device, y->device);
	if (!found)
		found = order(x->inode, y->inode);
	return found ? found : compare_addresses(a, b);
}

static int compare_runs_only(const struct input *x, const struct input *y)
{
	int found = order(x->identity.run_id_high, y->identity.run_id_high);
	if (!found)
		found = order(x->identity.run_id_low, y->identity.run_id_low);
	return found ? found : order(x->identity.epoch, y->identity.epoch);
}

static int compare_runs(const void *a, const void *b)
{
	int found = compare_runs_only(*(struct input *const *)a, *(struct input *const *)b);
	return found ? found : compare_addresses(a, b);
}

static void drop_files_named_twice(struct merge *merge, struct input **list)
{
	size_t count = 0;
	for (size_t i = 0; i < merge->count; i++)
		if (merge->input[i].has_file)
			list[count++] = &merge->input[i];
	qsort(list, count, sizeof(*list), compare_files);
	for (size_t i = 1, first = 0; i < count; i++) {
		if (list[i]->device == list[first]->device && list[i]->inode == list[first]->inode)
			settle(merge, list[i], SUPERSEDED,
				wm_xprintf("it is the same file as %s and counts once", list[first]->path));
		else
			first = i;
	}
}

static void chain_runs(struct merge *merge, struct input **list)
{
	size_t count = 0;
	for (size_t i = 0; i < merge->count; i++)
		if (merge->input[i].has_identity && merge->input[i].state == WAITING)
			list[count++] = &merge->input[i];
	qsort(list, count, sizeof(*list), compare_runs);
	for (size_t i = 1; i < count; i++) {
		if (compare_runs_only(list[i - 1], list[i]))
			continue;
		list[i - 1]->next = (size_t)(list[i] - merge->input);
		list[i]->is_first = false;
	}
}

/* Reading. */

static enum wm_profile_status read_input(
	struct input *input, struct wm_profile *profile, struct wm_profile_error *error)
{
	struct wm_buffer buffer = input->held;
	input->held = (struct wm_buffer){0};
	if (!buffer.data && !wm_buffer_read(&buffer, input->path)) {
		snprintf(error->text, sizeof(error->text), "it cannot be read (%s)", strerror(errno));
		return WM_PROFILE_IO;
	}
	enum wm_profile_status status = wm_profile_read(profile, buffer.data, buffer.size, error);
	wm_buffer_release(&buffer);
	if (status == WM_PROFILE_NO_MEMORY)
		wm_bug("out of memory while reading %s", input->path);
	return status;
}

/* Of files of one run and epoch each later one contains the earlier ones: the
 * live file, then the snapshots from the newest back.  A whole file beats a
 * damaged one, which could not stand in for what it lost. */
static bool supersedes(const struct input *a, bool a_whole, const struct input *b, bool b_whole)
{
	if (a_whole != b_whole)
		return a_whole;
	if (a->identity.snapshot != b->identity.snapshot)
		return !a->identity.snapshot;
	return a->identity.sequence > b->identity.sequence;
}

struct candidate {
	struct input *input;
	struct wm_profile profile;
	struct wm_profile_error error;
	bool whole;
};

static void replace(struct merge *merge, struct candidate *best, struct candidate *next)
{
	struct input *loser = best->input;
	wm_profile_release(&best->profile);
	*best = *next;
	if (loser)
		settle(merge, loser, SUPERSEDED, wm_xprintf("%s holds the counts of the same run", best->input->path));
}

static void consider(struct merge *merge, struct candidate *best, struct input *input)
{
	struct candidate next = {.input = input};
	wm_profile_init(&next.profile);
	enum wm_profile_status status = read_input(input, &next.profile, &next.error);
	next.whole = status == WM_PROFILE_OK;
	if (status != WM_PROFILE_OK && status != WM_PROFILE_DAMAGED) {
		settle(merge, input, REFUSED, wm_xstrdup(next.error.text));
	} else if (!best->input || supersedes(input, next.whole, best->input, best->whole)) {
		replace(merge, best, &next);
	} else {
		settle(merge, input, SUPERSEDED, wm_xprintf("%s holds the counts of the same run", best->input->path));
		wm_profile_release(&next.profile);
	}
}

static void refuse_conflict(struct merge *merge, struct input *input, bool residual)
{
	const char *other = merge->first[!residual] ? merge->first[!residual] : "another input";
	settle(merge, input, REFUSED,
		wm_xprintf(
			residual ? "it has only untested paths of functions of which %s has all; merge them apart"
				 : "it has all paths of functions of which %s has only untested ones; merge them apart",
			other));
}

static void merge_run(struct merge *merge, size_t first)
{
	struct candidate best = {0};
	wm_profile_init(&best.profile);
	for (size_t i = first; i != SIZE_MAX; i = merge->input[i].next)
		consider(merge, &best, &merge->input[i]);
	if (!best.input)
		return;
	bool residual = wm_profile_is_residual(&best.profile);
	if (wm_profile_conflicts(merge->into, &best.profile))
		refuse_conflict(merge, best.input, residual);
	else if (wm_profile_merge(merge->into, &best.profile))
		wm_bug("out of memory while merging %s", best.input->path);
	else
		settle(merge, best.input, best.whole ? MERGED : MERGED_IN_PART,
			best.whole ? NULL : wm_xstrdup(best.error.text));
	if (best.input->state != REFUSED && !merge->first[residual])
		merge->first[residual] = best.input->path;
	wm_profile_release(&best.profile);
}

static void merge_init(struct merge *merge, struct wm_profile *into, char *const *paths, size_t count)
{
	*merge = (struct merge){.into = into, .count = count, .input = wm_xrealloc(NULL, count, sizeof(*merge->input))};
	for (size_t i = 0; i < count; i++)
		merge->input[i] = (struct input){.path = paths[i]};
}

static void merge_all(struct merge *merge)
{
	struct input **list = wm_xrealloc(NULL, merge->count, sizeof(*list));
	for (size_t i = 0; i < merge->count; i++)
		identify(merge, &merge->input[i]);
	drop_files_named_twice(merge, list);
	chain_runs(merge, list);
	free(list);
	for (size_t i = 0; i < merge->count; i++)
		if (merge->input[i].state == WAITING && merge->input[i].is_first)
			merge_run(merge, i);
	wm_progress_end();
}

static void merge_release(struct merge *merge)
{
	for (size_t i = 0; i < merge->count; i++) {
		wm_buffer_release(&merge->input[i].held);
		free(merge->input[i].trouble);
	}
	free(merge->input);
}

size_t wm_merge_files(struct wm_profile *into, char *const *paths, size_t count)
{
	struct merge merge;
	merge_init(&merge, into, paths, count);
	merge_all(&merge);
	size_t refused = merge.tally[REFUSED];
	merge_release(&merge);
	return refused;
}

/* The command. */

struct paths {
	char **path;
	size_t count;
};

static void add_path(struct paths *paths, char *path)
{
	paths->path = wm_xrealloc(paths->path, paths->count + 1, sizeof(*paths->path));
	paths->path[paths->count++] = path;
}

static int is_raw_name(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);
	return length > 6 && !strcmp(entry->d_name + length - 6, ".wmraw");
}

static void add_directory(struct paths *paths, const char *directory)
{
	struct dirent **entry;
	int count = scandir(directory, &entry, is_raw_name, alphasort);
	if (count < 0)
		wm_fail("the directory %s cannot be read (%s)", directory, strerror(errno));
	if (!count)
		wm_warn("the directory %s holds no .wmraw file", directory);
	for (int i = 0; i < count; i++) {
		add_path(paths, wm_xprintf("%s/%s", directory, entry[i]->d_name));
		free(entry[i]);
	}
	free(entry);
}

static void add_operand(struct paths *paths, const char *operand)
{
	struct stat info;
	if (strcmp(operand, "-") && !stat(operand, &info) && S_ISDIR(info.st_mode))
		add_directory(paths, operand);
	else
		add_path(paths, wm_xstrdup(operand));
}

/* One path per line; empty lines and lines that begin with # are skipped. */
static void add_list(struct paths *paths, const char *list)
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
			add_operand(paths, line);
	}
	wm_buffer_release(&buffer);
}

struct totals {
	uint64_t functions, paths, count, executed, residual;
	uint64_t doubt[4]; /* functions per bit of enum wm_doubt */
};

static uint64_t add_saturating(uint64_t a, uint64_t b)
{
	uint64_t sum;
	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static void add_function(struct totals *totals, const struct wm_profile_function *f)
{
	totals->functions++;
	totals->executed += f->path_count || f->entries;
	totals->residual += !!(f->flags & WM_FUNC_RESIDUAL);
	for (size_t i = 0; i < f->path_count && !(f->path[i].id & WM_NAME_BIT); i++) {
		totals->paths += f->path[i].count != 0;
		totals->count = add_saturating(totals->count, f->path[i].count);
	}
	for (size_t bit = 0; bit < 4; bit++)
		totals->doubt[bit] += f->doubt >> bit & 1;
}

static struct totals total(const struct wm_profile *profile)
{
	struct totals totals = {0};
	for (size_t o = 0; o < profile->object_count; o++)
		for (size_t f = 0; f < profile->object[o].function_count; f++)
			add_function(&totals, &profile->object[o].function[f]);
	return totals;
}

static void warn_of_doubt(const struct totals *totals)
{
	static const char *const reason[] = {
		"a second thread ran; recompile with -fwaymark-update=atomic or thread",
		"lost counts because there was no memory or the profile could not grow",
		"reached 2^64-1; merge fewer runs",
		"shared counters with a process that bypassed fork()",
	};
	for (size_t bit = 0; bit < 4; bit++)
		if (totals->doubt[bit])
			wm_warn("%" PRIu64 " function%s in doubt, whose counts no report will print: %s",
				totals->doubt[bit], totals->doubt[bit] == 1 ? "" : "s", reason[bit]);
}

static void warn_summary(const struct merge *merge)
{
	size_t used = merge->tally[MERGED] + merge->tally[MERGED_IN_PART];
	if (used == merge->count && !merge->tally[MERGED_IN_PART])
		return;
	wm_warn("merged %zu of %zu inputs; %zu damaged, %zu refused, %zu superseded", used, merge->count,
		merge->tally[MERGED_IN_PART], merge->tally[REFUSED], merge->tally[SUPERSEDED]);
}

static void print_text(const struct merge *merge, const struct totals *totals)
{
	printf("inputs     %zu of %zu\n", merge->tally[MERGED] + merge->tally[MERGED_IN_PART], merge->count);
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

static void print_json(const struct merge *merge, const struct totals *totals, const char *output)
{
	json_t *document = wm_json_document("merge"), *inputs = json_array(), *doubt = json_object();
	static const char *const doubt_name[] = {"threads", "lost", "saturated", "process"};
	for (size_t i = 0; i < merge->count; i++) {
		const struct input *input = &merge->input[i];
		json_t *one = json_pack(
			"{s:o, s:s}", "path", json_path_string(input->path), "status", state_name[input->state]);
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
	bool json, strict;
	struct paths paths;
};

static void print_help(void)
{
	puts("usage: waymark merge -o OUT.wmprof [options] INPUT...\n"
	     "\n"
	     "Sums raw profiles (.wmraw) and merged ones (.wmprof).  A directory stands for the\n"
	     ".wmraw files in it, - for standard input, @LIST for the files named in LIST.\n"
	     "An input that is damaged or foreign is named with what was lost; the others go on.\n"
	     "A snapshot counts only where the file it was taken from is not given too.\n"
	     "\n"
	     "  -o, --output=FILE       where the sum goes (written whole or not at all)\n"
	     "  -f, --input-files=LIST  read names of inputs from LIST, one per line\n"
	     "      --strict            write nothing and fail if any input is damaged or refused\n"
	     "      --json              print the summary as JSON\n"
	     "  -h, --help              print this\n"
	     "\n"
	     "Exit status: 0 when something could be merged, 1 when nothing could.");
}

/* False: help was asked for. */
static bool parse(struct options *options, int argc, char **argv)
{
	static const struct option known[] = {
		{"output", required_argument, NULL, 'o'},
		{"input-files", required_argument, NULL, 'f'},
		{"json", no_argument, NULL, 'j'},
		{"strict", no_argument, NULL, 's'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int option;
	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":o:f:h", known, NULL)) != -1) {
		switch (option) {
		case 'o':
			options->output = optarg;
			break;
		case 'f':
			add_list(&options->paths, optarg);
			break;
		case 'j':
			options->json = true;
			break;
		case 's':
			options->strict = true;
			break;
		case 'h':
			return false;
		case ':':
			wm_fail("%s needs a value; waymark merge --help lists the options", argv[optind - 1]);
		default:
			wm_fail("unknown option %s; the options are -o, -f, --strict, --json and --help",
				argv[optind - 1]);
		}
	}
	for (int i = optind; i < argc; i++) {
		if (argv[i][0] == '@' && argv[i][1])
			add_list(&options->paths, argv[i] + 1);
		else
			add_operand(&options->paths, argv[i]);
	}
	return true;
}

static void write_profile(const struct wm_profile *profile, const char *path)
{
	uint8_t *data;
	size_t size;
	if (wm_indexed_write(profile, &data, &size))
		wm_bug("out of memory while writing %s", path);
	wm_write_file(path, data, size);
	free(data);
}

static int finish(const struct merge *merge, const struct options *options)
{
	struct totals totals = total(merge->into);
	bool nothing = !(merge->tally[MERGED] + merge->tally[MERGED_IN_PART]);
	bool too_strict = options->strict && merge->tally[MERGED_IN_PART] + merge->tally[REFUSED];
	warn_summary(merge);
	if (!nothing && !too_strict) {
		warn_of_doubt(&totals);
		write_profile(merge->into, options->output);
	} else {
		wm_warn("%s was not written: %s", options->output,
			nothing ? "no input was usable" : "an input is damaged and --strict was given");
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
	struct merge merge;
	if (!parse(&options, argc, argv)) {
		print_help();
		return 0;
	}
	if (!options.output)
		wm_fail("say where the sum goes with -o FILE.wmprof");
	if (!options.paths.count)
		wm_fail("there is nothing to merge; name .wmraw or .wmprof files");
	wm_profile_init(&profile);
	merge_init(&merge, &profile, options.paths.path, options.paths.count);
	merge_all(&merge);
	int status = finish(&merge, &options);
	merge_release(&merge);
	wm_profile_release(&profile);
	for (size_t i = 0; i < options.paths.count; i++)
		free(options.paths.path[i]);
	free(options.paths.path);
	return status;
}
