/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profile/raw/raw_unfinished.h"

#include "abi/unfinished.h"

enum { SIZE = sizeof(struct wm_unfinished) };

/* The first record at or after `offset` that may be used: the chunk of a hostile file may be a hole of any size. */
static uint64_t next_record(const struct wm_raw_file *file, uint64_t first, uint64_t offset)
{
	return first + (wm_raw_file_data(file, offset) - first) / SIZE * SIZE;
}

bool wm_raw_unfinished_read(const struct wm_raw_file *file, uint64_t offset, const struct wm_raw_chunk *chunk,
	wm_raw_take_unfinished *take, void *closure)
{
	uint64_t first = offset + sizeof(*chunk), end = first + chunk->used / SIZE * SIZE;
	bool sane = true;
	if (chunk->used > chunk->size - sizeof(*chunk))
		return false;
	for (uint64_t at = first; at < end;) {
		struct wm_unfinished record;
		memcpy(&record, file->data + at, sizeof(record));
		at += SIZE;
		const struct wm_unfinished_path path = {record.sum, record.count, record.site};
		if (record.function)
			sane &= take(closure, record.function - 1, &path);
		else
			at = next_record(file, first, at);
	}
	return sane;
}
