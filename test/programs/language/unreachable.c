/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Blocks that nothing reaches keep their index and take part in nothing.
 *
 * source: f("odd_shape") | .status == "exact" and .entries == 5
 * source: ends("odd_shape"; "return") == 5
 */
#include <stdio.h>

__attribute__((noinline)) int odd_shape(int x)
{
	goto start;
never:
	x *= 7;
	goto never_either;
start:
	if (x > 2)
		return x;
	x += 5;
	return x;
never_either:
	if (x)
		goto never;
	__builtin_unreachable();
}

int main(void)
{
	int sum = 0;
	for (int i = 0; i < 5; i++)
		sum += odd_shape(i);
	printf("%d\n", sum);
	return 0;
}
