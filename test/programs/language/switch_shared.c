/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Several cases of a switch lead to one block: parallel edges are one edge.
 *
 * source: f("kind") | .status == "exact" and .entries == 32
 * source: total("kind") == 32
 * source: f("kind") | .paths | length == 4
 */
#include <stdio.h>

__attribute__((noinline)) int kind(int c)
{
	int r;
	switch (c & 15) {
	case 0: case 2: case 4: case 6: case 8:
		r = 1;
		break;
	case 1: case 3:
		r = 2;
		break;
	case 5: case 7:
		r = 3;
		break;
	default:
		r = 4;
	}
	return r;
}

int main(void)
{
	int count[5] = {0};
	for (int i = 0; i < 32; i++)
		count[kind(i)]++;
	printf("%d %d %d %d\n", count[1], count[2], count[3], count[4]);
	return count[4];
}
