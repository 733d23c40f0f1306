/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/sides.h"

#include <ctype.h>
#include <string.h>

/* Clang's names for the blocks after a condition.  Where an operand of && or ||
 * is followed by the next one, the block that leaves the whole condition decides:
 * in !(a && b), "a holds" is a step towards false. */
enum side { UNKNOWN, GOES_ON_IF_TRUE, GOES_ON_IF_FALSE, HOLDS, FAILS };

static const struct {
	const char *name;
	enum side side;
} sides[] = {
	{"if.then", HOLDS},
	{"if.else", FAILS},
	{"if.end", FAILS},
	{"for.body", HOLDS},
	{"for.end", FAILS},
	{"for.cond.cleanup", FAILS},
	{"while.body", HOLDS},
	{"while.end", FAILS},
	{"do.body", HOLDS},
	{"do.end", FAILS},
	{"cond.true", HOLDS},
	{"cond.false", FAILS},
	{"land.lhs.true", GOES_ON_IF_TRUE},
	{"land.rhs", GOES_ON_IF_TRUE},
	{"lor.lhs.false", GOES_ON_IF_FALSE},
	{"lor.rhs", GOES_ON_IF_FALSE},
};

/* LLVM makes names unique by digits at their end. */
static enum side side_of(LLVMBasicBlockRef block)
{
	const char *name = LLVMGetBasicBlockName(block);
	size_t length = strlen(name);
	while (length && isdigit((unsigned char)name[length - 1]))
		length--;
	for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
		if (strlen(sides[i].name) == length && strncmp(sides[i].name, name, length) == 0)
			return sides[i].side;
	return UNKNOWN;
}

unsigned wm_true_successor(LLVMValueRef branch)
{
	enum side first = side_of(LLVMGetSuccessor(branch, 0)), second = side_of(LLVMGetSuccessor(branch, 1));
	if (first == second)
		return 0;
	if (first == HOLDS || second == FAILS)
		return 0;
	if (first == FAILS || second == HOLDS)
		return 1;
	if (first == GOES_ON_IF_TRUE || second == GOES_ON_IF_FALSE)
		return 0;
	return first == GOES_ON_IF_FALSE || second == GOES_ON_IF_TRUE;
}
