/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The table of actions of which probe programs consist.  Every action is defined here and only here.
 *
 * A row is  ROW(NAME, text, operands, reads, writes, price).  `operands` says which fields of struct wm_action the
 * action uses; `reads` and `writes` are sets of registers; `price` is the number of machine instructions that the
 * action takes in the expected case, or 0 if that depends on its operands.  Code that distinguishes actions is a
 * switch over enum wm_action_kind without `default:`, so that a new row is a compile error where it is not handled:
 * in the interpreter (machine.c; across calls machine_calls.c), the emitter (plugin/emit/emit.c, plugin/actions/path_ends.c,
 * plugin/across/across.c; plugin/crash/crash_emit.c for actions of pending.h) and the price model (price.c).
 *
 * There are three groups of actions.  The first consists of the actions of an *event* (function entry, control-flow
 * edge, exit).  An event action that counts a path refers to an *end*, which is a list of actions of the second
 * group.  An end is given the path's total and the number n of times that the path is to be counted.  It executes its
 * actions in order until one of them stops it.
 * The third group profiles paths across calls (unit_program.h).  Its events are those of the first group, and before
 * and after a call.
 */
#ifndef WM_CORE_PROBES_ACTION_H
#define WM_CORE_PROBES_ACTION_H

#include <stdint.h>

/* Operands. */
enum {
	WM_HAS_VALUE = 1, /* value: a number */
	WM_HAS_REGION = 2, /* region: index in program->region, or in program->regions.region of unit_program.h */
	WM_HAS_TRIP = 4, /* value: index in program->trip_loop */
	WM_HAS_SLOT = 8, /* value: index of a saved context */
	WM_HAS_STEP = 16, /* value: index in program->step */
	WM_HAS_END = 32, /* end: index in program->end; WM_NONE before the pass `ends` */
	WM_HAS_CELL = 64, /* cell: index of a counter; WM_NONE: the path is not counted */
	WM_HAS_RANGE = 128, /* value: the bounds of a range of local indices, see wm_range_low */
	WM_HAS_LOOP = 256, /* loop: index of an iterated loop (core/scheme/kiter.h) */
	WM_HAS_PAIR = 512, /* value: index of the pair's first word in the table of the function */
	WM_HAS_SITE = 1024, /* site: index of the first word of the call site in that table */
};

/* Registers. */
enum {
	WM_REG_R = 1, /* r, the path register */
	WM_REG_L = 2, /* l, the local index of a region */
	WM_REG_OUTER = 4, /* the value of r when the region was entered */
	WM_REG_TRIPS = 8, /* the trips of loops with one path, and the value of r when each loop was entered */
	WM_REG_SAVED = 16, /* the saved contexts of loop heads */
	WM_REG_WINDOW = 32, /* sum, window and done of core/probes/iteration_window.h */
	WM_REG_PIECES = 64, /* the pieces of core/probes/pieces_probes.h */
	WM_REG_TOTAL = 128, /* the total with which an end runs */
	WM_REG_INDEX = 256, /* the local index with which an end runs */
	WM_REG_COUNTS = 512, /* the counters, which the profile reads */
	WM_REG_PAIR = 1024, /* ⟨A, B⟩, what the edges have added up to */
	WM_REG_FRAME = 2048, /* the rest of a frame of machine.h: origin, x and so on */
	WM_REG_MAILBOX = 4096, /* what caller and callee pass to each other */
	WM_REG_WAITING = 8192, /* the paths that wait for calls */
};

