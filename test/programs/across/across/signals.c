#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
static volatile sig_atomic_t ticks;
static volatile unsigned sink;
static __attribute__((noinline)) unsigned leaf(unsigned n)
{
	return n & 1 ? n * 3 : n + 1;
}
static __attribute__((noinline)) unsigned middle(unsigned n)
{
	return leaf(n) + (n & 4 ? leaf(n + 1) : 0);
}
static void handler(int number)
{
	ticks++;
	sink = middle((unsigned)number);
}
int main(void)
{
	struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &often, NULL);
	unsigned sum = 0;
	for (unsigned i = 0; i < 2000000; i++)
		sum += middle(i);
	setitimer(ITIMER_REAL, &never, NULL);
	printf("%d %u\n", (int)ticks, sum);
	return 0;
}
