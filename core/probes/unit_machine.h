/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The interpreter for paths across calls: one thread that runs functions of a unit under their probe programs.
 *
 * Caller and callee find each other through a mailbox (abi/unit.h), which every thread has one of.  Before a crossed call
 * the caller puts the callee's token there, the number of the path so far, n, and x, how many ways it can go on behind the
 * call.  A function that finds its own token takes these and empties the mailbox; before it returns it leaves a
 * reply.  A function that does not (it was called by code that is not instrumented, by a call that is stepped over, or
 * runs as a signal handler) saves and empties the mailbox, starts a path of its own and restores the mailbox at
 * its exit.  So a signal may come between any two actions.  A function that may run as a signal handler must not be
 * crossed into, or a handler could take the message of the call that it interrupts.  For the same reason a handler must
 * not end in a tail call of a function that may be crossed into: the handler has restored the message before that call.
 *
 * A frame that finds no reply behind a crossed call (the callee was not instrumented after all) is *poisoned*, by
 * WM_POISON in its base: its path is abandoned, and nothing is counted until the next path begins whose number does not
 * depend on it.  So is a frame that was entered by such a path, or without a token although no path begins at the
 * function's entry.
 *
 * The driver says what the program does; the machine runs the probes:
 *
 *     enter f                  wm_unit_machine_enter
 *     for each call of a block wm_unit_machine_call, then enter … leave of the callee, then wm_unit_machine_go_on
 *     next block               wm_unit_machine_step
 *     exit                     wm_unit_machine_leave
 *     an exception             wm_unit_machine_unwind for every frame that it leaves, then wm_unit_machine_catch
 */
#ifndef WM_CORE_PROBES_UNIT_MACHINE_H
#define WM_CORE_PROBES_UNIT_MACHINE_H

#include "core/probes/unit_program.h"

struct wm_unit_frame {
	uint32_t function, block;
	uint32_t call; /* the next call site of the block, or any above */
	bool calling; /* that call has begun and not returned */
	bool crossed; /* entered by a crossed call */
	bool restarted; /* piecewise: the path began in this activation or in a callee */
	uint64_t base, x;
	uint64_t origin; /* context: base on entry */
	struct wm_pair sum; /* ⟨A, B⟩ */
	struct wm_mailbox saved; /* its token is 0 if nothing had to be saved */
};

struct wm_unit_machine {
	const struct wm_unit *unit;
	const struct wm_unit_code *code;
	struct wm_arena *arena; /* of the frames */
	void *closure;
	void (*count)(void *closure, uint64_t id); /* not called for poisoned ids */
	/* Called between any two actions and inside of those that are several instructions; NULL: not called.  It may
	 * run functions of the unit, which must leave before it returns. */
	void (*interrupt)(void *closure);
	uint64_t abandoned; /* paths for want of a reply */
	uint64_t resumed; /* paths that began at a landing pad without a counted end before them */
	/* State. */
	struct wm_mailbox mailbox;
	uint32_t depth, capacity;
	struct wm_unit_frame *frame;
};

/* WM_NO_MEMORY.  The frame is at its entry block, before its calls. */
enum wm_status wm_unit_machine_enter(struct wm_unit_machine *machine, uint32_t function);
/* The next call site of the current block, or WM_NONE. */
uint32_t wm_unit_machine_next_call(const struct wm_unit_machine *machine);
/* What comes before that call. */
void wm_unit_machine_call(struct wm_unit_machine *machine);
/* What comes after it has returned. */
void wm_unit_machine_go_on(struct wm_unit_machine *machine);
/* WM_BAD_PATH when there is no such edge. */
enum wm_status wm_unit_machine_step(struct wm_unit_machine *machine, uint32_t next_block);
/* WM_BAD_PATH when the current block is no exit. */
enum wm_status wm_unit_machine_leave(struct wm_unit_machine *machine);
/* What comes before the last call of the current block, which does not return; the frame stays.  WM_BAD_PATH when the
 * current block is no exit. */
enum wm_status wm_unit_machine_stick(struct wm_unit_machine *machine);
/* The top frame is left by an exception or a jump, without an event. */
void wm_unit_machine_unwind(struct wm_unit_machine *machine);
/* Counts the path of the top frame if the scheme has pending paths and the frame waits in a call that is stepped over;
 * false if it has no such path.  For frames that are about to be left without an event, and for the end of the program. */
bool wm_unit_machine_count_pending(struct wm_unit_machine *machine);
/* A second return of setjmp: after the frames above it are gone, the top frame is as it was at the call, of which `saved` is
 * a copy. */
void wm_unit_machine_return_again(struct wm_unit_machine *machine, const struct wm_unit_frame *saved);
/* The next call of the current block, on the top frame, has unwound to its landing pad.  WM_BAD_PATH when it has none. */
enum wm_status wm_unit_machine_catch(struct wm_unit_machine *machine);

#endif
