/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The entries of a recording (-fwaymark-wpp).  Every thread has one stream: a sequence of 64-bit words, which the thread
 * itself writes and which chunks of the kind WM_CHUNK_STREAM keep.
 *
 *     0                        a hole: the thread was killed between reserving the word and writing it, or inside the
 *                              signal handler that interrupted it there.  A stream ends with its last word that is not 0
 *     1 … 2^63 - 1             a subpath (core/scheme/subpath.c): (index of the function in the function table of the
 *                              file + 1) << 32 | path id
 *     2^63 | kind << 56 | x    a special entry: enum wm_stream_kind, and a value x below 2^56
 *
 * A subpath is written when it ends: before a call, at a back edge or cut edge, and where the function is left.  So
 *     a subpath that begins at the entry   opens an activation, called by the activation on top,
 *     one that begins anywhere else        continues an activation that waits there,
 *     one that ends at a return or resume  closes its activation,
 *     one that ends before a call          lets its activation wait after the call.
 * Normally the activation that goes on is the one on top.  If it is not, the activations above it were left without
 * being closed: by longjmp, by an exception, by a thread's exit.  The stack alone does not tell which of several
 * activations of a recursive function goes on, so functions with landing pads and functions that call setjmp identify
 * their activations (FRAME, LAND).  core/walk/walk.h rebuilds the walk.
 *
 * A signal handler may run between any two entries.  Its entries then stand before the entry of the subpath that it
 * interrupted.
 */
#ifndef WM_ABI_STREAM_H
#define WM_ABI_STREAM_H

#include "abi/abi.h"
#include <stdbool.h>
#include <stdint.h>

enum wm_stream_kind {
	/* The first entry of a stream: the thread pointer (pthread_t) of the thread.  STAMP follows. */
	WM_STREAM_START,
	/* The first entry of a stream that a forked child continues: the number of entries that the stream of the thread
	 * that forked had.  PARENT and STAMP follow. */
	WM_STREAM_FORK,
	/* The number of the stream in the recording of the parent process, whose run id the chunk has. */
	WM_STREAM_PARENT,
	/* The thread has created a thread; x is the thread pointer of that thread.  STAMP follows. */
	WM_STREAM_CREATE,
	/* The thread has joined a thread; x is the thread pointer of that thread.  STAMP follows. */
	WM_STREAM_JOIN,
	/* The position of the special entry before it among all such entries of the process.  It orders these entries
	 * only; entries of different threads have no other order.  As thread pointers are reused, the n-th START with a
	 * pointer belongs to the n-th CREATE with it, both in the order of their stamps. */
	WM_STREAM_STAMP,
	/* A function with landing pads or setjmp was entered; x identifies its activation, which the next subpath of such a
	 * function that begins at the entry opens, nested ones first. */
	WM_STREAM_FRAME,
	/* Control is in the activation that x identifies: at a landing pad, or after a call of setjmp, which may have
	 * returned for the second time.  Activations above it are gone.  The next subpath continues it. */
	WM_STREAM_LAND,
	/* The thread waited for the spooler before it wrote the next entry: x microseconds. */
	WM_STREAM_WAIT,
	/* The recording ends here although the thread goes on: enum wm_stream_stop.  It is not written to a chunk, whose
	 * header says it (wm_chunk_stop); readers append it. */
	WM_STREAM_STOP,
	WM_STREAM_KINDS
};

enum wm_stream_stop {
	WM_STREAM_STOP_LIMIT = 1, /* WAYMARK_WPP_LIMIT */
	WM_STREAM_STOP_FULL, /* the file could not grow */
	WM_STREAM_STOP_FOREIGN, /* a process that was forked without the fork handlers */
	/* Only readers append these: */
	WM_STREAM_STOP_DAMAGED, /* what follows is damaged or missing */
	WM_STREAM_STOP_READER, /* the reader of the raw profile was interrupted */
};

/* Buffers lie so that the addresses of their words do not have this bit, and the addresses after their end do.  An
 * address tells by itself whether there is room, whatever a signal handler has done to the cursor in the meantime. */
#define WM_STREAM_FULL (1ull << 20)

