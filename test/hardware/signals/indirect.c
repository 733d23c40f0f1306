#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
static volatile long handled, called;
static void handle(int number)
{
	(void)number;
	handled++;
}
static void callee(int number)
{
	(void)number;
	called++;
}
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
