/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profile/raw/raw_recording.h"
#include "core/base/grow.h"
#include "profile/collect.h"
#include "profile/raw/raw_file.h"
#include "profile/raw/spool_layout.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { PIECE = 512 };
#define MOST_WORDS (WM_STREAM_FULL / sizeof(uint64_t))

struct wm_raw_recording_chunk {
	uint64_t thread, sequence, parent_low, parent_high;
	uint64_t words;
	const uint8_t *data; /* words, or a zstd frame */
	uint64_t stored; /* bytes of the frame; 0: the words are stored as they are */
	struct wm_stream_seal seal; /* of words that are stored as they are */
};

static bool add_chunk(struct wm_raw_recording *r, struct wm_raw_recording_chunk chunk)
{
	if (!WM_GROW(r->chunk, r->chunk_count))
		return false;
	r->chunk[r->chunk_count++] = chunk;
	return true;
}

/* ---- The raw profile ------------------------------------------------------------- */

struct reading {
	struct wm_raw_recording *recording;
	bool no_memory;
};

static bool visit_chunk(void *closure, const uint8_t *at, const struct wm_raw_chunk *chunk)
{
	struct reading *reading = closure;
	if (chunk->kind != WM_CHUNK_STREAM || !chunk->used || reading->no_memory)
		return true; /* not used: spooled */
	if (chunk->used != chunk->size - WM_STREAM_HEAD || chunk->used > WM_STREAM_FULL)
		return false;
	struct wm_raw_recording_chunk found = {chunk->thread, chunk->sequence, chunk->parent_low, chunk->parent_high,
		chunk->used / sizeof(uint64_t), at + WM_STREAM_HEAD, 0, {0, 0}};
	memcpy(&found.seal, at + sizeof(*chunk), sizeof(found.seal));
	reading->no_memory = !add_chunk(reading->recording, found);
	return true;
}

static enum wm_profile_status read_raw(
	struct wm_raw_recording *r, const uint8_t *data, size_t size, struct wm_profile_error *error)
{
	struct wm_raw_file file;
	struct reading reading = {r, false};
	enum wm_profile_status status = wm_raw_file_open(&file, data, size, error);
	if (!status)
		status = wm_raw_file_load(&file, error);
	if (status) {
		wm_raw_file_close(&file);
		return status;
	}
	if (!wm_raw_file_chunks(&file, visit_chunk, &reading))
		status = wm_profile_say(WM_PROFILE_DAMAGED, error,
			"what follows its function table is damaged or cut short: its streams may lack entries");
	r->run_id_low = file.header.run_id_low;
	r->run_id_high = file.header.run_id_high;
	r->pid = file.header.pid;
	r->flags = file.header.flags;
	r->build_id_size =
		file.header.build_id_size < WM_BUILD_ID_MAX ? (uint32_t)file.header.build_id_size : WM_BUILD_ID_MAX;
	memcpy(r->build_id, &file.header.build_id0, WM_BUILD_ID_MAX);
	r->func_count = file.header.func_count;
	r->func = file.func;
	file.func = NULL;
	wm_raw_file_close(&file);
	return reading.no_memory ? wm_profile_say(WM_PROFILE_NO_MEMORY, error, "there is no memory for its chunks")
				 : status;
}

/* ---- The spool file ---------------------------------------------------------------- */

/* False: there is no whole block at *offset. */
static bool next_block(const uint8_t *data, size_t size, size_t *offset, struct wm_raw_recording_chunk *chunk)
{
	struct wm_spool_block block;
	if (size - *offset < sizeof(block))
		return false;
	memcpy(&block, data + *offset, sizeof(block));
	const uint8_t *frame = data + *offset + sizeof(block);
	size_t left = size - *offset - sizeof(block);
	if (block.magic != WM_SPOOL_BLOCK_MAGIC || block.words > MOST_WORDS || !block.stored || block.stored > left ||
		wm_spool_padded(block.stored) > left || wm_spool_checksum(&block, frame) != block.checksum)
		return false;
	*chunk = (struct wm_raw_recording_chunk){block.thread, block.sequence, block.parent_low, block.parent_high,
		block.words, frame, block.stored, {0, 0}};
	*offset += sizeof(block) + wm_spool_padded(block.stored);
	return true;
}

static enum wm_profile_status read_spool(
	struct wm_raw_recording *r, const uint8_t *data, size_t size, struct wm_profile_error *error)
{
	struct wm_spool_header header;
	struct wm_raw_recording_chunk chunk;
	size_t offset = sizeof(header);
	if (size < sizeof(header))
		return WM_PROFILE_OK; /* nothing was spooled yet */
	memcpy(&header, data, sizeof(header));
	if (header.magic != WM_SPOOL_MAGIC || header.version != WM_SPOOL_VERSION)
		return wm_profile_say(WM_PROFILE_REFUSED, error, "its spool file is none, or of another version");
	if (header.run_id_low != r->run_id_low || header.run_id_high != r->run_id_high)
		return wm_profile_say(WM_PROFILE_REFUSED, error, "its spool file belongs to another run");
	while (next_block(data, size, &offset, &chunk))
		if (!add_chunk(r, chunk))
			return wm_profile_say(WM_PROFILE_NO_MEMORY, error, "there is no memory for its chunks");
	return WM_PROFILE_OK;
}

