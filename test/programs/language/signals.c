/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * A timer's handler counts in the very functions it interrupts, hash growth included.
 * The number of ticks is the clock's, so the program prints only that all is well.
 *
 * graphs: source
 * links: no
 * source: f("work").entries == total("work") and f("step").entries >= 400000
 */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static volatile unsigned sink;

#define D(i) if (x >> i & 1) sink += i; else sink ^= i;

__attribute__((noinline)) void work(unsigned x)
{
	D(0) D(1) D(2) D(3) D(4) D(5) D(6) D(7) D(8) D(9) D(10) D(11) D(12) D(13) D(14) D(15) D(16) D(17) D(18)
}

__attribute__((noinline)) void step(unsigned i)
{
	if (i & 1)
		work((i * 2654435761u >> 20) * 129);
	else
		work(i % 4096);
}

static void tick(int signal)
{
	(void)signal;
	for (unsigned i = 0; i < 20; i++)
		step(i * 977);
}

int main(void)
{
	struct sigaction action = {.sa_handler = tick};
	struct itimerval every = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	for (unsigned i = 0; i < 400000; i++)
		step(i);
	setitimer(ITIMER_REAL, &never, NULL);
	puts("done");
	return 0;
}
