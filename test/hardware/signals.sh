#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# signals.sh BUILD: `waymark hw` on programs with signal handlers and longjmp: every path is exact.
. "$(dirname "$0")/lib.sh"

cat >signals.c <<'C'
#include "work.h"
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
static volatile sig_atomic_t ticks;
static jmp_buf env;
static void handle(int number) { (void)number; ticks++; }
static int deep(int n) { if (n == 0) longjmp(env, 1); return deep(n - 1) + 1; }
int main(void)
{
	struct itimerval timer = {{0, 500}, {0, 500}};
	signal(SIGALRM, handle);
	setitimer(ITIMER_REAL, &timer, 0);
	for (volatile int i = 0; i < 700 || ticks < 5; i++) {
		if (i < 700)
			work(999);
		if (!setjmp(env))
			deep(i % 7);
	}
	return 0;
}
C
clang-19 -O0 -g signals.c -o signals
profile 0 ./signals
work_paths 700
expect 'counts("handle") | length == 1 and .[0] >= 5'


# Signals that arrive between an indirect call, jump or return and its target, in a handler that the
# program also calls, before and after it installs the handler.
cat >indirect.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
static volatile long handled, called;
static void handle(int number) { (void)number; handled++; }
static void callee(int number) { (void)number; called++; }
static void (*volatile const function[2])(int) = {callee, handle};
int main(void)
{
	struct itimerval timer = {{0, 500}, {0, 500}}, off = {{0, 0}, {0, 0}};
	for (int i = 0; i < 100; i++)
		function[1](0);
	signal(SIGALRM, handle);
	setitimer(ITIMER_REAL, &timer, 0);
	for (int i = 0; i < 100000 || handled < 300; i++)
		function[i % 1000 == 0](0);
	setitimer(ITIMER_REAL, &off, 0);
	printf("%ld %ld\n", handled, called);
	return 0;
}
C
clang-19 -O0 -g indirect.c -o indirect
profile 0 ./indirect
read -r handled called <out
expect "counts(\"handle\") == [$handled] and counts(\"callee\") == [$called]"

# A handler whose first block is a loop of its own, on a stack of its own, left by siglongjmp.
cat >loops.c <<'C'
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
static sigjmp_buf env;
volatile int left;
void leave(void) { siglongjmp(env, 1); }
void handle(int);
__asm__(".text\n.type handle, @function\nhandle: subl $1, left(%rip)\n jne handle\n jmp leave\n.size handle, .-handle");
static void fault(void) { *(volatile int *)8 = 1; }
int main(void)
{
	stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
	sigaltstack(&stack, 0);
	sigaction(SIGSEGV, &action, 0);
	for (volatile int i = 0; i < 50; i++) {
		left = 4;
		if (!sigsetjmp(env, 1))
			fault();
	}
	return 0;
}
C
clang-19 -O0 -g loops.c -o loops
profile 0 ./loops
# From the handler's start: two more iterations end a path each, the first one likewise; the fourth leaves.
expect '[.paths[] | select(.function == "handle" and .outcomes == "1") | .counts.frequency] == [150]'
expect '[.paths[] | select(.function == "main" and .end == "backward branch") | .counts.frequency] | add == 50'

# AArch64 keeps return addresses in a register.  No library is needed.
cat >foreign.c <<'C'
#include "work.h"
static long call(long number, long a, long b, long c, long d)
{
	register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c,
			   x3 __asm__("x3") = d;
	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
}
__attribute__((naked)) static int set(long *env)
{
	__asm__("stp x29, x30, [x0]\n mov x2, sp\n str x2, [x0, 16]\n mov w0, 0\n ret");
}
__attribute__((naked)) static void jump(long *env)
{
	__asm__("ldp x29, x30, [x0]\n ldr x2, [x0, 16]\n mov sp, x2\n mov w0, 1\n br x30");
}
static long env[4];
static volatile int handled, called;
static void set_timer(long period)
{
	long timer[4] = {0, period, 0, period};
	call(103, 0, (long)timer, 0, 0);
}
static void handle(int number)
{
	handled++;
	if (handled >= 40)
		set_timer(0);
}
static void callee(int number) { called++; }
static void (*volatile const function[1])(int) = {callee};
static int deep(int n)
{
	if (n == 0)
		jump(env);
	return deep(n - 1) + 1;
}
static int outer(int n) { return set(env) ? n : deep(n); }
void _start(void)
{
	long action[4] = {(long)handle, 0, 0, 0};
	call(134, 14, (long)action, 0, 8);
	for (int i = 0; i < 500; i++)
		outer(i % 7);
	for (int i = 0; i < 5; i++)
		work(999);
	set_timer(500);
	while (handled < 40 || called < 3000)
		function[0](0);
	call(94, 7, 0, 0, 0);
}
C
clang-19 --target=aarch64-linux-gnu -O0 -g -ffreestanding -nostdlib -static -fuse-ld=lld foreign.c -o foreign
profile 7 ./foreign
work_paths 5
expect 'counts("handle") | add == 40 and length == 2'
expect 'counts("callee") | length == 1 and .[0] >= 3000'
expect '[.paths[] | select(.function == "_start" and .end == "backward branch") | .counts.frequency] | sort | .[-2:][0] == 499'
"$waymark" hw --json --stdout /dev/null -- ./foreign >all.json || :
jq -e '.deepest < 20' all.json >/dev/null || fail "entries that longjmp skipped stay on the path stack"
echo "all agree"
