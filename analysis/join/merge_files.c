/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * waymark merge: sums profiles.  Inputs are first identified by their headers alone, so that a run that is given
 * twice (a file named twice, a copy, a snapshot together with the live file) is counted once.  Then they are read one
 * after another, so memory holds one input and the sum.
 */
#include "analysis/join/merge_files.h"
#include "abi/abi.h"
#include "profile/raw/sparse.h"
#include "profile/raw/still_counting.h"
#include "store/store_operand.h"
#include "support/attempt.h"
#include "support/buffer.h"
#include "support/fail.h"
#include "support/progress.h"
#include "support/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const wm_doubt_reason[] = {
	"a thread without counters of its own ran; compile with -fwaymark-update=atomic",
	"there was no memory for counts, or the profile could not grow",
	"reached 2^64-1; merge fewer runs",
	"a process that bypassed fork() shared their counters",
};

const char *const wm_input_state_name[] = {"waiting", "merged", "damaged", "doubtful", "refused", "superseded"};

static void settle(struct wm_merge *merge, struct wm_input *input, enum wm_input_state state, char *trouble)
{
	static const char *const sentence[] = {
		"", "", "was merged in part", "was merged in part", "was left out", "was left out"};
	input->state = state;
	input->trouble = trouble;
	merge->tally[state]++;
	if (trouble)
		wm_warn("%s %s: %s", input->name, sentence[state], trouble);
	wm_progress("merging", ++merge->done, merge->count);
}

/* Identifying. */

static void identify_start(struct wm_input *input, const uint8_t *start, size_t size)
{
	struct wm_profile_error error;
	input->has_identity = wm_profile_format(start, size) == WM_FORMAT_RAW &&
			      !wm_raw_identify(&input->identity, start, size, &error) && !input->identity.is_pool;
}

static bool read_start(struct wm_input *input, uint8_t *start, size_t size)
{
	struct stat info;
	int fd = strcmp(input->path, "-") ? open(input->path, O_RDONLY | O_CLOEXEC) : dup(STDIN_FILENO);
	bool ok = fd >= 0 && !fstat(fd, &info);
	if (ok && !S_ISREG(info.st_mode)) {
		close(fd);
		if (!wm_buffer_read(&input->held, input->path))
			return false;
		identify_start(input, input->held.data, input->held.size < size ? input->held.size : size);
		return true;
	}
	ssize_t got = ok ? pread(fd, start, size, 0) : -1;
	int error = errno;
	if (got >= 0)
		identify_start(input, start, (size_t)got);
	input->is_unfinished = input->has_identity && wm_file_counting(fd, &input->identity) == WM_COUNTING_YES;
	if (fd >= 0)
		close(fd);
	errno = error;
	if (got < 0)
		return false;
	input->has_file = true;
	input->device = info.st_dev;
	input->inode = info.st_ino;
	return true;
}

static void identify(struct wm_merge *merge, struct wm_input *input)
{
	uint8_t start[sizeof(struct wm_raw_header)];
	input->next = SIZE_MAX;
	input->is_first = true;
	input->is_store = wm_is_store(input->path);
	if (input->is_store)
		return;
	if (!read_start(input, start, sizeof(start)))
		settle(merge, input, WM_INPUT_REFUSED, wm_xprintf("it cannot be read (%s)", strerror(errno)));
}

