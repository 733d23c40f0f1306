/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The pipeline that hardware/model/core_timing.h describes, written for nothing but obviousness: every
 * operation has the cycles of its events, every stage looks at all operations in every cycle.
 * It shares the caches and the predictor with the core, and nothing else.
 */
#ifndef WM_TEST_HARDWARE_NAIVE_CORE_H
#define WM_TEST_HARDWARE_NAIVE_CORE_H

#include "test/hardware/program.h"

struct naive_branch {
	uint64_t cycle; /* of its commit */
	struct wm_hw_events events;
};

struct naive_run {
	struct naive_branch branch[PROGRAM_MAX];
	uint32_t branch_count;
	uint64_t cycles, operations, forwarded;
};

/* Runs a program; `cost` gives the profiler's cycles for branch number `index`.  There is no
 * profiler if `queue` is WM_HW_QUEUE_UNBOUNDED. */
void naive_core_run(struct naive_run *run, const struct program *program, const struct wm_hw_core_config *config,
	const struct wm_hw_core_parts *parts, uint32_t queue, uint32_t (*cost)(uint32_t index));

#endif
