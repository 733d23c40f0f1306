/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The memory that the traced process and `waymark hw` share while a program runs.  It holds a
 * log of facts (trace_facts.h), which only grows, and chunks of words (trace_words.h), which are used
 * again.  A thread owns one chunk at a time and hands it over when it is full.
 *
 * What was written survives the death of the traced process: the reader takes the chunks
 * that threads still own as far as they are filled.  No file descriptor stays open in the
 * traced process, so that a program that closes all its descriptors changes nothing.
 *
 * Memory is bounded: WM_SHARED_AHEAD full chunks, one chunk for each live thread, and the
 * facts, which grow with the code that runs and not with its running time.
 */
#ifndef WM_HARDWARE_SHARED_H
#define WM_HARDWARE_SHARED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	WM_SHARED_WORDS = 8190, /* of a chunk, which then is 64 KiB */
	WM_SHARED_CHUNKS = 2048,
	WM_SHARED_AHEAD = 128, /* full chunks that may wait for the reader */
};
#define WM_SHARED_FACTS (UINT64_C(1) << 30) /* bytes */
#define WM_SHARED_MAGIC UINT64_C(0x3344485348574D57) /* "WMWHSHD3" */

enum wm_chunk_state { WM_CHUNK_FREE, WM_CHUNK_OWNED, WM_CHUNK_FULL };

struct wm_shared_chunk {
	_Atomic uint32_t used; /* words */
	uint32_t thread;
	_Atomic uint32_t state; /* enum wm_chunk_state */
	uint32_t order; /* of hand-over, when full */
	uint64_t word[WM_SHARED_WORDS];
};

struct wm_shared {
	uint64_t magic;
	uint32_t arch; /* enum wm_hw_arch; set by the traced process */
	uint32_t reader; /* its process */
	uint32_t accesses; /* whether all memory accesses are wanted; set by the reader */
	uint32_t children; /* whether children and programs started by exec are wanted; likewise */
	_Atomic uint32_t forked; /* children that have memory of their own, or will not get any; a futex */
	_Atomic uint32_t started; /* the traced process has set `arch` */
	_Atomic uint32_t handed, taken; /* chunks handed over and taken; futexes */
	_Atomic uint32_t lock; /* of hand-over */
	_Atomic uint32_t threads; /* thread numbers given out */
	_Atomic uint32_t stopped; /* the reader takes nothing any more */
	_Atomic uint32_t facts_lost; /* the log is full: code translated since is not traced */
	_Atomic uint64_t facts_used;
	struct wm_shared_chunk chunk[WM_SHARED_CHUNKS];
	uint8_t facts[];
};

#define WM_SHARED_SIZE (sizeof(struct wm_shared) + WM_SHARED_FACTS)

/* Writer.  A chunk for a thread to fill; NULL when there is none: then more threads live
 * than there are chunks, or the reader has stopped.  Waits while too many full chunks wait. */
struct wm_shared_chunk *wm_shared_acquire(struct wm_shared *shared, uint32_t thread);
void wm_shared_hand_over(struct wm_shared *shared, struct wm_shared_chunk *chunk);

/* A child of fork calls wm_shared_child_ready on its parent's memory; the parent waits for a change
 * of `forked`, so that it does not end before the child is known to the reader. */
void wm_shared_child_ready(struct wm_shared *shared);
void wm_shared_await_child(struct wm_shared *shared, uint32_t forked);

/* Reader.  The next full chunk in the order of hand-over; NULL after `timeout_ms`
 * milliseconds without one.  Give it back with wm_shared_release. */
struct wm_shared_chunk *wm_shared_take(struct wm_shared *shared, unsigned timeout_ms);
void wm_shared_release(struct wm_shared *shared, struct wm_shared_chunk *chunk);
/* After the traced process is dead and wm_shared_take gives NULL: a chunk that a thread
 * still owned, by rising index from *at on; NULL when there is none. */
struct wm_shared_chunk *wm_shared_orphan(struct wm_shared *shared, size_t *at);
/* Ends all waiting of the traced process, which then goes on untraced. */
void wm_shared_stop(struct wm_shared *shared);

#endif
