/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Follows the threads of a trace: from words to steps (hardware/model/insn.h).  The outcome of a branch is
 * known when the next block starts, so a step comes one block late.
 *
 * What makes no branch:
 *   - A block without a branch at its end (the translator cut it) continues at its end.
 *   - A repeated string instruction runs once per iteration; only the first one counts.
 *   - A block that is left in the middle and continued there (an emulated atomic access, a
 *     fault whose handler mended the cause) counts each instruction once.
 *   - A signal.  The trace says which executions of a handler are deliveries (trace_words.h).  A
 *     handler whose first block is also the target of a jump within the handler looks like a
 *     delivery there, but with the stack pointer of the delivery that is being handled.
 */
#ifndef WM_HARDWARE_TRACE_TRACE_FOLLOW_H
#define WM_HARDWARE_TRACE_TRACE_FOLLOW_H

#include "hardware/model/detector.h"
#include "hardware/trace/traced_program.h"

struct wm_follow_stats {
	uint64_t words, steps, instructions;
	uint64_t signals;
	uint64_t unexplained; /* diversions that are no delivery of a signal */
	uint64_t lost; /* places where words are missing */
	uint64_t execs; /* attempts to become another program */
	uint32_t threads;
};

struct wm_follow;

/* `step` is called for every step, with `closure`; it returns false to end following.  Steps are passed on in the order
 * of execution before wm_follow_words returns. */
struct wm_follow_sink {
	bool (*step)(void *closure, const struct wm_hw_step *step);
	/* Called instead of `step` for steps that can be part of a run, with the same result; NULL: `step` is called for
	 * all. */
	bool (*run)(void *closure, const struct wm_hw_run *run);
	void *closure;
	bool accesses; /* the trace has all memory accesses: pass them on; excludes `run` */
};

/* `program` may learn more facts while it is followed.  NULL: no memory. */
struct wm_follow *wm_follow_new(const struct wm_trace_program *program, const struct wm_follow_sink *sink);
void wm_follow_free(struct wm_follow *follow);

/* Words of one thread, after those given before.  WM_TRACE_DAMAGED: a word makes no sense,
 * or names a block that the program does not have; WM_TRACE_END: the sink said so. */
enum wm_trace_status wm_follow_words(struct wm_follow *follow, uint32_t thread, const uint64_t *word, size_t count);
/* The trace is over: what each thread ran last is passed on. */
enum wm_trace_status wm_follow_finish(struct wm_follow *follow);

const struct wm_follow_stats *wm_follow_stats(const struct wm_follow *follow);

#endif
