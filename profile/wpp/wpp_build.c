/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profile/wpp/wpp_build.h"

#include "abi/stream.h"
#include "core/base/grow.h"
#include "profile/collect.h"

#include <stdlib.h>
#include <string.h>

enum wm_profile_status wm_wpp_builder_init(
	struct wm_wpp_builder *builder, const struct wm_wpp_writer *writer, uint32_t chunk_symbols)
{
	*builder = (struct wm_wpp_builder){.writer = writer};
	if (wm_sequitur_init(&builder->sequitur, chunk_symbols) != WM_OK)
		return WM_PROFILE_NO_MEMORY;
	return wm_wpp_write_begin(writer);
}

void wm_wpp_builder_release(struct wm_wpp_builder *builder)
{
	wm_sequitur_release(&builder->sequitur);
	wm_wpp_table_release(&builder->table);
	free(builder->index);
	builder->index = NULL;
}

/* ---- The table ----------------------------------------------------------------------- */

static bool is_object(const struct wm_wpp_object *a, const struct wm_wpp_object *b)
{
	return a->build_id_size == b->build_id_size && !memcmp(a->build_id, b->build_id, a->build_id_size) &&
	       (a->build_id_size || !strcmp(a->program, b->program));
}

static bool add_object(struct wm_wpp_table *table, const struct wm_wpp_object *wanted, uint32_t *object)
{
	for (*object = 0; *object < table->object_count; ++*object)
		if (is_object(&table->object[*object], wanted))
			return true;
	if (!WM_GROW(table->object, table->object_count))
		return false;
	table->object[table->object_count++] = *wanted;
	return true;
}

/* Processes of one program list their functions in the same order: the search begins after the last one found. */
static bool add_function(struct wm_wpp_table *table, const struct wm_wpp_function *wanted, uint32_t *at)
{
	for (uint32_t i = 0; i < table->function_count; i++, ++*at) {
		if (*at >= table->function_count)
			*at = 0;
		const struct wm_wpp_function *f = &table->function[*at];
		if (f->object == wanted->object && f->key == wanted->key && f->graph_hash == wanted->graph_hash)
			return true;
	}
	*at = table->function_count;
	if (!WM_GROW(table->function, table->function_count))
		return false;
	table->function[table->function_count++] = *wanted;
	return true;
}

static bool add_functions(struct wm_wpp_builder *builder, const struct wm_raw_recording *recording, uint32_t object)
{
	bool first = true;
	for (uint32_t i = 0; i < builder->table.function_count; i++)
		first = first && builder->table.function[i].object != object;
	uint32_t at = 0, *index = realloc(builder->index, (recording->func_count + 1) * sizeof *index);
	if (!index)
		return false;
	builder->index = index;
	builder->index_count = recording->func_count;
	for (uint64_t i = 0; i < recording->func_count; i++) {
		const struct wm_wpp_function wanted = {
			.object = object, .key = recording->func[i].key, .graph_hash = recording->func[i].graph_hash};
		if (first && WM_GROW(builder->table.function, builder->table.function_count))
			builder->table.function[at = builder->table.function_count++] = wanted;
		else if (first || !add_function(&builder->table, &wanted, &at))
			return false;
		index[i] = at++;
	}
	return true;
}

static bool add_process(struct wm_wpp_table *table, const struct wm_raw_recording *recording)
{
	if (!WM_GROW(table->process, table->process_count))
		return false;
	table->process[table->process_count++] = (struct wm_wpp_process){.run_id_low = recording->run_id_low,
		.run_id_high = recording->run_id_high,
		.ending = recording->flags & WM_RAW_ENDED ? WM_WPP_END_EXIT : WM_WPP_END_OTHER};
	return true;
}

/* ---- Streams ------------------------------------------------------------------------- */

enum wm_profile_status wm_wpp_close_chunk(
	const struct wm_wpp_writer *writer, uint32_t stream, struct wm_sequitur *sequitur)
{
	struct wm_grammar grammar;
	if (!sequitur->length)
		return WM_PROFILE_OK;
	if (wm_sequitur_close(sequitur, &grammar) != WM_OK)
		return WM_PROFILE_NO_MEMORY;
	enum wm_profile_status status = wm_wpp_write_chunk(writer, stream, &grammar);
	wm_grammar_release(&grammar);
	return status;
}

