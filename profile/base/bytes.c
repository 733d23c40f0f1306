/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profile/base/bytes.h"

#include <stdlib.h>
#include <string.h>

void wm_bytes_init(struct wm_bytes *bytes)
{
	*bytes = (struct wm_bytes){0};
}

void wm_bytes_release(struct wm_bytes *bytes)
{
	free(bytes->data);
	wm_bytes_init(bytes);
}

static bool reserve_bytes(struct wm_bytes *bytes, size_t more)
{
	if (bytes->failed || more > SIZE_MAX / 2 - bytes->size)
		return !(bytes->failed = true);
	if (bytes->size + more <= bytes->capacity)
		return true;
	size_t capacity = bytes->capacity + bytes->capacity / 2;
	if (capacity < bytes->size + more)
		capacity = bytes->size + more + 256;
	uint8_t *data = realloc(bytes->data, capacity);
	if (!data)
		return !(bytes->failed = true);
	bytes->data = data;
	bytes->capacity = capacity;
	return true;
}

void wm_bytes_put(struct wm_bytes *bytes, const void *data, size_t size)
{
	if (!size || !reserve_bytes(bytes, size))
		return;
	memcpy(bytes->data + bytes->size, data, size);
	bytes->size += size;
}

static void put_little_endian(struct wm_bytes *bytes, uint64_t value, size_t size)
{
	uint8_t buffer[8];
	for (size_t i = 0; i < size; i++)
		buffer[i] = (uint8_t)(value >> 8 * i);
	wm_bytes_put(bytes, buffer, size);
}

void wm_bytes_put_u32(struct wm_bytes *bytes, uint32_t value)
{
	put_little_endian(bytes, value, 4);
}

void wm_bytes_put_u64(struct wm_bytes *bytes, uint64_t value)
{
	put_little_endian(bytes, value, 8);
}

void wm_bytes_put_uleb(struct wm_bytes *bytes, uint64_t value)
{
	uint8_t buffer[10];
	size_t size = 0;
	for (; value >= 0x80; value >>= 7)
		buffer[size++] = (uint8_t)(value | 0x80);
	buffer[size++] = (uint8_t)value;
	wm_bytes_put(bytes, buffer, size);
}

void wm_bytes_put_delta(struct wm_bytes *bytes, int64_t value)
{
	wm_bytes_put_uleb(bytes, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

void wm_bytes_put_string(struct wm_bytes *bytes, const char *text)
{
	size_t size = strlen(text);
	wm_bytes_put_uleb(bytes, size);
	wm_bytes_put(bytes, text, size);
}

void wm_cursor_init(struct wm_cursor *cursor, const uint8_t *data, size_t size)
{
	*cursor = (struct wm_cursor){.at = data, .end = size ? data + size : data};
}

size_t wm_cursor_left(const struct wm_cursor *cursor)
{
	return cursor->at ? (size_t)(cursor->end - cursor->at) : 0;
}

void wm_cursor_fail(struct wm_cursor *cursor)
{
	cursor->failed = true;
	cursor->at = cursor->end;
}

const uint8_t *wm_cursor_take(struct wm_cursor *cursor, size_t size)
{
	if (size > wm_cursor_left(cursor)) {
		wm_cursor_fail(cursor);
		return NULL;
	}
	const uint8_t *data = cursor->at;
	if (size)
		cursor->at += size;
	return data;
}

static uint64_t little_endian(struct wm_cursor *cursor, size_t size)
{
	const uint8_t *data = wm_cursor_take(cursor, size);
	uint64_t value = 0;
	for (size_t i = 0; data && i < size; i++)
		value |= (uint64_t)data[i] << 8 * i;
	return value;
}

uint8_t wm_cursor_u8(struct wm_cursor *cursor)
{
	return (uint8_t)little_endian(cursor, 1);
}

uint32_t wm_cursor_u32(struct wm_cursor *cursor)
{
	return (uint32_t)little_endian(cursor, 4);
}

uint64_t wm_cursor_u64(struct wm_cursor *cursor)
{
	return little_endian(cursor, 8);
}

uint64_t wm_cursor_uleb(struct wm_cursor *cursor)
{
	uint64_t value = 0;
	for (unsigned shift = 0; cursor->at < cursor->end; shift += 7) {
		uint8_t byte = *cursor->at++;
		if (shift == 63 && byte > 1)
			break;
		value |= (uint64_t)(byte & 0x7F) << shift;
		if (!(byte & 0x80))
			return value;
	}
	wm_cursor_fail(cursor);
	return 0;
}

int64_t wm_cursor_delta(struct wm_cursor *cursor)
{
	uint64_t value = wm_cursor_uleb(cursor);
	return (int64_t)(value >> 1 ^ (value & 1 ? UINT64_MAX : 0));
}

uint64_t wm_cursor_bounded(struct wm_cursor *cursor, uint64_t most)
{
	uint64_t value = wm_cursor_uleb(cursor);
	if (value <= most)
		return value;
	wm_cursor_fail(cursor);
	return 0;
}

size_t wm_cursor_count(struct wm_cursor *cursor, size_t least)
{
	uint64_t count = wm_cursor_uleb(cursor);
	if (count <= wm_cursor_left(cursor) / least)
		return (size_t)count;
	wm_cursor_fail(cursor);
	return 0;
}
