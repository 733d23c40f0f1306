/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Calls in tail position, recursion that becomes a loop.
 *
 * source: f("sum_to") | .entries == 1001
 * source: ends("sum_to"; "return") == 1001
 */
#include <stdio.h>

__attribute__((noinline)) unsigned sum_to(unsigned n, unsigned acc)
{
	if (n == 0)
		return acc;
	return sum_to(n - 1, acc + n);
}

__attribute__((noinline)) unsigned call(unsigned (*f)(unsigned, unsigned), unsigned n)
{
	return f(n, 0);
}

int main(void)
{
	printf("%u\n", call(sum_to, 1000));
	return 0;
}