#define WM_STREAM_SPECIAL (1ull << 63)
#define WM_STREAM_KIND_SHIFT 56
#define WM_STREAM_VALUE ((1ull << WM_STREAM_KIND_SHIFT) - 1)
/* Functions with a larger index are not recorded. */
#define WM_STREAM_MAX_FUNCTION ((1u << 31) - 2)

static inline uint64_t wm_stream_special(enum wm_stream_kind kind, uint64_t value)
{
	return WM_STREAM_SPECIAL | (uint64_t)kind << WM_STREAM_KIND_SHIFT | (value & WM_STREAM_VALUE);
}

static inline uint64_t wm_stream_subpath(uint32_t function, uint32_t id)
{
	return ((uint64_t)function + 1) << 32 | id;
}

static inline bool wm_stream_is_special(uint64_t entry)
{
	return entry >> 63;
}

/* Of a special entry.  A value of WM_STREAM_KINDS or more is not a kind. */
static inline unsigned wm_stream_kind(uint64_t entry)
{
	return entry >> WM_STREAM_KIND_SHIFT & 127;
}

static inline uint64_t wm_stream_value(uint64_t entry)
{
	return entry & WM_STREAM_VALUE;
}

/* Of a subpath.  UINT32_MAX for entries below 2^32, which are none. */
static inline uint32_t wm_stream_function(uint64_t entry)
{
	return (uint32_t)(entry >> 32) - 1;
}

static inline uint32_t wm_stream_id(uint64_t entry)
{
	return (uint32_t)entry;
}

/*
 * The seal of a chunk: how many of its words are known to be final, and a checksum of them and of the header.  It is written
 * when the chunk is full, and when the program or the thread ends.  0 words: there is none yet.  Where a word has been reserved and
 * not written, the seal ends before it.
 */
struct wm_stream_seal {
	uint64_t words, sum;
};
#define WM_STREAM_HEAD (sizeof(struct wm_raw_chunk) + sizeof(struct wm_stream_seal))

/* The first sum changes with every word, the second also with their order.  Both are as cheap as reading the words, unlike
 * wm_checksum(), which would take longer than writing them. */
static inline uint64_t wm_stream_sum(const struct wm_raw_chunk *chunk, const uint64_t *word, uint64_t count)
{
	uint64_t sum = 0, sum_of_sums = 0;
	for (uint64_t i = 0; i < count; i++) {
		sum += word[i];
		sum_of_sums += sum;
	}
	/* Rotated, because wm_checksum() does not carry differences of high bits to lower ones, where those of the two sums could
	 * cancel out. */
	sum_of_sums = sum_of_sums << 32 | sum_of_sums >> 32;
	const uint64_t all[] = {
		chunk->thread, chunk->sequence, chunk->parent_low, chunk->parent_high, count, sum, sum_of_sums};
	return wm_checksum(WM_CHECKSUM_INIT, all, sizeof all / sizeof *all);
}

/*
 * The spool file (.wmspool): chunks that `waymark spool` has moved out of a raw profile.  A header of four words (magic,
 * version, run id of the raw profile), then blocks, each a header and compressed words.  A block that is cut short or
 * damaged ends the file; its chunk is then still in the raw profile.
 */
#define WM_SPOOL_MAGIC 0x4C4F4F50534D57CDull /* bytes cd 'W' 'M' 'S' 'P' 'O' 'O' 'L' */
#define WM_SPOOL_VERSION 1
#define WM_SPOOL_BLOCK_MAGIC 0x4B434F4C424D57CDull /* bytes cd 'W' 'M' 'B' 'L' 'O' 'C' 'K' */
struct wm_spool_header {
	uint64_t magic, version, run_id_low, run_id_high;
};
struct wm_spool_block {
	uint64_t magic;
	uint64_t thread, sequence, parent_low, parent_high; /* as in struct wm_raw_chunk */
	uint64_t words; /* at most WM_STREAM_FULL / 8 */
	uint64_t stored; /* bytes of the zstd frame that follows; zeros fill it up to a multiple of 8 */
	uint64_t checksum; /* XXH3 of the fields before it, then of the frame with this as the seed */
};

#endif
