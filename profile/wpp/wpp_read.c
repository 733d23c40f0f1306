/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profile/wpp/wpp.h"

#include "core/base/grow.h"
#include "core/grammar/join.h"
#include "profile/collect.h"
#include "profile/wpp/wpp_layout.h"
#include "profile/wpp/wpp_pack.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

struct chunk {
	uint32_t stream;
	size_t number; /* position in the file */
	struct wm_grammar grammar;
};

struct reader {
	uint32_t version;
	uint64_t budget; /* bytes that may still be unpacked */
	size_t chunk_count;
	struct chunk *chunk;
	struct wm_wpp_table table;
	bool ended; /* the table has been read */
	bool no_memory;
};

void wm_wpp_table_release(struct wm_wpp_table *table)
{
	free(table->object);
	free(table->function);
	free(table->process);
	free(table->stream);
	*table = (struct wm_wpp_table){0};
}

void wm_wpp_release(struct wm_wpp *wpp)
{
	wm_wpp_table_release(&wpp->table);
	wm_grammar_release(&wpp->grammar);
}

static void *allocate_array(struct reader *reader, struct wm_cursor *in, size_t count, size_t size)
{
	void *memory = calloc(count + 1, size);
	if (!memory) {
		reader->no_memory = true;
		wm_cursor_fail(in);
	}
	return memory;
}

/* ---- Chunks -------------------------------------------------------------- */

static void get_words(struct reader *reader, struct wm_cursor *in, struct wm_grammar *grammar)
{
	uint64_t last = 0;
	size_t count = wm_cursor_count(in, 1);
	if (count >= WM_GRAMMAR_RULE) {
		wm_cursor_fail(in);
		return;
	}
	grammar->word = allocate_array(reader, in, count, sizeof *grammar->word);
	for (size_t i = 0; grammar->word && i < count; i++) {
		uint64_t step = wm_cursor_uleb(in);
		if ((i && !step) || __builtin_add_overflow(last, step, &last))
			wm_cursor_fail(in);
		grammar->word[i] = last;
	}
	grammar->word_count = (uint32_t)count;
}

/* Fewer symbols than this take a byte of a packed grammar, except in small grammars. */
enum { MOST_SYMBOLS_PER_BYTE = 64 };

static bool get_rules(struct reader *reader, struct wm_cursor *in, struct wm_grammar *grammar)
{
	uint64_t free_symbols = reader->budget / sizeof *grammar->symbol;
	uint64_t paid = MOST_SYMBOLS_PER_BYTE * (uint64_t)wm_cursor_left(in);
	enum wm_status status = wm_wpp_unpack(in, grammar, paid + free_symbols);
	reader->no_memory |= status == WM_NO_MEMORY;
	if (status != WM_OK)
		return false;
	uint64_t symbols = grammar->first[grammar->rule_count], over = symbols > paid ? symbols - paid : 0;
	reader->budget -= over * sizeof *grammar->symbol;
	return true;
}

static bool get_chunk(struct reader *reader, struct wm_cursor *in, uint32_t stream)
{
	if (!WM_GROW(reader->chunk, reader->chunk_count)) {
		reader->no_memory = true;
		return false;
	}
	struct chunk *chunk = &reader->chunk[reader->chunk_count];
	*chunk = (struct chunk){.stream = stream, .number = reader->chunk_count};
	reader->chunk_count++;
	get_words(reader, in, &chunk->grammar);
	return !in->failed && get_rules(reader, in, &chunk->grammar) && !wm_cursor_left(in) &&
	       wm_grammar_check(&chunk->grammar) == WM_OK;
}

/* ---- The table ----------------------------------------------------------- */

static void get_object(struct wm_cursor *in, struct wm_wpp_object *object)
{
	object->build_id_size = (uint32_t)wm_cursor_bounded(in, WM_BUILD_ID_MAX);
	const uint8_t *id = wm_cursor_take(in, object->build_id_size);
	if (id)
		memcpy(object->build_id, id, object->build_id_size);
	size_t length = (size_t)wm_cursor_bounded(in, WM_PROGRAM_MAX - 1);
	const uint8_t *program = wm_cursor_take(in, length);
	for (size_t i = 0; program && i < length; i++) {
		object->program[i] = (char)program[i];
		if (!wm_program_byte(program[i]))
			wm_cursor_fail(in);
	}
}

static uint32_t get_index(struct wm_cursor *in, uint32_t count)
{
	if (!count)
		wm_cursor_fail(in);
	return (uint32_t)wm_cursor_bounded(in, count ? count - 1 : 0);
}

static void get_function(struct wm_cursor *in, struct wm_wpp_function *function, enum wm_wpp_kind kind)
{
	uint64_t first = wm_cursor_u64(in), second = wm_cursor_u64(in);
	switch (kind) {
	case WM_WPP_SUBPATHS:
		function->key = first;
		function->graph_hash = second;
		break;
	case WM_WPP_BRANCHES:
		function->start = first;
		function->control = second & ((UINT64_C(1) << WM_WPP_LENGTH_SHIFT) - 1);
		function->length = (uint32_t)(second >> WM_WPP_LENGTH_SHIFT);
		break;
	}
}

