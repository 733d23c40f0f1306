/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The cells of threads.  Each thread counts in cells of its own, so no cache line is written by two threads.  The cells
 * outlive their thread and are given to a later thread, which continues with their counts.  The kernel is asked whether
 * the owner of cells is dead.  A destructor of thread-specific data would not do, because other destructors that run
 * after it may count, and because it needs memory from malloc.
 *
 * `delta` updates: a function finds the cells of its thread, the main thread included, in what own.h keeps for the thread.
 *
 * `gs` updates: the cells of a thread are where distance.h says; those of the main thread are the main cells.
 */
#include "runtime/thread/thread_cells.h"

#include "runtime/chunk/chunk.h"
#include "runtime/state/control_record.h"
#include "runtime/state/header.h"
#include "runtime/state/lock.h"
#include "runtime/state/state.h"
#include "runtime/state/unseen.h"
#include "runtime/system/elf.h"
#include "runtime/thread/distance.h"
#include "runtime/thread/own.h"

#include <sys/auxv.h>

#define PROBES 64

/* Compiled code compares what this points to, in the copy of this thread, with the thread pointer (distance.h).  A thread
 * that has a distance must not enter the object before its constructor. */
static uintptr_t nobody;
__attribute__((visibility("hidden"))) extern uintptr_t *__wm_mark;
uintptr_t *__wm_mark = &nobody;

__attribute__((preserve_most, visibility("hidden"))) int64_t __wm_thread_attach(void);
__attribute__((preserve_most, visibility("hidden"))) void __wm_new_thread(void);

struct wm_chunk *wm_chunk_of_dead_thread(enum wm_chunk_kind kind, int self)
{
	size_t probes = wm.image.chunk_count < PROBES ? wm.image.chunk_count : PROBES;
	for (; probes; probes--) {
		wm.image.thread_cursor = (wm.image.thread_cursor + 1) % wm.image.chunk_count;
		struct wm_chunk *chunk = &wm.image.chunk[wm.image.thread_cursor];
		if (chunk->kind == kind && !chunk->placed && wm_owner_is_dead(chunk->owner, self))
			return chunk;
	}
	return NULL;
}

/* Atomic, because the record may have been that of a dead thread: ThreadSanitizer does not know that it is. */
static int64_t own_delta(void)
{
	return __atomic_load_n(&__wm_own()->shared.delta, __ATOMIC_RELAXED);
}

bool wm_is_own_cells(const struct wm_chunk *chunk)
{
	int64_t delta = wm_thread_cells(chunk) - wm.object.cells;
	return delta == own_delta() || delta == wm_thread_distance();
}

/* ---- delta ------------------------------------------------------------------------- */

static size_t thread_cells_size(void)
{
	return wm_page_up(sizeof(struct wm_raw_chunk) + wm.object.span - (wm.object.page_exact ? wm.object.before : 0));
}

static void fail_delta(void)
{
	if (!wm.threads.failed)
		wm_header_lose_all();
	wm.threads.failed = true;
}

static void attach_delta(void)
{
	int self = wm_owner_to_note();
	struct wm_chunk *chunk = self > 0 ? wm_chunk_of_dead_thread(WM_CHUNK_THREAD, self) : NULL;
	if (!chunk)
		chunk = wm_chunk_new(WM_CHUNK_THREAD, thread_cells_size(), thread_cells_size());
	if (!chunk) {
		fail_delta();
		return;
	}
	chunk->owner = self;
	wm.threads.have_cells = true;
	__atomic_store_n(&__wm_own()->shared.delta, wm_thread_cells(chunk) - wm.object.cells, __ATOMIC_RELAXED);
}

/* Returns 0 if the caller has to count in the main cells.  One reason is that the constructor has not run; there is
 * only one thread then.  The other reasons are that there is no memory, or that the lock is not to be had; all
 * functions are then recorded as having lost counts. */
__attribute__((preserve_most)) int64_t __wm_thread_attach(void)
{
	if (!__atomic_load_n(&wm.started, __ATOMIC_ACQUIRE))
		return 0;
	uint64_t saved;
	if (!wm_lock_counting(&saved)) {
		fail_delta();
		return 0;
	}
	if (!own_delta())
		attach_delta();
	wm_unlock(&saved);
	wm_warn_not_stored();
	return own_delta();
}

/* ---- gs ----------------------------------------------------------------------------- */

static struct wm_chunk *find_placed(int64_t distance)
{
	for (size_t i = wm.image.chunk_count; i-- > 0;) {
		struct wm_chunk *chunk = &wm.image.chunk[i];
		if (chunk->placed && wm_thread_cells(chunk) - wm.object.cells == distance)
			return chunk;
	}
	return NULL;
}

