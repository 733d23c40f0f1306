/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A context-free grammar that generates exactly one sequence of 64-bit words.  core/grammar/sequitur.h makes one.
 *
 * Rule r is the symbols first[r] … first[r+1]-1.  A symbol is an index of `word`, or WM_GRAMMAR_RULE and the index of
 * a rule.  A rule refers only to rules with a greater index, so the grammar has no cycle, and one walk over the rules
 * in ascending or descending order visits each rule before or after all rules to which it refers.  Rule 0 generates the sequence.
 */
#ifndef WM_CORE_GRAMMAR_H
#define WM_CORE_GRAMMAR_H

#include "core/base/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WM_GRAMMAR_RULE (1u << 31)

struct wm_grammar {
	uint32_t word_count, rule_count; /* each below 2^31 */
	uint64_t *word; /* no word occurs twice */
	size_t *first; /* rule_count + 1 */
	uint32_t *symbol;
};
/* Frees what the grammar owns; all fields become 0. */
void wm_grammar_release(struct wm_grammar *grammar);
/* WM_BAD_GRAPH: a symbol is out of range, a rule refers to itself or to a smaller index, or there is no rule. */
enum wm_status wm_grammar_check(const struct wm_grammar *grammar);

/*
 * The sums of the weights of words.  A position in the sequence is such a sum: the number of words before it, if each
 * word has the weight 1, or the cost of these words.
 *   sum         per rule: the weight of the words that it generates
 *   offset      per symbol: the weight of the words that the symbols before it in its rule generate
 */
struct wm_measure {
	uint64_t *sum, *offset;
};
/* `weight` per word; NULL: 1 for each.  WM_TOO_MANY: a sum is 2^63 or more.  WM_NO_MEMORY.  O(symbols). */
enum wm_status wm_measure_make(struct wm_measure *measure, const struct wm_grammar *grammar, const uint64_t *weight);
void wm_measure_release(struct wm_measure *measure);

/*
 * What most queries need besides the grammar.  O(symbols) to compute.
 *   words       the measure in which each word has the weight 1: words.sum[0] is the length of the sequence
 *   frequency   per rule: how often it occurs in the derivation of the sequence; 0: it is not used
 *   height      the greatest depth of nested rules
 */
struct wm_grammar_index {
	struct wm_measure words;
	uint64_t *frequency;
	uint32_t height;
};
/* WM_TOO_MANY: the sequence has 2^63 words or more.  WM_NO_MEMORY. */
enum wm_status wm_grammar_index_make(struct wm_grammar_index *index, const struct wm_grammar *grammar);
void wm_grammar_index_release(struct wm_grammar_index *index);

/* Finds the word at a position, which must be below measure->sum[0]: path[0] is the symbol of rule 0 that generates it,
 * path[1] the symbol of the rule path[0] that generates it, and so on; the last one is the word.  Returns the number of
 * symbols, which is at most index.height.  O(height · log symbols). */
uint32_t wm_grammar_locate(
	const struct wm_grammar *grammar, const struct wm_measure *measure, uint64_t position, size_t *path);

/*
 * Reads a part of the sequence.  Seeking takes O(height · log symbols), every further word O(1) on average.
 *
 *     wm_grammar_reader_init(&reader, &grammar, &index);
 *     wm_grammar_reader_seek(&reader, from);
 *     while (wm_grammar_reader_next(&reader, &word)) …
 */
struct wm_grammar_reader {
	const struct wm_grammar *grammar;
	const struct wm_grammar_index *index;
	size_t *path; /* scratch memory */
	uint32_t depth;
	struct wm_grammar_place {
		size_t at, end; /* symbols that are not read yet */
	} *place; /* index->height */
};
enum wm_status wm_grammar_reader_init(
	struct wm_grammar_reader *reader, const struct wm_grammar *grammar, const struct wm_grammar_index *index);
/* The next word is the one at this position.  A position after the end is the end. */
void wm_grammar_reader_seek(struct wm_grammar_reader *reader, uint64_t position);
/* The index of the next word in grammar->word.  false: the sequence has ended. */
bool wm_grammar_reader_next(struct wm_grammar_reader *reader, uint32_t *word);
void wm_grammar_reader_release(struct wm_grammar_reader *reader);

#endif
