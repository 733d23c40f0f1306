/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * An out-of-order core with a path profiler at its commit stage, driven by the instructions
 * that a program retired.  Table 5.3 and section 5.5.3 of the thesis; the pipeline follows
 * SimpleScalar's sim-outorder, the thesis's simulator, except where noted.
 *
 * Operations.  The sizes and widths of table 5.3 are those of a load/store machine, so each
 * instruction is cracked into operations of such a machine: one for each memory access, and
 * one for what else the instruction does.  `add [p], r` becomes a load, an addition and a
 * store.  All widths and queues count operations.
 *
 * Stages.  In each cycle they run from last to first, so that an operation spends at least
 * one cycle in each:
 *
 *   commit     the oldest operations, in order, if they were done in an earlier cycle.  A
 *              store writes the data cache here, through a port; a branch needs a place in the
 *              branch queue.  Without either the stage stalls.
 *   complete   results reach their consumers, which can issue in the same cycle
 *   issue      the oldest ready operations, if a unit is free.  Loads and stores compute
 *              their address here, on an integer ALU.
 *   access     loads with an address, when the addresses of all older stores are known, through
 *              a port.  If the youngest older store that overlaps the load covers it, the load
 *              takes its data, once they are there; if it overlaps only in part, the load waits
 *              until the store has committed.  (sim-outorder counts this as a second issue.)
 *   dispatch   in order, into the reorder buffer and the load/store queue; registers are renamed
 *   fetch      into the fetch queue, as long as the instruction cache delivers; a taken branch
 *              is the last of its cycle
 *
 * A load that hits delivers to consumers 1 + l1_latency cycles after its issue.  A
 * serialising instruction dispatches into an empty reorder buffer, and nothing dispatches
 * until it has committed.
 *
 * Branches.  The wrong path is not modelled.  After a misprediction, fetch resumes
 * mispredict_penalty cycles after the branch completes; after a misfetch, in the cycle after
 * the branch was dispatched.
 *
 * Time is skipped while nothing can happen.  The cost per operation is constant except for
 * the search of older stores by loads.
 */
#ifndef WM_HARDWARE_MODEL_CORE_TIMING_H
#define WM_HARDWARE_MODEL_CORE_TIMING_H

#include "hardware/model/core_config.h"

/* Table 5.3.  Latencies and ports are not in the table: they are SimpleScalar's defaults, and
 * the 2 ports are those of figure 5.5. */
struct wm_hw_core_config wm_hw_core_table_5_3(void);

struct wm_hw_core;

/* A core that has executed nothing.  WM_HW_BAD_CONFIG: a width, queue or number of units is 0 or
 * above its limit (queues 4096, widths 64), or a latency or interval is out of range, or a memory
 * access could take 2^20 cycles; WM_HW_NO_MEMORY. */
enum wm_hw_status wm_hw_core_new(struct wm_hw_core **core, const struct wm_hw_core_config *config,
	const struct wm_hw_core_parts *parts, struct wm_arena *arena);

/* Executes one step of one thread; a program with threads needs a core for each.  Accesses of
 * the step are those the trace gives: an instruction without any runs as if it used registers
 * only.  The instructions must stay valid until the pipeline is empty.  A diverted step empties
 * it before the next instruction is fetched. */
void wm_hw_core_run(struct wm_hw_core *core, const struct wm_hw_step *step);
/* Empties the pipeline. */
void wm_hw_core_finish(struct wm_hw_core *core);
/* What has committed since the last branch, whose path a signal or the end of the thread ends or
 * suspends; counting starts anew.  The pipeline must be empty, as it is after a diverted step. */
struct wm_hw_events wm_hw_core_take_events(struct wm_hw_core *core);
struct wm_hw_core_stats wm_hw_core_stats(const struct wm_hw_core *core);

#endif
