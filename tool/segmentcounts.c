/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tool/segmentcounts.h"
#include "tool/tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *wm_moves_text(const struct wm_origins *origins, const struct wm_moves *moves, struct wm_segment_range range,
	const struct wm_block_names *names, bool lone)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		wm_bug("out of memory");
	for (uint32_t i = range.first; i < range.end; i++) {
		const struct wm_move *move = &moves->move[i];
		bool back = move->kind == WM_MOVE_RETURN, begins = back && i == range.first && !lone;
		fputs(i > range.first ? " " : "", out);
		if (move->kind != WM_MOVE_BLOCK)
			fputs(begins ? "+" : back ? ")" : "(", out);
		if (move->kind != WM_MOVE_BLOCK && !begins && !(lone && move->lone))
			continue;
		char *name = names->name(names->closure, origins->context[move->context].function, move->block);
		fputs(name, out);
		free(name);
	}
	if (fclose(out))
		wm_bug("out of memory");
	return text;
}

void wm_segment_counts_add(struct wm_segment_counts *counts, const struct wm_origins *origins,
	const struct wm_moves *moves, uint32_t depth, uint64_t count, const struct wm_block_names *names)
{
	struct wm_segment_range *range = wm_xmalloc((moves->count + 1) * sizeof *range);
	uint32_t found = wm_moves_segments(moves, depth, range);
	for (uint32_t i = 0; i < found; i++) {
		WM_XGROW(counts->segment, counts->count);
		counts->segment[counts->count++] =
			(struct wm_segment_count){wm_moves_text(origins, moves, range[i], names, false), count};
	}
	free(range);
}

static int by_text(const void *left, const void *right)
{
	const struct wm_segment_count *a = left, *b = right;
	return strcmp(a->text, b->text);
}

static int by_count(const void *left, const void *right)
{
	const struct wm_segment_count *a = left, *b = right;
	return a->count == b->count ? by_text(left, right) : a->count < b->count ? 1 : -1;
}

void wm_segment_counts_finish(struct wm_segment_counts *counts)
{
	size_t kept = 0;
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
	qsort(counts->segment, counts->count, sizeof *counts->segment, by_count);
}

void wm_segment_counts_release(struct wm_segment_counts *counts)
{
	for (size_t i = 0; i < counts->count; i++)
		free(counts->segment[i].text);
	free(counts->segment);
	*counts = (struct wm_segment_counts){0};
}
