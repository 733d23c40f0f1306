/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * __builtin_setjmp is an intrinsic that LLVM does not mark as returning twice.  A path
 * that went on in flight from the second return had an id out of range.
 *
 * fact: f("protect") | .entries == 64 and .balance.resumed == 16 and .balance.abandoned == 16
 * source: ends("protect"; "return") == 64
 * source: ends("jumper"; "noreturn") == 24
 *
 * A loop with one path that counted its trips in a register added those before the call again after the second return.
 * fact: f("again") | .entries == 4 and .balance.resumed == 8
 * fact: starts("again"; "entry") == 4
 */
#include <stdio.h>

static void *env[5];
volatile int sink;

__attribute__((noinline)) void jumper(int i)
{
	if (i % 4 == 3)
		__builtin_longjmp(env, 1);
	sink += i;
}

__attribute__((noinline)) int protect(int i)
{
	volatile int way = 0;
	if (i & 16)
		way = 1;
	if (i & 8)
		way += 2;
	if (__builtin_setjmp(env) == 0) {
		if (i & 4)
			way += 4;
		jumper(i);
		if (i & 32)
			way += 8;
	} else if (i & 32) {
		way += 16;
	}
	return way;
}

__attribute__((noinline)) int again(int n)
{
	volatile int times = 0, i;
	for (i = 0; i < n; i++)
		__builtin_setjmp(env);
	if (times++ < 2)
		jumper(3);
	return i;
}

int main(void)
{
	int sum = 0;
	for (int i = 0; i < 64; i++)
		sum += protect(i);
	for (int i = 2; i < 6; i++)
		sum += again(i);
	printf("%d\n", sum);
	return 0;
}
