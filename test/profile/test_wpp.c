/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Recordings: what is written is read again, and nothing else is. */
#include "core/grammar/sequitur.h"
#include "profile/wpp/wpp.h"
#include "profile/wpp/wpp_layout.h"
#include "testing.h"
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static bool put(void *closure, const void *data, size_t size)
{
	wm_bytes_put(closure, data, size);
	return true;
}

static bool put_nothing(void *closure, const void *data, size_t size)
{
	(void)closure, (void)data, (void)size;
	return false;
}

static void compress(struct wm_grammar *grammar, const uint64_t *word, size_t count)
{
	struct wm_sequitur sequitur;
	assert_int_equal(wm_sequitur_init(&sequitur, 4096), WM_OK);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(wm_sequitur_append(&sequitur, word[i]), WM_OK);
	assert_int_equal(wm_sequitur_close(&sequitur, grammar), WM_OK);
	wm_sequitur_release(&sequitur);
}

/* Two streams, whose chunks alternate in the file. */
static uint64_t first_stream[600], second_stream[90];
static struct wm_wpp_object objects[] = {
	{.build_id = "\1\2\3", .build_id_size = 3, .program = "prog"}, {.program = ""}};
static struct wm_wpp_function functions[] = {
	{.object = 0, .key = 11, .graph_hash = 12}, {.object = 1, .key = UINT64_MAX, .graph_hash = 14}};
static struct wm_wpp_process processes[] = {{UINT64_MAX, 2, WM_WPP_END_OTHER}};
static struct wm_wpp_stream streams[] = {{0, 1, 600, 0, 0}, {0, 7, 90, 5, UINT64_MAX}};
static const struct wm_wpp_table table = {2, 2, 1, 2, objects, functions, processes, streams, WM_WPP_SUBPATHS};

static void write_chunk(const struct wm_wpp_writer *writer, uint32_t stream, const uint64_t *word, size_t count)
{
	struct wm_grammar grammar;
	compress(&grammar, word, count);
	assert_int_equal(wm_wpp_write_chunk(writer, stream, &grammar), WM_PROFILE_OK);
	wm_grammar_release(&grammar);
}

static void write_sample(struct wm_bytes *out, const struct wm_wpp_table *its_table)
{
	const struct wm_wpp_writer writer = {out, put};
	uint64_t state = 3;
	for (size_t i = 0; i < 600; i++)
		first_stream[i] = i % 7 ? i % 7 : UINT64_MAX - random_below(&state, 5);
	for (size_t i = 0; i < 90; i++)
		second_stream[i] = random_below(&state, 2) ? 1ull << 40 : 3;
	wm_bytes_init(out);
	assert_int_equal(wm_wpp_write_begin(&writer), WM_PROFILE_OK);
	write_chunk(&writer, 1, second_stream, 50);
	write_chunk(&writer, 0, first_stream, 500);
	write_chunk(&writer, 1, second_stream + 50, 40);
	write_chunk(&writer, 0, first_stream + 500, 100);
	assert_int_equal(wm_wpp_write_end(&writer, its_table), WM_PROFILE_OK);
	assert_false(out->failed);
}

static void check_sequence(const struct wm_grammar *grammar)
{
	struct wm_grammar_index index;
	struct wm_grammar_reader reader;
	uint32_t word;
	assert_int_equal(wm_grammar_index_make(&index, grammar), WM_OK);
	assert_int_equal(index.words.sum[0], 690);
	assert_int_equal(wm_grammar_reader_init(&reader, grammar, &index), WM_OK);
	for (size_t i = 0; i < 690; i++) {
		assert_true(wm_grammar_reader_next(&reader, &word));
		assert_true(grammar->word[word] == (i < 600 ? first_stream[i] : second_stream[i - 600]));
	}
	assert_false(wm_grammar_reader_next(&reader, &word));
	wm_grammar_reader_release(&reader);
	wm_grammar_index_release(&index);
}

static void test_round_trip(void **state)
{
	(void)state;
	struct wm_bytes file;
	struct wm_wpp wpp;
	struct wm_profile_error error;
	write_sample(&file, &table);
	assert_true(wm_wpp_is_recording(file.data, file.size));
	assert_int_equal(wm_wpp_read(&wpp, file.data, file.size, &error), WM_PROFILE_OK);
	check_sequence(&wpp.grammar);
	assert_int_equal(wpp.table.kind, WM_WPP_SUBPATHS);
	assert_int_equal(wpp.table.object_count, 2);
	assert_memory_equal(wpp.table.object, objects, sizeof objects);
	assert_int_equal(wpp.table.function_count, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(wpp.table.function[i].object, functions[i].object);
		assert_true(wpp.table.function[i].key == functions[i].key);
		assert_true(wpp.table.function[i].graph_hash == functions[i].graph_hash);
		assert_true(wpp.table.stream[i].number == streams[i].number);
		assert_true(wpp.table.stream[i].length == streams[i].length);
		assert_true(wpp.table.stream[i].parent_low == streams[i].parent_low);
		assert_true(wpp.table.stream[i].parent_high == streams[i].parent_high);
	}
	assert_int_equal(wpp.table.process_count, 1);
	assert_true(wpp.table.process[0].run_id_low == processes[0].run_id_low);
	assert_true(wpp.table.process[0].run_id_high == processes[0].run_id_high);
	assert_int_equal(wpp.table.process[0].ending, WM_WPP_END_OTHER);
	wm_wpp_release(&wpp);
	wm_bytes_release(&file);
}

