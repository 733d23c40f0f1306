/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The reader of raw profiles, with the input as it stands and again with its
 * checksum made true: a fuzzer would hardly find it.
 */
#include "abi/abi.h"
#include "abi/pool.h"
#include "fuzz/check_profile.h"
#include "profile/raw/raw_recording.h"
#include "profile/raw/raw_tests.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct taken {
	uint64_t entries, most;
};

static bool take(void *closure, const uint64_t *entry, size_t count)
{
	struct taken *taken = closure;
	(void)entry;
	taken->entries += count;
	if (!count || taken->entries > taken->most + 1)
		abort();
	return true;
}

static bool take_thread(void *closure, const struct wm_raw_thread *thread)
{
	size_t *sum = closure;
	for (size_t i = 0; i < thread->frame_count; i++)
		*sum += thread->frame[i].tag ? thread->frame[i].site : (abort(), 0);
	for (size_t i = 0; i < thread->frame_count; i++)
		for (uint32_t j = 0; j < thread->frame[i].piece_count; j++)
			*sum += thread->frame[i].piece[j];
	for (size_t i = 0; i < thread->inner_count; i++)
		*sum += thread->inner[i].kept;
	for (size_t w = 0; w < WM_CRASH_WINDOWS; w++)
		for (size_t i = 0; i < thread->head.window[w].size; i++)
			*sum += thread->window[w][i];
	return true;
}

/* The second half of the input is the spool file, too. */
static void read_streams(const uint8_t *data, size_t size)
{
	struct wm_raw_recording recording;
	struct wm_profile_error error;
	enum wm_profile_status status =
		wm_raw_recording_open(&recording, data, size, data + size / 2, size - size / 2, &error);
	if (status == WM_PROFILE_REFUSED)
		status = wm_raw_recording_open(&recording, data, size, NULL, 0, &error);
	if (status != WM_PROFILE_OK && status != WM_PROFILE_DAMAGED)
		return;
	for (size_t i = 0; i < recording.stream_count; i++) {
		struct taken taken = {0, recording.stream[i].most_entries};
		wm_raw_recording_read(&recording, i, take, &taken, &error);
	}
	wm_raw_recording_close(&recording);
}

static bool take_part(void *closure, const char *name, const struct wm_profile *part)
{
	size_t *taken = closure;
	for (size_t i = 0; i < part->object_count; i++)
		check_object(&part->object[i]);
	*taken += strlen(name) + 1;
	return true;
}

/* Marks that make no sense cost no counts. */
static void read_parts(const uint8_t *data, size_t size)
{
	const struct wm_profile_image image = {.data = data, .size = size};
	struct wm_profile_error error;
	size_t taken = 0;
	enum wm_profile_status status = wm_raw_parts(&image, take_part, &taken, &error);
	if ((status == WM_PROFILE_OK || status == WM_PROFILE_DAMAGED) && !taken && !wm_raw_has_tests(&image))
		abort();
}

static void read_raw(const uint8_t *data, size_t size)
{
	struct wm_profile profile;
	struct wm_raw_identity identity;
	struct wm_profile_error error;
	wm_profile_init(&profile);
	enum wm_profile_status status = wm_raw_read(&profile, &identity, data, size, &error);
	if (status == WM_PROFILE_OK || status == WM_PROFILE_DAMAGED)
		check_profile(&profile);
	wm_profile_release(&profile);
	struct wm_raw_ending ending;
	size_t sum = 0;
	if (status == WM_PROFILE_OK &&
		wm_raw_threads(data, size, take_thread, &sum, &ending, &error) == WM_PROFILE_REFUSED)
		abort();
	read_streams(data, size);
	read_parts(data, size);
}

/* The checksum of what follows the header of a chunk, in words of which the last may have bytes after it. */
static uint64_t body_sum(const uint8_t *body, uint64_t used)
{
	uint64_t sum = WM_CHECKSUM_INIT;
	for (uint64_t i = 0; i < used; i += 8) {
		uint64_t word;
		memcpy(&word, body + i, sizeof(word));
		sum = wm_checksum(sum, &word, 1);
	}
	return sum;
}

/* The checksums of the chunks of one kind, as far as their sizes make sense. */
static void seal_chunks(uint8_t *data, size_t size, size_t at, enum wm_chunk_kind kind)
{
	struct wm_raw_chunk chunk;
	for (; at < size && size - at >= sizeof(chunk); at += chunk.size) {
		memcpy(&chunk, data + at, sizeof(chunk));
		if (chunk.size < sizeof(chunk) || chunk.size > size - at || chunk.used > chunk.size - sizeof(chunk) ||
			chunk.size % 8)
			return;
		if (chunk.kind != kind)
			continue;
		chunk.sequence = body_sum(data + at + sizeof(chunk), chunk.used);
		if (kind == WM_CHUNK_RUNS)
			chunk.parent_high = wm_runs_header_sum(&chunk);
		memcpy(data + at, &chunk, sizeof(chunk));
	}
}

static void seal(uint8_t *data, size_t size)
{
	struct wm_raw_header header;
	memcpy(&header, data, sizeof(header));
	header.magic = WM_RAW_MAGIC;
	header.version = WM_ABI_VERSION;
	header.header_size = sizeof(header);
	uint64_t sum = WM_CHECKSUM_INIT;
	for (uint64_t i = 0; i < header.func_count; i++) {
		struct wm_raw_func func;
		uint64_t words[offsetof(struct wm_raw_func, lost) / 8];
		if (header.func_offset > size || i >= (size - header.func_offset) / sizeof(func))
			break;
		memcpy(&func, data + header.func_offset + i * sizeof(func), sizeof(func));
		memcpy(words, &func, sizeof(words));
		sum = wm_checksum(sum, words, sizeof(words) / sizeof(*words));
	}
	header.checksum = wm_checksum(sum, &header.func_offset, 14);
	memcpy(data, &header, sizeof(header));
	if (header.flags & WM_RAW_POOL)
		seal_chunks(
			data, header.file_size < size ? header.file_size : size, header.chunks_offset, WM_CHUNK_RUNS);
	else {
		seal_chunks(data, size, header.chunks_offset, WM_CHUNK_TEST);
		seal_chunks(data, size, header.chunks_offset, WM_CHUNK_COUNTS);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_raw(data, size);
	if (size < sizeof(struct wm_raw_header))
		return 0;
	uint8_t *copy = malloc(size);
	if (!copy)
		return 0;
	memcpy(copy, data, size);
	seal(copy, size);
	read_raw(copy, size);
	free(copy);
	return 0;
}
