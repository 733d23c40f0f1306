/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Threads.
 *
 * `thread` updates: each thread, the main thread included, counts in cells of its own, so no cache line is written
 * by two threads.  The cells outlive their thread and are given to a later thread, which continues with their counts.
 * The kernel is asked whether the owner of cells is dead.  A destructor of thread-specific data would not do, because
 * other destructors that run after it may count, and because it needs memory from malloc.
 *
 * `single` updates: counts are right as long as only one thread counts; a second thread sets a flag.  In an
 * executable, the creation of a thread sets the flag (spawn.c).  In a shared object, whose threads may be created by
 * other code, functions check on entry.
 */
#include "runtime/internal.h"

#define PROBES 64

__thread int64_t __wm_thread_delta;
__thread unsigned char __wm_thread_known;
__thread struct wm_mailbox __wm_mailbox; /* only compiled code uses it */

__attribute__((preserve_most, visibility("hidden"))) int64_t __wm_thread_attach(void);
__attribute__((preserve_most, visibility("hidden"))) void __wm_new_thread(void);
__attribute__((visibility("hidden"))) void __wm_second_thread(void);
__attribute__((weak)) extern char __libc_single_threaded;

bool wm_owner_is_dead(int owner, int self)
{
	return owner >= 0 && (owner == 0 || owner == self || sys3(SYS_tgkill, wm.pid, owner, 0) == -3 /* ESRCH */);
}

struct wm_segment *wm_segment_of_dead_thread(enum wm_chunk_kind kind, int self)
{
	size_t probes = wm.image.segment_count < PROBES ? wm.image.segment_count : PROBES;
	for (; probes; probes--) {
		wm.image.thread_cursor = (wm.image.thread_cursor + 1) % wm.image.segment_count;
		struct wm_segment *segment = &wm.image.segment[wm.image.thread_cursor];
		if (segment->kind == kind && wm_owner_is_dead(segment->owner, self))
			return segment;
	}
	return NULL;
}

/* In a vfork child the thread id is that of the child, which ends before the parent continues; -1 is recorded
 * instead. */
int wm_owner_to_note(void)
{
	return sys_getpid() == wm.pid ? sys_gettid() : -1;
}

static size_t thread_cells_size(void)
{
	return wm_page_up(sizeof(struct wm_raw_chunk) + wm.object.span - (wm.object.page_exact ? wm.object.before : 0));
}

static void attach(void)
{
	int self = wm_owner_to_note();
	struct wm_segment *segment = self > 0 ? wm_segment_of_dead_thread(WM_CHUNK_THREAD, self) : NULL;
	if (!segment)
		segment = wm_segment_new(WM_CHUNK_THREAD, thread_cells_size(), thread_cells_size());
	if (!segment) {
		if (!wm.threads.failed)
			wm_header_lose_all();
		wm.threads.failed = true;
		return;
	}
	segment->owner = self;
	wm.threads.have_cells = true;
	__wm_thread_delta = wm_thread_cells(segment) - wm.object.cells;
}

/* Returns 0 if the caller has to count in the main cells.  One reason is that the constructor has not run; there is
 * only one thread then.  The other reason is that there is no memory; all functions are then recorded as having lost
 * counts. */
__attribute__((preserve_most)) int64_t __wm_thread_attach(void)
{
	if (!__atomic_load_n(&wm.started, __ATOMIC_ACQUIRE))
		return 0;
	uint64_t saved;
	wm_lock(&saved);
	if (!__wm_thread_delta)
		attach();
	wm_unlock(&saved);
	wm_warn_not_stored();
	return __wm_thread_delta;
}

void __wm_second_thread(void)
{
	__atomic_store_n(&wm.threads.second, 1, __ATOMIC_SEQ_CST);
	wm_header_set_flags(WM_RAW_SECOND_THREAD);
}

/* spawn.c does not see threads if a sanitizer defines pthread_create, and does not see threads that the C library
 * starts itself (SIGEV_THREAD).  The C library records whether there ever was a second thread. */
void wm_detect_threads(void)
{
	if (wm.object.executable && &__libc_single_threaded && !__libc_single_threaded)
		__wm_second_thread();
}

__attribute__((preserve_most)) void __wm_new_thread(void)
{
	/* This must be one instruction: a signal handler between a test and a store would look like a second thread. */
	if (__atomic_exchange_n(&__wm_thread_known, 1, __ATOMIC_RELAXED))
		return;
	if (!__atomic_exchange_n(&wm.threads.seen, 1, __ATOMIC_RELAXED))
		return;
	__wm_second_thread();
}
