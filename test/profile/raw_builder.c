/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/profile/raw_builder.h"

#include "abi/counts.h"
#include "abi/unfinished.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

static void *grow(void *old, size_t size)
{
	void *memory = realloc(old, size);
	if (!memory)
		abort();
	return memory;
}

static size_t page_up(size_t size)
{
	return (size + PAGE - 1) / PAGE * PAGE;
}

void raw_builder_init(struct raw_builder *builder)
{
	*builder = (struct raw_builder){0};
	builder->header = (struct wm_raw_header){
		.magic = WM_RAW_MAGIC,
		.version = WM_ABI_VERSION,
		.header_size = sizeof(struct wm_raw_header),
		.run_id_low = 1,
		.run_id_high = 2,
		.start_time = 1700000000,
		.pid = 42,
		.build_id_size = 20,
		.build_id0 = 0x1122334455667788,
		.build_id1 = 7,
		.build_id2 = 9,
		.flags = WM_RAW_KILL_SAFE,
	};
}

size_t raw_builder_function(struct raw_builder *builder, uint64_t key, uint64_t hash, uint32_t flags, uint32_t paths)
{
	struct wm_raw_header *header = &builder->header;
	size_t index = header->func_count++;
	bool hashed = flags & WM_FUNC_HASH;
	builder->func = grow(builder->func, header->func_count * sizeof(*builder->func));
	builder->func[index] = (struct wm_raw_func){.key = key,
		.graph_hash = hash,
		.cells_offset = header->cells_size,
		.cell_count = wm_prefix_cells(flags) + (hashed && !(flags & WM_FUNC_IDS) ? 0 : paths),
		.flags = flags};
	builder->cells = grow(builder->cells, header->cells_size + builder->func[index].cell_count * 8u + 8);
	memset((char *)builder->cells + header->cells_size, 0, builder->func[index].cell_count * 8u);
	header->cells_size += builder->func[index].cell_count * 8u;
	return index;
}

size_t raw_builder_at(const struct raw_builder *builder, size_t func, uint32_t index)
{
	return builder->func[func].cells_offset / 8 + index;
}

uint64_t *raw_builder_cell(struct raw_builder *builder, size_t func, uint32_t index)
{
	return &builder->cells[raw_builder_at(builder, func, index)];
}

static struct wm_raw_chunk *add_chunk(struct raw_builder *builder, size_t size)
{
	size = page_up(size);
	builder->chunks = grow(builder->chunks, builder->chunks_size + size);
	struct wm_raw_chunk *chunk = (void *)(builder->chunks + builder->chunks_size);
	memset(chunk, 0, size);
	builder->chunks_size += size;
	return chunk;
}

uint64_t *raw_builder_cells(struct raw_builder *builder, enum wm_chunk_kind kind)
{
	size_t size = sizeof(struct wm_raw_chunk) + builder->header.cells_size;
	struct wm_raw_chunk *chunk = add_chunk(builder, size);
	*chunk = (struct wm_raw_chunk){.magic = WM_CHUNK_MAGIC, .kind = kind, .size = page_up(size)};
	return (uint64_t *)(chunk + 1);
}

struct wm_hash_table *raw_builder_table(struct raw_builder *builder, size_t func, unsigned log2,
	const struct wm_hash_slot *slots, size_t count, uint64_t flags)
{
	size_t used = wm_table_size((size_t)1 << log2, flags);
	struct wm_raw_chunk *chunk = add_chunk(builder, sizeof(*chunk) + used);
	*chunk = (struct wm_raw_chunk){
		.magic = WM_CHUNK_MAGIC, .kind = WM_CHUNK_TABLES, .size = page_up(sizeof(*chunk) + used), .used = used};
	struct wm_hash_table *table = (void *)(chunk + 1);
	*table = (struct wm_hash_table){.shift = 64 - log2, .func = func, .flags = flags, .magic = WM_TABLE_MAGIC};
	struct wm_hash_slot *slot = (void *)(table + 1);
	for (size_t i = 0; i < count; i++) {
		uint64_t at = wm_hash_key(slots[i].key) >> table->shift;
		while (slot[at].key)
			at = (at + 1) & (((uint64_t)1 << log2) - 1);
		slot[at] = (struct wm_hash_slot){wm_hash_key(slots[i].key), slots[i].count};
	}
	return table;
}

