/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * A resolver runs before relocation is complete: left alone, and listed.
 *
 * source: f("pick_twice") | .status == "skipped"
 * source: f("twice_impl") | .entries == 6
 */
#include <stdio.h>

__attribute__((noinline)) static int twice_impl(int x)
{
	return x > 2 ? 2 * x : x + x;
}

static int (*pick_twice(void))(int)
{
	return twice_impl;
}

int twice(int x) __attribute__((ifunc("pick_twice")));

int main(void)
{
	int sum = 0;
	for (int i = 0; i < 6; i++)
		sum += twice(i);
	printf("%d\n", sum);
	return 0;
}
