/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * asm goto: control leaves through the assembly (callbr).
 *
 * source: known("sign")
 */
#include <stdio.h>

__attribute__((noinline)) int sign(int x)
{
	__asm__ goto("testl %0, %0\n\tjs %l[negative]\n\tjz %l[zero]" : : "r"(x) : "cc" : negative, zero);
	return 1;
zero:
	return 0;
negative:
	return -1;
}

int main(void)
{
	int count[3] = {0};
	for (int i = -4; i < 8; i++)
		count[sign(i) + 1]++;
	printf("%d %d %d\n", count[0], count[1], count[2]);
	return 0;
}
