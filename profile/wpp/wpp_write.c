/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define XXH_INLINE_ALL
#include "profile/wpp/wpp.h"

#include "profile/wpp/wpp_layout.h"
#include "profile/wpp/wpp_pack.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

enum { COMPRESSION_LEVEL = 9 };

uint64_t wm_wpp_checksum(const uint8_t *header, const uint8_t *stored, size_t size)
{
	XXH3_state_t state;
	XXH3_64bits_reset(&state);
	XXH3_64bits_update(&state, header, WM_WPP_CHECKSUM_OFFSET);
	XXH3_64bits_update(&state, stored, size);
	return XXH3_64bits_digest(&state);
}

enum wm_profile_status wm_wpp_write_begin(const struct wm_wpp_writer *writer)
{
	struct wm_bytes out;
	wm_bytes_init(&out);
	wm_bytes_put_u64(&out, WM_WPP_MAGIC);
	wm_bytes_put_u32(&out, WM_WPP_VERSION);
	wm_bytes_put_u32(&out, 0);
	bool ok = !out.failed && writer->put(writer->closure, out.data, out.size);
	enum wm_profile_status trouble = out.failed ? WM_PROFILE_NO_MEMORY : WM_PROFILE_IO;
	wm_bytes_release(&out);
	return ok ? WM_PROFILE_OK : trouble;
}

static enum wm_profile_status put_stored(const struct wm_wpp_writer *writer, uint32_t kind, uint32_t stream,
	const uint8_t *stored, const size_t sizes[2])
{
	struct wm_bytes header;
	wm_bytes_init(&header);
	wm_bytes_put_u32(&header, kind);
	wm_bytes_put_u32(&header, stream);
	wm_bytes_put_u64(&header, sizes[0]);
	wm_bytes_put_u64(&header, sizes[1]);
	if (!header.failed)
		wm_bytes_put_u64(&header, wm_wpp_checksum(header.data, stored, sizes[0]));
	bool failed = header.failed;
	bool written = !failed && writer->put(writer->closure, header.data, header.size) &&
		       writer->put(writer->closure, stored, sizes[0]);
	wm_bytes_release(&header);
	if (written)
		return WM_PROFILE_OK;
	return failed ? WM_PROFILE_NO_MEMORY : WM_PROFILE_IO;
}

/* Releases the payload. */
static enum wm_profile_status put_section(
	const struct wm_wpp_writer *writer, uint32_t kind, uint32_t stream, struct wm_bytes *payload)
{
	size_t room = ZSTD_compressBound(payload->size);
	uint8_t *stored = payload->failed ? NULL : malloc(room);
	enum wm_profile_status status = WM_PROFILE_NO_MEMORY;
	if (stored) {
		size_t size = ZSTD_compress(stored, room, payload->data, payload->size, COMPRESSION_LEVEL);
		if (!ZSTD_isError(size))
			status = put_stored(writer, kind, stream, stored, (const size_t[2]){size, payload->size});
	}
	free(stored);
	wm_bytes_release(payload);
	return status;
}

struct ranked {
	uint64_t word;
	uint32_t index;
};

static int by_word(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;
	return (a->word > b->word) - (a->word < b->word);
}

/* Makes a grammar with the same rules and ascending words.  false: no memory. */
static bool sort_words(struct wm_grammar *sorted, const struct wm_grammar *grammar)
{
	size_t words = grammar->word_count, symbols = grammar->first[grammar->rule_count];
	struct ranked *ranked = malloc((words + 1) * sizeof *ranked);
	uint32_t *rank = malloc((words + 1) * sizeof *rank);
	*sorted = *grammar;
	sorted->word = malloc((words + 1) * sizeof *sorted->word);
	sorted->symbol = malloc((symbols + 1) * sizeof *sorted->symbol);
	bool done = ranked && rank && sorted->word && sorted->symbol;
	for (uint32_t w = 0; done && w < words; w++)
		ranked[w] = (struct ranked){grammar->word[w], w};
	if (done && words)
		qsort(ranked, words, sizeof *ranked, by_word);
	for (uint32_t w = 0; done && w < words; w++) {
		sorted->word[w] = ranked[w].word;
		rank[ranked[w].index] = w;
	}
	for (size_t s = 0; done && s < symbols; s++) {
		uint32_t symbol = grammar->symbol[s];
		sorted->symbol[s] = symbol & WM_GRAMMAR_RULE ? symbol : rank[symbol];
	}
	free(ranked);
	free(rank);
	return done;
}

