/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * An interpreter with computed goto: edges out of indirectbr cannot be split.
 *
 * source: f("run") | .status == "exact" and .entries == 3
 * source: ends("run"; "return") == 3
 * source: ends("run"; "backedge") > 100
 */
#include <stdio.h>

__attribute__((noinline)) int run(const char *code, int acc)
{
	static const void *const op[] = {&&halt, &&inc, &&dbl, &&loop, &&same};
	const char *pc = code;
	int left = 50;
	goto *op[(int)*pc];
inc:
	acc++;
	goto *op[(int)*++pc];
dbl:
	acc = acc * 2 % 1001;
	goto *op[(int)*++pc];
same:
	if (acc & 1)
		goto *op[(int)*++pc];
	acc ^= 5;
	goto *op[(int)*++pc];
loop:
	if (left-- > 0) {
		pc = code;
		goto *op[(int)*pc];
	}
	goto *op[(int)*++pc];
halt:
	return acc;
}

int main(void)
{
	static const char a[] = {1, 2, 4, 3, 0}, b[] = {0}, c[] = {2, 2, 1, 3, 4, 1, 0};
	printf("%d %d %d\n", run(a, 1), run(b, 2), run(c, 3));
	return 0;
}
