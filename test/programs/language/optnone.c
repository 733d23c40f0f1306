/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * optnone inside an optimised program is instrumented like everything else.
 *
 * source: f("plain") | .status == "exact" and .entries == 9
 * source: f("fast") | .status == "exact" and .entries == 9
 */
#include <stdio.h>

__attribute__((optnone, noinline)) int plain(int x)
{
	int r = 0;
	while (x > 0)
		r += x--;
	return r;
}

__attribute__((noinline)) int fast(int x)
{
	return x & 1 ? plain(x) : -plain(x);
}

int main(void)
{
	int sum = 0;
	for (int i = 0; i < 9; i++)
		sum += fast(i);
	printf("%d\n", sum);
	return 0;
}
