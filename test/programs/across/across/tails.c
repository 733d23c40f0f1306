#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
static volatile sig_atomic_t ticks;
__attribute__((noinline)) void leaf(int n)
{
	if (n == SIGALRM)
		ticks++;
}
static void handler(int number)
{
	__attribute__((musttail)) return leaf(number);
}
int main(void)
{
	struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &often, NULL);
	for (unsigned i = 0; i < 3000000; i++)
		leaf(i & 1);
	setitimer(ITIMER_REAL, &never, NULL);
	printf("%d\n", (int)ticks);
	return 0;
}
