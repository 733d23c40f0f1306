/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * All small situations in which calls may be inlined.  A situation is a function of one of the shapes below that calls a
 * function of one of these shapes, and so on, LEVELS times; the last one calls a leaf.  Each of them is inlined, or is not.
 * Around a situation are PREFIX functions that are inlined, so that its frames have all places in a group (plugin/crash/frames.h).
 *
 *     call    a call, with something before and after it
 *     loop    the call twice, in a loop
 *     sides   a call on each side of a condition, each with a return of its own
 *     signs   several returns, of which one is after a call
 *     some    a call on one side of a condition, and a way on which the function needs no frame
 *     tail    a call that must be a tail call: the frame ends before it
 *     bare    such a call or a return, and no other calls
 *     tries   the call is in a try block, whose handler goes on or throws again
 *     guard   an object with a destructor is alive in the call
 *     saves   the call is made after setjmp has returned, which may return again
 *     again   the function first calls itself, once
 *
 * A leaf returns, throws, or jumps to the innermost setjmp.  witness.c chooses sides and ends: each situation is run once for
 * every sequence of choices.
 */
#include "situations.h"
#include <csetjmp>
#include <cstdlib>

#define IN static __attribute__((always_inline)) inline
#define OUT static __attribute__((noinline))
#define ENTER \
	static const struct function self = {__PRETTY_FUNCTION__}; \
	const struct link here = {&self, outer}

static jmp_buf *target; /* of the innermost setjmp, or NULL */
static volatile bool needed = true;
static int recursions; /* of the function that calls itself */

struct guard {
	const struct link *outer;
	~guard()
	{
		ENTER;
		at(&here);
	}
};

/* A frame that is taken after an exception or a jump. */
IN void note(const struct link *outer)
{
	ENTER;
	at(&here);
}

/* ---- Functions --------------------------------------------------------------------------- */

#define SHAPE(name, ...) \
	template <situation *next> IN int name##_in(const struct link *outer) \
	{ \
		[[maybe_unused]] constexpr situation *own = name##_in<next>; \
		ENTER; \
		__VA_ARGS__ \
	} \
	template <situation *next> OUT int name##_out(const struct link *outer) \
	{ \
		[[maybe_unused]] constexpr situation *own = name##_out<next>; \
		ENTER; \
		__VA_ARGS__ \
	}

SHAPE(call, {
	at(&here);
	int result = next(&here);
	at(&here);
	return result + 1;
})

SHAPE(loop, {
	int result = 0;
	for (int i = 0; i < 2; i++) {
		at(&here);
		result += next(&here);
	}
	return result;
})

SHAPE(sides, {
	if (choose(2)) {
		int result = next(&here);
		at(&here);
		return result + 2;
	}
	return next(&here) + 3;
})

SHAPE(signs, {
	if (choose(2))
		return 10;
	if (choose(2))
		return 11;
	return next(&here);
})

SHAPE(some, {
	if (!needed)
		return 4;
	if (choose(2))
		return next(&here);
	at(&here);
	return 5;
})

SHAPE(tail, {
	at(&here);
	__attribute__((musttail)) return next(outer);
})

SHAPE(bare, {
	if (needed)
		__attribute__((musttail)) return next(outer);
	return here.outer == nullptr;
})

SHAPE(tries, {
	int result;
	try {
		result = next(&here);
		at(&here);
	} catch (int caught) {
		note(&here);
		if (choose(2))
			throw;
		result = caught;
	}
	return result;
})

SHAPE(guard, {
	guard alive = {&here};
	at(&here);
	return next(&here) + 6;
})

SHAPE(saves, {
	jmp_buf again;
	jmp_buf *const volatile before = target;
	volatile int result = 0;
	if (setjmp(again) == 0) {
		at(&here);
		target = &again;
		result = next(&here);
	}
	target = before;
	note(&here);
	return result + 7;
})

SHAPE(again, {
	int result = recursions++ ? 0 : own(&here);
	at(&here);
	return result + next(&here);
})

/* `next` is of no use to a leaf. */
SHAPE(leaf, {
	at(&here);
	int end = choose(target ? 3 : 2);
	if (end == 1)
		throw 9;
	if (end == 2)
		longjmp(*target, 1);
	return 8;
})

template <int more, situation *next> IN int prefix(const struct link *outer)
{
	ENTER;
	at(&here);
	if constexpr (more > 1)
		return prefix<more - 1, next>(&here);
	else
		return next(&here);
}

template <situation *next> OUT int root(const struct link *outer)
{
	ENTER;
	at(&here);
	if constexpr (PREFIX > 0)
		return prefix<PREFIX, next>(&here);
	else
		return next(&here);
}

/* ---- All of them ------------------------------------------------------------------------- */

static long runs;

/* A jump leaves `target` as it was in the functions that it leaves. */
static void run_one(situation *run, const struct link *outer)
{
	ENTER;
	jmp_buf *before = target;
	recursions = 0;
	try {
		run(&here);
	} catch (int) {
		at(&here);
	}
	target = before;
	at(&here);
}

/* In all ways; with STEP a second time, one instruction at a time. */
static void run_all(situation *run, const struct link *outer)
{
	ENTER;
	do {
		run_one(run, &here);
		runs++;
	} while (next_run());
#ifdef STEP
	do {
		single_step(1);
		run_one(run, &here);
		single_step(0);
	} while (next_run());
#endif
}

template <int levels, situation *inner> static void visit(const struct link *outer)
{
	ENTER;
	if constexpr (levels == 0) {
		run_all(root<inner>, &here);
	} else {
#define VISIT(name) \
	visit<levels - 1, name##_in<inner>>(&here); \
	visit<levels - 1, name##_out<inner>>(&here);
		VISIT(call)
		VISIT(loop)
		VISIT(sides)
		VISIT(signs)
		VISIT(some)
#ifndef NO_TAILS
		VISIT(tail)
		VISIT(bare)
#endif
		VISIT(tries)
		VISIT(guard)
		VISIT(again)
#ifndef NO_JUMPS
		VISIT(saves)
#endif
	}
}

static int nothing(const struct link *)
{
	return 0;
}

/* Deep recursion brings the frames of a situation to the end of a page and to the overflow page. */
static void deeper(int levels, const struct link *outer)
{
	ENTER;
	if (levels)
		deeper(levels - 1, &here);
	else
		run_all(root<call_in<loop_in<leaf_in<nothing>>>>, &here);
	at(&here);
}

void handled(int)
{
	const struct link *outer = nullptr;
	ENTER;
	at(&here);
}

int main()
{
	const struct link *outer = nullptr;
	ENTER;
	visit<LEVELS, leaf_in<nothing>>(&here);
	visit<LEVELS, leaf_out<nothing>>(&here);
	for (int levels = 230; levels < 270; levels++)
		deeper(levels, &here);
	judge(runs);
}