static int compare_words(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_addresses(const void *a, const void *b)
{
	return compare_words((uintptr_t)*(struct wm_input *const *)a, (uintptr_t)*(struct wm_input *const *)b);
}

static int compare_files(const void *a, const void *b)
{
	const struct wm_input *x = *(struct wm_input *const *)a, *y = *(struct wm_input *const *)b;
	int found = compare_words(x->device, y->device);
	if (!found)
		found = compare_words(x->inode, y->inode);
	return found ? found : compare_addresses(a, b);
}

static int compare_runs_only(const struct wm_input *x, const struct wm_input *y)
{
	int found = compare_words(x->identity.run_id_high, y->identity.run_id_high);
	if (!found)
		found = compare_words(x->identity.run_id_low, y->identity.run_id_low);
	return found ? found : compare_words(x->identity.epoch, y->identity.epoch);
}

static int compare_runs(const void *a, const void *b)
{
	int found = compare_runs_only(*(struct wm_input *const *)a, *(struct wm_input *const *)b);
	return found ? found : compare_addresses(a, b);
}

static void drop_files_named_twice(struct wm_merge *merge, struct wm_input **list)
{
	size_t count = 0;
	for (size_t i = 0; i < merge->count; i++)
		if (merge->input[i].has_file)
			list[count++] = &merge->input[i];
	qsort(list, count, sizeof(*list), compare_files);
	for (size_t i = 1, first = 0; i < count; i++) {
		if (list[i]->device == list[first]->device && list[i]->inode == list[first]->inode)
			settle(merge, list[i], WM_INPUT_SUPERSEDED,
				wm_xprintf("it is the same file as %s and counts once", list[first]->name));
		else
			first = i;
	}
}

static void chain_runs(struct wm_merge *merge, struct wm_input **list)
{
	size_t count = 0;
	for (size_t i = 0; i < merge->count; i++)
		if (merge->input[i].has_identity && merge->input[i].state == WM_INPUT_WAITING)
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

static enum wm_profile_status read_file(
	struct wm_merge *merge, const char *path, struct wm_profile *profile, struct wm_profile_error *error)
{
	struct wm_sparse_file file;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool ok = fd >= 0 && wm_sparse_read(&file, fd);
	int reason = errno;
	if (fd >= 0)
		close(fd);
	if (!ok) {
		snprintf(error->text, sizeof(error->text), "it cannot be read (%s)", strerror(reason));
		return WM_PROFILE_IO;
	}
	enum wm_profile_status status = wm_profile_read_image(profile, &file.image, merge->table, error);
	wm_sparse_release(&file);
	return status;
}

static enum wm_profile_status read_input(
	struct wm_merge *merge, struct wm_input *input, struct wm_profile *profile, struct wm_profile_error *error)
{
	enum wm_profile_status status = WM_PROFILE_OK;
	if (input->is_store)
		wm_store_read(profile, input->path);
	else if (input->held.data)
		status = wm_profile_read(profile, input->held.data, input->held.size, error);
	else
		status = read_file(merge, input->path, profile, error);
	wm_buffer_release(&input->held);
	if (status == WM_PROFILE_NO_MEMORY)
		wm_fail_as(WM_FAILURE_MEMORY, "out of memory while reading %s", input->name);
	for (size_t i = 0; input->is_unfinished && i < profile->run_id_count; i++)
		profile->run_id[i].part = WM_PART_UNFINISHED;
	return status;
}

struct candidate {
	struct wm_input *input;
	struct wm_profile profile;
	struct wm_profile_error error;
	bool whole;
	uint64_t sum; /* of all that it counts, saturating */
};

uint64_t wm_count_add(uint64_t a, uint64_t b)
{
	uint64_t sum;
	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static uint64_t sum_counts(const struct wm_profile *profile)
{
	uint64_t sum = 0;
	for (size_t o = 0; o < profile->object_count; o++)
		for (size_t f = 0; f < profile->object[o].function_count; f++) {
			const struct wm_profile_function *function = &profile->object[o].function[f];
			sum = wm_count_add(sum, function->entries);
			for (size_t i = 0; i < function->path_count; i++)
				sum = wm_count_add(sum, function->path[i].count);
			for (size_t i = 0; i < function->unfinished_count; i++)
				sum = wm_count_add(sum, function->unfinished[i].count);
		}
	return sum;
}

/* Among the files of one run and epoch, a later file contains the counts of the earlier ones; the live file is the last
 * one, after all snapshots.  An intact file is preferred to a damaged one, which has lost counts.  Counters have no
 * checksum, and lost pages read as zeros.  Since counts only grow, a file with fewer counts than another is an earlier
 * or a damaged copy. */
static bool supersedes(const struct candidate *a, const struct candidate *b)
{
	const struct wm_raw_identity *x = &a->input->identity, *y = &b->input->identity;
	if (a->whole != b->whole)
		return a->whole;
	if (a->sum != b->sum)
		return a->sum > b->sum;
	if (x->is_snapshot != y->is_snapshot)
		return !x->is_snapshot;
	return x->snapshot > y->snapshot;
}

static void replace_best(struct wm_merge *merge, struct candidate *best, struct candidate *next)
{
	struct wm_input *loser = best->input;
	wm_profile_release(&best->profile);
	*best = *next;
	if (loser)
		settle(merge, loser, WM_INPUT_SUPERSEDED,
			wm_xprintf("%s holds the counts of the same run", best->input->name));
}

static void consider(struct wm_merge *merge, struct candidate *best, struct wm_input *input)
{
	struct candidate next = {.input = input};
	wm_profile_init(&next.profile);
	enum wm_profile_status status = read_input(merge, input, &next.profile, &next.error);
	next.whole = status == WM_PROFILE_OK;
	next.sum = sum_counts(&next.profile);
	if (status != WM_PROFILE_OK && status != WM_PROFILE_DAMAGED) {
		settle(merge, input, WM_INPUT_REFUSED, wm_xstrdup(next.error.text));
	} else if (!best->input || supersedes(&next, best)) {
		replace_best(merge, best, &next);
	} else {
		settle(merge, input, WM_INPUT_SUPERSEDED,
			wm_xprintf("%s holds the counts of the same run", best->input->name));
		wm_profile_release(&next.profile);
	}
}

static void refuse_conflict(struct wm_merge *merge, struct wm_input *input, bool residual)
{
	const char *other = merge->first[!residual] ? merge->first[!residual] : "another input";
	settle(merge, input, WM_INPUT_REFUSED,
		wm_xprintf(
			residual ? "it has only untested paths of functions of which %s has all; merge them apart"
				 : "it has all paths of functions of which %s has only untested ones; merge them apart",
			other));
}

static uint32_t run_doubt(const struct wm_profile *profile, size_t *functions)
{
	uint32_t doubt = 0;
	*functions = 0;
	for (size_t o = 0; o < profile->object_count; o++)
		for (size_t f = 0; f < profile->object[o].function_count; f++)
			if (wm_function_is_apart(&profile->object[o].function[f])) {
				doubt |= profile->object[o].function[f].doubt & WM_DOUBT_OF_RUN;
				++*functions;
			}
	return doubt;
}

/* Sets the state of an input that was merged, and reports what was not merged.  Runs that an indexed profile left out
 * are not reported again; they were reported when it was written. */
static void settle_merged(struct wm_merge *merge, const struct candidate *best)
{
	size_t functions;
	uint32_t doubt = best->input->has_identity ? run_doubt(&best->profile, &functions) : 0;
	if (!best->whole)
		settle(merge, best->input, WM_INPUT_MERGED_IN_PART, wm_xstrdup(best->error.text));
	else if (doubt)
		settle(merge, best->input, WM_INPUT_MERGED_APART,
			wm_xprintf("the counts of %zu functions are left out, because %s", functions,
				wm_doubt_reason[__builtin_ctz(doubt)]));
	else
		settle(merge, best->input, WM_INPUT_MERGED, NULL);
}

/* Settles an input some of whose runs were merged already, in a sum: its counts cannot be told apart from theirs. */
static bool settle_shared(struct wm_merge *merge, const struct candidate *best)
{
	struct wm_run_id first;
	const struct wm_profile *profile = &best->profile;
	size_t shared = wm_profile_shared_runs(merge->into, profile, &first);
	if (!shared)
		return false;
	char *holders = wm_merge_holders(merge, profile), *runs = wm_merge_shared_text(merge->into, profile);
	if (shared == profile->run_id_count && shared >= profile->runs)
		settle(merge, best->input, WM_INPUT_SUPERSEDED,
			wm_xprintf("%s contain%s %s already", holders, strcmp(holders, "other inputs") == 0 ? "" : "s",
				profile->runs == 1 ? "the counts of its run" : "the counts of all its runs"));
	else
		settle(merge, best->input, WM_INPUT_REFUSED,
			wm_xprintf("it is the sum of %" PRIu64
				   " runs, of which %zu %s in %s too (%s), and a sum cannot be "
				   "taken apart; merge the profiles from which it was made",
				profile->runs, shared, shared == 1 ? "is" : "are", holders, runs));
	free(holders);
	free(runs);
	return true;
}

static void merge_run(struct wm_merge *merge, size_t first)
{
	struct candidate best = {0};
	wm_profile_init(&best.profile);
	for (size_t i = first; i != SIZE_MAX; i = merge->input[i].next)
		consider(merge, &best, &merge->input[i]);
	if (!best.input)
		return;
	bool residual = wm_profile_is_residual(&best.profile), alone = merge->input[first].next == SIZE_MAX;
	if (settle_shared(merge, &best)) {
		wm_profile_release(&best.profile);
		return;
	}
	wm_merge_note_runs(best.input, &best.profile);
	if (wm_profile_conflicts(merge->into, &best.profile))
		refuse_conflict(merge, best.input, residual);
	else if (wm_profile_merge(merge->into, &best.profile))
		wm_fail_as(WM_FAILURE_MEMORY, "out of memory while merging %s", best.input->name);
	else
		settle_merged(merge, &best);
	/* If there were several files of the run, the last one that was read may be another. */
	if (alone && best.input->state == WM_INPUT_MERGED && merge->table)
		wm_raw_table_summed(merge->table);
	if (best.input->state != WM_INPUT_REFUSED && !merge->first[residual])
		merge->first[residual] = best.input->name;
	wm_profile_release(&best.profile);
}

void wm_merge_init(struct wm_merge *merge, struct wm_profile *into, char *const *paths, size_t count)
{
	*merge = (struct wm_merge){.into = into,
		.count = count,
		.input = wm_xrealloc(NULL, count, sizeof(*merge->input)),
		.table = wm_raw_table_new()};
	for (size_t i = 0; i < count; i++)
		merge->input[i] = (struct wm_input){.path = paths[i], .name = wm_store_public_name(paths[i])};
}

void wm_merge_all(struct wm_merge *merge)
{
	struct wm_input **list = wm_xrealloc(NULL, merge->count, sizeof(*list));
	for (size_t i = 0; i < merge->count; i++)
		identify(merge, &merge->input[i]);
	drop_files_named_twice(merge, list);
	chain_runs(merge, list);
	free(list);
	/* Sums first: a raw profile that is in one of them is then left out, and the sum is whole. */
	size_t *order = wm_xrealloc(NULL, merge->count, sizeof(*order)), sums = wm_merge_order_sums(merge, order);
	for (size_t i = 0; i < sums; i++)
		merge_run(merge, order[i]);
	free(order);
	for (size_t i = 0; i < merge->count; i++)
		if (merge->input[i].state == WM_INPUT_WAITING && merge->input[i].is_first &&
			merge->input[i].has_identity)
			merge_run(merge, i);
	wm_progress_end();
}

void wm_merge_release(struct wm_merge *merge)
{
	for (size_t i = 0; i < merge->count; i++) {
		wm_buffer_release(&merge->input[i].held);
		wm_profile_release(&merge->input[i].runs);
		free(merge->input[i].trouble);
		free(merge->input[i].name);
	}
	free(merge->input);
	wm_raw_table_free(merge->table);
}

size_t wm_merge_files(struct wm_profile *into, char *const *paths, size_t count)
{
	struct wm_merge merge;
	wm_merge_init(&merge, into, paths, count);
	wm_merge_all(&merge);
	size_t refused = merge.tally[WM_INPUT_REFUSED];
	wm_merge_release(&merge);
	return refused;
}