void raw_builder_time(struct wm_hash_table *table, uint64_t id, uint64_t time)
{
	struct wm_hash_slot *slot = (void *)(table + 1);
	uint64_t slots = (uint64_t)1 << (64 - table->shift), *times = (void *)(slot + slots);
	for (uint64_t i = 0; i < slots; i++)
		if (slot[i].key == wm_hash_key(id))
			times[i] = time;
}

struct wm_raw_chunk *raw_builder_words(struct raw_builder *builder, uint64_t kind, const uint64_t *words, size_t count)
{
	size_t used = count * sizeof(*words);
	struct wm_raw_chunk *chunk = add_chunk(builder, sizeof(*chunk) + used);
	*chunk = (struct wm_raw_chunk){
		.magic = WM_CHUNK_MAGIC, .kind = kind, .size = page_up(sizeof(*chunk) + used), .used = used};
	if (count)
		memcpy(chunk + 1, words, used);
	return chunk;
}

struct wm_raw_chunk *raw_builder_unfinished(
	struct raw_builder *builder, const struct wm_unfinished *records, size_t count)
{
	return raw_builder_words(
		builder, WM_CHUNK_UNFINISHED, (const uint64_t *)records, count * sizeof(*records) / sizeof(uint64_t));
}

uint8_t *raw_builder_unfinished_group(uint8_t *at, uint64_t func, const struct wm_unfinished *records, size_t count)
{
	at = wm_put_variable(at, WM_GROUP_UNFINISHED);
	at = wm_put_variable(at, func);
	for (size_t i = 0; i < count; i++) {
		at = wm_put_variable(at, records[i].count);
		at = wm_put_variable(at, records[i].site);
		at = wm_put_variable(at, records[i].sum);
	}
	return wm_put_variable(at, 0);
}

struct wm_raw_chunk *raw_builder_stream(struct raw_builder *builder, const struct wm_raw_chunk *header,
	const uint64_t *words, size_t count, size_t sealed)
{
	size_t size = page_up(WM_STREAM_HEAD + count * sizeof(*words));
	struct wm_raw_chunk *chunk = add_chunk(builder, size);
	struct wm_stream_seal *seal = (struct wm_stream_seal *)(chunk + 1);
	*chunk = *header;
	chunk->magic = WM_CHUNK_MAGIC;
	chunk->kind = WM_CHUNK_STREAM;
	chunk->size = size;
	chunk->used = size - WM_STREAM_HEAD;
	memcpy(seal + 1, words, count * sizeof(*words));
	*seal = (struct wm_stream_seal){sealed, sealed ? wm_stream_sum(chunk, words, sealed) : 0};
	return chunk;
}

uint64_t *raw_builder_ids(struct raw_builder *builder, const uint64_t *words, size_t count)
{
	return (uint64_t *)(raw_builder_words(builder, WM_CHUNK_IDS, words, count) + 1);
}

static void place_parts(struct raw_builder *builder)
{
	struct wm_raw_header *header = &builder->header;
	header->func_offset = sizeof(*header);
	header->cells_offset = page_up(header->func_offset + header->func_count * sizeof(*builder->func));
	header->chunks_offset = page_up(header->cells_offset + header->cells_size);
}

uint64_t raw_builder_counts(struct raw_builder *builder, const uint8_t *groups, size_t size, uint64_t flags)
{
	struct wm_raw_chunk *chunk = add_chunk(builder, sizeof(*chunk) + size);
	memcpy(chunk + 1, groups, size);
	*chunk = (struct wm_raw_chunk){.magic = WM_CHUNK_MAGIC,
		.kind = WM_CHUNK_COUNTS,
		.size = page_up(sizeof(*chunk) + size),
		.used = size,
		.thread = flags,
		.sequence = wm_checksum(WM_CHECKSUM_INIT, (const uint64_t *)(chunk + 1), (size + 7) / 8)};
	place_parts(builder);
	return builder->header.chunks_offset + builder->chunks_size - chunk->size;
}

