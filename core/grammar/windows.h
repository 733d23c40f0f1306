/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * All windows of n words of the sequence that a grammar generates, each with the number of its occurrences, without
 * expanding the sequence: the windows of a rule that lie in more than one of its symbols, from the first and last n - 1
 * words of the symbols.
 */
#ifndef WM_CORE_GRAMMAR_WINDOWS_H
#define WM_CORE_GRAMMAR_WINDOWS_H

#include "core/grammar/grammar.h"

/*
 * Words that are adjacent in the sequence, in an order in which every window occurs once: `take` is called for each word,
 * and `gap` where the next word does not follow the one before it.  `symbol` numbers the symbols of the rule; a window
 * counts, `frequency` times, if its first and its last word have different ones.  Windows of one word always count,
 * and are those of words that are symbols themselves.
 */
struct wm_windows {
	void *closure;
	enum wm_status (*take)(void *closure, uint32_t word, size_t symbol, uint64_t frequency);
	void (*gap)(void *closure);
};
/* Returns what `take` returns, if it is not WM_OK.  WM_NO_MEMORY.  O(symbols · n). */
enum wm_status wm_windows_visit(const struct wm_grammar *grammar, const struct wm_grammar_index *index, uint32_t n,
	const struct wm_windows *windows);

#endif
