#include "work.h"
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
static volatile sig_atomic_t ticks;
static jmp_buf env;
static void handle(int number)
{
	(void)number;
	ticks++;
}
static int deep(int n)
{
	if (n == 0)
		longjmp(env, 1);
	return deep(n - 1) + 1;
}
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
