/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A .wmraw image: header, function table and chunks, checked, without what they count.
 *
 * The file may still be mapped by a live or hostile process: every record is copied
 * once, checked, and only the copy is used.  Private to profile/.
 */
#ifndef WM_PROFILE_RAW_FILE_H
#define WM_PROFILE_RAW_FILE_H

#include "abi/abi.h"
#include "profile/profile.h"

#include <string.h>

struct wm_raw_file {
	const uint8_t *data;
	size_t size;
	struct wm_raw_header header; /* fields that the file does not have are zeros */
	struct wm_raw_func *func;	  /* copy of the function table, func_count records */
	uint64_t *owner; /* per function: the record that counts its cells, mostly itself */
};

/* The header alone.  WM_PROFILE_OK or WM_PROFILE_REFUSED. */
enum wm_profile_status wm_raw_file_open(
	struct wm_raw_file *file, const uint8_t *data, size_t size, struct wm_profile_error *error);
/* The function table, and whether all chunks are of kinds that this reader knows or may skip.
 * WM_PROFILE_OK, WM_PROFILE_REFUSED or WM_PROFILE_NO_MEMORY. */
enum wm_profile_status wm_raw_file_load(struct wm_raw_file *file, struct wm_profile_error *error);
void wm_raw_file_close(struct wm_raw_file *file);

/* The writer notes a size once the file has it: any whole file is at least this long, and a
 * program that dies in between leaves a longer one. */
uint64_t wm_raw_file_least_size(const struct wm_raw_file *file);

/* `at` is the chunk in the image: chunk->size bytes, header included.  False: the chunk is damaged. */
typedef bool wm_raw_visit(void *closure, const uint8_t *at, const struct wm_raw_chunk *chunk);
/* Visits the chunks whose kind is in enum wm_chunk_kind, in the order of the file.  Skips those that may be
 * skipped.  False: some chunk is damaged, of another kind, or missing. */
bool wm_raw_file_chunks(const struct wm_raw_file *file, wm_raw_visit *visit, void *closure);

static inline uint64_t wm_raw_load(const uint8_t *at)
{
	uint64_t value;
	memcpy(&value, at, sizeof(value));
	return value;
}

#endif
