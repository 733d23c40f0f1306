/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/grammar/windows.h"
#include <stdlib.h>
#include <string.h>

/* Per rule, its first and its last `most` words, or all if there are fewer; `first` has room for twice as many, so that
 * rules up to this length are there as a whole. */
struct edges {
	uint32_t most;
	uint32_t *first; /* 2 · most per rule */
	uint32_t *last; /* most per rule, right-aligned */
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t length_of(const struct wm_grammar_index *index, uint32_t symbol)
{
	return symbol & WM_GRAMMAR_RULE ? index->words.sum[symbol & ~WM_GRAMMAR_RULE] : 1;
}

/* The first words of a symbol: those that `edges` has. */
static const uint32_t *first_words(const struct edges *edges, const uint32_t *symbol)
{
	return *symbol & WM_GRAMMAR_RULE ? &edges->first[(size_t)(*symbol & ~WM_GRAMMAR_RULE) * 2 * edges->most]
					 : symbol;
}

/* The end of the last words of a symbol. */
static const uint32_t *last_words_end(const struct edges *edges, const uint32_t *symbol)
{
	return *symbol & WM_GRAMMAR_RULE ? &edges->last[((size_t)(*symbol & ~WM_GRAMMAR_RULE) + 1) * edges->most]
					 : symbol + 1;
}

static void fill_first(
	struct edges *edges, const struct wm_grammar *grammar, const struct wm_grammar_index *index, uint32_t rule)
{
	uint64_t room = 2 * (uint64_t)edges->most;
	uint32_t *out = &edges->first[rule * room];
	for (size_t s = grammar->first[rule]; s < grammar->first[rule + 1] && room; s++) {
		uint64_t count = least(room, length_of(index, grammar->symbol[s]));
		memcpy(out, first_words(edges, &grammar->symbol[s]), count * sizeof *out);
		out += count;
		room -= count;
	}
}

static void fill_last(
	struct edges *edges, const struct wm_grammar *grammar, const struct wm_grammar_index *index, uint32_t rule)
{
	uint64_t room = edges->most;
	uint32_t *out = &edges->last[((size_t)rule + 1) * edges->most];
	for (size_t s = grammar->first[rule + 1]; s > grammar->first[rule] && room; s--) {
		uint64_t count = least(room, length_of(index, grammar->symbol[s - 1]));
		out -= count;
		memcpy(out, last_words_end(edges, &grammar->symbol[s - 1]) - count, count * sizeof *out);
		room -= count;
	}
}

static enum wm_status take_words(
	const struct wm_windows *windows, const uint32_t *word, uint64_t count, size_t symbol, uint64_t frequency)
{
	enum wm_status status = WM_OK;
	for (uint64_t i = 0; i < count && status == WM_OK; i++)
		status = windows->take(windows->closure, word[i], symbol, frequency);
	return status;
}

/* A symbol of a rule: all of its words if they are few, else its first and its last ones with a gap between them. */
static enum wm_status take_symbol(const struct edges *edges, const struct wm_windows *windows, const uint32_t *symbol,
	size_t number, const uint64_t lengths[2])
{
	uint64_t length = lengths[0], frequency = lengths[1];
	if (length <= 2 * (uint64_t)edges->most || !(*symbol & WM_GRAMMAR_RULE))
		return take_words(windows, first_words(edges, symbol), length, number, frequency);
	enum wm_status status = take_words(windows, first_words(edges, symbol), edges->most, number, frequency);
	windows->gap(windows->closure);
	if (status != WM_OK)
		return status;
	return take_words(windows, last_words_end(edges, symbol) - edges->most, edges->most, number, frequency);
}

static enum wm_status visit_rules(const struct wm_grammar *grammar, const struct wm_grammar_index *index,
	const struct edges *edges, const struct wm_windows *windows)
{
	enum wm_status status = WM_OK;
	for (uint32_t r = 0; r < grammar->rule_count; r++) {
		windows->gap(windows->closure);
		for (size_t s = grammar->first[r]; s < grammar->first[r + 1] && status == WM_OK; s++) {
			const uint64_t lengths[2] = {length_of(index, grammar->symbol[s]), index->frequency[r]};
			if (lengths[1])
				status = take_symbol(edges, windows, &grammar->symbol[s], s, lengths);
		}
	}
	return status;
}

enum wm_status wm_windows_visit(const struct wm_grammar *grammar, const struct wm_grammar_index *index, uint32_t n,
	const struct wm_windows *windows)
{
	size_t words = (size_t)grammar->rule_count * (n - 1);
	struct edges edges = {
		n - 1, malloc((2 * words + 1) * sizeof(uint32_t)), malloc((words + 1) * sizeof(uint32_t))};
	enum wm_status status = WM_NO_MEMORY;
	if (edges.first && edges.last) {
		for (uint32_t r = grammar->rule_count; r-- > 0;) {
			fill_first(&edges, grammar, index, r);
			fill_last(&edges, grammar, index, r);
		}
		status = visit_rules(grammar, index, &edges, windows);
	}
	free(edges.first);
	free(edges.last);
	return status;
}
