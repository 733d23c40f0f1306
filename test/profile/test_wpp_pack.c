/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Packed grammars: what was packed is unpacked, in few bytes, and other bytes do no harm. */
#include "core/grammar/sequitur.h"
#include "profile/wpp/range_coder.h"
#include "profile/wpp/wpp_pack.h"
#include "testing.h"
#include <stdlib.h>

/* ---- The coder ------------------------------------------------------------------------ */

enum { CODED = 20000 };

static void alphabet_of(struct wm_alphabet *alphabet, uint32_t count)
{
	*alphabet = (struct wm_alphabet){0};
	while (alphabet->count < count)
		assert_true(wm_alphabet_append(alphabet));
}

/* One symbol out of `often` is not symbol 0. */
static uint32_t draw(uint64_t *random, uint32_t count, uint32_t often)
{
	return random_below(random, often) ? 0 : (uint32_t)random_below(random, count);
}

static size_t check_coder(uint32_t count, uint32_t often)
{
	struct wm_bytes bytes;
	struct wm_cursor in;
	struct wm_range_coder coder;
	struct wm_alphabet alphabet;
	wm_bytes_init(&bytes);
	for (int decode = 0; decode < 2; decode++) {
		uint64_t random = count + often;
		alphabet_of(&alphabet, count);
		if (decode) {
			wm_cursor_init(&in, bytes.data, bytes.size);
			wm_range_decoder_init(&coder, &in);
		} else {
			wm_range_encoder_init(&coder, &bytes);
		}
		for (size_t i = 0; i < CODED; i++) {
			uint32_t symbol = draw(&random, alphabet.count, often), number = symbol * 0x9E3779B9u;
			assert_int_equal(wm_range_code(&coder, &alphabet, decode ? 0 : symbol), symbol);
			if (i % 1000 == 0) {
				assert_int_equal(wm_range_code_u32(&coder, decode ? 0 : number), number);
				assert_true(wm_alphabet_append(&alphabet));
			}
		}
		if (!decode)
			wm_range_encoder_finish(&coder);
		wm_alphabet_release(&alphabet);
	}
	assert_false(in.failed);
	assert_int_equal(wm_cursor_left(&in), 0);
	size_t size = bytes.size;
	wm_bytes_release(&bytes);
	return size;
}

static void test_coder(void **state)
{
	(void)state;
	check_coder(1, 1);
	check_coder(2, 1);
	check_coder(1000, 1);
	/* Equally likely symbols out of 256 take a byte each.  If one in 64 is not 0, their entropy is 0.24 bits. */
	assert_in_range(check_coder(256, 1), CODED * 99 / 100, CODED * 105 / 100);
	assert_in_range(check_coder(256, 64), 100, CODED / 20);
}

/* ---- Grammars ------------------------------------------------------------------------- */

static void expand(const struct wm_grammar *grammar, uint64_t *sequence, size_t count)
{
	struct wm_grammar_index index;
	struct wm_grammar_reader reader;
	uint32_t word;
	assert_int_equal(wm_grammar_check(grammar), WM_OK);
	assert_int_equal(wm_grammar_index_make(&index, grammar), WM_OK);
	assert_int_equal(index.words.sum[0], count);
	assert_int_equal(wm_grammar_reader_init(&reader, grammar, &index), WM_OK);
	for (size_t i = 0; i < count; i++) {
		assert_true(wm_grammar_reader_next(&reader, &word));
		sequence[i] = grammar->word[word];
	}
	wm_grammar_reader_release(&reader);
	wm_grammar_index_release(&index);
}

static void copy_words(struct wm_grammar *to, const struct wm_grammar *from)
{
	*to = (struct wm_grammar){
		.word_count = from->word_count, .word = malloc((from->word_count + 1) * sizeof *to->word)};
	for (uint32_t w = 0; w < from->word_count; w++)
		to->word[w] = from->word[w];
}