static void get_functions(struct reader *reader, struct wm_cursor *in)
{
	struct wm_wpp_table *table = &reader->table;
	size_t count = wm_cursor_count(in, WM_WPP_LEAST_FUNCTION);
	table->function = allocate_array(reader, in, count, sizeof *table->function);
	for (size_t i = 0; i < count && !in->failed; i++) {
		struct wm_wpp_function *function = &table->function[table->function_count++];
		function->object = get_index(in, table->object_count);
		get_function(in, function, table->kind);
	}
}

static void get_processes(struct reader *reader, struct wm_cursor *in)
{
	struct wm_wpp_table *table = &reader->table;
	size_t count = wm_cursor_count(in, WM_WPP_LEAST_PROCESS);
	table->process = allocate_array(reader, in, count, sizeof *table->process);
	for (size_t i = 0; i < count && !in->failed; i++) {
		struct wm_wpp_process *process = &table->process[table->process_count++];
		process->run_id_low = wm_cursor_u64(in);
		process->run_id_high = wm_cursor_u64(in);
		if (reader->version > 2)
			process->ending = (enum wm_wpp_ending)wm_cursor_bounded(in, WM_WPP_ENDINGS - 1);
	}
}

static void get_streams(struct reader *reader, struct wm_cursor *in)
{
	struct wm_wpp_table *table = &reader->table;
	size_t count = wm_cursor_count(in, WM_WPP_LEAST_STREAM);
	table->stream = allocate_array(reader, in, count, sizeof *table->stream);
	for (size_t i = 0; i < count && !in->failed; i++) {
		struct wm_wpp_stream *stream = &table->stream[table->stream_count++];
		stream->process = get_index(in, table->process_count);
		stream->number = wm_cursor_uleb(in);
		stream->length = wm_cursor_uleb(in);
		stream->parent_low = wm_cursor_u64(in);
		stream->parent_high = wm_cursor_u64(in);
	}
}

static bool get_table(struct reader *reader, struct wm_cursor *in)
{
	struct wm_wpp_table *table = &reader->table;
	size_t count = wm_cursor_count(in, WM_WPP_LEAST_OBJECT);
	table->object = allocate_array(reader, in, count, sizeof *table->object);
	for (size_t i = 0; i < count && !in->failed; i++)
		get_object(in, &table->object[table->object_count++]);
	get_functions(reader, in);
	get_processes(reader, in);
	get_streams(reader, in);
	reader->ended = true;
	return !in->failed && !wm_cursor_left(in);
}

/* ---- Sections ------------------------------------------------------------ */

static bool get_payload(struct reader *reader, uint32_t kind, uint32_t stream, const uint8_t *payload, size_t size)
{
	struct wm_cursor in;
	wm_cursor_init(&in, payload, size);
	reader->table.kind = kind == WM_WPP_TABLE_BRANCHES ? WM_WPP_BRANCHES : WM_WPP_SUBPATHS;
	return kind == WM_WPP_CHUNK ? get_chunk(reader, &in, stream) : !stream && get_table(reader, &in);
}

struct section {
	uint32_t kind, stream;
	uint64_t stored, size, checksum;
};

static bool unpack(struct reader *reader, const struct section *section, const uint8_t *stored)
{
	uint64_t most = section->stored * WM_WPP_MAX_RATIO, over = section->size > most ? section->size - most : 0;
	if (over > reader->budget)
		return false;
	reader->budget -= over;
	uint8_t *payload = malloc(section->size + 1);
	reader->no_memory |= !payload;
	bool ok = payload && ZSTD_decompress(payload, section->size, stored, section->stored) == section->size &&
		  get_payload(reader, section->kind, section->stream, payload, section->size);
	free(payload);
	return ok;
}

static bool get_section(struct reader *reader, struct wm_cursor *file)
{
	const uint8_t *header = file->at;
	struct section section;
	section.kind = wm_cursor_u32(file);
	section.stream = wm_cursor_u32(file);
	section.stored = wm_cursor_u64(file);
	section.size = wm_cursor_u64(file);
	section.checksum = wm_cursor_u64(file);
	const uint8_t *stored = wm_cursor_take(file, section.stored);
	if (file->failed || !stored || reader->ended || section.kind < WM_WPP_CHUNK ||
		section.kind > WM_WPP_TABLE_BRANCHES)
		return false;
	return wm_wpp_checksum(header, stored, section.stored) == section.checksum && unpack(reader, &section, stored);
}

