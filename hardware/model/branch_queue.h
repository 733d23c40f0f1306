/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The branch queue between the commit stage and the path profiler (sections 5.2 and 5.5.3).
 * The profiler processes one branch at a time, in order; the branch in process is not in the
 * queue.  A queue of 0 entries hands a branch to an idle profiler only.
 */
#ifndef WM_HARDWARE_BRANCH_QUEUE_H
#define WM_HARDWARE_BRANCH_QUEUE_H

#include "core/base/arena.h"
#include "hardware/model/path.h"
#include <stdbool.h>
#include <stdint.h>

#define WM_HW_QUEUE_UNBOUNDED UINT32_MAX /* never stalls; what the profiler costs is not modelled */

struct wm_hw_branch_queue {
	uint64_t *start; /* a ring: the cycle in which each waiting branch leaves the queue */
	uint32_t entries, first, count;
	uint32_t reserved; /* branches of the current cycle whose cost is not known yet */
	uint64_t idle_at; /* the first cycle in which the profiler has nothing left to do */
};

/* WM_HW_BAD_CONFIG: more than 2^20 entries; WM_HW_NO_MEMORY. */
enum wm_hw_status wm_hw_branch_queue_init(struct wm_hw_branch_queue *queue, uint32_t entries, struct wm_arena *arena);

/* Whether one more branch can be committed in cycle `now`; if so, a place is kept for it.
 * `now` must not decrease, and every place of a cycle must be filled before the next cycle. */
bool wm_hw_branch_queue_reserve(struct wm_hw_branch_queue *queue, uint64_t now);
/* Fills the oldest place, with a branch that keeps the profiler busy for `cost` cycles; 0 counts as 1. */
void wm_hw_branch_queue_fill(struct wm_hw_branch_queue *queue, uint64_t now, uint32_t cost);
/* The next cycle in which a place becomes free, when reserve() refused in this one. */
uint64_t wm_hw_branch_queue_free_at(const struct wm_hw_branch_queue *queue);

/* What the operations on the path stack cost (section 5.5.3), in cycles. */
struct wm_hw_profiler_costs {
	uint32_t push, update, update_count, pop;
	uint32_t table; /* updating the hot path table, in every pop */
};
#define WM_HW_PROFILER_COSTS \
	((struct wm_hw_profiler_costs){.push = 1, .update = 1, .update_count = 1, .pop = 1, .table = 1})

/* What the profiler did with one branch: how many operations of each kind. */
struct wm_hw_profiler_work {
	uint32_t pushes, updates, update_counts, pops;
	uint32_t table_misses; /* of the pops */
};

/* The cycles of `work` with a table of `ways`: a miss costs log2(ways), rounded down, more. */
uint32_t wm_hw_profiler_cycles(
	const struct wm_hw_profiler_costs *costs, const struct wm_hw_profiler_work *work, uint32_t ways);

#endif
