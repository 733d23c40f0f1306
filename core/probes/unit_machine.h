/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The interpreter for paths across calls: one thread that runs functions of a unit under their probe programs.
 *
 * Caller and callee communicate through a mailbox (abi/unit.h).  Every thread has one mailbox.  Before a crossed call, the
 * caller stores there the token of the callee, the number n of the path so far, and the number x of completions after the
 * call.  A function that finds its own token takes these numbers and empties the mailbox; before it returns, it leaves a
 * reply.  A function that does not find its own token was called by code that is not instrumented or by a call that is
 * stepped over, or runs as a signal handler.  It saves and empties the mailbox, starts a path of its own, and restores the
 * mailbox at its exit.  A function that makes no calls need not do so, because nobody reads the mailbox before it returns.
 * So a signal may arrive between any two actions.  No call of a function that may run as a signal
 * handler must be crossed; otherwise the handler could take the message of the call that it interrupts.  A handler that
 * ends in a tail call has restored the message before that call.  It marks the message as held (WM_HELD), so that the
 * callee does not take it, if the callee is known to be a function of the unit.  A handler that makes a tail call of code
 * outside the unit, which then calls a function of the unit, remains a limit, like a handler that is not instrumented.
 *
 * Where LLVM has inlined a call, caller and callee pass token, numbers and reply as values (plugin/messages.h), which signal
 * handlers do not see.  The mailbox is empty then, because the caller has made no other call since it emptied the mailbox.
 *
 * A frame is *poisoned* (WM_POISON is set in the number of its path) if it finds no reply after a crossed call, because the callee was
 * not instrumented after all; if a poisoned path entered it; or if it was entered without a token although no path begins
 * at the entry of its function.  The path of a poisoned frame is abandoned.  Nothing is counted until a path begins whose
 * number does not depend on the abandoned one.
 *
 * In schemes with pending paths, an activation notes the number of its path before every call that is stepped over and
 * forgets it after the call (section 9.2.1).  Where control is back in an activation otherwise, in a landing pad or after
 * a second return of setjmp, the path that waited for the call is counted, and so are those of all activations that were
 * left in the call; at the end of the program, those of all activations.
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
	bool crossed; /* entered by a crossed call */
	bool restarted; /* piecewise: the path began in this activation or in a callee */
	uint64_t x;
	uint64_t origin; /* the number of the path on entry */
	uint32_t local; /* l */
	struct wm_pair sum; /* ⟨A, B⟩; the number of the path is A·x + B */
	struct wm_mailbox saved; /* token 0: the mailbox was empty on entry */
	bool inlined; /* into the frame below */
	bool passes; /* its present call is inlined, and `passed` has what would be in the mailbox */
	struct wm_mailbox passed;
	uint32_t waiting; /* how many paths waited on entry */
};

struct wm_unit_machine {
	const struct wm_unit *unit;
	const struct wm_unit_code *code;
	struct wm_arena *arena; /* of the frames */
	void *closure;
	void (*count)(void *closure, uint64_t id); /* not called for poisoned ids */
	/* Called between any two actions and inside those that are several instructions; NULL: not called.  It may
	 * run functions of the unit, which must leave before it returns. */
	void (*interrupt)(void *closure);
	uint64_t abandoned; /* paths that found no reply */
	uint64_t resumed; /* paths that began at a landing pad without a counted end before them */
	/* State. */
	struct wm_mailbox mailbox;
	uint32_t depth, capacity;
	struct wm_unit_frame *frame;
	/* Schemes with pending paths: the numbers of the paths that wait for calls, those of outer activations first.
	 * All words from waiting_count on are poisoned. */
	uint32_t waiting_count, waiting_capacity;
	uint64_t *waiting;
};

/* WM_NO_MEMORY.  The frame is at its entry block, before its calls. */
enum wm_status wm_unit_machine_enter(struct wm_unit_machine *machine, uint32_t function);
/* The next call site of the current block, or WM_NONE. */
uint32_t wm_unit_machine_next_call(const struct wm_unit_machine *machine);
/* Runs the probe before that call. */
void wm_unit_machine_call(struct wm_unit_machine *machine);
/* The same where the call was inlined: wm_unit_machine_enter_inlined enters the callee, a function of the unit. */
void wm_unit_machine_call_inlined(struct wm_unit_machine *machine);
enum wm_status wm_unit_machine_enter_inlined(struct wm_unit_machine *machine, uint32_t function);
/* Runs the probe after that call, which has returned. */
void wm_unit_machine_go_on(struct wm_unit_machine *machine);
/* Takes the edge to a block.  WM_BAD_PATH: there is no such edge. */
enum wm_status wm_unit_machine_step(struct wm_unit_machine *machine, uint32_t next_block);
/* Leaves the function at its exit.  WM_BAD_PATH: the current block is not an exit. */
enum wm_status wm_unit_machine_leave(struct wm_unit_machine *machine);
/* Runs the probes before the last call of the current block, which does not return; the frame stays, and the callee may be
 * entered.  WM_BAD_PATH: the current block is not an exit. */
enum wm_status wm_unit_machine_stick(struct wm_unit_machine *machine);
/* Removes the top frame, which an exception or a jump left without an event. */
void wm_unit_machine_unwind(struct wm_unit_machine *machine);
/* Whether the path of the top frame, or of a frame that was crossed into from there and is gone, waits for a call, in a
 * scheme with pending paths. */
bool wm_unit_machine_waits(const struct wm_unit_machine *machine);
/* The program ends: counts all paths that wait for calls. */
void wm_unit_machine_end(struct wm_unit_machine *machine);
/* A second return of setjmp, after the frames above have been removed: restores the top frame to `saved`, a copy of the
 * frame at the call of setjmp. */
void wm_unit_machine_return_again(struct wm_unit_machine *machine, const struct wm_unit_frame *saved);
/* The next call of the current block, on the top frame, has unwound to its landing pad.  WM_BAD_PATH: the call has no
 * landing pad. */
enum wm_status wm_unit_machine_catch(struct wm_unit_machine *machine);

#endif
