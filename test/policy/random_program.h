/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Random units with all that policy/followers.h must know about them: some functions are small lines, the others
 * random graphs; blocks call functions of the unit, and functions elsewhere.  Calls may leave the function by exit, an
 * exception or longjmp; intrinsics and assembly between them may leave too; invokes have landing pads.  A function
 * that returns only makes calls that return.
 */
#ifndef WM_TEST_POLICY_RANDOM_PROGRAM_H
#define WM_TEST_POLICY_RANDOM_PROGRAM_H

#include "policy/counting_choice.h"
#include "policy/followers.h"
#include "test/core/sample.h"

struct random_function {
	struct sample sample; /* graph, plan, oracle */
	struct wm_weights weights;
	struct wm_store_choice store;
	struct wm_follow_block *block;
	bool *may_not_return_before;
	bool line; /* one way from the entry to a return */
	bool returns;
	uint32_t setjmp; /* a call site that returns twice, or WM_NONE */
};
struct random_program {
	struct random random;
	struct wm_arena arena;
	struct wm_unit unit;
	struct random_function *function; /* per function of the unit */
	struct wm_follow_function *fact; /* per function of the unit */
};
/* The same for the same seed. */
void random_program_init(struct random_program *program, uint64_t seed);
void random_program_release(struct random_program *program);

#endif