/* A recording of `waymark hw` differs in the kind of its table. */
static void test_branches(void **state)
{
	(void)state;
	struct wm_bytes file;
	struct wm_wpp wpp;
	struct wm_profile_error error;
	struct wm_wpp_table branches = table;
	struct wm_wpp_function paths[] = {{.object = 0, .start = 0x401000, .control = 9, .length = 3},
		{.object = 1, .start = UINT64_MAX, .control = (UINT64_C(1) << 48) - 1, .length = 32}};
	branches.kind = WM_WPP_BRANCHES;
	branches.function = paths;
	write_sample(&file, &branches);
	assert_int_equal(wm_wpp_read(&wpp, file.data, file.size, &error), WM_PROFILE_OK);
	check_sequence(&wpp.grammar);
	assert_int_equal(wpp.table.kind, WM_WPP_BRANCHES);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(wpp.table.function[i].object, paths[i].object);
		assert_true(wpp.table.function[i].start == paths[i].start);
		assert_true(wpp.table.function[i].control == paths[i].control);
		assert_int_equal(wpp.table.function[i].length, paths[i].length);
	}
	wm_wpp_release(&wpp);
	wm_bytes_release(&file);
}

/* Files of version 2 do not say how their processes ended. */
static void test_version_2(void **state)
{
	(void)state;
	static const uint8_t payload[3 + 16 + 1] = {0, 0, 1, 9};
	uint8_t stored[100];
	struct wm_bytes file;
	struct wm_wpp wpp;
	struct wm_profile_error error;
	size_t size = ZSTD_compress(stored, sizeof stored, payload, sizeof payload, 1);
	wm_bytes_init(&file);
	wm_bytes_put_u64(&file, WM_WPP_MAGIC);
	wm_bytes_put_u64(&file, 2);
	wm_bytes_put_u64(&file, WM_WPP_TABLE);
	wm_bytes_put_u64(&file, size);
	wm_bytes_put_u64(&file, sizeof payload);
	wm_bytes_put_u64(&file, wm_wpp_checksum(file.data + WM_WPP_HEADER_SIZE, stored, size));
	wm_bytes_put(&file, stored, size);
	assert_int_equal(wm_wpp_read(&wpp, file.data, file.size, &error), WM_PROFILE_OK);
	assert_int_equal(wpp.table.process_count, 1);
	assert_int_equal(wpp.table.process[0].run_id_low, 9);
	assert_int_equal(wpp.table.process[0].ending, WM_WPP_END_UNKNOWN);
	wm_wpp_release(&wpp);
	wm_bytes_release(&file);
}

static void expect_refused(const uint8_t *data, size_t size)
{
	struct wm_wpp wpp;
	struct wm_profile_error error;
	assert_int_equal(wm_wpp_read(&wpp, data, size, &error), WM_PROFILE_REFUSED);
}

static void test_damage(void **state)
{
	(void)state;
	struct wm_bytes file;
	write_sample(&file, &table);
	for (size_t size = 0; size < file.size; size++)
		expect_refused(file.data, size);
	for (size_t bit = 0; bit < 8 * file.size; bit++) {
		file.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
		expect_refused(file.data, file.size);
		file.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	wm_bytes_put(&file, "", 1);
	expect_refused(file.data, file.size);
	wm_bytes_release(&file);
}

/* A table that the chunks contradict. */
static void test_wrong_tables(void **state)
{
	(void)state;
	struct wm_wpp_stream longer[] = {{0, 1, 601, 0, 0}, {0, 7, 90, 0, 0}};
	struct wm_wpp_stream no_process[] = {{1, 1, 600, 0, 0}, {0, 7, 90, 0, 0}};
	struct wm_wpp_function no_object[] = {
		{.object = 0, .key = 11, .graph_hash = 12}, {.object = 2, .key = 13, .graph_hash = 14}};
	struct wm_wpp_table wrong[] = {table, table, table, table};
	struct wm_bytes file;
	wrong[0].stream = longer;
	wrong[1].stream = no_process;
	wrong[2].function = no_object;
	wrong[3].stream_count = 1;
	for (size_t i = 0; i < 4; i++) {
		write_sample(&file, &wrong[i]);
		expect_refused(file.data, file.size);
		wm_bytes_release(&file);
	}
}

static void test_no_disk(void **state)
{
	(void)state;
	const struct wm_wpp_writer writer = {NULL, put_nothing};
	struct wm_grammar grammar;
	compress(&grammar, first_stream, 10);
	assert_int_equal(wm_wpp_write_begin(&writer), WM_PROFILE_IO);
	assert_int_equal(wm_wpp_write_chunk(&writer, 0, &grammar), WM_PROFILE_IO);
	assert_int_equal(wm_wpp_write_end(&writer, &table), WM_PROFILE_IO);
	wm_grammar_release(&grammar);
}

/* A recording of a program that wrote no entry. */
static void test_empty(void **state)
{
	(void)state;
	struct wm_bytes file;
	const struct wm_wpp_writer writer = {&file, put};
	const struct wm_wpp_table nothing = {0};
	struct wm_wpp wpp;
	struct wm_profile_error error;
	wm_bytes_init(&file);
	assert_int_equal(wm_wpp_write_begin(&writer), WM_PROFILE_OK);
	assert_int_equal(wm_wpp_write_end(&writer, &nothing), WM_PROFILE_OK);
	assert_int_equal(wm_wpp_read(&wpp, file.data, file.size, &error), WM_PROFILE_OK);
	assert_int_equal(wpp.grammar.rule_count, 1);
	wm_wpp_release(&wpp);
	wm_bytes_release(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_branches),
		cmocka_unit_test(test_version_2),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_wrong_tables),
		cmocka_unit_test(test_no_disk),
		cmocka_unit_test(test_empty),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
