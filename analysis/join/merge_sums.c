/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Inputs of a merge that are sums of runs, and have runs in common.  A sum cannot be taken apart, so one of two sums with a common
 * run is left out, unless it is part of the other, which loses nothing.  Of sums with common runs, those of more runs are therefore
 * merged first, whatever their order is.
 */
#include "analysis/join/merge_files.h"
#include "profile/collect.h"
#include "support/attempt.h"
#include "support/buffer.h"
#include "support/fail.h"
#include "support/string_builder.h"
#include "support/xalloc.h"
#include <inttypes.h>
#include <stdlib.h>

/* A run of a sum. */
struct held_run {
	struct wm_run_id id;
	size_t input;
};

static bool is_sum(const struct wm_input *input)
{
	return input->state == WM_INPUT_WAITING && !input->has_identity;
}

/* What cannot be read here is said when the input is merged. */
static void read_runs(struct wm_input *input)
{
	struct wm_profile_error error;
	struct wm_buffer buffer = input->held;
	bool held = buffer.data;
	if (input->is_store || (!held && !wm_buffer_read(&buffer, input->path)))
		return;
	if (wm_indexed_read_runs(&input->runs, buffer.data, buffer.size, &error) == WM_PROFILE_NO_MEMORY)
		wm_fail_as(WM_FAILURE_MEMORY, "out of memory while reading %s", input->name);
	if (!held)
		wm_buffer_release(&buffer);
}

static int by_run(const void *left, const void *right)
{
	const struct held_run *a = left, *b = right;
	int order = wm_run_id_compare(&a->id, &b->id);
	return order ? order : (a->input > b->input) - (a->input < b->input);
}

/* Marks the inputs that have a run in common with another one. */
static void mark_overlapping(const struct wm_merge *merge, bool *overlaps)
{
	struct held_run *held = NULL;
	size_t count = 0;
	for (size_t i = 0; i < merge->count; i++)
		for (size_t r = 0; r < merge->input[i].runs.run_id_count; r++) {
			WM_XGROW(held, count);
			held[count++] = (struct held_run){merge->input[i].runs.run_id[r], i};
		}
	if (count)
		qsort(held, count, sizeof *held, by_run);
	for (size_t i = 0; i < count; i++)
		for (size_t k = i + 1; k < count && held[k].id.high == held[i].id.high &&
				       held[k].id.low == held[i].id.low && held[k].id.epoch == held[i].id.epoch;
			k++)
			if (held[k].input != held[i].input && wm_run_id_overlaps(&held[i].id, &held[k].id))
				overlaps[held[i].input] = overlaps[held[k].input] = true;
	free(held);
}

static int by_runs(const void *left, const void *right, void *inputs)
{
	const struct wm_input *input = inputs;
	size_t a = *(const size_t *)left, b = *(const size_t *)right;
	if (input[a].runs.runs != input[b].runs.runs)
		return input[a].runs.runs > input[b].runs.runs ? -1 : 1;
	return (a > b) - (a < b);
}

size_t wm_merge_order_sums(struct wm_merge *merge, size_t *order)
{
	bool *overlaps = calloc(merge->count + 1, sizeof *overlaps);
	size_t sums = 0, count = 0, first;
	if (!overlaps)
		wm_no_memory();
	for (size_t i = 0; i < merge->count; i++)
		sums += is_sum(&merge->input[i]);
	for (size_t i = 0; i < merge->count && sums > 1; i++)
		if (is_sum(&merge->input[i]))
			read_runs(&merge->input[i]);
	mark_overlapping(merge, overlaps);
	for (size_t i = 0; i < merge->count; i++)
		if (is_sum(&merge->input[i]) && !overlaps[i])
			order[count++] = i;
	first = count;
	for (size_t i = 0; i < merge->count; i++)
		if (overlaps[i])
			order[count++] = i;
	if (count > first)
		qsort_r(order + first, count - first, sizeof *order, by_runs, merge->input);
	free(overlaps);
	return count;
}

void wm_merge_note_runs(struct wm_input *input, const struct wm_profile *profile)
{
	if (input->has_identity || input->runs.run_id_count)
		return;
	for (size_t i = 0; i < profile->run_id_count; i++)
		if (!wm_profile_append_run_id(&input->runs, &profile->run_id[i]))
			wm_fail_as(WM_FAILURE_MEMORY, "out of memory while merging %s", input->name);
}

char *wm_merge_holders(const struct wm_merge *merge, const struct wm_profile *profile)
{
	const char *name = NULL;
	size_t count = 0;
	struct wm_run_id first;
	for (size_t i = 0; i < merge->count && count < 2; i++) {
		const struct wm_input *input = &merge->input[i];
		bool merged = input->state == WM_INPUT_MERGED || input->state == WM_INPUT_MERGED_IN_PART ||
			      input->state == WM_INPUT_MERGED_APART;
		if (!merged || !wm_profile_shared_runs(&input->runs, profile, &first))
			continue;
		name = count++ ? name : input->name;
	}
	return name ? wm_xprintf("%s%s", name, count > 1 ? " and others" : "") : wm_xstrdup("other inputs");
}

char *wm_merge_shared_text(const struct wm_profile *merged, const struct wm_profile *profile)
{
	enum { NAMED = 4 };
	size_t shared = 0;
	struct wm_string text = {0};
	for (size_t i = 0; i < profile->run_id_count; i++) {
		struct wm_run_id id = profile->run_id[i], first;
		const struct wm_profile one = {.run_id = &id, .run_id_count = 1};
		if (wm_profile_shared_runs(merged, &one, &first) && shared++ < NAMED)
			wm_string_add(&text, "%s%016" PRIx64 "%016" PRIx64, text.length ? ", " : "", id.high, id.low);
	}
	if (shared > NAMED)
		wm_string_add(&text, " and %zu more", shared - NAMED);
	return wm_string_text(&text);
}
