/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A .wmraw image: header, function table and chunks, checked, without what they count.
 *
 * The file may still be mapped by a live or hostile process: every record is copied
 * once, checked, and only the copy is used.  Private to profile/.
 */
#ifndef WM_PROFILE_RAW_RAW_FILE_H
#define WM_PROFILE_RAW_RAW_FILE_H

#include "abi/abi.h"
#include "profile/base/function_counts.h"

#include <string.h>

struct wm_raw_table;

struct wm_raw_file {
	const uint8_t *data;
	size_t size;
	const struct wm_extent *extent; /* as in struct wm_profile_image; NULL: not known */
	size_t extent_count;
	struct wm_raw_table *table; /* that of the file before, and then of this one; NULL: nobody keeps it */
	struct wm_raw_header header; /* fields that the file does not have are zeros */
	struct wm_raw_func *func;	  /* copy of the function table, func_count records */
	uint64_t *owner; /* per function: the record that counts its cells, mostly itself */
	uint64_t *order; /* the functions that own cells, without those that follow others, in the order of the cells */
	size_t order_count;
	bool known_table; /* it is that of the file before */
	bool checked; /* the layout of the table makes sense */
	uint64_t table_sum; /* wm_checksum of the function table */
};

/* The header alone.  WM_PROFILE_OK or WM_PROFILE_REFUSED. */
enum wm_profile_status wm_raw_file_open(
	struct wm_raw_file *file, const uint8_t *data, size_t size, struct wm_profile_error *error);
/* The function table, and whether all chunks are of kinds that this reader knows or may skip.
 * WM_PROFILE_OK, WM_PROFILE_REFUSED or WM_PROFILE_NO_MEMORY. */
enum wm_profile_status wm_raw_file_load(struct wm_raw_file *file, struct wm_profile_error *error);
void wm_raw_file_identify(struct wm_raw_identity *identity, const struct wm_raw_file *file);
/* `program` is zeros. */
void wm_raw_file_program(char program[WM_PROGRAM_MAX], const struct wm_raw_file *file);
void wm_raw_file_close(struct wm_raw_file *file);

/* The place of the first byte at or after `offset` that may be other than zero. */
uint64_t wm_raw_file_data(const struct wm_raw_file *file, uint64_t offset);
/* The end of the extent that contains the byte at `offset`. */
uint64_t wm_raw_file_hole(const struct wm_raw_file *file, uint64_t offset);

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
