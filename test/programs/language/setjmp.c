/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * After a second return from setjmp the path goes on as it stood at the call, and the
 * one in flight is abandoned.
 *
 * source: f("protect") | .entries == 10 and .balance.resumed == 6 and .balance.abandoned == 6
 * source: ends("protect"; "return") == 10
 * source: f("jumper") | .entries == 10 and .balance.abandoned == 0
 * source: ends("jumper"; "noreturn") == 6
 */
#include <setjmp.h>
#include <stdio.h>

static jmp_buf env;

__attribute__((noinline)) void jumper(int i)
{
	if (i >= 4)
		longjmp(env, i);
}

__attribute__((noinline)) int protect(int i)
{
	volatile int way = 0;
	if (i & 1)
		way = 1;
	int code = setjmp(env);
	if (code == 0) {
		way += 10;
		jumper(i);
		return way;
	}
	return way + 100 * code;
}

int main(void)
{
	for (int i = 0; i < 10; i++)
		printf("%d\n", protect(i));
	return 0;
}
