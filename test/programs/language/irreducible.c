/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * A loop with two entries: back edges are the retreating edges of one search.
 *
 * source: f("tangle") | .status == "exact" and .entries == 20
 */
#include <stdio.h>

__attribute__((noinline)) int tangle(int x)
{
	int n = 0;
	if (x & 1)
		goto right;
left:
	n++;
	if ((x -= 3) < 0)
		return n;
right:
	n += 10;
	if ((x -= 2) < 0)
		return -n;
	if (x % 5 == 0)
		goto right;
	goto left;
}

int main(void)
{
	int sum = 0;
	for (int i = 0; i < 20; i++)
		sum += tangle(i * 3);
	printf("%d\n", sum);
	return 0;
}
