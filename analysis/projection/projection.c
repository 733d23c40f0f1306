/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/projection/projection.h"
#include "support/xalloc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Sets of words ------------------------------------------------------------------------ */

static int by_word(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

void wm_words_sort(struct wm_words *words)
{
	size_t kept = 0;
	if (words->count)
		qsort(words->word, words->count, sizeof *words->word, by_word);
	for (size_t i = 0; i < words->count; i++)
		if (kept && !strcmp(words->word[kept - 1], words->word[i]))
			free(words->word[i]);
		else
			words->word[kept++] = words->word[i];
	words->count = kept;
}

void wm_words_add(struct wm_words *words, char *word)
{
	if (words->count > 4096 && words->count > words->limit) {
		wm_words_sort(words);
		words->limit = 2 * words->count;
	}
	WM_XGROW(words->word, words->count);
	words->word[words->count++] = word;
}

bool wm_words_has(const struct wm_words *words, const char *word)
{
	return words->count && bsearch(&word, words->word, words->count, sizeof *words->word, by_word);
}

void wm_words_release(struct wm_words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->word[i]);
	free(words->word);
	*words = (struct wm_words){0};
}

/* ---- Segments ------------------------------------------------------------------------------ */

/* Whether the segment steps over a call; conservative where blocks are partly in it. */
static bool steps_over(const struct wm_walked_path *path, struct wm_segment_range range)
{
	const struct wm_trail *original = path->original;
	uint32_t last = range.end < original->count ? original->step[range.end].at : path->length - 1;
	for (uint32_t i = original->step[range.first].at; i <= last; i++)
		if (path->steps_over[i])
			return true;
	return false;
}

static void add_block(struct wm_words *words, const struct wm_walked_path *path, uint32_t frame, uint32_t block,
	const struct wm_block_names *names)
{
	wm_words_add(words, names->name(names->closure, &path->original->frame[frame], block));
}

/* Segments that are open in a frame may go through a call that is stepped over there. */
static void break_frame(struct wm_projection *counts, const struct wm_walked_path *path, uint32_t frame,
	const struct wm_block_names *names)
{
	for (; frame != WM_NONE; frame = path->original->frame[frame].parent)
		add_block(&counts->broken, path, frame, 0, names);
}

/* A call is stepped over at the block of this step, or in a compiled block that contains it. */
static void step_over(struct wm_projection *counts, const struct wm_walked_path *path, const struct wm_trail_step *step,
	const struct wm_block_names *names)
{
	break_frame(counts, path, step->frame, names);
	if (step->kind != WM_TRAIL_CALL)
		add_block(&counts->stepped, path, step->frame, step->block, names);
}

/* A compiled block belongs to all its original steps, and to the last one before it. */
static void find_broken(
	struct wm_projection *counts, const struct wm_walked_path *path, const struct wm_block_names *names)
{
	const struct wm_trail_step *step = path->original->step;
	uint32_t next = 0;
	for (uint32_t i = 0; i < path->length; i++) {
		if (path->steps_over[i] && next)
			step_over(counts, path, &step[next - 1], names);
		else if (path->steps_over[i])
			break_frame(counts, path, path->original->first, names);
		for (; next < path->original->count && step[next].at == i; next++)
			if (path->steps_over[i])
				step_over(counts, path, &step[next], names);
	}
}

static void list_blocks(
	struct wm_projection *counts, const struct wm_walked_path *path, const struct wm_block_names *names)
{
	for (uint32_t i = 0; i < path->original->count; i++) {
		const struct wm_trail_step *step = &path->original->step[i];
		if (step->kind == WM_TRAIL_BLOCK)
			add_block(&counts->executed, path, step->frame, step->block, names);
	}
}

void wm_projection_append(struct wm_projection *counts, struct wm_projected_segment segment)
{
	WM_XGROW(counts->segment, counts->count);
	counts->segment[counts->count++] = segment;
}

void wm_projection_add(struct wm_projection *counts, const struct wm_walked_path *path, uint32_t depth,
	const struct wm_block_names *names)
{
	struct wm_segment_range *range = wm_xmalloc((path->original->count + (size_t)1) * sizeof *range);
	uint32_t found = wm_trail_segments(path->original, depth, range);
	for (uint32_t i = 0; i < found; i++) {
		if (steps_over(path, range[i]))
			continue;
		struct wm_projected_segment segment = {.text = wm_trail_text(path->original, range[i], names, false),
			.count = path->count,
			.place = path->place};
		segment.place.range = range[i];
		wm_projection_append(counts, segment);
	}
	find_broken(counts, path, names);
	list_blocks(counts, path, names);
	free(range);
}

bool wm_segment_begins_in(const struct wm_projected_segment *segment, const struct wm_words *functions)
{
	const char *colon = memrchr(segment->text, ':', strcspn(segment->text, " "));
	if (!functions->count || !colon)
		return false;
	char *word = wm_xprintf("%.*s:0", (int)(colon - segment->text), segment->text);
	bool found = wm_words_has(functions, word);
	free(word);
	return found;
}

static int by_text(const void *left, const void *right)
{
	const struct wm_projected_segment *a = left, *b = right;
	return strcmp(a->text, b->text);
}

static int by_count(const void *left, const void *right)
{
	const struct wm_projected_segment *a = left, *b = right;
	if (a->perhaps_tested != b->perhaps_tested)
		return a->perhaps_tested ? 1 : -1;
	return a->count == b->count ? by_text(left, right) : a->count < b->count ? 1 : -1;
}

void wm_projection_sort(struct wm_projection *counts)
{
	if (counts->count)
		qsort(counts->segment, counts->count, sizeof *counts->segment, by_count);
}

void wm_projection_finish(struct wm_projection *counts)
{
	size_t kept = 0;
	wm_words_sort(&counts->broken);
	wm_words_sort(&counts->stepped);
	wm_words_sort(&counts->executed);
	wm_words_sort(&counts->lost);
	if (!counts->count)
		return;
	qsort(counts->segment, counts->count, sizeof *counts->segment, by_text);
	for (size_t i = 1; i < counts->count; i++) {
		if (by_text(&counts->segment[kept], &counts->segment[i])) {
			counts->segment[++kept] = counts->segment[i];
			continue;
		}
		counts->segment[kept].count += counts->segment[i].count;
		free(counts->segment[i].text);
	}
	counts->count = kept + 1;
	wm_projection_sort(counts);
	for (size_t i = 0; i < counts->count; i++)
		counts->segment[i].at_least = counts->incomplete ||
					      wm_segment_begins_in(&counts->segment[i], &counts->broken) ||
					      wm_segment_begins_in(&counts->segment[i], &counts->lost);
}

void wm_projection_release(struct wm_projection *counts)
{
	for (size_t i = 0; i < counts->count; i++)
		free(counts->segment[i].text);
	wm_words_release(&counts->broken);
	wm_words_release(&counts->stepped);
	wm_words_release(&counts->executed);
	wm_words_release(&counts->lost);
	free(counts->segment);
	*counts = (struct wm_projection){0};
}
