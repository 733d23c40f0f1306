/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The layout is that of llvm/MC/MCPseudoProbe.h.  A body is a function's code: its GUID, the number of its probes, the number of
 * bodies that are inlined into it, its probes, and these bodies, each after the index of its call.  Bodies are in preorder, so that
 * a counter of the inlined bodies that are still to come takes the place of a stack.
 */
#include "profile/map/marks.h"
#include "core/base/grow.h"
#include "core/base/search.h"
#include "profile/base/bytes.h"
#include <stdlib.h>

enum { BLOCK = 0, SENTINEL = 2, DISCRIMINATOR = 4 }; /* a type of probe; attributes */

struct reader {
	struct wm_cursor in;
	struct wm_block_marks *marks;
	const struct wm_mark_names *names;
	uint64_t address; /* of the probe before */
	bool lost; /* it is not known */
	bool no_memory;
};

static int64_t read_sleb(struct wm_cursor *in)
{
	uint64_t value = 0, byte = 0x80;
	unsigned shift = 0;
	for (; byte & 0x80 && shift < 64; shift += 7) {
		byte = wm_cursor_u8(in);
		value |= (byte & 0x7f) << shift;
	}
	if (byte & 0x80)
		wm_cursor_fail(in);
	return (int64_t)(shift < 64 && byte & 0x40 ? value | ~0ull << shift : value);
}

static void add_mark(struct reader *reader, uint64_t key, uint64_t index)
{
	struct wm_block_marks *marks = reader->marks;
	if (reader->in.failed || reader->lost || !index || index > UINT32_MAX)
		return;
	if (!WM_GROW(marks->mark, marks->count)) {
		reader->no_memory = true;
		wm_cursor_fail(&reader->in);
		return;
	}
	marks->mark[marks->count++] = (struct wm_block_mark){reader->address, key, (uint32_t)index - 1};
}

static void read_probe(struct reader *reader, uint64_t key)
{
	struct wm_cursor *in = &reader->in;
	uint64_t index = wm_cursor_uleb(in);
	uint8_t packed = wm_cursor_u8(in), type = packed & 15, attributes = packed >> 4 & 7;
	if (packed & 0x80) {
		reader->address += (uint64_t)read_sleb(in);
	} else {
		uint64_t written = wm_cursor_u64(in);
		reader->address = written;
		reader->lost = attributes & SENTINEL &&
			       !reader->names->find(reader->names->closure, written, &reader->address);
	}
	if (attributes & DISCRIMINATOR)
		wm_cursor_uleb(in);
	if (type == BLOCK && !(attributes & SENTINEL))
		add_mark(reader, key, index);
}

/* Returns how many bodies are inlined into this one. */
static uint64_t read_body(struct reader *reader)
{
	uint64_t key = wm_cursor_u64(&reader->in);
	uint64_t probes = wm_cursor_uleb(&reader->in), inlined = wm_cursor_uleb(&reader->in);
	for (uint64_t i = 0; i < probes && !reader->in.failed; i++)
		read_probe(reader, key);
	return inlined;
}

static void read_bodies(struct reader *reader)
{
	uint64_t pending = 0;
	while (!reader->in.failed && (pending || wm_cursor_left(&reader->in))) {
		if (pending) {
			pending--;
			wm_cursor_uleb(&reader->in); /* the index of the call */
		}
		if (__builtin_add_overflow(pending, read_body(reader), &pending))
			wm_cursor_fail(&reader->in);
	}
}

static enum wm_status sort_marks(struct wm_block_marks *marks)
{
	/* qsort is not stable. */
	struct wm_block_mark *sorted = malloc((marks->count + 1) * sizeof *sorted);
	if (!sorted)
		return WM_NO_MEMORY;
	for (size_t width = 1; width < marks->count; width *= 2) {
		for (size_t from = 0; from < marks->count; from += 2 * width) {
			size_t middle = from + width < marks->count ? from + width : marks->count;
			size_t to = middle + width < marks->count ? middle + width : marks->count;
			for (size_t a = from, b = middle, at = from; at < to; at++)
				sorted[at] = a < middle && (b == to || marks->mark[a].address <= marks->mark[b].address)
						     ? marks->mark[a++]
						     : marks->mark[b++];
		}
		struct wm_block_mark *swap = marks->mark;
		marks->mark = sorted;
		sorted = swap;
	}
	free(sorted);
	return WM_OK;
}

enum wm_status wm_marks_read(
	struct wm_block_marks *marks, const uint8_t *data, size_t size, const struct wm_mark_names *names)
{
	struct reader reader = {.marks = marks, .names = names, .lost = true};
	*marks = (struct wm_block_marks){0};
	wm_cursor_init(&reader.in, data, size);
	read_bodies(&reader);
	enum wm_status status = reader.no_memory ? WM_NO_MEMORY : reader.in.failed ? WM_UNKNOWN : sort_marks(marks);
	if (status != WM_OK)
		wm_marks_release(marks);
	return status;
}

void wm_marks_release(struct wm_block_marks *marks)
{
	free(marks->mark);
	*marks = (struct wm_block_marks){0};
}

static size_t first_from(const struct wm_block_marks *marks, uint64_t address)
{
	size_t i;
	WM_LOWER_BOUND(i, 0, marks->count, marks->mark[i].address < address);
	return i;
}

const struct wm_block_mark *wm_marks_at(const struct wm_block_marks *marks, uint64_t address, size_t *count)
{
	size_t first = first_from(marks, address), end = first;
	while (end < marks->count && marks->mark[end].address == address)
		end++;
	*count = end - first;
	return marks->mark + first;
}
