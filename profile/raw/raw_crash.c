/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The frames of threads in a .wmraw image (abi/crash.h). */
#include "profile/collect.h"
#include "profile/raw/raw_file.h"

#include <stdlib.h>

#define SLOTS ((WM_CRASH_OVERFLOW - WM_CRASH_FRAMES) / sizeof(struct wm_crash_frame))
#define INNER ((WM_CRASH_STACK - WM_CRASH_OVERFLOW) / sizeof(struct wm_crash_frame))

/* A copy of a chunk: a live program may still write there. */
struct copy {
	struct wm_crash_head head;
	uint64_t word[SLOTS][2], inner_word[INNER][2]; /* `kept`; tag and site */
	struct wm_raw_frame frame[SLOTS], inner[INNER];
	uint8_t window[WM_CRASH_WINDOWS][WM_CRASH_WINDOW];
};

struct reader {
	wm_raw_take_thread *take;
	void *closure;
	struct copy *copy;
	bool stopped;
};

/* What was read of a stack of frames. */
struct stack {
	size_t slots, frame_count;
};

/* The slots that continue the last frame; 0: they are damaged.  The last piece is moved to the place of the tag, so that
 * all pieces are in a row. */
static size_t read_more(uint64_t (*word)[2], size_t most, struct wm_raw_frame *frame)
{
	uint32_t pieces = (uint32_t)word[0][1] & ~WM_CRASH_MORE;
	if (!pieces)
		return 1;
	if (!frame || frame->piece_count || pieces > WM_CRASH_PIECES || wm_crash_more(pieces) > most)
		return 0;
	word[0][1] = word[0][0];
	frame->piece_count = pieces;
	frame->piece = &word[0][1];
	return wm_crash_more(pieces);
}

/* The frames before the first slot without a tag. */
static struct stack read_stack(uint64_t (*word)[2], size_t most, struct wm_raw_frame *frame)
{
	struct stack stack = {0};
	while (stack.slots < most && (uint32_t)word[stack.slots][1]) {
		uint64_t *slot = word[stack.slots];
		uint32_t tag = (uint32_t)slot[1];
		struct wm_raw_frame *last = stack.frame_count ? &frame[stack.frame_count - 1] : NULL;
		size_t used = tag & WM_CRASH_MORE ? read_more(word + stack.slots, most - stack.slots, last) : 1;
		if (!used)
			break;
		if (!(tag & WM_CRASH_MORE))
			frame[stack.frame_count++] =
				(struct wm_raw_frame){.kept = slot[0], .tag = tag, .site = (uint32_t)(slot[1] >> 32)};
		stack.slots += used;
	}
	return stack;
}

/* Of the overflow page only the place of the last frame says which frames are active. */
static size_t read_inner(struct copy *copy)
{
	uint64_t top = copy->head.top;
	size_t most = top > WM_CRASH_OVERFLOW && top <= WM_CRASH_STACK
			      ? (top - WM_CRASH_OVERFLOW) / sizeof(struct wm_crash_frame)
			      : 0;
	return copy->head.signal ? read_stack(copy->inner_word, most, copy->inner).frame_count : 0;
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
	memcpy(copy->word, at + WM_CRASH_FRAMES, sizeof(copy->word));
	memcpy(copy->inner_word, at + WM_CRASH_OVERFLOW, sizeof(copy->inner_word));
	memcpy(copy->window, at + WM_CRASH_STACK, sizeof(copy->window));
	bool on_page = (uint32_t)copy->inner_word[0][1];
	struct stack stack = read_stack(copy->word, SLOTS, copy->frame);
	struct wm_raw_thread thread = {.id = chunk->thread,
		.head = copy->head,
		.frame = copy->frame,
		.frame_count = stack.frame_count,
		.inner = copy->inner};
	for (int i = 0; i < WM_CRASH_WINDOWS; i++) {
		thread.window[i] = copy->window[i];
		if (thread.head.window[i].size > WM_CRASH_WINDOW)
			thread.head.window[i].size = WM_CRASH_WINDOW;
	}
	thread.overflow = stack.slots == SLOTS && on_page;
	thread.inner_count = thread.overflow ? read_inner(copy) : 0;
	reader->stopped = !reader->take(reader->closure, &thread);
	return true;
}

static void describe_ending(struct wm_raw_ending *ending, const struct wm_raw_header *header)
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
		describe_ending(ending, &file.header);
	if (!status && !wm_raw_file_chunks(&file, read_thread, &reader))
		status = wm_profile_say(WM_PROFILE_DAMAGED, error,
			"what follows its main counters is damaged or cut short: threads may be missing");
	wm_raw_file_close(&file);
	free(reader.copy);
	return status;
}
