/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The automaton of Knuth, Morris and Pratt, which starts again after each occurrence, is run over the rules instead of
 * the sequence: for every rule and every state in which the rule may be entered, the state after it and the number of
 * occurrences that end inside it.
 */
#include "core/grammar/occurrences.h"
#include <stdlib.h>

struct passage {
	uint8_t *state; /* per rule and state: the state after the rule */
	uint64_t *count; /* likewise: occurrences that end in the rule */
};

/* failure[i]: the length of the longest proper prefix of the first i words that is also their suffix. */
static void find_failures(const uint32_t *word, uint32_t length, uint8_t *failure)
{
	failure[0] = 0;
	failure[1] = 0;
	for (uint32_t i = 1, k = 0; i < length; i++) {
		while (k && word[i] != word[k])
			k = failure[k];
		k += word[i] == word[k];
		failure[i + 1] = (uint8_t)k;
	}
}

bool wm_occurrences_overlap(const uint32_t *word, uint32_t length)
{
	uint8_t failure[256];
	find_failures(word, length, failure);
	return failure[length];
}

struct pattern {
	const uint32_t *word;
	uint32_t length;
	uint8_t failure[256];
};

static uint32_t take_word(const struct pattern *pattern, uint32_t state, uint32_t word, uint64_t *count)
{
	while (state && pattern->word[state] != word)
		state = pattern->failure[state];
	state += pattern->word[state] == word;
	if (state < pattern->length)
		return state;
	++*count;
	return 0;
}

static void pass_rule(
	const struct wm_grammar *grammar, const struct pattern *pattern, const struct passage *passage, uint32_t rule)
{
	for (uint32_t entered = 0; entered < pattern->length; entered++) {
		uint32_t state = entered;
		uint64_t count = 0;
		for (size_t s = grammar->first[rule]; s < grammar->first[rule + 1]; s++) {
			uint32_t symbol = grammar->symbol[s];
			if (symbol & WM_GRAMMAR_RULE) {
				size_t at = (size_t)(symbol & ~WM_GRAMMAR_RULE) * pattern->length + state;
				count += passage->count[at];
				state = passage->state[at];
			} else {
				state = take_word(pattern, state, symbol, &count);
			}
		}
		passage->state[(size_t)rule * pattern->length + entered] = (uint8_t)state;
		passage->count[(size_t)rule * pattern->length + entered] = count;
	}
}

enum wm_status wm_occurrences_count(
	const struct wm_grammar *grammar, const uint32_t *word, uint32_t length, uint64_t *count)
{
	struct pattern pattern = {.word = word, .length = length};
	size_t states = (size_t)grammar->rule_count * length;
	struct passage passage = {malloc(states), malloc(states * sizeof *passage.count)};
	enum wm_status status = WM_NO_MEMORY;
	find_failures(word, length, pattern.failure);
	if (passage.state && passage.count) {
		for (uint32_t r = grammar->rule_count; r-- > 0;)
			pass_rule(grammar, &pattern, &passage, r);
		*count = passage.count[0];
		status = WM_OK;
	}
	free(passage.state);
	free(passage.count);
	return status;
}
