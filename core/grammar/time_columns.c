/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/grammar/time_columns.h"
#include <stdlib.h>

/* A place in the sequence: the symbols in which it lies.  What precedes it weighs the sum of their offsets, under any
 * measure. */
struct border {
	uint32_t depth; /* 0: the end of the sequence */
	size_t *path;
};

static uint64_t weight_before(const struct wm_measure *measure, const struct border *border)
{
	uint64_t sum = border->depth ? 0 : measure->sum[0];
	for (uint32_t i = 0; i < border->depth; i++)
		sum += measure->offset[border->path[i]];
	return sum;
}

static void place_border(
	const struct wm_grammar *grammar, const struct wm_measure *measure, uint64_t position, struct border *border)
{
	border->depth = position < measure->sum[0] ? wm_grammar_locate(grammar, measure, position, border->path) : 0;
}

/* The word in whose time a column begins belongs to the column, if it is not the first word of the part.  Words that weigh
 * nothing do not matter. */
static void place_borders(
	const struct wm_timeline_query *query, const struct wm_measure *time, struct border *border, uint64_t *total)
{
	uint32_t columns = query->column_count;
	place_border(query->grammar, &query->index->words, query->from, &border[0]);
	place_border(query->grammar, &query->index->words, query->to, &border[columns]);
	uint64_t first = weight_before(time, &border[0]), length = weight_before(time, &border[columns]) - first;
	for (uint32_t c = 1; c < columns && length; c++) {
		uint64_t whole = length / columns * c, rest = length % columns * c / columns;
		place_border(query->grammar, time, first + whole + rest, &border[c]);
	}
	*total = length;
}

static enum wm_status fill_row(const struct wm_timeline_query *query, uint32_t row, uint64_t *weight,
	const struct border *border, uint64_t *cell)
{
	struct wm_measure measure;
	for (uint32_t w = 0; w < query->grammar->word_count; w++)
		weight[w] = query->row[w] == row ? query->weight[w] : 0;
	enum wm_status status = wm_measure_make(&measure, query->grammar, weight);
	if (status != WM_OK)
		return status;
	for (uint32_t c = 0; c < query->column_count; c++)
		cell[c] = weight_before(&measure, &border[c + 1]) - weight_before(&measure, &border[c]);
	wm_measure_release(&measure);
	return WM_OK;
}

static struct border *new_borders(const struct wm_timeline_query *query, struct wm_arena *arena)
{
	uint32_t count = query->column_count + 1, height = query->index->height;
	struct border *border = WM_NEW(arena, struct border, count);
	size_t *path = WM_NEW(arena, size_t, (size_t)count *height);
	for (uint32_t c = 0; border && path && c < count; c++)
		border[c].path = path + (size_t)c * height;
	return path ? border : NULL;
}

enum wm_status wm_timeline_make(
	const struct wm_timeline_query *query, uint64_t **cell, uint64_t *total, struct wm_arena *arena)
{
	struct wm_measure time;
	uint64_t *made = WM_NEW(arena, uint64_t, (size_t)query->row_count * query->column_count), length;
	uint64_t *weight = WM_NEW(arena, uint64_t, query->grammar->word_count);
	struct border *border = new_borders(query, arena);
	if (!made || !weight || !border)
		return WM_NO_MEMORY;
	enum wm_status status = wm_measure_make(&time, query->grammar, query->weight);
	if (status != WM_OK)
		return status;
	place_borders(query, &time, border, &length);
	wm_measure_release(&time);
	for (uint32_t r = 0; r < query->row_count && length && status == WM_OK; r++)
		status = fill_row(query, r, weight, border, made + (size_t)r * query->column_count);
	if (status == WM_OK) {
		*cell = made;
		*total = length;
	}
	return status;
}
