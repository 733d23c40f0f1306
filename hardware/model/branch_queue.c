/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hardware/model/branch_queue.h"
#include "hardware/model/bits.h"

#define MAX_ENTRIES (UINT32_C(1) << 20)

enum wm_hw_status wm_hw_branch_queue_init(struct wm_hw_branch_queue *queue, uint32_t entries, struct wm_arena *arena)
{
	bool bounded = entries != WM_HW_QUEUE_UNBOUNDED;
	if (bounded && entries > MAX_ENTRIES)
		return WM_HW_BAD_CONFIG;
	uint64_t *start = WM_NEW(arena, uint64_t, bounded ? entries : 0);
	if (!start)
		return WM_HW_NO_MEMORY;
	*queue = (struct wm_hw_branch_queue){.start = start, .entries = entries};
	return WM_HW_OK;
}

static void drop_started(struct wm_hw_branch_queue *queue, uint64_t now)
{
	while (queue->count && queue->start[queue->first] <= now) {
		queue->first = (queue->first + 1) % queue->entries;
		queue->count--;
	}
}

/* Every branch costs at least a cycle, so of the branches of this cycle only the first can
 * start in it, and only if the profiler is idle: the costs need not be known. */
bool wm_hw_branch_queue_reserve(struct wm_hw_branch_queue *queue, uint64_t now)
{
	if (queue->entries == WM_HW_QUEUE_UNBOUNDED)
		return true;
	drop_started(queue, now);
	bool idle = queue->idle_at <= now;
	uint32_t waiting = queue->count + queue->reserved - (idle && queue->reserved);
	if (waiting >= queue->entries && !(idle && !queue->reserved))
		return false;
	queue->reserved++;
	return true;
}

void wm_hw_branch_queue_fill(struct wm_hw_branch_queue *queue, uint64_t now, uint32_t cost)
{
	if (queue->entries == WM_HW_QUEUE_UNBOUNDED)
		return;
	uint64_t start = queue->idle_at > now ? queue->idle_at : now;
	queue->reserved--;
	queue->idle_at = start + (cost ? cost : 1);
	if (start > now)
		queue->start[(queue->first + queue->count++) % queue->entries] = start;
}

uint64_t wm_hw_branch_queue_free_at(const struct wm_hw_branch_queue *queue)
{
	return queue->count ? queue->start[queue->first] : queue->idle_at;
}

uint32_t wm_hw_profiler_cycles(
	const struct wm_hw_profiler_costs *costs, const struct wm_hw_profiler_work *work, uint32_t ways)
{
	return work->pushes * costs->push + work->updates * costs->update + work->update_counts * costs->update_count +
	       work->pops * (costs->pop + costs->table) + work->table_misses * wm_hw_log2(ways);
}
