/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/grammar/grammar.h"
#include "core/base/search.h"
#include <stdlib.h>

void wm_grammar_release(struct wm_grammar *grammar)
{
	free(grammar->word);
	free(grammar->first);
	free(grammar->symbol);
	*grammar = (struct wm_grammar){0};
}

static bool symbol_is_valid(const struct wm_grammar *grammar, uint32_t rule, uint32_t symbol)
{
	if (!(symbol & WM_GRAMMAR_RULE))
		return symbol < grammar->word_count;
	uint32_t target = symbol & ~WM_GRAMMAR_RULE;
	return target > rule && target < grammar->rule_count;
}

enum wm_status wm_grammar_check(const struct wm_grammar *grammar)
{
	if (!grammar->rule_count || grammar->rule_count >= WM_GRAMMAR_RULE || grammar->word_count >= WM_GRAMMAR_RULE)
		return WM_BAD_GRAPH;
	for (uint32_t r = 0; r < grammar->rule_count; r++)
		for (size_t s = grammar->first[r]; s < grammar->first[r + 1]; s++)
			if (!symbol_is_valid(grammar, r, grammar->symbol[s]))
				return WM_BAD_GRAPH;
	return WM_OK;
}

/* ---- Measures and the index ---------------------------------------------- */

void wm_measure_release(struct wm_measure *measure)
{
	free(measure->sum);
	free(measure->offset);
	*measure = (struct wm_measure){0};
}

static enum wm_status measure_rule(
	struct wm_measure *measure, const struct wm_grammar *grammar, const uint64_t *weight, uint32_t rule)
{
	uint64_t sum = 0;
	for (size_t s = grammar->first[rule]; s < grammar->first[rule + 1]; s++) {
		uint32_t symbol = grammar->symbol[s];
		uint64_t more = weight && !(symbol & WM_GRAMMAR_RULE) ? weight[symbol] : 1;
		if (symbol & WM_GRAMMAR_RULE)
			more = measure->sum[symbol & ~WM_GRAMMAR_RULE];
		measure->offset[s] = sum;
		if (__builtin_add_overflow(sum, more, &sum) || sum > INT64_MAX)
			return WM_TOO_MANY;
	}
	measure->sum[rule] = sum;
	return WM_OK;
}

enum wm_status wm_measure_make(struct wm_measure *measure, const struct wm_grammar *grammar, const uint64_t *weight)
{
	size_t rules = grammar->rule_count, symbols = grammar->first[rules];
	struct wm_measure made = {malloc(rules * sizeof *made.sum), malloc((symbols + 1) * sizeof *made.offset)};
	enum wm_status status = made.sum && made.offset ? WM_OK : WM_NO_MEMORY;
	for (uint32_t r = grammar->rule_count; r-- > 0 && status == WM_OK;)
		status = measure_rule(&made, grammar, weight, r);
	if (status == WM_OK)
		*measure = made;
	else
		wm_measure_release(&made);
	return status;
}

static bool find_height(uint32_t *height_of_all, const struct wm_grammar *grammar)
{
	uint32_t *height = malloc(grammar->rule_count * sizeof *height);
	for (uint32_t r = grammar->rule_count; r-- > 0 && height;) {
		height[r] = 1;
		for (size_t s = grammar->first[r]; s < grammar->first[r + 1]; s++) {
			uint32_t symbol = grammar->symbol[s], target = symbol & ~WM_GRAMMAR_RULE;
			if (symbol & WM_GRAMMAR_RULE && height[target] >= height[r])
				height[r] = height[target] + 1;
		}
	}
	if (height)
		*height_of_all = height[0];
	free(height);
	return height;
}

/* Rules that generate nothing may occur more often than there are words; hence the check. */
static enum wm_status count_uses(uint64_t *frequency, const struct wm_grammar *grammar)
{
	frequency[0] = 1;
	for (uint32_t r = 0; r < grammar->rule_count; r++)
		for (size_t s = grammar->first[r]; s < grammar->first[r + 1]; s++) {
			uint32_t symbol = grammar->symbol[s];
			uint64_t *sum = &frequency[symbol & ~WM_GRAMMAR_RULE];
			if (symbol & WM_GRAMMAR_RULE && __builtin_add_overflow(*sum, frequency[r], sum))
				return WM_TOO_MANY;
		}
	return WM_OK;
}

