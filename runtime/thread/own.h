/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What this object keeps for each thread besides its cells.
 *
 * In an executable this is a thread-local variable (own_tls.c).  In a shared object it is found by the thread pointer
 * (own.c): thread-local storage of an object that is opened later is either scarce or, if it is allocated at the first access,
 * needs malloc, which a signal handler must not call.  The thread pointer belongs to one living thread.  A later thread may have
 * that of a dead one; then the thread id is another one, and the later thread begins anew.
 */
#ifndef WM_RUNTIME_THREAD_OWN_H
#define WM_RUNTIME_THREAD_OWN_H

#include "abi/crash.h"
#include "abi/stream.h"
#include "abi/thread.h"

#include <stdbool.h>
#include <stddef.h>

#define WM_STREAM_RING 8

/* The stream of a thread (recording_stream.c). */
struct wm_own_stream {
	char *memory; /* the chunk, or NULL */
	size_t size; /* of the chunk; the next is larger */
	size_t place; /* in recording.buffer */
	size_t slot; /* in `ring`; WM_STREAM_RING: none */
	uint64_t number, sequence;
	uint64_t before; /* entries in earlier chunks */
	uint64_t forked_at, forked_from; /* entries and number of the parent's stream; forked_at 0: not forked */
	char *scratch;
	size_t ring_place[WM_STREAM_RING]; /* in recording.buffer */
	char *ring[WM_STREAM_RING]; /* the large chunks, if there is a spooler */
	uint64_t waited; /* microseconds, since the last entry WAIT */
	bool sealing; /* `memory` is being read: a signal handler must not unmap it */
};

struct wm_places;

struct wm_own {
	struct wm_thread shared; /* must be first: compiled code accesses it */
	struct wm_own_stream stream;
	struct wm_places *places; /* waiting_paths.c; NULL: none */
	bool refused; /* there was no memory for `places` */
	bool inside; /* a callback for untested paths (untested_callback.c) */
	char *crash_chunk; /* crash_frames.c; NULL: not attached */
};

extern struct wm_crash_head wm_no_crash __attribute__((visibility("hidden"))); /* of threads that are not attached */
#define WM_OWN_BEGIN \
	{ \
		.shared = {.stream_cursor = WM_STREAM_FULL, .crash_paths = &wm_no_crash.next } \
	}

/* Never NULL, and the same address for the lifetime of the thread. */
__attribute__((preserve_most, visibility("hidden"))) struct wm_own *__wm_own(void);
/* In the child of a fork: the thread continues with what it has. */
__attribute__((visibility("hidden"))) void wm_own_forked(void);
/* Gives back the memory of all records that __wm_own has made.  The caller is the only thread, has blocked its signals, and keeps
 * no record; the next access makes a new one. */
__attribute__((visibility("hidden"))) void wm_own_release(void);

/* Whether what `owner` has noted is free for `self`, a thread that has none yet.  If the id of a dead thread is
 * used again, the dead one is not recognised; a live thread is never taken for dead. */
bool wm_owner_is_dead(int owner, int self);
/* The id of this thread, or -1 in a vfork child, which ends before its parent. */
int wm_owner_to_note(void);
/* Whether this process uses the memory of another one, as a child of vfork does.  False if a filter forbids to ask. */
__attribute__((visibility("hidden"))) bool wm_is_guest(void);

#endif
