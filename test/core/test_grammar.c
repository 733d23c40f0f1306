/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sequitur's two properties, looked for by brute force, and the index and the reader of a grammar. */
#include "core/grammar/sequitur.h"
#include "random_graph.h"
#include "support.h"
#include <stdlib.h>
#include <string.h>

/* ---- Brute force --------------------------------------------------------- */

static void expand_into(const struct wm_grammar *g, uint32_t rule, uint64_t *out, size_t *length)
{
	for (size_t s = g->first[rule]; s < g->first[rule + 1]; s++)
		if (g->symbol[s] & WM_GRAMMAR_RULE)
			expand_into(g, g->symbol[s] & ~WM_GRAMMAR_RULE, out, length);
		else
			out[(*length)++] = g->word[g->symbol[s]];
}

static void check_expansion(const struct wm_grammar *g, const uint64_t *word, size_t count)
{
	uint64_t *out = malloc((count + 1) * sizeof *out);
	size_t length = 0;
	expand_into(g, 0, out, &length);
	assert_int_equal(length, count);
	assert_memory_equal(out, word, count * sizeof *word);
	free(out);
}

static uint32_t rule_at(const struct wm_grammar *g, size_t symbol)
{
	uint32_t rule = 0;
	while (g->first[rule + 1] <= symbol)
		rule++;
	return rule;
}

static bool has_pair(const struct wm_grammar *g, size_t s)
{
	return rule_at(g, s) == rule_at(g, s + 1);
}

static void check_digrams(const struct wm_grammar *g)
{
	size_t symbols = g->first[g->rule_count];
	for (size_t s = 0; s + 1 < symbols; s++)
		for (size_t t = s + 1; has_pair(g, s) && t + 1 < symbols; t++) {
			bool equal = g->symbol[s] == g->symbol[t] && g->symbol[s + 1] == g->symbol[t + 1];
			if (equal && has_pair(g, t))
				assert_true(t == s + 1 && rule_at(g, s) == rule_at(g, t));
		}
}

static void check_rules(const struct wm_grammar *g)
{
	for (uint32_t r = 1; r < g->rule_count; r++) {
		unsigned uses = 0;
		for (size_t s = 0; s < g->first[g->rule_count]; s++)
			uses += g->symbol[s] == (WM_GRAMMAR_RULE | r);
		assert_true(uses >= 2);
		assert_true(g->first[r + 1] - g->first[r] >= 2);
	}
}

/* ---- Sequences ----------------------------------------------------------- */

static void compress(struct wm_grammar *g, const uint64_t *word, size_t count)
{
	struct wm_sequitur sequitur;
	assert_int_equal(wm_sequitur_init(&sequitur, 4096), WM_OK);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(wm_sequitur_append(&sequitur, word[i]), WM_OK);
	assert_int_equal(wm_sequitur_close(&sequitur, g), WM_OK);
	wm_sequitur_release(&sequitur);
}

static void check_sequence(const uint64_t *word, size_t count)
{
	struct wm_grammar g;
	compress(&g, word, count);
	assert_int_equal(wm_grammar_check(&g), WM_OK);
	check_expansion(&g, word, count);
	check_digrams(&g);
	check_rules(&g);
	wm_grammar_release(&g);
}

static size_t words_of(uint64_t *word, const char *text)
{
	size_t count = strlen(text);
	for (size_t i = 0; i < count; i++)
		word[i] = (uint64_t)text[i] << 40;
	return count;
}

static void test_written_sequences(void **state)
{
	(void)state;
	static const char *const texts[] = {"", "a", "aa", "aaa", "aaaa", "aaaaa", "aaaaaaa", "abab", "ababab",
		"abcdbc", "abcdbcabcdbc", "aabaaab", "aaabaaabaaa", "abaaba", "aabbaabb", "bbebeebebebbebee"};
	uint64_t word[64];
	for (size_t i = 0; i < COUNT(texts); i++)
		check_sequence(word, words_of(word, texts[i]));
}

/* The example of the paper's figure 1: S → AA, A → aBdB, B → bc. */
static void test_paper(void **state)
{
	(void)state;
	static const uint32_t expected[] = {
		WM_GRAMMAR_RULE | 1, WM_GRAMMAR_RULE | 1, 0, WM_GRAMMAR_RULE | 2, 3, WM_GRAMMAR_RULE | 2, 1, 2};
	uint64_t word[64];
	struct wm_grammar g;
	compress(&g, word, words_of(word, "abcdbcabcdbc"));
	assert_int_equal(g.rule_count, 3);
	assert_int_equal(g.first[3], COUNT(expected));
	assert_memory_equal(g.symbol, expected, sizeof expected);
	wm_grammar_release(&g);
}