enum wm_status wm_grammar_index_make(struct wm_grammar_index *index, const struct wm_grammar *grammar)
{
	struct wm_grammar_index made = {.frequency = calloc(grammar->rule_count, sizeof *made.frequency)};
	enum wm_status status = wm_measure_make(&made.words, grammar, NULL);
	if (status == WM_OK)
		status = made.frequency && find_height(&made.height, grammar) ? count_uses(made.frequency, grammar)
									      : WM_NO_MEMORY;
	if (status == WM_OK)
		*index = made;
	else
		wm_grammar_index_release(&made);
	return status;
}

void wm_grammar_index_release(struct wm_grammar_index *index)
{
	wm_measure_release(&index->words);
	free(index->frequency);
	*index = (struct wm_grammar_index){0};
}

/* The last symbol of the rule whose offset is at most `position`.  Symbols that weigh nothing precede it. */
static size_t find_symbol(
	const struct wm_grammar *grammar, const struct wm_measure *measure, uint32_t rule, uint64_t position)
{
	size_t after;
	WM_LOWER_BOUND(after, grammar->first[rule] + 1, grammar->first[rule + 1], measure->offset[after] <= position);
	return after - 1;
}

uint32_t wm_grammar_locate(
	const struct wm_grammar *grammar, const struct wm_measure *measure, uint64_t position, size_t *path)
{
	uint32_t symbol, rule = 0, depth = 0;
	do {
		size_t at = find_symbol(grammar, measure, rule, position);
		path[depth++] = at;
		position -= measure->offset[at];
		symbol = grammar->symbol[at];
		rule = symbol & ~WM_GRAMMAR_RULE;
	} while (symbol & WM_GRAMMAR_RULE);
	return depth;
}

/* ---- The reader ---------------------------------------------------------- */

enum wm_status wm_grammar_reader_init(
	struct wm_grammar_reader *reader, const struct wm_grammar *grammar, const struct wm_grammar_index *index)
{
	struct wm_grammar_reader made = {.grammar = grammar,
		.index = index,
		.path = malloc(index->height * sizeof *made.path),
		.place = malloc(index->height * sizeof *made.place)};
	if (!made.place || !made.path) {
		wm_grammar_reader_release(&made);
		return WM_NO_MEMORY;
	}
	*reader = made;
	wm_grammar_reader_seek(reader, 0);
	return WM_OK;
}

void wm_grammar_reader_seek(struct wm_grammar_reader *reader, uint64_t position)
{
	const struct wm_grammar *grammar = reader->grammar;
	reader->depth = 0;
	if (position >= reader->index->words.sum[0])
		return;
	uint32_t depth = wm_grammar_locate(grammar, &reader->index->words, position, reader->path);
	for (uint32_t i = 0, rule = 0; i < depth; i++) {
		size_t at = reader->path[i];
		bool last = i + 1 == depth;
		reader->place[reader->depth++] = (struct wm_grammar_place){at + !last, grammar->first[rule + 1]};
		rule = grammar->symbol[at] & ~WM_GRAMMAR_RULE;
	}
}

bool wm_grammar_reader_next(struct wm_grammar_reader *reader, uint32_t *word)
{
	while (reader->depth) {
		struct wm_grammar_place *place = &reader->place[reader->depth - 1];
		if (place->at == place->end) {
			reader->depth--;
			continue;
		}
		uint32_t symbol = reader->grammar->symbol[place->at++], rule = symbol & ~WM_GRAMMAR_RULE;
		if (!(symbol & WM_GRAMMAR_RULE)) {
			*word = symbol;
			return true;
		}
		reader->place[reader->depth++] =
			(struct wm_grammar_place){reader->grammar->first[rule], reader->grammar->first[rule + 1]};
	}
	return false;
}

void wm_grammar_reader_release(struct wm_grammar_reader *reader)
{
	free(reader->path);
	free(reader->place);
	*reader = (struct wm_grammar_reader){0};
}