/* clang-format off */
#define WM_EVENT_ACTIONS(ROW) \
	/* r = value */ \
	ROW(SET, "set", WM_HAS_VALUE, 0, WM_REG_R, 1) \
	/* r += value, modulo 2^64 */ \
	ROW(ADD, "add", WM_HAS_VALUE, WM_REG_R, WM_REG_R, 1) \
	/* r = ((r + value) | WM_MARK_BIT) - value: see wm_place_sums */ \
	ROW(MARK, "mark", WM_HAS_VALUE, WM_REG_R, WM_REG_R, 4) \
	/* total = r + value; n = 1; run the end */ \
	ROW(COUNT, "count", WM_HAS_VALUE | WM_HAS_END, WM_REG_R, WM_REG_COUNTS, 0) \
	/* the same with total = value */ \
	ROW(COUNT_AT, "count-at", WM_HAS_VALUE | WM_HAS_END, 0, WM_REG_COUNTS, 0) \
	/* Loops with one path (trips.h).  trips = 0; before = r, or l inside a region */ \
	ROW(TRIP_BEGIN, "trip-begin", WM_HAS_TRIP, WM_REG_R | WM_REG_L, WM_REG_TRIPS, 1) \
	/* ++trips */ \
	ROW(TRIP, "trip", WM_HAS_TRIP, WM_REG_TRIPS, WM_REG_TRIPS, 1) \
	/* if (trips) { total = before + first; n = 1; run the end; total = again; n = trips - 1; run that end } */ \
	ROW(TRIP_END, "trip-end", WM_HAS_TRIP, WM_REG_TRIPS | WM_REG_OUTER, WM_REG_COUNTS, 1) \
	/* Regions (regions.h).  outer = r */ \
	ROW(LOCAL_ENTER, "local-enter", WM_HAS_REGION, WM_REG_R, WM_REG_OUTER, 1) \
	/* l = value */ \
	ROW(LOCAL_SET, "local-set", WM_HAS_VALUE | WM_HAS_REGION, 0, WM_REG_L, 1) \
	/* l += value */ \
	ROW(LOCAL_ADD, "local-add", WM_HAS_VALUE | WM_HAS_REGION, WM_REG_L, WM_REG_L, 1) \
	/* index = l + value; n = 1; run the end */ \
	ROW(LOCAL_COUNT, "local-count", WM_HAS_VALUE | WM_HAS_REGION | WM_HAS_END, WM_REG_L | WM_REG_OUTER, \
		WM_REG_COUNTS, 2) \
	/* the same with index = value */ \
	ROW(LOCAL_COUNT_AT, "local-count-at", WM_HAS_VALUE | WM_HAS_REGION | WM_HAS_END, WM_REG_OUTER, \
		WM_REG_COUNTS, 0) \
	/* r = number(l + value) */ \
	ROW(LOCAL_LEAVE, "local-leave", WM_HAS_VALUE | WM_HAS_REGION, WM_REG_L | WM_REG_OUTER, WM_REG_R, 4) \
	/* r = number(value) */ \
	ROW(LOCAL_LEAVE_AT, "local-leave-at", WM_HAS_VALUE | WM_HAS_REGION, WM_REG_OUTER, WM_REG_R, 4) \
	/* Loop contexts.  saved[value] = r */ \
	ROW(SAVE, "save", WM_HAS_SLOT, WM_REG_R, WM_REG_SAVED, 1) \
	/* r = saved[value] */ \
	ROW(RESTORE, "restore", WM_HAS_SLOT, WM_REG_SAVED, WM_REG_R, 1) \
	/* Paths over k iterations: iteration_window.h defines these three */ \
	ROW(ENTER, "enter", WM_HAS_STEP, WM_REG_R, WM_REG_R | WM_REG_WINDOW, 3) \
	ROW(PUSH, "push", WM_HAS_STEP, WM_REG_R | WM_REG_WINDOW, WM_REG_R | WM_REG_WINDOW | WM_REG_COUNTS, 12) \
	ROW(LEAVE, "leave", WM_HAS_STEP, WM_REG_R | WM_REG_WINDOW, WM_REG_R | WM_REG_COUNTS, 12) \
	/* Paths named by pieces (pieces_probes.h).  Adds the piece r + value, an iteration of the loop */ \
	ROW(PIECE, "piece", WM_HAS_VALUE | WM_HAS_LOOP, WM_REG_R | WM_REG_PIECES, WM_REG_PIECES | WM_REG_COUNTS, 20) \
	/* the same with the piece `value` */ \
	ROW(PIECE_AT, "piece-at", WM_HAS_VALUE | WM_HAS_LOOP, WM_REG_PIECES, WM_REG_PIECES | WM_REG_COUNTS, 20) \
	/* Recordings (abi/stream.h).  Append FRAME with the identity of the activation */ \
	ROW(FRAME, "frame", 0, 0, WM_REG_COUNTS, 8) \
	/* append LAND with it.  On a call edge this is done after the call, all other actions before it */ \
	ROW(LAND, "land", 0, 0, WM_REG_COUNTS, 8)