/* Every sequence of up to 13 letters out of two, and of up to 8 out of three. */
static void test_all_short_sequences(void **state)
{
	(void)state;
	uint64_t word[16];
	for (uint32_t letters = 2; letters <= 3; letters++)
		for (uint32_t length = 1, total = letters; length <= (letters == 2 ? 13 : 8);
			length++, total *= letters)
			for (uint32_t code = 0; code < total; code++) {
				for (uint32_t i = 0, rest = code; i < length; i++, rest /= letters)
					word[i] = rest % letters;
				check_sequence(word, length);
			}
}

/* Loops inside loops, with variants: what programs do. */
static size_t repetitive(uint64_t *word, size_t most, struct random *random)
{
	size_t count = 0;
	while (count < most) {
		size_t from = count ? random_below(random, (uint32_t)count) : 0;
		size_t length = count ? 1 + random_below(random, (uint32_t)(count - from)) : 0;
		for (size_t i = 0; i < length && count < most; i++)
			word[count++] = word[from + i];
		if (count < most && !random_below(random, 3))
			word[count++] = random_below(random, 4);
		if (!count)
			word[count++] = 0;
	}
	return count;
}

static void test_random_sequences(void **state)
{
	(void)state;
	struct random random = {7};
	uint64_t word[400];
	for (unsigned i = 0; i < 3000; i++) {
		size_t count = 1 + random_below(&random, i % 20 ? 120 : 400);
		uint32_t letters = 1 + random_below(&random, 6);
		if (i % 2)
			count = repetitive(word, count, &random);
		else
			for (size_t j = 0; j < count; j++)
				word[j] = random_below(&random, letters);
		check_sequence(word, count);
	}
}

/* ---- The index and the reader -------------------------------------------- */

static void check_reader(const struct wm_grammar *g, const uint64_t *word, size_t count, struct random *random)
{
	struct wm_grammar_index index;
	struct wm_grammar_reader reader;
	uint32_t got;
	assert_int_equal(wm_grammar_index_make(&index, g), WM_OK);
	assert_int_equal(index.words.sum[0], count);
	assert_int_equal(wm_grammar_reader_init(&reader, g, &index), WM_OK);
	for (unsigned i = 0; i < 20; i++) {
		size_t from = random_below(random, (uint32_t)count + 2), at = from;
		wm_grammar_reader_seek(&reader, from);
		for (; wm_grammar_reader_next(&reader, &got) && at < from + 30; at++)
			assert_true(g->word[got] == word[at]);
		assert_true(at == from + 30 || at == (from < count ? count : from));
	}
	wm_grammar_reader_release(&reader);
	wm_grammar_index_release(&index);
}

static void test_reader(void **state)
{
	(void)state;
	struct random random = {11};
	uint64_t word[400];
	for (unsigned i = 0; i < 300; i++) {
		struct wm_grammar g;
		size_t count = repetitive(word, 1 + random_below(&random, 399), &random);
		compress(&g, word, count);
		check_reader(&g, word, count, &random);
		wm_grammar_release(&g);
	}
}

/* The sum of the lengths of a rule's occurrences: each word is generated as often as it occurs. */
static void test_frequencies(void **state)
{
	(void)state;
	struct random random = {13};
	uint64_t word[400];
	for (unsigned i = 0; i < 300; i++) {
		struct wm_grammar g;
		struct wm_grammar_index index;
		uint64_t expected[4] = {0}, got[4] = {0};
		size_t count = repetitive(word, 400, &random);
		compress(&g, word, count);
		assert_int_equal(wm_grammar_index_make(&index, &g), WM_OK);
		for (size_t j = 0; j < count; j++)
			expected[word[j]]++;
		for (uint32_t r = 0; r < g.rule_count; r++)
			for (size_t s = g.first[r]; s < g.first[r + 1]; s++)
				if (!(g.symbol[s] & WM_GRAMMAR_RULE))
					got[g.word[g.symbol[s]]] += index.frequency[r];
		assert_memory_equal(expected, got, sizeof got);
		wm_grammar_index_release(&index);
		wm_grammar_release(&g);
	}
}

/* ---- Bounded memory ------------------------------------------------------ */

