/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * A function without an exit: its paths end at back edges.
 *
 * source: f("forever") | .status == "exact" and .entries == 1 and .balance.abandoned == 1
 * source: ends("forever"; "backedge") == 99
 */
#include <stdio.h>
#include <stdlib.h>

static int left = 100;

__attribute__((noinline)) void tick(int i)
{
	if (i % 10 == 0)
		printf("%d\n", i);
	if (--left == 0)
		exit(5);
}

__attribute__((noinline)) void forever(void)
{
	for (int i = 0;; i++)
		tick(i % 30);
}

int main(void)
{
	forever();
}