static int compare_chunks(const void *a, const void *b)
{
	const struct chunk *x = a, *y = b;
	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

/* ---- The whole ----------------------------------------------------------- */

/* The lengths of the streams are those of the sequences of their chunks. */
static enum wm_status check_lengths(const struct reader *reader, const struct wm_grammar *grammar)
{
	struct wm_measure words;
	const struct wm_wpp_table *table = &reader->table;
	enum wm_status status = wm_measure_make(&words, grammar, NULL);
	if (status != WM_OK)
		return status;
	size_t chunk = 0;
	for (uint32_t s = 0; s < table->stream_count && status == WM_OK; s++) {
		uint64_t length = 0;
		for (; chunk < reader->chunk_count && reader->chunk[chunk].stream == s; chunk++)
			length += words.sum[grammar->symbol[chunk] & ~WM_GRAMMAR_RULE];
		if (length != table->stream[s].length)
			status = WM_BAD_GRAPH;
	}
	wm_measure_release(&words);
	return chunk == reader->chunk_count ? status : WM_BAD_GRAPH;
}

static enum wm_status join_chunks(struct reader *reader, struct wm_grammar *grammar)
{
	struct wm_grammar *part = calloc(reader->chunk_count + 1, sizeof *part);
	if (!part || reader->chunk_count >= WM_GRAMMAR_RULE) {
		free(part);
		return WM_NO_MEMORY;
	}
	if (reader->chunk_count)
		qsort(reader->chunk, reader->chunk_count, sizeof *reader->chunk, compare_chunks);
	for (size_t i = 0; i < reader->chunk_count; i++)
		part[i] = reader->chunk[i].grammar;
	enum wm_status status = wm_grammar_join(grammar, part, (uint32_t)reader->chunk_count);
	free(part);
	if (status != WM_OK)
		return status;
	status = check_lengths(reader, grammar);
	if (status != WM_OK)
		wm_grammar_release(grammar);
	return status;
}

static enum wm_profile_status check_header(
	struct wm_cursor *file, size_t size, uint32_t *version_read, struct wm_profile_error *error)
{
	if (wm_cursor_u64(file) != WM_WPP_MAGIC)
		return wm_profile_say(WM_PROFILE_REFUSED, error, size ? "it is no recording" : "it is empty");
	uint32_t version = wm_cursor_u32(file), zero = wm_cursor_u32(file);
	if (version > WM_WPP_VERSION)
		return wm_profile_say(WM_PROFILE_REFUSED, error, "it has version %u and this waymark reads up to %u",
			version, WM_WPP_VERSION);
	if (version == 1)
		return wm_profile_say(WM_PROFILE_REFUSED, error,
			"it has version 1, which no released waymark has written; compress the raw profiles again");
	if (file->failed || !version || zero)
		return wm_profile_say(WM_PROFILE_REFUSED, error, "its header makes no sense");
	*version_read = version;
	return WM_PROFILE_OK;
}

static enum wm_profile_status get_sections(
	struct reader *reader, struct wm_cursor *file, struct wm_profile_error *error)
{
	for (size_t i = 0; wm_cursor_left(file); i++) {
		if (get_section(reader, file))
			continue;
		if (reader->no_memory)
			return wm_profile_say(WM_PROFILE_NO_MEMORY, error, "there is no memory for its grammar");
		return wm_profile_say(WM_PROFILE_REFUSED, error, "its section %zu is damaged or cut short", i);
	}
	if (!reader->ended)
		return wm_profile_say(WM_PROFILE_REFUSED, error, "it is cut short: its last section is missing");
	return WM_PROFILE_OK;
}

static enum wm_profile_status finish_read(struct reader *reader, struct wm_wpp *wpp, struct wm_profile_error *error)
{
	struct wm_grammar grammar;
	enum wm_status status = join_chunks(reader, &grammar);
	if (status == WM_NO_MEMORY)
		return wm_profile_say(WM_PROFILE_NO_MEMORY, error, "there is no memory for its grammar");
	if (status != WM_OK)
		return wm_profile_say(WM_PROFILE_REFUSED, error, "its streams do not have the lengths that it gives");
	*wpp = (struct wm_wpp){reader->table, grammar};
	reader->table = (struct wm_wpp_table){0};
	return WM_PROFILE_OK;
}

enum wm_profile_status wm_wpp_read(struct wm_wpp *wpp, const uint8_t *data, size_t size, struct wm_profile_error *error)
{
	struct reader reader = {.budget = WM_WPP_FREE_PAYLOAD};
	struct wm_cursor file;
	wm_cursor_init(&file, data, size);
	enum wm_profile_status status = check_header(&file, size, &reader.version, error);
	if (!status)
		status = get_sections(&reader, &file, error);
	if (!status)
		status = finish_read(&reader, wpp, error);
	for (size_t i = 0; i < reader.chunk_count; i++)
		wm_grammar_release(&reader.chunk[i].grammar);
	free(reader.chunk);
	wm_wpp_table_release(&reader.table);
	return status;
}

bool wm_wpp_is_recording(const uint8_t *data, size_t size)
{
	struct wm_cursor file;
	wm_cursor_init(&file, data, size);
	return wm_cursor_u64(&file) == WM_WPP_MAGIC;
}