enum wm_profile_status wm_wpp_write_chunk(
	const struct wm_wpp_writer *writer, uint32_t stream, const struct wm_grammar *grammar)
{
	struct wm_bytes out;
	struct wm_grammar sorted;
	uint64_t last = 0;
	wm_bytes_init(&out);
	bool done = sort_words(&sorted, grammar);
	if (done) {
		wm_bytes_put_uleb(&out, sorted.word_count);
		for (uint32_t w = 0; w < sorted.word_count; last = sorted.word[w++])
			wm_bytes_put_uleb(&out, sorted.word[w] - last);
		done = wm_wpp_pack(&out, &sorted);
	}
	free(sorted.word);
	free(sorted.symbol);
	out.failed |= !done;
	return put_section(writer, WM_WPP_CHUNK, stream, &out);
}

static void put_object(struct wm_bytes *out, const struct wm_wpp_object *object)
{
	wm_bytes_put_uleb(out, object->build_id_size);
	wm_bytes_put(out, object->build_id, object->build_id_size);
	wm_bytes_put_string(out, object->program);
}

static void put_function(struct wm_bytes *out, const struct wm_wpp_function *function, enum wm_wpp_kind kind)
{
	wm_bytes_put_uleb(out, function->object);
	switch (kind) {
	case WM_WPP_SUBPATHS:
		wm_bytes_put_u64(out, function->key);
		wm_bytes_put_u64(out, function->graph_hash);
		break;
	case WM_WPP_BRANCHES:
		wm_bytes_put_u64(out, function->start);
		wm_bytes_put_u64(out, function->control | (uint64_t)function->length << WM_WPP_LENGTH_SHIFT);
		break;
	}
}

static void put_process(struct wm_bytes *out, const struct wm_wpp_process *process)
{
	wm_bytes_put_u64(out, process->run_id_low);
	wm_bytes_put_u64(out, process->run_id_high);
	wm_bytes_put_uleb(out, process->ending);
}

static void put_stream(struct wm_bytes *out, const struct wm_wpp_stream *stream)
{
	wm_bytes_put_uleb(out, stream->process);
	wm_bytes_put_uleb(out, stream->number);
	wm_bytes_put_uleb(out, stream->length);
	wm_bytes_put_u64(out, stream->parent_low);
	wm_bytes_put_u64(out, stream->parent_high);
}

enum wm_profile_status wm_wpp_write_end(const struct wm_wpp_writer *writer, const struct wm_wpp_table *table)
{
	struct wm_bytes out;
	wm_bytes_init(&out);
	wm_bytes_put_uleb(&out, table->object_count);
	for (uint32_t i = 0; i < table->object_count; i++)
		put_object(&out, &table->object[i]);
	wm_bytes_put_uleb(&out, table->function_count);
	for (uint32_t i = 0; i < table->function_count; i++)
		put_function(&out, &table->function[i], table->kind);
	wm_bytes_put_uleb(&out, table->process_count);
	for (uint32_t i = 0; i < table->process_count; i++)
		put_process(&out, &table->process[i]);
	wm_bytes_put_uleb(&out, table->stream_count);
	for (uint32_t i = 0; i < table->stream_count; i++)
		put_stream(&out, &table->stream[i]);
	return put_section(writer, table->kind == WM_WPP_BRANCHES ? WM_WPP_TABLE_BRANCHES : WM_WPP_TABLE, 0, &out);
}
