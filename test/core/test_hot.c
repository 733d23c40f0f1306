/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Minimal hot subsequences, found on the grammar, against a search in the sequence itself. */
#include "core/grammar/hot.h"
#include "core/grammar/occurrences.h"
#include "core/grammar/sequitur.h"
#include "core/grammar/time_columns.h"
#include "random_graph.h"
#include "support.h"
#include <stdlib.h>
#include <string.h>

enum { WORDS = 5, LONGEST = 300 };

struct sample {
	uint64_t word[LONGEST];
	size_t count;
	struct wm_grammar grammar;
	struct wm_grammar_index index;
	uint32_t sequence[LONGEST]; /* the words by their indices in the grammar */
	uint64_t weight[WORDS]; /* by these indices */
};

static void sample_make(struct sample *sample, struct random *random)
{
	struct wm_sequitur sequitur;
	assert_int_equal(wm_sequitur_init(&sequitur, 4096), WM_OK);
	for (size_t i = 0; i < sample->count; i++)
		assert_int_equal(wm_sequitur_append(&sequitur, sample->word[i]), WM_OK);
	assert_int_equal(wm_sequitur_close(&sequitur, &sample->grammar), WM_OK);
	wm_sequitur_release(&sequitur);
	assert_int_equal(wm_grammar_index_make(&sample->index, &sample->grammar), WM_OK);
	for (size_t i = 0; i < sample->count; i++)
		for (uint32_t w = 0; w < sample->grammar.word_count; w++)
			if (sample->grammar.word[w] == sample->word[i])
				sample->sequence[i] = w;
	for (uint32_t w = 0; w < WORDS; w++)
		sample->weight[w] = random_below(random, 8) ? random_below(random, 5) : WM_HOT_NEVER;
}

static void sample_release(struct sample *sample)
{
	wm_grammar_index_release(&sample->index);
	wm_grammar_release(&sample->grammar);
}

/* A few words and copies of what came before. */
static void sample_words(struct sample *sample, struct random *random)
{
	size_t length = 1 + random_below(random, LONGEST);
	uint32_t words = 1 + random_below(random, WORDS);
	sample->count = 0;
	while (sample->count < length) {
		size_t from = sample->count ? random_below(random, (uint32_t)sample->count) : 0,
		       copied = random_below(random, 30);
		for (size_t i = from; i < from + copied && i < sample->count && sample->count < length; i++)
			sample->word[sample->count++] = sample->word[i];
		if (sample->count < length)
			sample->word[sample->count++] = 1000 + random_below(random, words);
	}
}

/* ---- Brute force --------------------------------------------------------- */

static uint64_t count_naively(const struct sample *sample, const uint32_t *word, uint32_t length)
{
	uint64_t count = 0;
	for (size_t i = 0; i + length <= sample->count;) {
		bool here = !memcmp(&sample->sequence[i], word, length * sizeof *word);
		count += here;
		i += here ? length : 1;
	}
	return count;
}

static uint64_t cost_naively(const struct sample *sample, const uint32_t *word, uint32_t length)
{
	uint64_t weight = 0;
	for (uint32_t i = 0; i < length; i++) {
		if (sample->weight[word[i]] == WM_HOT_NEVER)
			return 0;
		weight += sample->weight[word[i]];
	}
	return count_naively(sample, word, length) * weight;
}

static bool is_hot(const struct sample *sample, const struct wm_hot_query *query, const uint32_t *word, uint32_t length)
{
	return length >= query->least && cost_naively(sample, word, length) >= query->threshold;
}

static bool is_minimal(
	const struct sample *sample, const struct wm_hot_query *query, const uint32_t *word, uint32_t length)
{
	for (uint32_t from = 0; from < length; from++)
		for (uint32_t part = 1; from + part <= length; part++)
			if (part < length && is_hot(sample, query, word + from, part))
				return false;
	return is_hot(sample, query, word, length);
}

static bool is_listed(const struct wm_hot *hot, const uint32_t *word, uint32_t length)
{
	for (size_t i = 0; i < hot->count; i++)
		if (hot->sequence[i].length == length && !memcmp(hot->sequence[i].word, word, length * sizeof *word))
			return true;
	return false;
}

static void check_hot(const struct sample *sample, const struct wm_hot_query *query, const struct wm_hot *hot)
{
	for (size_t i = 0; i < hot->count; i++) {
		const struct wm_hot_sequence *s = &hot->sequence[i];
		assert_true(is_minimal(sample, query, s->word, s->length));
		assert_int_equal(s->count, count_naively(sample, s->word, s->length));
		assert_int_equal(s->cost, cost_naively(sample, s->word, s->length));
		assert_true(s->length <= query->most && (!i || s->cost <= hot->sequence[i - 1].cost));
	}
	for (size_t i = 0; i < sample->count; i++)
		for (uint32_t length = query->least; length <= query->most && i + length <= sample->count; length++)
			if (is_minimal(sample, query, &sample->sequence[i], length))
				assert_true(is_listed(hot, &sample->sequence[i], length));
}

/* ---- Tests --------------------------------------------------------------- */