struct wm_raw_chunk *raw_builder_mark(
	struct raw_builder *builder, const char *name, const uint8_t *groups, size_t groups_size)
{
	size_t length = strlen(name), size = length + groups_size;
	struct wm_raw_chunk *chunk = add_chunk(builder, sizeof(*chunk) + size);
	memcpy(chunk + 1, name, length);
	if (groups_size)
		memcpy((uint8_t *)(chunk + 1) + length, groups, groups_size);
	*chunk = (struct wm_raw_chunk){.magic = WM_CHUNK_MAGIC,
		.kind = WM_CHUNK_TEST,
		.size = page_up(sizeof(*chunk) + size),
		.used = size,
		.thread = length,
		.sequence = wm_checksum(WM_CHECKSUM_INIT, (const uint64_t *)(chunk + 1), (size + 7) / 8)};
	place_parts(builder);
	return chunk;
}

void raw_builder_seal_runs(struct wm_raw_chunk *chunk)
{
	chunk->sequence = wm_checksum(WM_CHECKSUM_INIT, (const uint64_t *)(chunk + 1), (chunk->used + 7) / 8);
	chunk->parent_high = wm_runs_header_sum(chunk);
}

struct wm_raw_chunk *raw_builder_runs(
	struct raw_builder *builder, const struct wm_raw_run *run, size_t count, struct raw_builder_groups groups)
{
	size_t runs = count * sizeof(*run), used = runs + groups.size;
	struct wm_raw_chunk *chunk = add_chunk(builder, sizeof(*chunk) + used);
	*chunk = (struct wm_raw_chunk){.magic = WM_CHUNK_MAGIC,
		.kind = WM_CHUNK_RUNS,
		.size = page_up(sizeof(*chunk) + used),
		.used = used,
		.thread = count,
		.parent_low = groups.base};
	memcpy(chunk + 1, run, runs);
	memcpy((uint8_t *)(chunk + 1) + runs, groups.byte, groups.size);
	raw_builder_seal_runs(chunk);
	return chunk;
}

void raw_builder_gap(struct raw_builder *builder)
{
	add_chunk(builder, PAGE);
}

void raw_image_seal(uint8_t *image)
{
	struct wm_raw_header header;
	memcpy(&header, image, sizeof(header));
	uint64_t sum = WM_CHECKSUM_INIT;
	for (uint64_t i = 0; i < header.func_count; i++) {
		struct wm_raw_func func;
		memcpy(&func, image + header.func_offset + i * sizeof(func), sizeof(func));
		uint64_t words[] = {func.key, func.graph_hash, func.cells_offset,
			func.cell_count | (uint64_t)func.flags << 32, func.source};
		sum = wm_checksum(sum, words, sizeof(words) / sizeof(*words));
	}
	sum = wm_checksum(sum, &header.func_offset, 14);
	memcpy(image + offsetof(struct wm_raw_header, checksum), &sum, sizeof(sum));
}

uint8_t *raw_builder_image(struct raw_builder *builder, size_t *size)
{
	struct wm_raw_header *header = &builder->header;
	place_parts(builder);
	*size = header->chunks_offset + builder->chunks_size;
	header->file_size = *size;
	uint8_t *image = grow(NULL, *size);
	memset(image, 0, *size);
	memcpy(image, header, sizeof(*header));
	if (header->func_count)
		memcpy(image + header->func_offset, builder->func, header->func_count * sizeof(*builder->func));
	if (header->cells_size)
		memcpy(image + header->cells_offset, builder->cells, header->cells_size);
	if (builder->chunks_size)
		memcpy(image + header->chunks_offset, builder->chunks, builder->chunks_size);
	raw_image_seal(image);
	return image;
}

void raw_builder_release(struct raw_builder *builder)
{
	free(builder->func);
	free(builder->cells);
	free(builder->chunks);
}
