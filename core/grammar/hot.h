/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Minimal hot subsequences of the sequence that a grammar generates (Larus, "Whole Program Paths", PLDI 1999, section
 * 4), found on the grammar: the sequence is never expanded.
 *
 * The cost of a subsequence is its number of occurrences times the sum of the weights of its words.  Occurrences that
 * overlap are counted once: from left to right, an occurrence begins after the end of the one before it.  So the cost is
 * at most that of the whole sequence.  A subsequence is *hot* if its length is between `least` and `most` and its cost
 * is at least `threshold`.  It is *minimal* if it contains no shorter hot subsequence.
 *
 * Larus's definition leaves open how overlapping occurrences count; in "aaaa", the subsequence "aa" occurs here twice.
 *
 * Algorithm: the occurrences of a subsequence of n words that lie inside a rule, but not inside one of its symbols,
 * are found in the first and last n - 1 words of its symbols.  Each such occurrence counts as often as the rule occurs.  A
 * tree of prefixes holds the subsequences of n - 1 words that may still become hot, and is extended by one word at a
 * time.  O(symbols · most^2) at worst for each length; subsequences that are too rare leave the tree early.
 */
#ifndef WM_CORE_GRAMMAR_HOT_H
#define WM_CORE_GRAMMAR_HOT_H

#include "core/base/arena.h"
#include "core/grammar/grammar.h"

/* The weight of words that no hot subsequence contains. */
#define WM_HOT_NEVER UINT64_MAX
#define WM_HOT_MOST 250u

struct wm_hot_query {
	const struct wm_grammar *grammar;
	const struct wm_grammar_index *index;
	const uint64_t *weight; /* per word; below 2^32, or WM_HOT_NEVER */
	uint32_t least, most; /* 1 ≤ least ≤ most ≤ WM_HOT_MOST */
	uint64_t threshold; /* at least 1 */
	/* Whether to go on, asked before each length and, during it, from time to time; NULL: to the end. */
	bool (*goes_on)(uint32_t length, uint32_t most);
};
struct wm_hot_sequence {
	uint32_t length;
	uint32_t *word; /* indices of grammar->word */
	uint64_t count, cost;
};
struct wm_hot {
	size_t count;
	struct wm_hot_sequence *sequence; /* by cost, the greatest first; equal ones by their words */
	uint64_t total; /* the cost of the whole sequence */
	uint32_t searched; /* all lengths up to this one; below query->most only if goes_on() was false */
};
/* The cost of the whole sequence; query->threshold is ignored.  WM_TOO_MANY, WM_NO_MEMORY. */
enum wm_status wm_hot_total(const struct wm_hot_query *query, uint64_t *total);
/* WM_TOO_MANY: the cost of the sequence is 2^63 or more.  WM_NO_MEMORY.  `hot` is allocated in the arena. */
enum wm_status wm_hot_find(struct wm_hot *hot, const struct wm_hot_query *query, struct wm_arena *arena);

#endif
