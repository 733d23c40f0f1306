/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Pools: a raw profile with the flag WM_RAW_POOL, which many processes of one build share (WAYMARK_FILE with %m).  It has
 * the function table of the build and its chunk of ids, a hole in place of the cells, and chunks of the kind WM_CHUNK_RUNS.
 * A process has a file of its own while it runs.  When it ends, it appends a chunk with what it has counted to the pool, and
 * then removes its own file.
 *
 * The chunks end where the header's field `file_size` says.  A process that holds a lock on the pool (flock) writes its chunk
 * there, and then sets the field, with one write of eight bytes: what lies behind it is a chunk that was never finished.
 * If the process is killed before it removes its own file, that and the pool both have its counts, under one run id.
 *
 * Now and then a process replaces all chunks by one with their sum, in a new file that gets the name of the pool.
 *
 * After the header of the chunk, up to `used` bytes:
 *     struct wm_raw_run of each run; `thread` of them
 *     groups of abi/counts.h: what the runs had inherited; `parent_low` bytes
 *     groups of abi/counts.h: what they have counted
 * `sequence` is the checksum of these bytes, with zeros up to a multiple of eight; `parent_high` that of the seven words of
 * the header before it.
 */
#ifndef WM_ABI_POOL_H
#define WM_ABI_POOL_H

#include "abi/abi.h"

/* clang-format off */
#define WM_RAW_RUN_FIELDS(F)                                                     \
	F(uint64_t, run_id_low)    /* as in the header of its own file */            \
	F(uint64_t, run_id_high)                                                     \
	F(uint64_t, epoch)                                                           \
	F(uint64_t, start_time)                                                      \
	F(uint64_t, pid)
/* clang-format on */

#define WM_FIELD(type, name) type name;
struct wm_raw_run {
	WM_RAW_RUN_FIELDS(WM_FIELD)
};
#undef WM_FIELD

static inline uint64_t wm_runs_header_sum(const struct wm_raw_chunk *chunk)
{
	return wm_checksum(WM_CHECKSUM_INIT, &chunk->magic, offsetof(struct wm_raw_chunk, parent_high) / 8);
}

/* Whether the fields of the header of a chunk are those that were written. */
static inline int wm_runs_sealed(const struct wm_raw_chunk *chunk)
{
	return chunk->magic == WM_CHUNK_MAGIC && chunk->kind == WM_CHUNK_RUNS &&
	       chunk->parent_high == wm_runs_header_sum(chunk);
}

#endif