static void check_grammar(const struct wm_grammar *grammar, size_t count, uint32_t rules)
{
	struct wm_bytes bytes;
	struct wm_cursor in;
	struct wm_grammar unpacked;
	uint64_t *expected = malloc((count + 1) * sizeof *expected), *got = malloc((count + 1) * sizeof *got);
	wm_bytes_init(&bytes);
	assert_true(wm_wpp_pack(&bytes, grammar));
	copy_words(&unpacked, grammar);
	wm_cursor_init(&in, bytes.data, bytes.size);
	assert_int_equal(wm_wpp_unpack(&in, &unpacked, UINT64_MAX), WM_OK);
	assert_int_equal(wm_cursor_left(&in), 0);
	assert_int_equal(unpacked.rule_count, rules);
	expand(grammar, expected, count);
	expand(&unpacked, got, count);
	assert_memory_equal(expected, got, count * sizeof *got);
	uint64_t symbols = unpacked.first[rules];
	wm_grammar_release(&unpacked);
	if (symbols) {
		copy_words(&unpacked, grammar);
		wm_cursor_init(&in, bytes.data, bytes.size);
		assert_int_equal(wm_wpp_unpack(&in, &unpacked, symbols - 1), WM_BAD_GRAPH);
		wm_grammar_release(&unpacked);
	}
	wm_bytes_release(&bytes);
	free(expected);
	free(got);
}

/* Phases in which a few words alternate. */
static void test_grammars(void **state)
{
	(void)state;
	uint64_t random = 5;
	for (size_t round = 0; round < 200; round++) {
		struct wm_sequitur sequitur;
		struct wm_grammar grammar;
		size_t count = round < 20 ? round : (size_t)random_below(&random, 3000);
		uint64_t words = 1 + random_below(&random, round % 3 ? 5 : 400), phase = 0;
		assert_int_equal(wm_sequitur_init(&sequitur, 4096), WM_OK);
		for (size_t i = 0; i < count; i++) {
			phase = random_below(&random, 50) ? phase : random_below(&random, words);
			assert_int_equal(
				wm_sequitur_append(&sequitur, phase + random_below(&random, 2) * (i % 3)), WM_OK);
		}
		assert_int_equal(wm_sequitur_close(&sequitur, &grammar), WM_OK);
		check_grammar(&grammar, count, grammar.rule_count);
		wm_grammar_release(&grammar);
		wm_sequitur_release(&sequitur);
	}
}

static void test_unused_rules(void **state)
{
	(void)state;
	uint64_t word[] = {7, 9};
	size_t first[] = {0, 3, 5, 7};
	uint32_t symbol[] = {WM_GRAMMAR_RULE | 2, WM_GRAMMAR_RULE | 2, 0, WM_GRAMMAR_RULE | 2, 1, 0, 1};
	const struct wm_grammar grammar = {2, 3, word, first, symbol};
	check_grammar(&grammar, 5, 2);
}

/* Bytes that nobody packed. */
static void test_noise(void **state)
{
	(void)state;
	uint64_t random = 9, good = 0;
	for (size_t round = 0; round < 20000; round++) {
		uint8_t bytes[40];
		struct wm_cursor in;
		struct wm_grammar grammar = {.word_count = (uint32_t)random_below(&random, 4), .word = calloc(4, 8)};
		for (size_t i = 0; i < sizeof bytes; i++)
			bytes[i] = (uint8_t)random_below(&random, i < 2 ? 5 : 256);
		wm_cursor_init(&in, bytes, (size_t)random_below(&random, sizeof bytes + 1));
		if (wm_wpp_unpack(&in, &grammar, 100) == WM_OK) {
			assert_int_equal(wm_grammar_check(&grammar), WM_OK);
			good++;
		}
		wm_grammar_release(&grammar);
	}
	assert_in_range(good, 10, 20000 - 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_coder), cmocka_unit_test(test_grammars),
		cmocka_unit_test(test_unused_rules), cmocka_unit_test(test_noise)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
