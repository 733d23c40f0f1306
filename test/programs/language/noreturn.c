/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * A path ends before the last call of a block that cannot return; the frames around
 * it are abandoned.
 *
 * source: ends("leave"; "noreturn") == 1
 * source: f("deep") | .entries == 4 and .balance.abandoned == 3
 * source: ends("deep"; "noreturn") == 1
 * source: ends("checked"; "return") == 3
 */
#include <stdio.h>
#include <stdlib.h>

_Noreturn __attribute__((noinline)) void leave(int code)
{
	if (code > 3)
		code = 3;
	printf("leaving with %d\n", code);
	exit(code);
}

__attribute__((noinline)) int checked(int i)
{
	if (i > 100)
		leave(1);
	return i + 1;
}

__attribute__((noinline)) int deep(int n)
{
	if (n == 0)
		leave(9);
	return deep(checked(n) - 2) + 1;
}

int main(void)
{
	return deep(3);
}
