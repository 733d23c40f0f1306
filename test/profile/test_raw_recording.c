/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Recordings: streams in chunks, moved to a spool file, missing, stopped and damaged. */
#include "test/profile/testing.h"

#include "profile/raw/raw_recording.h"
#include "profile/raw/spool_file.h"
#include "test/profile/raw_builder.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 502, CHUNKS = 4 }; /* a chunk of one page is full */

struct bytes {
	uint8_t data[1 << 16];
	size_t size;
};

static bool keep(void *closure, const uint8_t *data, size_t size)
{
	struct bytes *bytes = closure;
	assert_true(size <= sizeof(bytes->data) - bytes->size);
	memcpy(bytes->data + bytes->size, data, size);
	bytes->size += size;
	return true;
}

static bool refuse(void *closure, const uint8_t *data, size_t size)
{
	(void)closure, (void)data, (void)size;
	return false;
}

static uint64_t entry_of(uint64_t stream, uint64_t n)
{
	return wm_stream_subpath((uint32_t)stream, (uint32_t)n);
}

/* Two streams of CHUNKS chunks each.  The last chunks are half full.  `ended`: they are sealed too. */
static uint8_t *image(struct raw_builder *builder, size_t *size, bool ended)
{
	raw_builder_init(builder);
	raw_builder_function(builder, 1, 1, WM_FUNC_STREAM, 0);
	raw_builder_function(builder, 2, 2, WM_FUNC_STREAM, 0);
	for (uint64_t c = 0; c < CHUNKS; c++)
		for (uint64_t s = 0; s < 2; s++) {
			uint64_t word[WORDS] = {0};
			bool last = c + 1 == CHUNKS;
			size_t count = last ? WORDS / 2 : WORDS;
			for (uint64_t i = 0; i < count; i++)
				word[i] = entry_of(s, c * WORDS + i + 1);
			raw_builder_stream(builder,
				&(struct wm_raw_chunk){.thread = s,
					.sequence = wm_chunk_sequence(c + 1, s && last ? WM_STREAM_STOP_FULL : 0)},
				word, WORDS, last && !ended ? 0 : count);
		}
	return raw_builder_image(builder, size);
}

struct heard {
	uint64_t stream, next;
	bool stopped;
};

static bool hear(void *closure, const uint64_t *entry, size_t count)
{
	struct heard *heard = closure;
	for (size_t i = 0; i < count; i++) {
		if (wm_stream_is_special(entry[i])) {
			assert_int_equal(wm_stream_kind(entry[i]), WM_STREAM_STOP);
			heard->stopped = true;
			continue;
		}
		assert_int_equal(entry[i], entry_of(heard->stream, ++heard->next));
	}
	return true;
}

static void check(const uint8_t *raw, size_t size, const struct bytes *spool)
{
	struct wm_raw_recording recording;
	struct wm_profile_error error;
	assert_int_equal(wm_raw_recording_open(
				 &recording, raw, size, spool ? spool->data : NULL, spool ? spool->size : 0, &error),
		WM_PROFILE_OK);
	assert_int_equal(recording.stream_count, 2);
	for (size_t s = 0; s < 2; s++) {
		struct heard heard = {s, 0, false};
		assert_int_equal(recording.stream[s].number, s);
		assert_int_equal(wm_raw_recording_read(&recording, s, hear, &heard, &error), WM_PROFILE_OK);
		assert_int_equal(heard.next, (CHUNKS - 1) * WORDS + WORDS / 2);
		assert_int_equal(heard.stopped, s == 1);
	}
	wm_raw_recording_close(&recording);
}

static void begin(struct bytes *spool, const uint8_t *raw, size_t size)
{
	struct wm_spool_header header;
	struct wm_profile_error error;
	assert_int_equal(wm_spool_begin(&header, raw, size, &error), WM_PROFILE_OK);
	spool->size = 0;
	keep(spool, (const uint8_t *)&header, sizeof(header));
}

static void chunks_move(void **state)
{
	(void)state;
	static struct bytes spool;
	struct raw_builder builder;
	struct wm_profile_error error;
	size_t size, moved;
	uint8_t *raw = image(&builder, &size, false), *before = malloc(size);
	memcpy(before, raw, size);
	check(raw, size, NULL);
	begin(&spool, raw, size);
	/* What cannot be written stays. */
	assert_int_equal(wm_spool_pass(raw, size, refuse, NULL, &moved, &error), WM_PROFILE_OK);
	assert_true(moved == 0 && !memcmp(before, raw, size));
	/* A chunk with a hole waits, and the last of each stream is not full. */
	uint8_t *hole = raw + builder.header.chunks_offset + WM_STREAM_HEAD + 8;
	uint64_t word = 0, kept;
	memcpy(&kept, hole, 8);
	memcpy(hole, &word, 8);
	assert_int_equal(wm_spool_pass(raw, size, keep, &spool, &moved, &error), WM_PROFILE_OK);
	assert_int_equal(moved, 2 * (CHUNKS - 1) - 1);
	memcpy(hole, &kept, 8);
	check(raw, size, &spool);
	assert_int_equal(wm_spool_pass(raw, size, keep, &spool, &moved, &error), WM_PROFILE_OK);
	assert_int_equal(moved, 1);
	check(raw, size, &spool);
	assert_int_equal(wm_spool_pass(raw, size, keep, &spool, &moved, &error), WM_PROFILE_OK);
	assert_int_equal(moved, 0);
	/* Chunks that are in both files: the spooler died before it could take them out. */
	check(before, size, &spool);
	free(before);
	free(raw);
	raw_builder_release(&builder);
}

