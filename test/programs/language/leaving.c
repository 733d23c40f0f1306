/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Functions that do not come back though they make no call: by an intrinsic, by assembly.
 * What their callers had begun is abandoned, and so it is known that they were entered.
 *
 * source: f("middle") | .entries == 64 and .balance.abandoned == 16
 * source: f("outer") | .entries == 64 and .balance.abandoned == 16
 * source: f("above") | .entries == 64 and .balance.abandoned == 8
 * source: f("harmless") | .entries == 64 and .balance.abandoned == 0
 */
#include <stdio.h>

static void *env[5];
volatile int sink;

__attribute__((noinline)) void jumper(int i)
{
	if (i % 4 == 3)
		__builtin_longjmp(env, 1);
	sink += i;
}

__attribute__((noinline)) void middle(int i)
{
	jumper(i);
	sink++;
}

__attribute__((noinline)) void outer(int i)
{
	middle(i);
	sink++;
}

__attribute__((noinline)) void harmless(int i)
{
	__asm__ volatile("");
	sink += i;
}

/* What __builtin_longjmp does. */
__attribute__((noinline)) void leaps(int i)
{
	if (i % 8 == 7)
		__asm__ volatile("movq (%0), %%rbp\n movq 16(%0), %%rsp\n jmpq *8(%0)" : : "r"(env) : "memory");
	sink += i;
}

__attribute__((noinline)) void above(int i)
{
	leaps(i);
	sink++;
}

int main(void)
{
	for (volatile int i = 0; i < 64; i++) {
		if (__builtin_setjmp(env) == 0)
			outer(i);
		harmless(i);
	}
	for (volatile int i = 0; i < 64; i++)
		if (__builtin_setjmp(env) == 0)
			above(i);
	printf("%d\n", sink);
	return 0;
}
