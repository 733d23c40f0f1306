/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Raw profiles made by hand, as abi/abi.h lays them out: describe the functions,
 * set cells, add chunks, then take the image.  Aborts on misuse or lack of memory.
 */
#ifndef WM_TEST_RAW_BUILDER_H
#define WM_TEST_RAW_BUILDER_H

#include "abi/abi.h"
#include "abi/pool.h"
#include "abi/stream.h"

struct wm_unfinished; /* abi/unfinished.h */

struct raw_builder {
	struct wm_raw_header header; /* live fields may be set directly */
	struct wm_raw_func *func;
	uint64_t *cells; /* the main cells */
	uint8_t *chunks;
	size_t chunks_size;
};

void raw_builder_init(struct raw_builder *builder);
/* Index of the new function.  `paths` counts the cells of an array, or those before a
 * hash's with WM_FUNC_IDS; a hash has one.
 * All functions come before the first cell or chunk. */
size_t raw_builder_function(struct raw_builder *builder, uint64_t key, uint64_t hash, uint32_t flags, uint32_t paths);
/* A cell of the main cells, entries and resumed cells first. */
uint64_t *raw_builder_cell(struct raw_builder *builder, size_t func, uint32_t index);
/* A chunk of cells; gives the cells, valid until the next chunk. */
uint64_t *raw_builder_cells(struct raw_builder *builder, enum wm_chunk_kind kind);
/* Where a function's cell stands among the cells. */
size_t raw_builder_at(const struct raw_builder *builder, size_t func, uint32_t index);
/* A chunk with one table of 2^log2 slots; ids and counts are put where the hash says. */
struct wm_hash_table *raw_builder_table(struct raw_builder *builder, size_t func, unsigned log2,
	const struct wm_hash_slot *slots, size_t count, uint64_t flags);
/* When the path was first seen, in a table with WM_TABLE_TIMES. */
void raw_builder_time(struct wm_hash_table *table, uint64_t id, uint64_t time);
/* A chunk of ids: {function, count, id...}...; gives its words, valid until the next chunk. */
uint64_t *raw_builder_ids(struct raw_builder *builder, const uint64_t *words, size_t count);
/* A chunk of words, of any kind; valid until the next chunk. */
struct wm_raw_chunk *raw_builder_words(struct raw_builder *builder, uint64_t kind, const uint64_t *words, size_t count);
/* A chunk of unfinished paths; valid until the next chunk. */
struct wm_raw_chunk *raw_builder_unfinished(
	struct raw_builder *builder, const struct wm_unfinished *records, size_t count);
/* Writes the group with which abi/counts.h has the same records of one function; `function` is not looked at.  Returns the place
 * after it; `at` has room for (3 * count + 2) * WM_VARIABLE_MOST bytes. */
uint8_t *raw_builder_unfinished_group(uint8_t *at, uint64_t func, const struct wm_unfinished *records, size_t count);
/* A chunk of a stream, full or not: a multiple of 512 words with the head of the chunk; with a seal of its first `sealed` words,
 * if that is not 0.  Valid until the next chunk. */
struct wm_raw_chunk *raw_builder_stream(struct raw_builder *builder, const struct wm_raw_chunk *header,
	const uint64_t *words, size_t count, size_t sealed);
/* A chunk of runs of a pool: the runs, then groups of abi/counts.h, of which the first `base` bytes are inherited.  Valid until
 * the next chunk. */
struct raw_builder_groups {
	const uint8_t *byte;
	size_t size, base;
};
struct wm_raw_chunk *raw_builder_runs(
	struct raw_builder *builder, const struct wm_raw_run *run, size_t count, struct raw_builder_groups groups);
/* Computes the checksums of such a chunk. */
void raw_builder_seal_runs(struct wm_raw_chunk *chunk);
/* A chunk of counts without zeros: groups of abi/counts.h; `flags` is 0 or WM_COUNTS_BASE.  Returns its offset in the image. */
uint64_t raw_builder_counts(struct raw_builder *builder, const uint8_t *groups, size_t size, uint64_t flags);
/* A mark: a chunk of the kind TEST (abi/tests.h); valid until the next chunk. */
struct wm_raw_chunk *raw_builder_mark(
	struct raw_builder *builder, const char *name, const uint8_t *groups, size_t groups_size);
/* A page of zeros: a chunk that was being made. */
void raw_builder_gap(struct raw_builder *builder);
/* The malloc'd image, sealed. */
uint8_t *raw_builder_image(struct raw_builder *builder, size_t *size);
/* Recomputes the checksum of an image whose header or table was changed by hand. */
void raw_image_seal(uint8_t *image);
void raw_builder_release(struct raw_builder *builder);

#endif