static void test_random(void **state)
{
	(void)state;
	struct random random = {5};
	size_t found = 0;
	for (unsigned i = 0; i < 1500; i++) {
		struct sample sample;
		struct wm_arena arena;
		struct wm_hot hot;
		wm_arena_init(&arena);
		sample_words(&sample, &random);
		sample_make(&sample, &random);
		uint32_t least = 1 + random_below(&random, 4);
		struct wm_hot_query query = {&sample.grammar, &sample.index, sample.weight, least,
			least + random_below(&random, 6), 1 + random_below(&random, 100), NULL};
		assert_int_equal(wm_hot_find(&hot, &query, &arena), WM_OK);
		check_hot(&sample, &query, &hot);
		found += hot.count;
		sample_release(&sample);
		wm_arena_release(&arena);
	}
	assert_true(found > 3000);
}

static void test_occurrences(void **state)
{
	(void)state;
	struct random random = {6};
	for (unsigned i = 0; i < 500; i++) {
		struct sample sample;
		sample_words(&sample, &random);
		sample_make(&sample, &random);
		for (unsigned j = 0; j < 20; j++) {
			size_t from = random_below(&random, (uint32_t)sample.count);
			uint32_t length = 1 + random_below(&random, (uint32_t)(sample.count - from));
			uint64_t count;
			length = length > 255 ? 255 : length;
			const uint32_t *word = &sample.sequence[from];
			assert_int_equal(wm_occurrences_count(&sample.grammar, word, length, &count), WM_OK);
			assert_int_equal(count, count_naively(&sample, word, length));
		}
		sample_release(&sample);
	}
}

/* "aa" in ten times "a": five, and not nine. */
static void test_overlap(void **state)
{
	(void)state;
	struct random random = {1};
	struct sample sample = {.count = 10};
	struct wm_arena arena;
	struct wm_hot hot;
	wm_arena_init(&arena);
	sample_make(&sample, &random);
	sample.weight[0] = 1;
	struct wm_hot_query query = {&sample.grammar, &sample.index, sample.weight, 2, 2, 1, NULL};
	assert_int_equal(wm_hot_find(&hot, &query, &arena), WM_OK);
	assert_int_equal(hot.count, 1);
	assert_int_equal(hot.sequence[0].count, 5);
	assert_int_equal(hot.sequence[0].cost, 10);
	assert_int_equal(hot.total, 10);
	sample_release(&sample);
	wm_arena_release(&arena);
}

static bool goes_on_to_two(uint32_t length, uint32_t most)
{
	(void)most;
	return length <= 2;
}

/* A search that is stopped has found what a search for shorter sequences finds. */
static void test_stopped(void **state)
{
	(void)state;
	struct random random = {7};
	size_t found = 0;
	for (unsigned i = 0; i < 200; i++) {
		struct sample sample;
		struct wm_arena arena;
		struct wm_hot hot;
		wm_arena_init(&arena);
		sample_words(&sample, &random);
		sample_make(&sample, &random);
		struct wm_hot_query query = {&sample.grammar, &sample.index, sample.weight, 1, 6,
			1 + random_below(&random, 100), goes_on_to_two};
		assert_int_equal(wm_hot_find(&hot, &query, &arena), WM_OK);
		query.most = hot.searched;
		assert_true(hot.searched == 2 || hot.searched == 6);
		check_hot(&sample, &query, &hot);
		found += hot.searched == 2 ? hot.count : 0;
		sample_release(&sample);
		wm_arena_release(&arena);
	}
	assert_true(found > 10);
}

/* ---- Timelines ----------------------------------------------------------- */

/* By the definition: word by word. */
static void fill_naively(const struct sample *sample, const struct wm_timeline_query *query, uint64_t *cell)
{
	uint64_t length = 0, time = 0;
	for (uint64_t i = query->from; i < query->to; i++)
		length += query->weight[sample->sequence[i]];
	for (uint64_t i = query->from; i < query->to && length; i++) {
		uint32_t word = sample->sequence[i], column = 0;
		uint64_t next = time + query->weight[word];
		for (uint32_t c = 1; c < query->column_count; c++)
			if (length * c / query->column_count < next)
				column = c;
		if (query->row[word] < query->row_count)
			cell[query->row[word] * query->column_count + column] += query->weight[word];
		time = next;
	}
}

static void test_timeline(void **state)
{
	(void)state;
	struct random random = {9};
	for (unsigned i = 0; i < 1000; i++) {
		struct sample sample;
		struct wm_arena arena;
		uint32_t row[WORDS];
		uint64_t *cell, total, expected[WORDS * 20] = {0};
		wm_arena_init(&arena);
		sample_words(&sample, &random);
		sample_make(&sample, &random);
		for (uint32_t w = 0; w < WORDS; w++) {
			row[w] = random_below(&random, 5);
			sample.weight[w] = random_below(&random, 6);
		}
		struct wm_timeline_query query = {&sample.grammar, &sample.index, sample.weight, row, 4,
			1 + random_below(&random, 20), random_below(&random, (uint32_t)sample.count), sample.count};
		if (i % 2)
			query.to = query.from + random_below(&random, (uint32_t)(sample.count - query.from) + 1);
		assert_int_equal(wm_timeline_make(&query, &cell, &total, &arena), WM_OK);
		fill_naively(&sample, &query, expected);
		assert_memory_equal(cell, expected, sizeof(uint64_t) * query.row_count * query.column_count);
		sample_release(&sample);
		wm_arena_release(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overlap),
		cmocka_unit_test(test_occurrences),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_timeline),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
