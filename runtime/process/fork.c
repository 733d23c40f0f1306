/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Handles fork.  The counters of the child start at zero, in its own file.  The base of the child contains the counts
 * of its parent, so the number of open paths follows from the entries and ends in the base.  Parent and child share
 * the pages of the parent's file until the child has its own file; therefore the base is computed before the fork, and
 * signals stay blocked until each process has its own counters.
 *
 * The child keeps the cells of the thread that forked, at the same address, because its open frames count there.
 */
#include "runtime/process/fork.h"

#include "runtime/chunk/chunk.h"
#include "runtime/count/recording_stream.h"
#include "runtime/count/waiting_paths.h"
#include "runtime/file/name.h"
#include "runtime/file/test_name.h"
#include "runtime/file/warn.h"
#include "runtime/image/base.h"
#include "runtime/image/image.h"
#include "runtime/image/test_marks.h"
#include "runtime/process/leaving.h"
#include "runtime/state/header.h"
#include "runtime/state/lock.h"
#include "runtime/state/state.h"
#include "runtime/state/unseen.h"
#include "runtime/system/seccomp_filter.h"
#include "runtime/thread/distance.h"
#include "runtime/thread/own.h"
#include "runtime/thread/thread_cells.h"

#include <errno.h>

void wm_fork_prepare(void)
{
	sys_block_signals(&wm.fork.mask);
	if (wm.threads.distances)
		wm_distances_fork(wm.threads.distances);
	wm_lock_take(&wm.lock);
	if (!wm.image.header)
		return;
	wm.fork.thread = sys_gettid();
	wm.fork.failed = wm.condensed || wm_base_build(&wm.fork.base, WM_THREADS_SELF) != 0;
}

/* The mask of the signals is read before the lock is released, because another thread may then begin a fork. */
static void end_fork(bool in_child)
{
	uint64_t mask = wm.fork.mask;
	wm_lock_release(&wm.lock);
	if (wm.threads.distances)
		wm_distances_forked(wm.threads.distances, in_child);
	sys_restore_signals(&mask);
}

void wm_fork_parent(void)
{
	wm_base_release(&wm.fork.base);
	end_fork(false);
}

/* Whether a chunk of a thread is that of the thread that forked. */
static bool is_own(const struct wm_chunk *chunk)
{
	if (chunk->kind == WM_CHUNK_CRASH)
		return chunk->owner == wm.fork.thread;
	return wm_is_own_cells(chunk);
}

static void keep_own_chunks(void)
{
	for (size_t i = wm.image.chunk_count; i-- > 0;) {
		struct wm_chunk *chunk = &wm.image.chunk[i];
		if (chunk->kind != WM_CHUNK_THREAD && chunk->kind != WM_CHUNK_CRASH)
			continue;
		if (is_own(chunk))
			chunk->owner = sys_gettid();
		else
			wm_chunk_remove(i);
	}
	wm.image.thread_cursor = 0;
}

static int restart(const struct wm_raw_header *header)
{
	int error = wm.discard ? -ENOTSUP : wm_image_move(header, WM_COUNTS_ZERO, &wm.fork.base, WM_PUBLISH_NEW);
	if (!error)
		return 0;
	if (!wm.image.mapped)
		wm_image_restart(header, &wm.fork.base);
	else if (wm_image_move(header, WM_COUNTS_ZERO, &wm.fork.base, WM_PUBLISH_NEVER))
		wm_header_set_flags(WM_RAW_FOREIGN_PROCESS);
	return wm.discard ? 0 : error;
}

void wm_fork_child(void)
{
	struct wm_raw_header header;
	if (!wm.image.header) {
		end_fork(true);
		return;
	}
	wm_filter_forked(wm.fork.thread);
	wm_stream_fork();
	wm_copy(&header, wm.image.header, sizeof header);
	wm.pid = sys_getpid();
	wm_own_forked();
	*wm.sentinel = 1;
	wm.written = wm.left = false;
	wm_leaving_fork();
	wm.threads.second = wm.threads.announced = 0;
	wm_unseen_fork();
	/* If the parent has given a warning, its children do not warn about lost counts again. */
	wm.warned |= wm.warned ? WM_WARN_LOST : 0;
	keep_own_chunks();
	if (wm_waiting_fork)
		wm_waiting_fork();
	wm_new_run(&header);
	wm.fork.in_child = true;
	int error = restart(&header);
	wm.fork.in_child = false;
	/* Without a base the number of inherited paths is unknown. */
	if (wm.fork.failed)
		wm_header_lose_all();
	wm_base_release(&wm.fork.base);
	wm_test_name_fork();
	wm_test_marks_restart();
	if (error)
		wm_warn(WM_WARN_LATE, "counts after fork will be written at exit, not as they happen:", wm_name_told(),
			error);
	end_fork(true);
}