/* Cut or changed anywhere, the spool file gives a beginning of the truth, never a lie. */
static void spool_is_damaged(void **state)
{
	(void)state;
	static struct bytes spool, copy;
	struct raw_builder builder;
	struct wm_raw_recording recording;
	struct wm_profile_error error;
	size_t size, moved, damaged = 0;
	uint8_t *raw = image(&builder, &size, false);
	begin(&spool, raw, size);
	assert_int_equal(wm_spool_pass(raw, size, keep, &spool, &moved, &error), WM_PROFILE_OK);
	for (size_t at = 0; at < spool.size; at++) {
		copy = spool;
		if (at % 2)
			copy.size = at;
		else
			copy.data[at] ^= (uint8_t)(1 << at / 2 % 8);
		if (wm_raw_recording_open(&recording, raw, size, copy.data, copy.size, &error))
			continue;
		for (size_t s = 0; s < recording.stream_count; s++) {
			struct heard heard = {s, 0, false};
			damaged += wm_raw_recording_read(&recording, s, hear, &heard, &error) == WM_PROFILE_DAMAGED;
		}
		wm_raw_recording_close(&recording);
	}
	assert_true(damaged > 100);
	/* Of another run. */
	copy = spool;
	copy.data[offsetof(struct wm_spool_header, run_id_low)] ^= 1;
	assert_int_equal(
		wm_raw_recording_open(&recording, raw, size, copy.data, copy.size, &error), WM_PROFILE_REFUSED);
	free(raw);
	raw_builder_release(&builder);
}

/* Whether every stream was read to its end; what is given is the truth, or a beginning of it.  Then a stream ends with STOP: not always
 * the one that is cut short, because a chunk may claim to be of another stream. */
static bool is_whole(const uint8_t *raw, size_t size)
{
	struct wm_raw_recording recording;
	struct wm_profile_error error;
	enum wm_profile_status status = wm_raw_recording_open(&recording, raw, size, NULL, 0, &error);
	bool whole = status == WM_PROFILE_OK, stopped = false;
	if (status != WM_PROFILE_OK && status != WM_PROFILE_DAMAGED)
		return false;
	for (size_t s = 0; s < recording.stream_count; s++) {
		struct heard heard = {recording.stream[s].number, 0, false};
		whole &= wm_raw_recording_read(&recording, s, hear, &heard, &error) == WM_PROFILE_OK;
		whole &= heard.next == (CHUNKS - 1) * WORDS + WORDS / 2;
		stopped |= heard.stopped;
	}
	assert_true(whole || stopped || !recording.stream_count);
	wm_raw_recording_close(&recording);
	return whole;
}

/* Words that were never written, in the last chunks of both streams. */
static bool is_free(size_t from_end)
{
	return from_end % 4096 <= 8 * (WORDS - WORDS / 2) && from_end <= 2 * 4096;
}

/* A flipped bit in the chunks of a program that ended by exit is noticed, wherever it is.  Only what looks like an entry directly
 * after the last one may be one that was written when the program ended. */
static void flips_are_noticed(void **state)
{
	(void)state;
	struct raw_builder builder;
	size_t size;
	uint8_t *raw = image(&builder, &size, true);
	assert_true(is_whole(raw, size));
	for (size_t at = builder.header.chunks_offset; at < size; at++) {
		if (is_free(size - at) && at % 8 > 3)
			continue;
		raw[at] ^= (uint8_t)(1 << at % 8);
		assert_false(is_whole(raw, size));
		raw[at] ^= (uint8_t)(1 << at % 8);
	}
	free(raw);
	raw_builder_release(&builder);
}

/* The open chunk of a program that was killed has no checksum: entries of functions that the program does not have, special entries
 * that threads do not write, and entries far behind the last one are noticed. */
static void implausible_entries(void **state)
{
	(void)state;
	struct raw_builder builder;
	size_t size;
	uint8_t *raw = image(&builder, &size, false), *last = raw + size - 4096 + WM_STREAM_HEAD;
	const struct {
		size_t at;
		uint64_t word;
	} damage[] = {{3, entry_of(2, 1)}, {3, 1}, {3, wm_stream_special(WM_STREAM_STOP, 1)}, {3, UINT64_MAX},
		{WORDS / 2 + 65, entry_of(0, 1)}, {WORDS - 1, entry_of(0, 1)}};
	assert_true(is_whole(raw, size));
	for (size_t i = 0; i < sizeof(damage) / sizeof(*damage); i++) {
		uint8_t before[8];
		memcpy(before, last + 8 * damage[i].at, 8);
		memcpy(last + 8 * damage[i].at, &damage[i].word, 8);
		assert_false(is_whole(raw, size));
		memcpy(last + 8 * damage[i].at, before, 8);
	}
	free(raw);
	raw_builder_release(&builder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chunks_move),
		cmocka_unit_test(spool_is_damaged),
		cmocka_unit_test(flips_are_noticed),
		cmocka_unit_test(implausible_entries),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