static enum wm_profile_status close_chunk(struct wm_wpp_builder *builder)
{
	return wm_wpp_close_chunk(builder->writer, builder->table.stream_count - 1, &builder->sequitur);
}

/* The entry with the function's index in the table.  Other words stay, and are refused when the walk is rebuilt. */
static uint64_t renumbered(const struct wm_wpp_builder *builder, uint64_t entry)
{
	uint32_t function = wm_stream_function(entry);
	if (wm_stream_is_special(entry) || function >= builder->index_count)
		return entry;
	return wm_stream_subpath(builder->index[function], wm_stream_id(entry));
}

static void append_entry(struct wm_wpp_builder *builder, uint64_t entry)
{
	if (wm_sequitur_is_full(&builder->sequitur))
		builder->status = close_chunk(builder);
	if (!builder->status && wm_sequitur_append(&builder->sequitur, renumbered(builder, entry)) != WM_OK)
		builder->status = WM_PROFILE_NO_MEMORY;
	builder->table.stream[builder->table.stream_count - 1].length++;
}

static bool take_entries(void *closure, const uint64_t *entry, size_t count)
{
	struct wm_wpp_builder *builder = closure;
	builder->stopped |= builder->goes_on && !builder->goes_on(builder->closure, builder->entries);
	for (size_t i = 0; i < count && !builder->status && !builder->stopped; i++)
		append_entry(builder, entry[i]);
	if (builder->stopped && !builder->status)
		append_entry(builder, wm_stream_special(WM_STREAM_STOP, WM_STREAM_STOP_READER));
	builder->entries += count;
	return !builder->status && !builder->stopped;
}

static enum wm_profile_status add_stream(struct wm_wpp_builder *builder, const struct wm_raw_recording *recording,
	size_t index, struct wm_profile_error *error)
{
	struct wm_wpp_table *table = &builder->table;
	const struct wm_raw_recording_stream *stream = &recording->stream[index];
	if (!WM_GROW(table->stream, table->stream_count))
		return WM_PROFILE_NO_MEMORY;
	table->stream[table->stream_count++] = (struct wm_wpp_stream){.process = table->process_count - 1,
		.number = stream->number,
		.parent_low = stream->parent_low,
		.parent_high = stream->parent_high};
	builder->status = WM_PROFILE_OK;
	enum wm_profile_status read = wm_raw_recording_read(recording, index, take_entries, builder, error);
	if (!builder->status)
		builder->status = close_chunk(builder);
	return builder->status ? builder->status : read;
}

enum wm_profile_status wm_wpp_builder_add(struct wm_wpp_builder *builder, const struct wm_raw_recording *recording,
	const char *program, struct wm_profile_error *error)
{
	struct wm_wpp_object wanted = {.build_id_size = recording->build_id_size};
	enum wm_profile_status worst = WM_PROFILE_OK;
	uint32_t object;
	memcpy(wanted.build_id, recording->build_id, recording->build_id_size);
	memcpy(wanted.program, program, strnlen(program, sizeof wanted.program - 1));
	if (!add_object(&builder->table, &wanted, &object) || !add_functions(builder, recording, object) ||
		!add_process(&builder->table, recording))
		return wm_profile_say(WM_PROFILE_NO_MEMORY, error, "there is no memory for its functions");
	for (size_t i = 0; i < recording->stream_count; i++) {
		enum wm_profile_status status = add_stream(builder, recording, i, error);
		if (status == WM_PROFILE_NO_MEMORY || status == WM_PROFILE_IO)
			return wm_profile_say(status, error,
				status == WM_PROFILE_IO ? "its grammar could not be written"
							: "there is no memory for its grammar");
		worst = status ? status : worst;
	}
	return worst;
}

enum wm_profile_status wm_wpp_builder_finish(struct wm_wpp_builder *builder)
{
	return wm_wpp_write_end(builder->writer, &builder->table);
}