static void test_chunks(void **state)
{
	(void)state;
	struct random random = {17};
	struct wm_sequitur sequitur;
	struct wm_grammar g;
	uint64_t chunk[4096];
	size_t begun = 0, chunks = 0;
	assert_int_equal(wm_sequitur_init(&sequitur, 64), WM_OK);
	for (size_t i = 0; i < 20000; i++) {
		if (wm_sequitur_is_full(&sequitur)) {
			assert_int_equal(wm_sequitur_append(&sequitur, 1), WM_TOO_MANY);
			assert_int_equal(wm_sequitur_close(&sequitur, &g), WM_OK);
			check_expansion(&g, chunk, begun);
			assert_true(g.first[g.rule_count] <= 64);
			wm_grammar_release(&g);
			begun = 0;
			chunks++;
		}
		chunk[begun] = random_below(&random, 5);
		assert_int_equal(wm_sequitur_append(&sequitur, chunk[begun++]), WM_OK);
	}
	assert_true(chunks > 20);
	wm_sequitur_release(&sequitur);
}

/* A long loop takes a number of symbols that is logarithmic in its length. */
static void test_long_loop(void **state)
{
	(void)state;
	struct wm_sequitur sequitur;
	struct wm_grammar g;
	struct wm_grammar_index index;
	assert_int_equal(wm_sequitur_init(&sequitur, 256), WM_OK);
	for (uint64_t i = 0; i < 3000000; i++)
		assert_int_equal(wm_sequitur_append(&sequitur, i % 3), WM_OK);
	assert_int_equal(sequitur.length, 3000000);
	assert_int_equal(wm_sequitur_close(&sequitur, &g), WM_OK);
	assert_int_equal(wm_grammar_index_make(&index, &g), WM_OK);
	assert_int_equal(index.words.sum[0], 3000000);
	wm_grammar_index_release(&index);
	wm_grammar_release(&g);
	wm_sequitur_release(&sequitur);
}

static void test_bad_grammars(void **state)
{
	(void)state;
	uint64_t word[] = {5};
	size_t first[] = {0, 1, 2};
	uint32_t symbol[] = {WM_GRAMMAR_RULE | 1, 0};
	struct wm_grammar g = {.word_count = 1, .rule_count = 2, .word = word, .first = first, .symbol = symbol};
	struct wm_sequitur sequitur;
	assert_int_equal(wm_grammar_check(&g), WM_OK);
	symbol[1] = WM_GRAMMAR_RULE | 1;
	assert_int_equal(wm_grammar_check(&g), WM_BAD_GRAPH);
	symbol[1] = WM_GRAMMAR_RULE | 2;
	assert_int_equal(wm_grammar_check(&g), WM_BAD_GRAPH);
	symbol[1] = 1;
	assert_int_equal(wm_grammar_check(&g), WM_BAD_GRAPH);
	g.rule_count = 0;
	assert_int_equal(wm_grammar_check(&g), WM_BAD_GRAPH);
	assert_int_equal(wm_sequitur_init(&sequitur, WM_SEQUITUR_LEAST - 1), WM_TOO_MANY);
	assert_int_equal(wm_sequitur_init(&sequitur, WM_SEQUITUR_MOST + 1), WM_TOO_MANY);
}

/* 70 rules, each the next one twice: 2^70 words. */
static void test_too_long(void **state)
{
	(void)state;
	enum { RULES = 70 };
	uint64_t word[] = {5};
	size_t first[RULES + 1];
	uint32_t symbol[2 * RULES];
	struct wm_grammar g = {.word_count = 1, .rule_count = RULES, .word = word, .first = first, .symbol = symbol};
	struct wm_grammar_index index;
	for (uint32_t r = 0; r <= RULES; r++)
		first[r] = 2 * r;
	for (uint32_t r = 0; r < RULES; r++)
		symbol[2 * r] = symbol[2 * r + 1] = r + 1 < RULES ? WM_GRAMMAR_RULE | (r + 1) : 0;
	assert_int_equal(wm_grammar_index_make(&index, &g), WM_TOO_MANY);
	first[RULES] = 2 * RULES - 2; /* nothing at all, 2^69 times */
	assert_int_equal(wm_grammar_index_make(&index, &g), WM_TOO_MANY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_written_sequences),
		cmocka_unit_test(test_paper),
		cmocka_unit_test(test_all_short_sequences),
		cmocka_unit_test(test_random_sequences),
		cmocka_unit_test(test_reader),
		cmocka_unit_test(test_frequencies),
		cmocka_unit_test(test_chunks),
		cmocka_unit_test(test_long_loop),
		cmocka_unit_test(test_bad_grammars),
		cmocka_unit_test(test_too_long),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