#define WM_END_ACTIONS(ROW) \
	/* cell[c] += n; stop */ \
	ROW(CELL, "cell", WM_HAS_CELL, 0, WM_REG_COUNTS, 1) \
	/* cell[total] += n; stop */ \
	ROW(ARRAY, "array", 0, WM_REG_TOTAL, WM_REG_COUNTS, 2) \
	/* if (total == value) { cell[c] += n; stop } */ \
	ROW(GUESS, "guess", WM_HAS_VALUE | WM_HAS_CELL, WM_REG_TOTAL, WM_REG_COUNTS, 1) \
	/* if (total is not negative) stop */ \
	ROW(SIGN, "sign", 0, WM_REG_TOTAL, 0, 2) \
	/* Tables of known paths (counting.h).  if (table[i = slot(total)] == total) { cell[i] += n; stop } */ \
	ROW(LOOKUP, "lookup", WM_HAS_CELL, WM_REG_TOTAL, WM_REG_COUNTS, 0) \
	/* The path is known to be in the table.  cell[slot(total)] += n; stop */ \
	ROW(MEMBER, "member", WM_HAS_CELL, WM_REG_TOTAL, WM_REG_COUNTS, 0) \
	/* if (the first probe of the hash table finds the id of total; in residual builds, with a count) { add n there; stop } */ \
	ROW(HASH, "hash", 0, WM_REG_TOTAL, WM_REG_COUNTS, 10) \
	/* Residual builds.  if (cell[id of total] is not 0, because the path was seen before) { add n to it; stop } */ \
	ROW(SEEN, "seen", 0, WM_REG_TOTAL, WM_REG_COUNTS, 4) \
	/* Residual builds of paths across calls.  if (the first probe of the set of tested paths finds the id of total) stop */ \
	ROW(TESTED, "tested", 0, WM_REG_TOTAL, 0, 6) \
	/* the runtime adds n to the count of the id of total; stop */ \
	ROW(CALL, "call", 0, WM_REG_TOTAL, WM_REG_COUNTS, 0) \
	/* call an out-of-line function that runs program->cold; stop */ \
	ROW(COLD, "cold", 0, WM_REG_TOTAL, WM_REG_COUNTS, 0) \
	/* if (the path already has pieces) { the runtime counts it; stop }; total += WM_ALONE_BIT */ \
	ROW(ALONE, "alone", 0, WM_REG_TOTAL | WM_REG_PIECES, WM_REG_TOTAL | WM_REG_PIECES | WM_REG_COUNTS, 2) \
	/* the runtime names the path by its pieces and counts it; stop */ \
	ROW(PIECES, "pieces", 0, WM_REG_TOTAL | WM_REG_PIECES, WM_REG_PIECES | WM_REG_COUNTS, 20) \
	/* append the subpath with the id total to the stream of the thread; stop */ \
	ROW(APPEND, "append", 0, WM_REG_TOTAL, WM_REG_COUNTS, 7) \
	/* Regions.  if (index is settled) { cell[c + index] += n; stop }.  All settled indices are in low … high.  Flags \
	 * say where other indices may be; without flags there are none.  With WM_BETWEEN a table is consulted. */ \
	ROW(SETTLED, "settled", WM_HAS_RANGE | WM_HAS_REGION | WM_HAS_CELL, WM_REG_INDEX, WM_REG_COUNTS, 2) \
	/* total = number(index); the flags WM_CAME_IN and WM_INSIDE say where the path may have begun */ \
	ROW(NUMBER, "number", WM_HAS_REGION, WM_REG_INDEX | WM_REG_OUTER, WM_REG_TOTAL, 3)
/* machine.h says what the registers mean.  All numbers are words of the function's table (abi/unit_tables.h); `token` is that
 * of the site. */
