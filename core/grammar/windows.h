/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * All windows (subsequences of n adjacent words) of the sequence that a grammar generates, each with the number of its
 * occurrences.  The sequence is not expanded: the windows that lie inside a rule, but not inside one of its symbols, are
 * found in the first and last n - 1 words of its symbols.
 */
#ifndef WM_CORE_GRAMMAR_WINDOWS_H
#define WM_CORE_GRAMMAR_WINDOWS_H

#include "core/grammar/grammar.h"

/*
 * `take` is called for the words of runs of adjacent words, and `gap` between two runs.  `symbol` is the number of the
 * symbol of the rule that generates the word.  A window in a run counts, `frequency` times, if its first and its last word
 * have different values of `symbol`; every window is given once in this way.  For n = 1, every word counts, and only words
 * that are symbols themselves are given.
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
