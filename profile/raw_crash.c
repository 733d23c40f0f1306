/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The frames of threads in a .wmraw image (abi/crash.h). */
#include "profile/collect.h"
#include "profile/raw_file.h"

#include <stdlib.h>

#define FRAMES ((WM_CRASH_OVERFLOW - WM_CRASH_FRAMES) / sizeof(struct wm_crash_frame))
#define INNER ((WM_CRASH_END - WM_CRASH_OVERFLOW) / sizeof(struct wm_crash_frame))

/* A copy of a chunk: a live program may still write there. */
struct copy {
	struct wm_crash_head head;
	struct wm_crash_frame frame[FRAMES];
	struct wm_crash_frame inner[INNER];
	uint8_t window[WM_CRASH_WINDOWS][WM_CRASH_WINDOW];
};

struct reader {
	wm_raw_take_thread *take;
	void *closure;
	struct copy *copy;
	bool stopped;
};

static size_t active(const struct wm_crash_frame *frame, size_t most)
{
	size_t count = 0;
	while (count < most && frame[count].tag)
		count++;
	return count;
}

/* Of the overflow page only the place of the last frame says which frames are active. */
static size_t active_inner(const struct copy *copy)
{
	uint64_t top = copy->head.top;
	size_t most = top > WM_CRASH_OVERFLOW && top <= WM_CRASH_END
			      ? (top - WM_CRASH_OVERFLOW) / sizeof(struct wm_crash_frame)
			      : 0;
	return copy->head.signal ? active(copy->inner, most) : 0;
}

static bool read_thread(void *closure, const uint8_t *at, const struct wm_raw_chunk *chunk)
{
	struct reader *reader = closure;
	struct copy *copy = reader->copy;
	if (chunk->kind != WM_CHUNK_CRASH || reader->stopped)
		return true;
	if (chunk->size != WM_CRASH_SIZE)
		return false;
	memcpy(&copy->head, at + sizeof(*chunk), sizeof(copy->head));
	memcpy(copy->frame, at + WM_CRASH_FRAMES, sizeof(copy->frame));
	memcpy(copy->inner, at + WM_CRASH_OVERFLOW, sizeof(copy->inner));
	memcpy(copy->window, at + WM_CRASH_END, sizeof(copy->window));
	struct wm_raw_thread thread = {.id = chunk->thread,
		.head = copy->head,
		.frame = copy->frame,
		.frame_count = active(copy->frame, FRAMES),
		.inner = copy->inner,
		.inner_count = active_inner(copy)};
	for (int i = 0; i < WM_CRASH_WINDOWS; i++) {
		thread.window[i] = copy->window[i];
		if (thread.head.window[i].size > WM_CRASH_WINDOW)
			thread.head.window[i].size = WM_CRASH_WINDOW;
	}
	thread.overflow = thread.frame_count == FRAMES && copy->inner[0].tag;
	thread.inner_count = thread.overflow ? thread.inner_count : 0;
	reader->stopped = !reader->take(reader->closure, &thread);
	return true;
}

static void describe(struct wm_raw_ending *ending, const struct wm_raw_header *header)
{
	uint64_t words[] = {header->build_id0, header->build_id1, header->build_id2, header->build_id3};
	*ending = (struct wm_raw_ending){.ended = header->flags & WM_RAW_ENDED,
		.snapshot = header->flags & WM_RAW_SNAPSHOT,
		.pid = header->pid,
		.build_id_size =
			header->build_id_size < sizeof(words) ? (uint32_t)header->build_id_size : sizeof(words)};
	memcpy(ending->build_id, words, ending->build_id_size);
}

enum wm_profile_status wm_raw_threads(const uint8_t *data, size_t size, wm_raw_take_thread *take, void *closure,
	struct wm_raw_ending *ending, struct wm_profile_error *error)
{
	struct reader reader = {take, closure, malloc(sizeof(struct copy)), false};
	struct wm_raw_file file;
	enum wm_profile_status status = wm_raw_file_open(&file, data, size, error);
	if (!status)
		status = wm_raw_file_load(&file, error);
	if (!status && !reader.copy)
		status = wm_profile_say(WM_PROFILE_NO_MEMORY, error, "there is no memory for its frames");
	if (!status)
		describe(ending, &file.header);
	if (!status && !wm_raw_file_chunks(&file, read_thread, &reader))
		status = wm_profile_say(WM_PROFILE_DAMAGED, error,
			"what follows its main counters is damaged or cut short: threads may be missing");
	wm_raw_file_close(&file);
	free(reader.copy);
	return status;
}
