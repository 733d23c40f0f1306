/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The interpreter: one thread that runs functions under their probe programs.
 *
 * A program without ends (before the pass `ends`) reports the total of every path to counters.total.  A program with
 * ends executes them, and calls the other functions where a compiled program would increment a cell, probe its hash table
 * or call the runtime.
 *
 * The paths of most functions belong to one activation.  What follows is about functions whose paths cross calls.
 *
 * Caller and callee communicate through a mailbox (abi/unit_tables.h).  Every thread has one mailbox.  Before a crossed call, the
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
 * Where LLVM has inlined a call, caller and callee pass token, numbers and reply as values (plugin/emit/messages.h), which signal
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
 *     enter f                  wm_machine_enter
 *     for each call of a block wm_machine_call, then enter … leave of the callee, then wm_machine_go_on
 *     next block               wm_machine_step
 *     exit                     wm_machine_leave
 *     an exception             wm_machine_unwind for every frame that it leaves, then wm_machine_catch
 *
 * Functions whose paths do not cross calls have no probes at calls: their drivers need not tell of calls.
 */
#ifndef WM_CORE_PROBES_MACHINE_H
#define WM_CORE_PROBES_MACHINE_H

#include "core/probes/unit_program.h"

struct wm_counters {
	void *closure;
	void (*total)(void *closure, uint64_t total, uint64_t amount);
	void (*cell)(void *closure, uint32_t cell, uint64_t amount);
	/* If the hash table has this path, adds to its count and returns true. */
	bool (*find)(void *closure, uint64_t id, uint64_t amount);
	/* The runtime counts this path. */
	void (*call)(void *closure, uint64_t id, uint64_t amount);
	/* Plans with sequences: the runtime counts the path of these pieces. */
	void (*sequence)(void *closure, const uint64_t *piece, uint32_t length);
	/* Recordings: the subpath is appended to the stream; FRAME, or with `land` LAND, is. */
	void (*append)(void *closure, uint64_t id);
	void (*frame)(void *closure, bool land);
};

/* An activation. */
struct wm_frame {
	uint32_t function, block, last_edge;
	uint32_t call; /* the next call site of the block, or any above */
	uint32_t first_word; /* in machine->word */
	/* Paths of one activation. */
	uint64_t r, l, outer;
	uint64_t sum, window, done; /* core/probes/iteration_window.h */
	/* Paths across calls. */
	bool crossed; /* entered by a crossed call */
	bool restarted; /* piecewise: the path began in this activation or in a callee */
	uint64_t x;
	uint64_t origin; /* the number of the path on entry */
	uint32_t local; /* l of a region */
	struct wm_pair pair; /* ⟨A, B⟩; the number of the path is A·x + B */
	struct wm_mailbox saved; /* token 0: the mailbox was empty on entry */
	bool inlined; /* into the frame below */
	bool passes; /* its present call is inlined, and `passed` has what would be in the mailbox */
	struct wm_mailbox passed;
	uint32_t waiting; /* how many paths waited on entry */
};

/* A path that waits for a call. */
struct wm_waiting {
	uint32_t function; /* that noted it */
	uint64_t id;
};

/* Start from zeroes and the fields before `abandoned`. */
struct wm_machine {
	const struct wm_probed *probed; /* per function; need not be filled in before the function is entered */
	struct wm_arena *arena; /* of the frames */
	struct wm_counters counters;
	/* Called between any two actions and inside those that are several instructions; NULL: not called.  It may
	 * run functions, which must leave before it returns. */
	void (*interrupt)(void *closure);
	uint64_t abandoned; /* paths that found no reply */
	uint64_t resumed; /* paths that began at a landing pad without a counted end before them */
	uint32_t counts_in; /* while a function of `counters` is called: the function whose path it is about */
	/* State. */
	struct wm_mailbox mailbox;
	uint32_t depth, capacity;
	struct wm_frame *frame;
	/* The memory of the frames: trips of loops, totals before them, saved contexts, pieces. */
	uint32_t word_capacity;
	uint64_t *word;
	/* Schemes with pending paths: the paths that wait for calls, those of outer activations first.  All ids from
	 * waiting_count on are poisoned. */
	uint32_t waiting_count, waiting_capacity;
	struct wm_waiting *waiting;
};

static inline struct wm_frame *wm_machine_top(const struct wm_machine *machine)
{
	return &machine->frame[machine->depth - 1];
}

/* WM_NO_MEMORY.  The frame is at its entry block, before its calls.  `inlined`: by the call that the top frame makes. */
enum wm_status wm_machine_enter(struct wm_machine *machine, uint32_t function, bool inlined);
/* The next call site of the current block, or WM_NONE; also if paths do not cross calls. */
uint32_t wm_machine_next_call(const struct wm_machine *machine);
/* Runs the probe before that call.  `inlined`: LLVM has inlined the call, of a function of the unit. */
void wm_machine_call(struct wm_machine *machine, bool inlined);
/* Runs the probe after that call, which has returned.  On the graph of parts (core/graph/parts.h): after the call that the
 * last step was over. */
void wm_machine_go_on(struct wm_machine *machine);
/* Takes the edge to a block.  WM_BAD_PATH: there is no such edge. */
enum wm_status wm_machine_step(struct wm_machine *machine, uint32_t next_block);
/* Leaves the function at its exit.  WM_BAD_PATH: the current block is not an exit. */
enum wm_status wm_machine_leave(struct wm_machine *machine);
/* Runs the probes before the last call of the current block, which does not return; the frame stays, and the callee may be
 * entered.  WM_BAD_PATH: the current block is not an exit. */
enum wm_status wm_machine_stick(struct wm_machine *machine);
/* Removes the top frame, which an exception or a jump left without an event. */
void wm_machine_unwind(struct wm_machine *machine);
/* The next call of the current block, on the top frame, has unwound to its landing pad.  WM_BAD_PATH: the call has no
 * landing pad. */
enum wm_status wm_machine_catch(struct wm_machine *machine);
/* Whether the path of the top frame, or of a frame that was crossed into from there and is gone, waits for a call, in a
 * scheme with pending paths. */
bool wm_machine_waits(const struct wm_machine *machine);
/* The program ends: counts all paths that wait for calls. */
void wm_machine_end(struct wm_machine *machine);

/* What a call of setjmp keeps of the top frame. */
struct wm_saved_frame {
	struct wm_frame frame;
	uint64_t word[];
};
size_t wm_machine_saved_size(const struct wm_machine *machine);
void wm_machine_save(const struct wm_machine *machine, struct wm_saved_frame *saved);
/* A second return of that call, after the frames above have been removed.  Restores what compiled code restores, and runs
 * the probe after the call. */
void wm_machine_return_again(struct wm_machine *machine, const struct wm_saved_frame *saved);

/* What machine.c, with events, ends and paths of one activation, shares with machine_calls.c, which has the actions for
 * paths across calls.  The function of the top frame: */
static inline const struct wm_probed *wm_machine_probed(const struct wm_machine *machine)
{
	return &machine->probed[wm_machine_top(machine)->function];
}
static inline void wm_machine_interrupt(const struct wm_machine *machine)
{
	if (machine->interrupt)
		machine->interrupt(machine->counters.closure);
}
/* Runs an end of the program of `function`, or without one (WM_NONE) reports the total.  Returns whether the first action
 * of the end stopped it. */
bool wm_machine_count(struct wm_machine *machine, uint32_t function, uint32_t end, uint64_t total, uint64_t amount);
/* Runs an action of the group WM_UNIT_ACTIONS. */
void wm_machine_run_across(struct wm_machine *machine, const struct wm_action *action);

#endif
