/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The distribution of the words of a part of the sequence over time.  Time is the sum of the weights of the words so far;
 * the part is divided into columns of equal time.  A word that extends over several columns belongs to the last of them.
 * Rows distinguish kinds of words.  The sequence is not expanded: O(rows · (symbols + columns · height)).
 */
#ifndef WM_CORE_GRAMMAR_TIME_COLUMNS_H
#define WM_CORE_GRAMMAR_TIME_COLUMNS_H

#include "core/base/arena.h"
#include "core/grammar/grammar.h"

struct wm_timeline_query {
	const struct wm_grammar *grammar;
	const struct wm_grammar_index *index;
	const uint64_t *weight; /* per word */
	const uint32_t *row; /* per word: the row in which its weight counts; row_count or more: none */
	uint32_t row_count, column_count; /* column_count is not 0 */
	uint64_t from, to; /* positions in words: from ≤ to ≤ length of the sequence */
};
/* cell[row · column_count + column] is the weight of the words of the row in the column.  *total is the weight
 * of the part.  WM_TOO_MANY: a sum is 2^63 or more.  WM_NO_MEMORY.  Memory in the arena. */
enum wm_status wm_timeline_make(
	const struct wm_timeline_query *query, uint64_t **cell, uint64_t *total, struct wm_arena *arena);

#endif
