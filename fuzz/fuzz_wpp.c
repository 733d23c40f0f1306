/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The reader of recordings: the input as a file, and as the payload of a chunk and of the tables of a file with true
 * checksums.  The entries of recordings of `waymark hw` are read as paths. */
#include "analysis/machine/entry.h"
#include "core/grammar/hot.h"
#include "profile/wpp/wpp.h"
#include "profile/wpp/wpp_layout.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SHOWN = 1000 };

static void must(bool condition)
{
	if (!condition)
		abort();
}

/* What queries do with a grammar that the reader lets through. */
static void ask(const struct wm_wpp *wpp, const struct wm_grammar_index *index)
{
	struct wm_grammar_reader reader;
	struct wm_arena arena;
	struct wm_hot hot;
	uint64_t length = index->words.sum[0], *weight = calloc(wpp->grammar.word_count + 1, sizeof *weight);
	uint32_t word;
	for (uint32_t w = 0; weight && w < wpp->grammar.word_count; w++)
		weight[w] = 1 + w % 3;
	must(wm_grammar_reader_init(&reader, &wpp->grammar, index) == WM_OK);
	wm_grammar_reader_seek(&reader, length / 2);
	for (uint64_t i = length / 2; i < length && i < length / 2 + SHOWN; i++)
		must(wm_grammar_reader_next(&reader, &word) && word < wpp->grammar.word_count);
	wm_grammar_reader_release(&reader);
	wm_arena_init(&arena);
	const struct wm_hot_query query = {&wpp->grammar, index, weight, 2, 4, 1 + length / 10, NULL};
	enum wm_status status = wm_hot_find(&hot, &query, &arena);
	must(status == WM_OK || status == WM_TOO_MANY);
	for (size_t i = 0; status == WM_OK && i < hot.count; i++)
		must(hot.sequence[i].cost >= query.threshold && hot.sequence[i].cost <= hot.total);
	wm_arena_release(&arena);
	free(weight);
}

static void read_paths(const struct wm_wpp *wpp)
{
	struct wm_hw_path path;
	struct wm_hw_control control;
	for (uint32_t w = 0; w < wpp->grammar.word_count; w++) {
		uint32_t f = wm_stream_function(wpp->grammar.word[w]);
		if (f < wpp->table.function_count &&
			wm_hw_wpp_path(&wpp->table.function[f], wpp->grammar.word[w], &path, &control))
			must(path.length <= WM_HW_MAX_BRANCHES && wm_hw_control_check(&control) == WM_HW_OK &&
				wm_hw_control_pack(&control) == wpp->table.function[f].control);
	}
}

static void read_wpp(const uint8_t *data, size_t size)
{
	struct wm_wpp wpp;
	struct wm_profile_error error;
	struct wm_grammar_index index;
	if (wm_wpp_read(&wpp, data, size, &error) != WM_PROFILE_OK)
		return;
	must(wm_grammar_check(&wpp.grammar) == WM_OK);
	if (wpp.table.kind == WM_WPP_BRANCHES)
		read_paths(&wpp);
	enum wm_status status = wm_grammar_index_make(&index, &wpp.grammar);
	must(status == WM_OK || status == WM_TOO_MANY);
	if (status == WM_OK) {
		ask(&wpp, &index);
		wm_grammar_index_release(&index);
	}
	wm_wpp_release(&wpp);
}

static void put_section(struct wm_bytes *file, uint32_t kind, const uint8_t *payload, size_t size)
{
	size_t room = ZSTD_compressBound(size);
	uint8_t *stored = malloc(room);
	if (!stored)
		return;
	size_t used = ZSTD_compress(stored, room, payload, size, 1);
	must(!ZSTD_isError(used));
	size_t header = file->size;
	wm_bytes_put_u32(file, kind);
	wm_bytes_put_u32(file, 0);
	wm_bytes_put_u64(file, used);
	wm_bytes_put_u64(file, size);
	wm_bytes_put_u64(file, wm_wpp_checksum(file->data + header, stored, used));
	wm_bytes_put(file, stored, used);
	free(stored);
}

/* The table of a file with one stream; its length is the first byte. */
static void put_table(struct wm_bytes *file, uint8_t length)
{
	struct wm_bytes table;
	wm_bytes_init(&table);
	wm_bytes_put(&table, "\0\0\1", 3);
	wm_bytes_put_u64(&table, 0);
	wm_bytes_put_u64(&table, 0);
	wm_bytes_put(&table, "\0\1\0\0", 4);
	wm_bytes_put_uleb(&table, length);
	wm_bytes_put_u64(&table, 0);
	wm_bytes_put_u64(&table, 0);
	put_section(file, WM_WPP_TABLE, table.data, table.size);
	wm_bytes_release(&table);
}

static void read_wrapped(const uint8_t *data, size_t size, uint32_t kind)
{
	struct wm_bytes file;
	wm_bytes_init(&file);
	wm_bytes_put_u64(&file, WM_WPP_MAGIC);
	wm_bytes_put_u32(&file, WM_WPP_VERSION);
	wm_bytes_put_u32(&file, 0);
	if (kind != WM_WPP_CHUNK) {
		put_section(&file, kind, data, size);
	} else if (size) {
		put_section(&file, kind, data + 1, size - 1);
		put_table(&file, data[0]);
	}
	if (!file.failed)
		read_wpp(file.data, file.size);
	wm_bytes_release(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_wpp(data, size);
	read_wrapped(data, size, WM_WPP_CHUNK);
	read_wrapped(data, size, WM_WPP_TABLE);
	read_wrapped(data, size, WM_WPP_TABLE_BRANCHES);
	return 0;
}