#define WM_UNIT_ACTIONS(ROW) \
	/* if (the mailbox has the function's token) { origin = n; x = that of the mailbox; empty the mailbox; crossed = 1 } \
	 * else { save and empty the mailbox; origin = first id; x = 1 }; ⟨A, B⟩ = ⟨0, origin⟩ */ \
	ROW(TAKE_CALL, "take-call", 0, WM_REG_MAILBOX, WM_REG_MAILBOX | WM_REG_FRAME | WM_REG_PAIR, 6) \
	/* ⟨A, B⟩ += pair */ \
	ROW(ADD_PAIR, "add-pair", WM_HAS_PAIR, WM_REG_PAIR, WM_REG_PAIR, 2) \
	/* if (token) { n = (A + φa)·x + B + φb; x of the mailbox = ψ(x) after the site; its token = token } \
	 * else if (the scheme has cuts) count that number */ \
	ROW(HAND_OVER, "hand-over", WM_HAS_SITE, WM_REG_PAIR | WM_REG_FRAME, WM_REG_MAILBOX | WM_REG_COUNTS, 9) \
	/* Before the last call of a block that does not return: if (token) hand-over, else count that number, with which the \
	 * path ends */ \
	ROW(HAND_OVER_LAST, "hand-over-last", WM_HAS_SITE, WM_REG_PAIR | WM_REG_FRAME, WM_REG_MAILBOX | WM_REG_COUNTS, 9) \
	/* if (token) { ⟨A, B⟩ = ⟨0, reply⟩ - φ; if (the callee restarted) { B += edge value; x = completions after the exit } } \
	 * else if (the scheme has cuts) the next path begins: ⟨A, B⟩ = start of the site */ \
	ROW(TAKE_REPLY, "take-reply", WM_HAS_SITE, WM_REG_MAILBOX | WM_REG_FRAME | WM_REG_PAIR, \
		WM_REG_PAIR | WM_REG_FRAME | WM_REG_MAILBOX, 7) \
	/* count (A + a)·x + B + b */ \
	ROW(COUNT_PAIR, "count-pair", WM_HAS_PAIR, WM_REG_PAIR | WM_REG_FRAME, WM_REG_COUNTS, 12) \
	/* The same number: the reply of a frame that was crossed into, else counted; restore the mailbox */ \
	ROW(REPLY, "reply", WM_HAS_PAIR, WM_REG_PAIR | WM_REG_FRAME, WM_REG_MAILBOX | WM_REG_COUNTS, 8) \
	/* After reply, before a tail call: if (the mailbox has the token of a function) add a to the token */ \
	ROW(HOLD, "hold", WM_HAS_PAIR, WM_REG_MAILBOX, WM_REG_MAILBOX, 4) \
	/* The function is left without returning: restore the mailbox */ \
	ROW(QUIT, "quit", 0, WM_REG_FRAME, WM_REG_MAILBOX, 2) \
	/* A landing pad: empty the mailbox */ \
	ROW(CATCH, "catch", 0, 0, WM_REG_MAILBOX, 1) \
	/* The next path begins, with the context of this one (⟨A, B⟩ = ⟨a, b + origin⟩) or without (⟨A, B⟩ = pair; x = completions \
	 * after the exit; restarted = 1), as the scheme has it */ \
	ROW(RESTART, "restart", WM_HAS_PAIR, WM_REG_FRAME, WM_REG_PAIR | WM_REG_FRAME, 4) \
	/* restart, after a call that has thrown: no path has been counted before it */ \
	ROW(RESUME, "resume", WM_HAS_PAIR, WM_REG_FRAME, WM_REG_PAIR | WM_REG_FRAME, 5) \
	/* if (token) restart: a callee that was crossed into has thrown */ \
	ROW(RESTART_IF, "restart-if", WM_HAS_PAIR | WM_HAS_SITE, WM_REG_FRAME | WM_REG_PAIR, WM_REG_PAIR | WM_REG_FRAME, 5) \
	/* if (!token) ⟨A, B⟩ += pair */ \
	ROW(ADD_UNLESS, "add-unless", WM_HAS_PAIR | WM_HAS_SITE, WM_REG_PAIR, WM_REG_PAIR, 3) \
	/* if (!token) count-pair */ \
	ROW(COUNT_UNLESS, "count-unless", WM_HAS_PAIR | WM_HAS_SITE, WM_REG_PAIR | WM_REG_FRAME, WM_REG_COUNTS, 13) \
	/* Pending paths.  Note the number that count-pair would count as that of the path which waits for the next call */ \
	ROW(WAIT, "wait", WM_HAS_PAIR, WM_REG_PAIR | WM_REG_FRAME, WM_REG_WAITING, 20) \
	/* if (!token) wait */ \
	ROW(WAIT_UNLESS, "wait-unless", WM_HAS_PAIR | WM_HAS_SITE, WM_REG_PAIR | WM_REG_FRAME, WM_REG_WAITING, 21) \
	/* The call has returned: forget its path; count those of activations that were left in the call */ \
	ROW(WAITED, "waited", 0, WM_REG_FRAME | WM_REG_WAITING, WM_REG_WAITING | WM_REG_COUNTS, 10) \
	/* if (!token) waited */ \
	ROW(WAITED_UNLESS, "waited-unless", WM_HAS_SITE, WM_REG_FRAME | WM_REG_WAITING, WM_REG_WAITING | WM_REG_COUNTS, 11) \
	/* The call was left otherwise: count the path that waits for it, and those of activations that were left in it */ \
	ROW(LEFT, "left", 0, WM_REG_FRAME | WM_REG_WAITING, WM_REG_WAITING | WM_REG_COUNTS, 10) \
	/* Regions (unit_regions.h).  l = value */ \
	ROW(REGION_SET, "region-set", WM_HAS_VALUE | WM_HAS_REGION, 0, WM_REG_L, 1) \
	/* l += value */ \
	ROW(REGION_ADD, "region-add", WM_HAS_VALUE | WM_HAS_REGION, WM_REG_L, WM_REG_L, 1) \
	/* index = l + value; if (the path began inside) add 1 to the cell of the index, else count the number of the path \
	 * with the pair of the index */ \
	ROW(REGION_COUNT, "region-count", WM_HAS_VALUE | WM_HAS_REGION, WM_REG_L | WM_REG_PAIR | WM_REG_FRAME, \
		WM_REG_COUNTS, 4) \
	/* index = l + value; if (the path began inside) restart with ⟨0, 0⟩; ⟨A, B⟩ += the pair of the index */ \
	ROW(REGION_LEAVE, "region-leave", WM_HAS_VALUE | WM_HAS_REGION, WM_REG_L | WM_REG_PAIR | WM_REG_FRAME, \
		WM_REG_PAIR | WM_REG_FRAME, 8)
