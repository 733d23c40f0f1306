/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/conditions/branch_sides.h"

#include <ctype.h>
#include <string.h>

/* Clang's names for the blocks after a condition.  Where an operand of && or ||
 * is followed by the next one, the block that leaves the whole condition decides:
 * in !(a && b), "a holds" is a step towards false. */
static const struct {
	const char *name;
	enum wm_side side;
} sides[] = {
	{"if.then", WM_SIDE_HOLDS},
	{"if.else", WM_SIDE_FAILS},
	{"if.end", WM_SIDE_FAILS},
	{"for.body", WM_SIDE_HOLDS},
	{"for.end", WM_SIDE_FAILS},
	{"for.cond.cleanup", WM_SIDE_FAILS},
	{"while.body", WM_SIDE_HOLDS},
	{"while.end", WM_SIDE_FAILS},
	{"do.body", WM_SIDE_HOLDS},
	{"do.end", WM_SIDE_FAILS},
	{"cond.true", WM_SIDE_CHOSEN},
	{"cond.false", WM_SIDE_OTHER},
	{"land.lhs.true", WM_SIDE_NEXT_IF_TRUE},
	{"land.rhs", WM_SIDE_NEXT_IF_TRUE},
	{"lor.lhs.false", WM_SIDE_NEXT_IF_FALSE},
	{"lor.rhs", WM_SIDE_NEXT_IF_FALSE},
};

/* The length of a name without what LLVM has appended: digits, which make names unique, and ".i" when it inlined. */
static size_t own_length(const char *name)
{
	size_t length = strlen(name);
	for (;;) {
		while (length && isdigit((unsigned char)name[length - 1]))
			length--;
		if (length < 2 || strncmp(name + length - 2, ".i", 2) != 0)
			return length;
		length -= 2;
	}
}

enum wm_side wm_side_of(LLVMBasicBlockRef block)
{
	const char *name = LLVMGetBasicBlockName(block);
	size_t length = own_length(name);
	for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
		if (strlen(sides[i].name) == length && strncmp(sides[i].name, name, length) == 0)
			return sides[i].side;
	return WM_SIDE_UNKNOWN;
}

static enum wm_side outcome_of(LLVMBasicBlockRef block)
{
	enum wm_side side = wm_side_of(block);
	return side == WM_SIDE_CHOSEN ? WM_SIDE_HOLDS : side == WM_SIDE_OTHER ? WM_SIDE_FAILS : side;
}

unsigned wm_true_successor(LLVMValueRef branch)
{
	enum wm_side first = outcome_of(LLVMGetSuccessor(branch, 0)), second = outcome_of(LLVMGetSuccessor(branch, 1));
	if (first == second)
		return 0;
	if (first == WM_SIDE_HOLDS || second == WM_SIDE_FAILS)
		return 0;
	if (first == WM_SIDE_FAILS || second == WM_SIDE_HOLDS)
		return 1;
	if (first == WM_SIDE_NEXT_IF_TRUE || second == WM_SIDE_NEXT_IF_FALSE)
		return 0;
	return first == WM_SIDE_NEXT_IF_FALSE || second == WM_SIDE_NEXT_IF_TRUE;
}
