/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The streams of a .wmraw image. */
#include "profile/collect.h"
#include "profile/raw_file.h"

enum { PIECE = 512 };

struct reader {
	wm_raw_take_entries *take;
	void *closure;
	bool stopped;
};

/* Entries are copied before they are used: a live program may still write there. */
static bool read_stream(void *closure, const uint8_t *at, const struct wm_raw_chunk *chunk)
{
	struct reader *reader = closure;
	uint64_t piece[PIECE], count;
	if (chunk->kind != WM_CHUNK_STREAM || reader->stopped)
		return true;
	if (chunk->used > chunk->size - sizeof(*chunk) || chunk->used % sizeof(*piece))
		return false;
	at += sizeof(*chunk);
	for (uint64_t left = chunk->used / sizeof(*piece); left && !reader->stopped; left -= count) {
		count = left < PIECE ? left : PIECE;
		memcpy(piece, at, count * sizeof(*piece));
		at += count * sizeof(*piece);
		reader->stopped = !reader->take(reader->closure, chunk->thread, piece, (size_t)count);
	}
	return true;
}

enum wm_profile_status wm_raw_streams(
	const uint8_t *data, size_t size, wm_raw_take_entries *take, void *closure, struct wm_profile_error *error)
{
	struct reader reader = {take, closure, false};
	struct wm_raw_file file;
	enum wm_profile_status status = wm_raw_file_open(&file, data, size, error);
	if (!status)
		status = wm_raw_file_load(&file, error);
	if (!status && !wm_raw_file_chunks(&file, read_stream, &reader))
		status = wm_profile_say(WM_PROFILE_DAMAGED, error,
			"what follows its main counters is damaged or cut short: its streams may lack entries");
	wm_raw_file_close(&file);
	return status;
}