/* ---- Streams -------------------------------------------------------------------------- */

/* A chunk that is in both files was spooled and not yet taken out of the raw profile: the first is as good.  Where chunks
 * have no number, they are in the order of the file; the sort must keep it. */
static int compare_chunks(const void *a, const void *b)
{
	const struct wm_raw_recording_chunk *x = a, *y = b;
	uint64_t m = wm_chunk_number(x->sequence), n = wm_chunk_number(y->sequence);
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (m != n)
		return m < n ? -1 : 1;
	if (!x->stored != !y->stored)
		return x->stored ? -1 : 1;
	return x->data < y->data ? -1 : x->data > y->data;
}

static bool is_copy(const struct wm_raw_recording_chunk *chunk, const struct wm_raw_recording_chunk *before)
{
	return chunk->thread == before->thread && wm_chunk_number(chunk->sequence) &&
	       wm_chunk_number(chunk->sequence) == wm_chunk_number(before->sequence);
}

static void drop_copies(struct wm_raw_recording *r)
{
	size_t kept = 0;
	for (size_t i = 0; i < r->chunk_count; i++) {
		if (kept && is_copy(&r->chunk[i], &r->chunk[kept - 1])) {
			/* The stop is noted in the raw profile after the chunk may have been spooled. */
			r->chunk[kept - 1].sequence |= r->chunk[i].sequence;
			continue;
		}
		r->chunk[kept++] = r->chunk[i];
	}
	r->chunk_count = kept;
}

/* `damaged`: chunks may be missing, of any stream. */
static bool list_streams(struct wm_raw_recording *r, bool damaged)
{
	if (r->chunk_count)
		qsort(r->chunk, r->chunk_count, sizeof(*r->chunk), compare_chunks);
	drop_copies(r);
	for (size_t i = 0; i < r->chunk_count; i++) {
		const struct wm_raw_recording_chunk *chunk = &r->chunk[i];
		if (!i || chunk->thread != chunk[-1].thread) {
			if (!WM_GROW(r->stream, r->stream_count))
				return false;
			r->stream[r->stream_count++] = (struct wm_raw_recording_stream){.number = chunk->thread,
				.parent_low = chunk->parent_low,
				.parent_high = chunk->parent_high,
				.stop = damaged ? WM_STREAM_STOP_DAMAGED : 0,
				.first = i};
		}
		struct wm_raw_recording_stream *stream = &r->stream[r->stream_count - 1];
		uint64_t stop = wm_chunk_stop(chunk->sequence);
		stream->count++;
		stream->most_entries += chunk->words;
		if (stop && stop <= WM_STREAM_STOP_FOREIGN)
			stream->stop = (enum wm_stream_stop)stop;
	}
	return true;
}

enum wm_profile_status wm_raw_recording_open(struct wm_raw_recording *recording, const uint8_t *raw, size_t raw_size,
	const uint8_t *spool, size_t spool_size, struct wm_profile_error *error)
{
	struct wm_raw_recording made = {0};
	enum wm_profile_status status = read_raw(&made, raw, raw_size, error), more = WM_PROFILE_OK;
	if (spool && (status == WM_PROFILE_OK || status == WM_PROFILE_DAMAGED))
		more = read_spool(&made, spool, spool_size, error);
	status = more ? more : status;
	if ((status == WM_PROFILE_OK || status == WM_PROFILE_DAMAGED) &&
		!list_streams(&made, status == WM_PROFILE_DAMAGED))
		status = wm_profile_say(WM_PROFILE_NO_MEMORY, error, "there is no memory for its streams");
	if (status == WM_PROFILE_OK || status == WM_PROFILE_DAMAGED)
		*recording = made;
	else
		wm_raw_recording_close(&made);
	return status;
}

void wm_raw_recording_close(struct wm_raw_recording *recording)
{
	free(recording->func);
	free(recording->stream);
	free(recording->chunk);
	*recording = (struct wm_raw_recording){0};
}

/* ---- Damage ---------------------------------------------------------------------------- */

/* A frame leaves a hole if a signal handler that interrupted it does not return.  More holes in a row than handlers can be nested
 * are no holes, but words that were never written. */
enum { MOST_HOLES = 64 };

static bool is_sealed(const struct wm_raw_recording_chunk *chunk, uint8_t *room)
{
	const struct wm_raw_chunk header = {.thread = chunk->thread,
		.sequence = chunk->sequence,
		.parent_low = chunk->parent_low,
		.parent_high = chunk->parent_high};
	if (!chunk->seal.words)
		return true;
	if (chunk->seal.words > chunk->words)
		return false;
	memcpy(room, chunk->data, chunk->seal.words * sizeof(uint64_t));
	return wm_stream_sum(&header, (const uint64_t *)(const void *)room, chunk->seal.words) == chunk->seal.sum;
}

