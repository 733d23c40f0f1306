/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/grammar/grammar.h"
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

/* ---- The index ----------------------------------------------------------- */

static enum wm_status measure(
	struct wm_grammar_index *index, const struct wm_grammar *grammar, uint32_t rule, uint32_t *height)
{
	uint64_t length = 0;
	height[rule] = 1;
	for (size_t s = grammar->first[rule]; s < grammar->first[rule + 1]; s++) {
		uint32_t symbol = grammar->symbol[s], target = symbol & ~WM_GRAMMAR_RULE;
		bool is_rule = symbol & WM_GRAMMAR_RULE;
		index->offset[s] = length;
		length += is_rule ? index->length[target] : 1;
		if (length > INT64_MAX)
			return WM_TOO_MANY;
		if (is_rule && height[target] >= height[rule])
			height[rule] = height[target] + 1;
	}
	index->length[rule] = length;
	return WM_OK;
}

/* An occurrence of a rule generates at least one word unless the rule is empty, and empty rules are counted too: they
 * are the only reason for which a sum could exceed the number of words. */
static enum wm_status count_uses(struct wm_grammar_index *index, const struct wm_grammar *grammar)
{
	index->frequency[0] = 1;
	for (uint32_t r = 0; r < grammar->rule_count; r++)
		for (size_t s = grammar->first[r]; s < grammar->first[r + 1]; s++) {
			uint32_t symbol = grammar->symbol[s];
			uint64_t *sum = &index->frequency[symbol & ~WM_GRAMMAR_RULE];
			if (symbol & WM_GRAMMAR_RULE && __builtin_add_overflow(*sum, index->frequency[r], sum))
				return WM_TOO_MANY;
		}
	return WM_OK;
}

static enum wm_status fill(struct wm_grammar_index *index, const struct wm_grammar *grammar, uint32_t *height)
{
	for (uint32_t r = grammar->rule_count; r-- > 0;) {
		enum wm_status status = measure(index, grammar, r, height);
		if (status != WM_OK)
			return status;
	}
	index->height = height[0];
	return count_uses(index, grammar);
}

enum wm_status wm_grammar_index_make(struct wm_grammar_index *index, const struct wm_grammar *grammar)
{
	struct wm_grammar_index made = {0};
	size_t rules = grammar->rule_count, symbols = grammar->first[rules];
	uint32_t *height = calloc(rules, sizeof *height);
	made.length = calloc(rules, sizeof *made.length);
	made.frequency = calloc(rules, sizeof *made.frequency);
	made.offset = calloc(symbols + 1, sizeof *made.offset);
	enum wm_status status = WM_NO_MEMORY;
	if (height && made.length && made.frequency && made.offset)
		status = fill(&made, grammar, height);
	free(height);
	if (status == WM_OK)
		*index = made;
	else
		wm_grammar_index_release(&made);
	return status;
}

void wm_grammar_index_release(struct wm_grammar_index *index)
{
	free(index->length);
	free(index->frequency);
	free(index->offset);
	*index = (struct wm_grammar_index){0};
}

/* ---- The reader ---------------------------------------------------------- */

enum wm_status wm_grammar_reader_init(
	struct wm_grammar_reader *reader, const struct wm_grammar *grammar, const struct wm_grammar_index *index)
{
	struct wm_grammar_place *place = calloc(index->height, sizeof *place);
	if (!place)
		return WM_NO_MEMORY;
	*reader = (struct wm_grammar_reader){.grammar = grammar, .index = index, .place = place};
	wm_grammar_reader_seek(reader, 0);
	return WM_OK;
}

/* The last symbol of the rule whose offset is at most `position`.  Symbols that generate nothing precede it. */
static size_t find_symbol(const struct wm_grammar_reader *reader, uint32_t rule, uint64_t position)
{
	size_t low = reader->grammar->first[rule], high = reader->grammar->first[rule + 1];
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (reader->index->offset[middle] <= position)
			low = middle;
		else
			high = middle;
	}
	return low;
}

void wm_grammar_reader_seek(struct wm_grammar_reader *reader, uint64_t position)
{
	const struct wm_grammar *grammar = reader->grammar;
	reader->depth = 0;
	if (position >= reader->index->length[0])
		return;
	for (uint32_t rule = 0;;) {
		size_t at = find_symbol(reader, rule, position);
		uint32_t symbol = grammar->symbol[at];
		bool is_rule = symbol & WM_GRAMMAR_RULE;
		reader->place[reader->depth++] = (struct wm_grammar_place){at + is_rule, grammar->first[rule + 1]};
		if (!is_rule)
			return;
		position -= reader->index->offset[at];
		rule = symbol & ~WM_GRAMMAR_RULE;
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
	free(reader->place);
	reader->place = NULL;
}
