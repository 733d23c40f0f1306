/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How often a sequence of words occurs in the sequence that a grammar generates, without overlaps: an occurrence begins
 * after the end of the one before it. */
#ifndef WM_CORE_GRAMMAR_OCCURRENCES_H
#define WM_CORE_GRAMMAR_OCCURRENCES_H

#include "core/grammar/grammar.h"

/* WM_NO_MEMORY.  `length` is 1 … 255.  O(symbols · length). */
enum wm_status wm_occurrences_count(
	const struct wm_grammar *grammar, const uint32_t *word, uint32_t length, uint64_t *count);
/* Whether two occurrences of the sequence can overlap. */
bool wm_occurrences_overlap(const uint32_t *word, uint32_t length);

#endif
