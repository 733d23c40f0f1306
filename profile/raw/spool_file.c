/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Moves chunks from a raw profile to a spool file.  The program does not write to a full chunk any more, except to its
 * holes, so a chunk without a hole does not change while it is copied.
 */
#include "profile/raw/spool_file.h"
#include "core/base/grow.h"
#include "profile/collect.h"
#include "profile/raw/raw_file.h"
#include "profile/raw/spool_layout.h"

#include <stdlib.h>
#include <zstd.h>

enum { LEVEL = 1 };

struct candidate {
	struct wm_raw_chunk chunk;
	uint64_t offset;
};
struct pass {
	uint8_t *raw;
	struct candidate *candidate;
	size_t count;
	bool no_memory;
	uint64_t *word; /* room for the largest chunk */
	uint8_t *block; /* room for its block */
};

static bool visit_chunk(void *closure, const uint8_t *at, const struct wm_raw_chunk *chunk)
{
	struct pass *pass = closure;
	if (chunk->kind != WM_CHUNK_STREAM || !chunk->used || pass->no_memory)
		return true;
	if (chunk->used != chunk->size - WM_STREAM_HEAD || chunk->used > WM_STREAM_FULL)
		return false;
	pass->no_memory = !WM_GROW(pass->candidate, pass->count);
	if (!pass->no_memory)
		pass->candidate[pass->count++] = (struct candidate){*chunk, (uint64_t)(at - pass->raw)};
	return true;
}

static int compare_chunks(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	uint64_t m = wm_chunk_number(x->chunk.sequence), n = wm_chunk_number(y->chunk.sequence);
	if (x->chunk.thread != y->chunk.thread)
		return x->chunk.thread < y->chunk.thread ? -1 : 1;
	return m < n ? -1 : m > n;
}

/* The program may have begun to use the chunk again while its header was read; it writes `sequence` before `used`. */
static bool is_same(const struct pass *pass, const struct candidate *candidate)
{
	const uint8_t *at = pass->raw + candidate->offset + offsetof(struct wm_raw_chunk, sequence);
	return __atomic_load_n((const uint64_t *)(const void *)at, __ATOMIC_ACQUIRE) == candidate->chunk.sequence;
}

/* A damaged chunk stays where it is, and those who read it say so.  A chunk that had a hole when it became full is sealed in
 * part. */
static bool is_intact(const struct pass *pass, const struct candidate *candidate)
{
	struct wm_stream_seal seal;
	memcpy(&seal, pass->raw + candidate->offset + sizeof(struct wm_raw_chunk), sizeof(seal));
	return !seal.words || (seal.words <= candidate->chunk.used / sizeof(uint64_t) &&
				      wm_stream_sum(&candidate->chunk, pass->word, seal.words) == seal.sum);
}

static bool copy_words(const struct pass *pass, const struct candidate *candidate)
{
	size_t words = candidate->chunk.used / sizeof(uint64_t);
	bool hole = false;
	if (!is_same(pass, candidate))
		return false;
	memcpy(pass->word, pass->raw + candidate->offset + WM_STREAM_HEAD, candidate->chunk.used);
	for (size_t i = 0; i < words; i++)
		hole |= !pass->word[i];
	return !hole && is_intact(pass, candidate);
}

static size_t make_block(const struct pass *pass, const struct wm_raw_chunk *chunk)
{
	struct wm_spool_block block = {.magic = WM_SPOOL_BLOCK_MAGIC,
		.thread = chunk->thread,
		.sequence = chunk->sequence,
		.parent_low = chunk->parent_low,
		.parent_high = chunk->parent_high,
		.words = chunk->used / sizeof(uint64_t)};
	uint8_t *frame = pass->block + sizeof(block);
	size_t size = ZSTD_compress(frame, ZSTD_compressBound(WM_STREAM_FULL), pass->word, chunk->used, LEVEL);
	if (ZSTD_isError(size))
		return 0;
	block.stored = size;
	block.checksum = wm_spool_checksum(&block, frame);
	memset(frame + size, 0, wm_spool_padded(size) - size);
	memcpy(pass->block, &block, sizeof(block));
	return sizeof(block) + wm_spool_padded(size);
}

static void give_back(const struct pass *pass, const struct candidate *candidate)
{
	uint8_t *at = pass->raw + candidate->offset;
	memset(at + sizeof(struct wm_raw_chunk), 0, sizeof(struct wm_stream_seal) + candidate->chunk.used);
	__atomic_store_n((uint64_t *)(void *)(at + offsetof(struct wm_raw_chunk, used)), 0, __ATOMIC_RELEASE);
}

static bool is_full(const struct pass *pass, size_t i)
{
	return i + 1 < pass->count && pass->candidate[i].chunk.thread == pass->candidate[i + 1].chunk.thread &&
	       wm_chunk_number(pass->candidate[i].chunk.sequence);
}

static size_t move_chunks(const struct pass *pass, wm_spool_write *write, void *closure)
{
	size_t moved = 0;
	for (size_t i = 0; i < pass->count; i++) {
		if (!is_full(pass, i) || !copy_words(pass, &pass->candidate[i]))
			continue;
		size_t size = make_block(pass, &pass->candidate[i].chunk);
		if (!size || !write(closure, pass->block, size))
			break;
		give_back(pass, &pass->candidate[i]);
		moved++;
	}
	return moved;
}

enum wm_profile_status wm_spool_begin(
	struct wm_spool_header *header, const uint8_t *raw, size_t size, struct wm_profile_error *error)
{
	struct wm_raw_file file;
	enum wm_profile_status status = wm_raw_file_open(&file, raw, size, error);
	if (!status)
		*header = (struct wm_spool_header){
			WM_SPOOL_MAGIC, WM_SPOOL_VERSION, file.header.run_id_low, file.header.run_id_high};
	wm_raw_file_close(&file);
	return status;
}

enum wm_profile_status wm_spool_pass(
	uint8_t *raw, size_t size, wm_spool_write *write, void *closure, size_t *moved, struct wm_profile_error *error)
{
	struct wm_raw_file file;
	struct pass pass = {.raw = raw,
		.word = malloc(WM_STREAM_FULL),
		.block = malloc(sizeof(struct wm_spool_block) + ZSTD_compressBound(WM_STREAM_FULL) + 8)};
	enum wm_profile_status status = wm_raw_file_open(&file, raw, size, error);
	*moved = 0;
	if (!status && !wm_raw_file_chunks(&file, visit_chunk, &pass))
		status = wm_profile_say(WM_PROFILE_DAMAGED, error, "a chunk is damaged or cut short");
	if (pass.no_memory || !pass.word || !pass.block)
		status = wm_profile_say(WM_PROFILE_NO_MEMORY, error, "there is no memory to compress a chunk");
	if (pass.count)
		qsort(pass.candidate, pass.count, sizeof(*pass.candidate), compare_chunks);
	if (status != WM_PROFILE_NO_MEMORY && status != WM_PROFILE_REFUSED)
		*moved = move_chunks(&pass, write, closure);
	wm_raw_file_close(&file);
	free(pass.candidate);
	free(pass.word);
	free(pass.block);
	return status;
}
