/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A growing byte buffer (the writer) and a cursor that reads bytes: LEB128 numbers, little-endian words and
 * length-prefixed strings, as the map and the indexed profile use them.
 *
 * A failure of the writer or the cursor is permanent, so callers need to check for it only at the end: a failed
 * writer ignores further data; a failed cursor returns zeros and has no bytes left.  Code that allocates memory for a
 * count from the input must first bound that count, by wm_cursor_count() or wm_cursor_left().
 */
#ifndef WM_PROFILE_BASE_BYTES_H
#define WM_PROFILE_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wm_bytes {
	uint8_t *data; /* malloc'd; the owner frees it */
	size_t size, capacity;
	bool failed; /* no memory */
};

void wm_bytes_init(struct wm_bytes *bytes);
void wm_bytes_release(struct wm_bytes *bytes);
void wm_bytes_put(struct wm_bytes *bytes, const void *data, size_t size);
void wm_bytes_put_u32(struct wm_bytes *bytes, uint32_t value);
void wm_bytes_put_u64(struct wm_bytes *bytes, uint64_t value);
void wm_bytes_put_uleb(struct wm_bytes *bytes, uint64_t value);
/* Zigzag, then ULEB128: small magnitudes of either sign take one byte. */
void wm_bytes_put_delta(struct wm_bytes *bytes, int64_t value);
void wm_bytes_put_string(struct wm_bytes *bytes, const char *text);

struct wm_cursor {
	const uint8_t *at, *end;
	bool failed; /* read past the end, or a number too long */
};

void wm_cursor_init(struct wm_cursor *cursor, const uint8_t *data, size_t size);
size_t wm_cursor_left(const struct wm_cursor *cursor);
void wm_cursor_fail(struct wm_cursor *cursor);
uint8_t wm_cursor_u8(struct wm_cursor *cursor);
uint32_t wm_cursor_u32(struct wm_cursor *cursor);
uint64_t wm_cursor_u64(struct wm_cursor *cursor);
/* Refuses more than ten bytes and bits beyond the 64th. */
uint64_t wm_cursor_uleb(struct wm_cursor *cursor);
int64_t wm_cursor_delta(struct wm_cursor *cursor);
/* A number that must be at most `most`; fails otherwise. */
uint64_t wm_cursor_bounded(struct wm_cursor *cursor, uint64_t most);
/* A count of records of at least `least` (not 0) bytes each: fails, and gives 0,
 * when the bytes left cannot hold that many. */
size_t wm_cursor_count(struct wm_cursor *cursor, size_t least);
/* `size` bytes in place, or NULL. */
const uint8_t *wm_cursor_take(struct wm_cursor *cursor, size_t size);

#endif
