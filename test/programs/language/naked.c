/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * A naked function has no frame of its own: left alone, and listed.
 *
 * shown: bare skipped
 * source: f("bare") | .status == "skipped" and (.reason | length > 0)
 * source: f("dressed") | .status == "exact" and .entries == 2
 */
#include <stdio.h>

__attribute__((naked, noinline)) int bare(int x)
{
	__asm__("leal 1(%rdi), %eax\n\tret");
}

__attribute__((noinline)) int dressed(int x)
{
	return x > 3 ? bare(x) : bare(-x);
}

int main(void)
{
	printf("%d %d\n", dressed(1), dressed(5));
	return 0;
}