/* The place of a copy: a chunk whose memory is not mapped yet.  In a file the chunk begins a page, and distances are made
 * for that; without the linker script the cells begin anywhere, and the copy is private memory. */
static struct wm_chunk place_at(int64_t distance)
{
	char *copy = wm.object.cells + distance;
	struct wm_chunk chunk = {.kind = WM_CHUNK_THREAD, .placed = true};
	if (wm.object.page_exact) {
		chunk.memory = copy - sizeof(struct wm_raw_chunk);
		chunk.front = wm.object.before;
		chunk.size = thread_cells_size();
	} else {
		chunk.memory = copy - wm.object.before - sizeof(struct wm_raw_chunk);
		chunk.front = (uintptr_t)chunk.memory % WM_PAGE;
		chunk.size = wm_page_up(chunk.front + sizeof(struct wm_raw_chunk) + wm.object.span) - chunk.front;
	}
	return chunk;
}

static bool copy_exists(int64_t distance)
{
	wm_lock_take(&wm.lock);
	bool found = find_placed(distance);
	wm_lock_release(&wm.lock);
	return found;
}

static bool reserve_copy(int64_t distance)
{
	struct wm_chunk place = place_at(distance);
	return copy_exists(distance) || wm_map_exactly(place.memory - place.front, place.front + place.size);
}

static void release_copy(int64_t distance)
{
	struct wm_chunk place = place_at(distance);
	if (!copy_exists(distance))
		sys_unmap(place.memory - place.front, place.front + place.size);
}

/* Without memory for its description, the copy is not part of the image. */
static bool attach_copy(int64_t distance)
{
	wm_lock_take(&wm.lock);
	struct wm_chunk *chunk = find_placed(distance), place = place_at(distance);
	bool made = !chunk;
	if (made)
		chunk = wm_chunk_place(&place);
	if (chunk)
		chunk->owner = sys_gettid();
	else
		wm_second_thread();
	wm.threads.have_cells = true;
	wm_lock_release(&wm.lock);
	return made;
}

static struct wm_attachable self = {
	.reserve = reserve_copy, .release = release_copy, .attach = attach_copy, .fail = wm_second_thread};

__attribute__((weak, visibility("hidden"))) extern const char __wm_unchecked;

int64_t wm_thread_distance(void)
{
	return wm_distance_of(&self);
}

/* Distances are multiples of a page, but for the size of a struct wm_raw_chunk. */
static void find_extent(void)
{
	struct wm_chunk place = place_at(sizeof(struct wm_raw_chunk));
	self.low = place.memory - place.front - sizeof(struct wm_raw_chunk);
	self.size = place.front + place.size;
}

static int take_distances(const struct wm_control *control, void *data)
{
	struct wm_distances **found = data;
	*found = *control->distances;
	return *found != NULL;
}

void wm_threads_start(void)
{
	struct wm_distances *other = NULL;
	if (!wm.object.uses_gs)
		return;
	wm.threads.main_stack = __getauxval(AT_RANDOM);
	self.always = wm.object.executable || &__wm_unchecked;
	find_extent();
	wm_each_control(take_distances, &other);
	wm.threads.distances = wm_distances_start(other, &self);
	if (!wm.threads.distances) {
		wm_header_lose_all();
		return;
	}
	__wm_mark = self.mark;
	wm_unseen_start();
}

static void keep_copies(struct wm_distances *all)
{
	wm_lock_take(&wm.lock);
	for (size_t i = 0; i < wm.image.chunk_count; i++)
		if (wm.image.chunk[i].placed)
			wm_distances_keep(all, &self, wm_thread_cells(&wm.image.chunk[i]) - wm.object.cells);
	wm_lock_release(&wm.lock);
}

void wm_threads_stop(void)
{
	uint64_t saved;
	if (!wm.threads.distances || wm.object.executable)
		return;
	sys_block_signals(&saved);
	wm_distances_remove(wm.threads.distances, &self, keep_copies);
	sys_restore_signals(&saved);
}

/* The main thread does.  After a fork the only thread of the child may have a distance. */
static bool counts_in_main_cells(void)
{
	return sys_gettid() == wm.pid && !wm_gs();
}

/* Signals are blocked before the check, so a signal handler finds the thread either attached or not. */
__attribute__((preserve_most)) void __wm_new_thread(void)
{
	uint64_t saved;
	if (!__atomic_load_n(&wm.started, __ATOMIC_ACQUIRE) || !wm.threads.distances)
		return;
	sys_block_signals(&saved);
	if (counts_in_main_cells())
		wm_distances_attach_main(&self);
	else if (!wm_thread_distance())
		wm_distances_attach(wm.threads.distances, &self);
	sys_restore_signals(&saved);
	wm_warn_not_stored();
}
