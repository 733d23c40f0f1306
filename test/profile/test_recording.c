/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Recordings: streams in chunks, moved to a spool file, missing, stopped and damaged. */
#include "test/profile/testing.h"

#include "profile/recording.h"
#include "profile/spool.h"
#include "test/profile/raw_builder.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 500, CHUNKS = 4 };

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

/* Two streams of CHUNKS chunks each; entry n of stream s is s · 2^40 + n + 1.  The last chunks are half full. */
static uint8_t *image(struct raw_builder *builder, size_t *size)
{
	raw_builder_init(builder);
	raw_builder_function(builder, 1, 1, WM_FUNC_STREAM, 0);
	for (uint64_t c = 0; c < CHUNKS; c++)
		for (uint64_t s = 0; s < 2; s++) {
			uint64_t word[WORDS] = {0};
			for (uint64_t i = 0; i < (c + 1 == CHUNKS ? WORDS / 2 : WORDS); i++)
				word[i] = (s << 40) + c * WORDS + i + 1;
			struct wm_raw_chunk *chunk = raw_builder_words(builder, WM_CHUNK_STREAM, word, WORDS);
			chunk->thread = s;
			chunk->sequence = wm_chunk_sequence(c + 1, s && c + 1 == CHUNKS ? WM_STREAM_STOP_FULL : 0);
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
		if (entry[i] == wm_stream_special(WM_STREAM_STOP, WM_STREAM_STOP_FULL)) {
			heard->stopped = true;
			continue;
		}
		assert_int_equal(entry[i], (heard->stream << 40) + ++heard->next);
	}
	return true;
}

static void check(const uint8_t *raw, size_t size, const struct bytes *spool)
{
	struct wm_recording_file recording;
	struct wm_profile_error error;
	assert_int_equal(
		wm_recording_open(&recording, raw, size, spool ? spool->data : NULL, spool ? spool->size : 0, &error),
		WM_PROFILE_OK);
	assert_int_equal(recording.stream_count, 2);
	for (size_t s = 0; s < 2; s++) {
		struct heard heard = {s, 0, false};
		assert_int_equal(recording.stream[s].number, s);
		assert_int_equal(wm_recording_read(&recording, s, hear, &heard, &error), WM_PROFILE_OK);
		assert_int_equal(heard.next, (CHUNKS - 1) * WORDS + WORDS / 2);
		assert_int_equal(heard.stopped, s == 1);
	}
	wm_recording_close(&recording);
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
	uint8_t *raw = image(&builder, &size), *before = malloc(size);
	memcpy(before, raw, size);
	check(raw, size, NULL);
	begin(&spool, raw, size);
	/* What cannot be written stays. */
	assert_int_equal(wm_spool_pass(raw, size, refuse, NULL, &moved, &error), WM_PROFILE_OK);
	assert_true(moved == 0 && !memcmp(before, raw, size));
	/* A chunk with a hole waits, and the last of each stream is not full. */
	uint8_t *hole = raw + builder.header.chunks_offset + sizeof(struct wm_raw_chunk) + 8;
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
	struct wm_recording_file recording;
	struct wm_profile_error error;
	size_t size, moved, damaged = 0;
	uint8_t *raw = image(&builder, &size);
	begin(&spool, raw, size);
	assert_int_equal(wm_spool_pass(raw, size, keep, &spool, &moved, &error), WM_PROFILE_OK);
	for (size_t at = 0; at < spool.size; at++) {
		copy = spool;
		if (at % 2)
			copy.size = at;
		else
			copy.data[at] ^= (uint8_t)(1 << at / 2 % 8);
		if (wm_recording_open(&recording, raw, size, copy.data, copy.size, &error))
			continue;
		for (size_t s = 0; s < recording.stream_count; s++) {
			struct heard heard = {s, 0, false};
			damaged += wm_recording_read(&recording, s, hear, &heard, &error) == WM_PROFILE_DAMAGED;
		}
		wm_recording_close(&recording);
	}
	assert_true(damaged > 100);
	/* Of another run. */
	copy = spool;
	copy.data[offsetof(struct wm_spool_header, run_id_low)] ^= 1;
	assert_int_equal(wm_recording_open(&recording, raw, size, copy.data, copy.size, &error), WM_PROFILE_REFUSED);
	free(raw);
	raw_builder_release(&builder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chunks_move),
		cmocka_unit_test(spool_is_damaged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
