/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The base: everything that was counted before a fork or reset, as chunks of abi/counts.h: those of the base before it, and
 * one with what was counted since then.  After many forks or resets they become one.  The time at which a path was first
 * seen stays in the file that counted it.
 */
#include "runtime/image/base.h"

#include "abi/counts.h"
#include "runtime/image/sorted_counts.h"
#include "runtime/state/state.h"

#define MOST_CHUNKS 8u

static size_t chunk_count(const struct wm_counts_writer *writer)
{
	size_t count = 0;
	for (size_t at = 0; at < writer->used; count++)
		at += ((const struct wm_raw_chunk *)(const void *)(writer->memory + at))->size;
	return count;
}

int wm_base_build(struct wm_base *base, enum wm_threads threads)
{
	struct wm_counts_writer writer = {NULL, 0, 0, 0, 0};
	*base = (struct wm_base){NULL, 0, 0};
	if (wm.image.base.size)
		wm_counts_copy(&writer, wm.image.base.memory, wm.image.base.size);
	wm_counts_collect(&writer, threads, WM_COLLECT_BASE);
	if (writer.error || !writer.used) {
		int error = writer.error;
		wm_counts_release(&writer);
		return error;
	}
	if (chunk_count(&writer) > MOST_CHUNKS)
		wm_counts_fold(&writer);
	*base = (struct wm_base){writer.memory, writer.used, writer.size};
	return 0;
}

void wm_base_release(struct wm_base *base)
{
	if (base->memory)
		sys_unmap(base->memory, base->mapped);
	*base = (struct wm_base){NULL, 0, 0};
}
