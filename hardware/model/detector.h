/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The path detector (thesis, section 5.2): a path stack that turns the branches one thread
 * retires into path descriptors.
 *
 * Repair.  longjmp, exceptions and switches of stacks leave entries on the path stack whose
 * procedures will never return.  Where the trace gives frame addresses (the address of the
 * return address on the program's stack), each entry of a nesting control register carries
 * that of its procedure, and calls and returns find the entry they belong to:
 *   - Entries at or below the frame address of a call are dead: the topmost entry above it
 *     is the caller's.  The current path becomes the caller's; the entries in between, and
 *     the path the caller was in, are abandoned.
 *   - A return whose frame address an entry has belongs to that entry, likewise.  A return
 *     that no entry has is an indirect branch within the topmost entry above it (this is
 *     how an unwinder enters a landing pad); without such an entry all are abandoned and a
 *     new path starts at the target.
 * A signal pushes an entry for its handler.  With a nesting control register, the return of
 * the handler pops it again; with any other, wm_hw_detector_return does.
 *
 * Departures from the thesis.  A path that spans calls may end inside of a callee, in a loop or at the limit.  The return
 * of that callee ends the path that runs then, as any return does whose extension counter is 0, but the entry stays,
 * because its procedure goes on.  A return that empties the stack (its caller's entry was
 * dropped, or the thread started inside it) pushes an entry for the caller, so that paths
 * are seen again from there on.  A path is split when it would exceed the limit, not when it
 * reaches the limit, so that paths of exactly that length are whole; the branch that would
 * have exceeded it is recorded by neither part.
 *
 * Every operation takes constant time, repair apart, which takes the number of entries it
 * abandons.
 */
#ifndef WM_HARDWARE_DETECTOR_H
#define WM_HARDWARE_DETECTOR_H

#include "hardware/model/control.h"

/* What happens when a full stack is pushed on.  Spilling lets the stack grow into memory. */
enum wm_hw_overflow { WM_HW_DROP_OLDEST, WM_HW_SPILL };

struct wm_hw_detector_config {
	struct wm_hw_control control;
	uint32_t stack_entries; /* at least 1 */
	enum wm_hw_overflow overflow;
	bool plain; /* all events but frequency and instructions are always 0, which saves time */
};

#define WM_HW_NO_FRAME 0u /* the trace does not know the frame address */

/* A retired branch. */
struct wm_hw_committed {
	enum wm_hw_type type;
	bool taken; /* or unconditional */
	uint64_t next; /* where execution continues */
	/* Of a call: where its return address was stored; of a return: where the return
	 * address was loaded from.  On AArch64: the stack pointer at `next`. */
	uint64_t frame;
	/* The block event counter: what happened since the previous branch. */
	struct wm_hw_events events;
};

/* The branch that a step retires, apart from its events. */
static inline void wm_hw_committed_set(struct wm_hw_committed *branch, const struct wm_hw_step *step)
{
	branch->type = wm_hw_branch_type(wm_hw_block_last(step->block), step->next);
	branch->next = step->next;
	branch->frame = step->frame;
	branch->taken = step->taken;
}

/* Consecutive steps (insn.h) of one thread in blocks that were executed up to their ends, without what only caches,
 * predictors and cores need.  Each block starts where the one before it continues. */
enum { WM_HW_RUN_MAX = 256 };
struct wm_hw_run {
	uint64_t start; /* of the first block */
	uint64_t instructions; /* of all steps */
	uint32_t thread;
	uint32_t count; /* of steps */
	struct wm_hw_run_step {
		uint64_t next, frame; /* as in struct wm_hw_step */
		uint32_t instructions;
		uint8_t type; /* enum wm_hw_type; WM_HW_TYPE_COUNT: no branch ends the block */
		bool taken;
	} step[WM_HW_RUN_MAX];
};
/* Some of the steps of a run. */
struct wm_hw_span {
	const struct wm_hw_run_step *at, *end;
};

/* A path that left the stack complete. */
struct wm_hw_finished {
	struct wm_hw_path path;
	struct wm_hw_events events; /* frequency is 1 */
};

struct wm_hw_detector_stats {
	uint64_t branches, finished;
	uint64_t operations[16]; /* by the set of enum wm_hw_stack_operation that was performed */
	unsigned performed; /* that set, of the last branch */
	uint64_t split; /* paths ended by the limit of branches */
	uint64_t dropped; /* entries lost to overflow */
	uint64_t spilled; /* pushes beyond stack_entries */
	uint64_t abandoned; /* entries lost to repair, or still there at the end */
	uint64_t resumed; /* paths begun in the middle of a procedure whose entry was lost */
	uint64_t deepest;
};

/* Adds up; the deepest of both stays. */
void wm_hw_detector_stats_add(struct wm_hw_detector_stats *sum, const struct wm_hw_detector_stats *more);

struct wm_hw_detector;

/* NULL when there is no memory.  The configuration must pass wm_hw_detector_check. */
struct wm_hw_detector *wm_hw_detector_new(const struct wm_hw_detector_config *config);
void wm_hw_detector_free(struct wm_hw_detector *detector);
enum wm_hw_status wm_hw_detector_check(const struct wm_hw_detector_config *config);

/* The thread starts at `start`. */
enum wm_hw_status wm_hw_detector_begin(struct wm_hw_detector *detector, uint64_t start);
/* Processes one branch.  *done says whether it finished a path, which *finished then holds;
 * no branch finishes more than one.  A plain detector leaves the events of *finished that are
 * always 0 untouched.  WM_HW_NO_MEMORY only with WM_HW_SPILL. */
enum wm_hw_status wm_hw_detector_branch(struct wm_hw_detector *detector, const struct wm_hw_committed *branch,
	struct wm_hw_finished *finished, bool *done);
/* Processes steps until one of them finishes a path, as wm_hw_detector_branch does; span->at becomes the step after it.
 * The detector must be plain; it does not set `performed` of its statistics.  branch->events has the instructions since
 * the last branch, before and after the call; its other fields are overwritten. */
enum wm_hw_status wm_hw_detector_run(struct wm_hw_detector *detector, struct wm_hw_span *span,
	struct wm_hw_committed *branch, struct wm_hw_finished *finished, bool *done);
/* A signal handler starts at `start`; `events` happened since the last branch and belong to
 * the interrupted path. */
enum wm_hw_status wm_hw_detector_interrupt(
	struct wm_hw_detector *detector, uint64_t start, const struct wm_hw_events *events);
/* The handler of a signal has returned to the code that the signal interrupted.  Does nothing with a nesting control
 * register.  With any other, the path in which the handler returned is abandoned and the interrupted one continues. */
void wm_hw_detector_return(struct wm_hw_detector *detector);
/* The thread has ended: what is on the stack is abandoned. */
void wm_hw_detector_end(struct wm_hw_detector *detector);

const struct wm_hw_detector_stats *wm_hw_detector_stats(const struct wm_hw_detector *detector);
size_t wm_hw_detector_depth(const struct wm_hw_detector *detector);

#endif
