/*
 * Paths across calls under signals: a handler calls the functions that it interrupts; threads have mailboxes of their
 * own.
 *
 * levels: -O0 -O2
 * scheme: context piecewise
 * flags: -pthread
 * update: atomic
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_long sum;

__attribute__((noinline)) static long collatz(long n)
{
	long steps = 0;
	for (; n > 1; steps++)
		n = n & 1 ? 3 * n + 1 : n / 2;
	return steps;
}

__attribute__((noinline)) static long outer(long n)
{
	long steps = collatz(n);
	if (n % 4 == 0)
		raise(SIGUSR1);
	return steps + (n & 2 ? collatz(n + 1) : 0);
}

static void handler(int number)
{
	sum += collatz(number) + (sum & 1 ? outer(1) : 0);
}

static void *work(void *argument)
{
	for (long i = 1; i < 40; i++)
		sum += outer(i + (long)argument % 1);
	return argument;
}

int main(void)
{
	pthread_t thread[4];
	signal(SIGUSR1, handler);
	for (int i = 0; i < 4; i++) {
		pthread_create(&thread[i], NULL, work, NULL);
		pthread_join(thread[i], NULL);
	}
	work(NULL);
	printf("%ld\n", (long)sum);
}
