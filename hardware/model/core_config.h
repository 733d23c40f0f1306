/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a core (core_timing.h) is made of and what it tells others; core_timing.c and the stages of its pipeline share these types. */
#ifndef WM_HARDWARE_CORE_CONFIG_H
#define WM_HARDWARE_CORE_CONFIG_H

#include "hardware/model/branch_queue.h"
#include "hardware/model/memory.h"
#include "hardware/model/predictor.h"

enum wm_hw_unit {
	WM_HW_UNIT_INT, /* integer ALUs */
	WM_HW_UNIT_INT_MUL,
	WM_HW_UNIT_FP,
	WM_HW_UNIT_FP_MUL,
	WM_HW_UNIT_PORT, /* of the data cache */
	WM_HW_UNIT_COUNT
};
#define WM_HW_UNITS_MAX 16 /* of one kind */

struct wm_hw_operation {
	enum wm_hw_unit unit;
	uint32_t latency; /* cycles from issue to completion, 1 … 65535 */
	uint32_t interval; /* cycles until the unit can take another operation, 1 … 65535; 1: pipelined */
};

struct wm_hw_core_config {
	uint32_t fetch_width, dispatch_width, issue_width, commit_width;
	uint32_t fetch_queue, reorder_buffer, load_store_queue;
	uint32_t mispredict_penalty;
	uint32_t forward_latency; /* of data from an older store */
	uint32_t units[WM_HW_UNIT_COUNT];
	struct wm_hw_operation operation[WM_HW_CLASS_COUNT]; /* those of NOP, LOAD and STORE are not used */
};

/* A branch at its commit. */
struct wm_hw_retired {
	const struct wm_hw_insn *insn;
	uint64_t next, cycle;
	bool taken;
	struct wm_hw_events events; /* since the previous branch, this one included; frequency is 0 */
};

struct wm_hw_profiler {
	/* Called for every branch, in order.  Returns the cycles that the profiler needs for it
	 * (wm_hw_profiler_cycles); NULL: no profiler. */
	uint32_t (*retire)(void *closure, const struct wm_hw_retired *branch);
	void *closure;
	uint32_t queue; /* entries, or WM_HW_QUEUE_UNBOUNDED */
};

struct wm_hw_core_stats {
	uint64_t cycles; /* from the first fetch to the last commit */
	uint64_t instructions, operations;
	uint64_t forwarded; /* loads that took the data of a store */
	uint64_t queue_stall_cycles; /* in which commit waited for the branch queue */
};

struct wm_hw_core_parts {
	struct wm_hw_memory *memory; /* used by this core only: its blocks have the core's arrival times */
	struct wm_hw_predictor *predictor; /* used by this core only */
	struct wm_hw_profiler profiler;
};

#endif