#define WM_ACTIONS(ROW) WM_EVENT_ACTIONS(ROW) WM_END_ACTIONS(ROW) WM_UNIT_ACTIONS(ROW)
/* For a switch over the actions of one group: the labels of another, as in WM_END_ACTIONS(WM_CASE).  An action of a group
 * that cannot occur there is an error of ours: the labels are followed by an assertion. */
#define WM_CASE(NAME, text, operands, reads, writes, price) case WM_ACTION_##NAME:
/* clang-format on */

enum wm_action_kind {
#define WM_ROW(NAME, text, operands, reads, writes, price) WM_ACTION_##NAME,
	WM_ACTIONS(WM_ROW)
#undef WM_ROW
};
#define WM_MARK_BIT ((uint64_t)1 << 63)

/* Flags. */
enum {
	/* For an action that runs an end: if the first action of the end stops it, the next action of the event is
	 * skipped, because r (or l) already has the value to which that action would set it. */
	WM_SPARES = 1,
	WM_BELOW = 2, /* SETTLED: an index below the range is possible; it is not settled */
	WM_ABOVE = 4, /* the same for an index above the range */
	WM_BETWEEN = 8, /* the same for an index inside the range */
	WM_CAME_IN = 16, /* NUMBER: the path may have begun outside the region */
	WM_INSIDE = 32, /* NUMBER: the path may have begun inside the region */
	WM_KEEPS_MAILBOX =
		64, /* TAKE_CALL: the function makes no calls, so a mailbox that is not its own stays as it is */
	WM_LEVEL =
		128, /* HAND_OVER, HAND_OVER_LAST, TAKE_REPLY: φ is ⟨0, 0⟩ in every numbering; REPLY, COUNT_PAIR: so is the pair */
};

struct wm_action {
	uint8_t kind; /* enum wm_action_kind */
	uint8_t flags;
	uint16_t region;
	union {
		uint32_t end;
		uint32_t cell;
		uint32_t loop;
		uint32_t site;
	};
	int64_t value; /* arithmetic is modulo 2^64 */
};

/* A row of the table. */
struct wm_action_row {
	const char *text;
	uint16_t operands;
	uint16_t reads, writes;
	uint8_t price;
};
extern const struct wm_action_row wm_action_rows[];

static inline int64_t wm_range(uint32_t low, uint32_t high)
{
	return (int64_t)((uint64_t)low << 32 | high);
}
static inline uint32_t wm_range_low(const struct wm_action *action)
{
	return (uint32_t)((uint64_t)action->value >> 32);
}
static inline uint32_t wm_range_high(const struct wm_action *action)
{
	return (uint32_t)action->value;
}

#endif