/* Word `at` of a chunk.  The first entries of a stream occur nowhere else. */
static bool is_plausible(const struct wm_raw_recording *recording, uint64_t entry, uint64_t at)
{
	uint32_t function = wm_stream_function(entry);
	unsigned kind = wm_stream_kind(entry);
	if (wm_stream_is_special(entry))
		return kind < WM_STREAM_STOP && (at < 2 || kind > WM_STREAM_PARENT);
	return function < recording->func_count && recording->func[function].flags & WM_FUNC_STREAM;
}

/* How many words are sealed, or holes and plausible entries after those.  Zeros at the end are not counted. */
static uint64_t count_plausible(const struct wm_raw_recording *recording, const struct wm_raw_recording_chunk *chunk)
{
	uint64_t good = chunk->seal.words;
	for (uint64_t i = good; i < chunk->words; i++) {
		uint64_t entry = wm_raw_load(chunk->data + i * sizeof(entry));
		if (!entry)
			continue;
		if (i - good > MOST_HOLES || !is_plausible(recording, entry, i))
			break;
		good = i + 1;
	}
	return good;
}

/* ---- Entries --------------------------------------------------------------------------- */

struct giving {
	const struct wm_raw_recording *recording;
	wm_raw_recording_take *take;
	void *closure;
	bool stopped;
};

/* Entries are copied before they are used: a live program may still write there. */
static void give(struct giving *giving, const uint8_t *data, uint64_t words)
{
	uint64_t piece[PIECE], count;
	for (; words && !giving->stopped; words -= count, data += count * sizeof(*piece)) {
		count = words < PIECE ? words : PIECE;
		memcpy(piece, data, count * sizeof(*piece));
		giving->stopped = !giving->take(giving->closure, piece, (size_t)count);
	}
}

static uint64_t without_zeros(const uint8_t *data, uint64_t words)
{
	while (words && wm_raw_load(data + (words - 1) * sizeof(uint64_t)) == 0)
		words--;
	return words;
}

static enum wm_profile_status say_damaged(
	const struct wm_raw_recording_chunk *chunk, const char *where, struct wm_profile_error *error)
{
	return wm_profile_say(WM_PROFILE_DAMAGED, error, "chunk %llu of stream %llu is damaged%s",
		(unsigned long long)wm_chunk_number(chunk->sequence), (unsigned long long)chunk->thread, where);
}

static enum wm_profile_status give_spooled(struct giving *giving, const struct wm_raw_recording_chunk *chunk, bool last,
	uint8_t *room, struct wm_profile_error *error)
{
	size_t size = ZSTD_decompress(room, WM_STREAM_FULL, chunk->data, chunk->stored);
	if (ZSTD_isError(size) || size != chunk->words * sizeof(uint64_t))
		return say_damaged(chunk, " in the spool file", error);
	give(giving, room, last ? without_zeros(room, chunk->words) : chunk->words);
	return WM_PROFILE_OK;
}

static enum wm_profile_status give_raw(struct giving *giving, const struct wm_raw_recording_chunk *chunk, bool last,
	uint8_t *room, struct wm_profile_error *error)
{
	if (!is_sealed(chunk, room))
		return say_damaged(chunk, "", error);
	uint64_t good = count_plausible(giving->recording, chunk), written = without_zeros(chunk->data, chunk->words);
	if (good < written || (!last && chunk->words - good > MOST_HOLES)) {
		give(giving, chunk->data, good);
		return say_damaged(chunk, " or was not written as a whole", error);
	}
	give(giving, chunk->data, last ? written : chunk->words);
	return WM_PROFILE_OK;
}

enum wm_profile_status wm_raw_recording_read(const struct wm_raw_recording *recording, size_t index,
	wm_raw_recording_take *take, void *closure, struct wm_profile_error *error)
{
	const struct wm_raw_recording_stream *stream = &recording->stream[index];
	struct giving giving = {recording, take, closure, false};
	enum wm_profile_status status = WM_PROFILE_OK;
	uint8_t *room = malloc(WM_STREAM_FULL);
	if (!room)
		return wm_profile_say(WM_PROFILE_NO_MEMORY, error, "there is no memory for a chunk");
	for (size_t i = 0; i < stream->count && !giving.stopped && !status; i++) {
		const struct wm_raw_recording_chunk *chunk = &recording->chunk[stream->first + i];
		uint64_t number = wm_chunk_number(chunk->sequence);
		if (number && number != i + 1)
			status = wm_profile_say(WM_PROFILE_DAMAGED, error, "chunk %zu of stream %llu is missing", i + 1,
				(unsigned long long)stream->number);
		else
			status = (chunk->stored ? give_spooled : give_raw)(
				&giving, chunk, i + 1 == stream->count, room, error);
	}
	enum wm_stream_stop why = status == WM_PROFILE_DAMAGED ? WM_STREAM_STOP_DAMAGED : stream->stop;
	uint64_t stop = wm_stream_special(WM_STREAM_STOP, why);
	if (why && !giving.stopped)
		take(closure, &stop, 1);
	free(room);
	return status;
}
