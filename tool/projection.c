/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tool/projection.h"
#include "tool/tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *wm_origin_name(const void *module, uint32_t function, uint32_t block)
{
	const struct wm_context context = {.function = function};
	return wm_xprintf("%s:%u", wm_map_context_name(module, &context), block);
}

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
			fputs(begins ? "" : back ? ")" : "(", out);
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

/* Whether the segment steps over a call; conservative where blocks are partly in it. */
static bool steps_over(const struct wm_walked_path *path, struct wm_segment_range range)
{
	const struct wm_moves *moves = path->moves;
	uint32_t last = range.end < moves->count ? moves->move[range.end].at : path->length - 1;
	for (uint32_t i = moves->move[range.first].at; i <= last; i++)
		if (path->steps_over[i])
			return true;
	return false;
}

/* Segments that are open in a context may go through a call that is stepped over there. */
static void break_context(struct wm_projection *counts, const struct wm_walked_path *path, uint32_t context,
	const struct wm_block_names *names)
{
	for (; context != WM_NONE; context = path->origins->context[context].parent) {
		WM_XGROW(counts->broken, counts->broken_count);
		counts->broken[counts->broken_count++] =
			names->name(names->closure, path->origins->context[context].function, 0);
	}
}

static void find_broken(
	struct wm_projection *counts, const struct wm_walked_path *path, const struct wm_block_names *names)
{
	uint32_t next = 0, context = path->moves->first;
	for (uint32_t i = 0; i < path->length; i++) {
		if (path->steps_over[i])
			break_context(counts, path, context, names);
		for (; next < path->moves->count && path->moves->move[next].at == i; next++) {
			context = path->moves->move[next].context;
			if (path->steps_over[i])
				break_context(counts, path, context, names);
		}
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
	struct wm_segment_range *range = wm_xmalloc((path->moves->count + (size_t)1) * sizeof *range);
	uint32_t found = wm_moves_segments(path->moves, depth, range);
	for (uint32_t i = 0; i < found; i++) {
		if (steps_over(path, range[i]))
			continue;
		struct wm_projected_segment segment = {
			.text = wm_moves_text(path->origins, path->moves, range[i], names, false),
			.count = path->count,
			.place = path->place};
		segment.place.range = range[i];
		wm_projection_append(counts, segment);
	}
	find_broken(counts, path, names);
	free(range);
}

/* Compares the function of the first block of a segment with FUNCTION:0. */
static bool begins_in(const struct wm_projected_segment *segment, const char *function)
{
	const char *text = segment->text;
	size_t length = (size_t)(strrchr(function, ':') - function) + 1;
	return strncmp(text, function, length) == 0 && strcspn(text + length, ": ") == strcspn(text + length, " ");
}

static int by_name(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

static void sort_broken(struct wm_projection *counts)
{
	size_t kept = 0;
	if (!counts->broken_count)
		return;
	qsort(counts->broken, counts->broken_count, sizeof *counts->broken, by_name);
	for (size_t i = 1; i < counts->broken_count; i++)
		if (strcmp(counts->broken[kept], counts->broken[i]))
			counts->broken[++kept] = counts->broken[i];
		else
			free(counts->broken[i]);
	counts->broken_count = kept + 1;
}

static int by_text(const void *left, const void *right)
{
	const struct wm_projected_segment *a = left, *b = right;
	return strcmp(a->text, b->text);
}

static int by_count(const void *left, const void *right)
{
	const struct wm_projected_segment *a = left, *b = right;
	return a->count == b->count ? by_text(left, right) : a->count < b->count ? 1 : -1;
}

void wm_projection_finish(struct wm_projection *counts)
{
	size_t kept = 0;
	sort_broken(counts);
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
	for (size_t i = 0; i < counts->count; i++)
		for (size_t b = 0; b < counts->broken_count && !counts->segment[i].at_least; b++)
			counts->segment[i].at_least = begins_in(&counts->segment[i], counts->broken[b]);
}

void wm_projection_release(struct wm_projection *counts)
{
	for (size_t i = 0; i < counts->count; i++)
		free(counts->segment[i].text);
	for (size_t i = 0; i < counts->broken_count; i++)
		free(counts->broken[i]);
	free(counts->broken);
	free(counts->segment);
	*counts = (struct wm_projection){0};
}
