/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Labels that stand in several tables, and twice in one, and are reached by plain goto
 * too: clang's indirectbr names such a target more than once, and LLVM does not split
 * its edges.
 *
 * source: f("walk") | .status == "exact"
 * source: ends("walk"; "return") == 20
 */
#include <stdio.h>

__attribute__((noinline)) static int walk(unsigned x)
{
	static const void *const one[] = {&&a, &&b, &&a, &&c}, *const two[] = {&&b, &&c, &&end, &&a};
	int n = 0, left = 30;
	if (x & 1)
		goto a;
	if (x & 2)
		goto b;
	goto *one[x % 4];
a:
	n += 1;
	x = x * 5 + 1;
	if (left-- > 0)
		goto *two[x >> 3 & 3];
	goto end;
b:
	n += 100;
	x = x * 3 + 7;
	if (left-- > 0)
		goto *one[x >> 2 & 3];
c:
	n += 10000;
	x = x * 7 + 3;
	if (left-- > 0)
		goto *two[x >> 4 & 3];
end:
	return n;
}

int main(void)
{
	for (unsigned i = 0; i < 20; i++)
		printf("%d\n", walk(i * 37));
	return 0;
}
