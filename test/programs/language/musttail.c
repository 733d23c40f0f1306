/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Nothing may stand between a musttail call and its return.
 *
 * source: f("even") | .entries == 501
 * source: f("odd") | .entries == 500
 * source: ends("even"; "return") == 501
 */
#include <stdio.h>

int odd(long n, int *steps);

__attribute__((noinline)) int even(long n, int *steps)
{
	++*steps;
	if (n == 0)
		return 1;
	__attribute__((musttail)) return odd(n - 1, steps);
}

__attribute__((noinline)) int odd(long n, int *steps)
{
	++*steps;
	if (n == 0)
		return 0;
	__attribute__((musttail)) return even(n - 1, steps);
}

int main(void)
{
	int steps = 0, r = even(1000, &steps);
	printf("%d %d\n", r, steps);
	return 0;
}
