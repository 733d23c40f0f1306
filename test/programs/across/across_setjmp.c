/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Calls of setjmp inside loops: the compiler and the link step must agree on which loops have a numbering of their own.
 *
 * levels: -O0 -O2
 * scheme: context piecewise
 */
#include <setjmp.h>
#include <stdio.h>

static jmp_buf env;

__attribute__((noinline)) static int guard(int n)
{
	volatile int sum = 0;
	for (volatile int i = 0; i < n; i++) {
		if (setjmp(env))
			sum += 100;
		if (i & 1)
			sum++;
		for (volatile int j = 0; j < i % 3; j++)
			sum += j & 1 ? 2 : 3;
	}
	return sum;
}

int main(void)
{
	for (int n = 0; n < 12; n++)
		printf("%d\n", guard(n));
	return 0;
}
