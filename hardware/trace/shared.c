/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hardware/trace/shared.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void futex_wait(_Atomic uint32_t *word, uint32_t seen, unsigned timeout_ms)
{
	struct timespec timeout = {timeout_ms / 1000, (long)(timeout_ms % 1000) * 1000000};
	syscall(SYS_futex, word, FUTEX_WAIT, seen, &timeout, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* The lowest free chunk, so that few pages are touched. */
static struct wm_shared_chunk *claim(struct wm_shared *shared, uint32_t thread)
{
	for (size_t i = 0; i < WM_SHARED_CHUNKS; i++) {
		struct wm_shared_chunk *chunk = &shared->chunk[i];
		uint32_t free = WM_CHUNK_FREE;
		if (atomic_load_explicit(&chunk->state, memory_order_relaxed) != WM_CHUNK_FREE ||
			!atomic_compare_exchange_strong(&chunk->state, &free, WM_CHUNK_OWNED))
			continue;
		chunk->thread = thread;
		atomic_store_explicit(&chunk->used, 0, memory_order_release);
		return chunk;
	}
	return NULL;
}

struct wm_shared_chunk *wm_shared_acquire(struct wm_shared *shared, uint32_t thread)
{
	for (;;) {
		uint32_t taken = atomic_load(&shared->taken);
		if (atomic_load(&shared->stopped))
			return NULL;
		if (atomic_load(&shared->handed) - taken < WM_SHARED_AHEAD)
			return claim(shared, thread);
		futex_wait(&shared->taken, taken, 100);
		/* A reader that was killed has stopped nothing. */
		if (kill((pid_t)shared->reader, 0) != 0 && errno == ESRCH)
			atomic_store(&shared->stopped, 1);
	}
}

/* The state becomes FULL before the order is published by `handed`: several threads may be
 * between both, so the reader looks for the order it wants. */
void wm_shared_hand_over(struct wm_shared *shared, struct wm_shared_chunk *chunk)
{
	while (atomic_exchange(&shared->lock, 1))
		;
	chunk->order = atomic_load(&shared->handed);
	atomic_store(&chunk->state, WM_CHUNK_FULL);
	atomic_fetch_add(&shared->handed, 1);
	atomic_store(&shared->lock, 0);
	futex_wake(&shared->handed);
}

static struct wm_shared_chunk *find_full(struct wm_shared *shared, uint32_t order)
{
	for (size_t i = 0; i < WM_SHARED_CHUNKS; i++)
		if (atomic_load(&shared->chunk[i].state) == WM_CHUNK_FULL && shared->chunk[i].order == order)
			return &shared->chunk[i];
	return NULL;
}

struct wm_shared_chunk *wm_shared_take(struct wm_shared *shared, unsigned timeout_ms)
{
	uint32_t taken = atomic_load(&shared->taken), handed = atomic_load(&shared->handed);
	if (handed == taken) {
		futex_wait(&shared->handed, handed, timeout_ms);
		handed = atomic_load(&shared->handed);
	}
	return handed == taken ? NULL : find_full(shared, taken);
}

void wm_shared_release(struct wm_shared *shared, struct wm_shared_chunk *chunk)
{
	bool full = atomic_load(&chunk->state) == WM_CHUNK_FULL;
	atomic_store(&chunk->state, WM_CHUNK_FREE);
	if (full)
		atomic_fetch_add(&shared->taken, 1);
	futex_wake(&shared->taken);
}

struct wm_shared_chunk *wm_shared_orphan(struct wm_shared *shared, size_t *at)
{
	for (; *at < WM_SHARED_CHUNKS; ++*at) {
		struct wm_shared_chunk *chunk = &shared->chunk[*at];
		if (atomic_load(&chunk->state) == WM_CHUNK_OWNED)
			return chunk;
	}
	return NULL;
}

void wm_shared_stop(struct wm_shared *shared)
{
	atomic_store(&shared->stopped, 1);
	atomic_fetch_add(&shared->taken, 0);
	futex_wake(&shared->taken);
}

void wm_shared_child_ready(struct wm_shared *shared)
{
	atomic_fetch_add(&shared->forked, 1);
	futex_wake(&shared->forked);
}

/* A fork that failed has no child, so the parent does not wait for ever. */
void wm_shared_await_child(struct wm_shared *shared, uint32_t forked)
{
	for (int i = 0; i < 50 && atomic_load(&shared->forked) == forked; i++)
		futex_wait(&shared->forked, forked, 100);
}
