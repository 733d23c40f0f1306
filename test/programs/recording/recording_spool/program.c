#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
static void *work(void *argument)
{
	long n = (long)argument, sum = 0;
	for (long i = 0; i < n; i++)
		sum += fib(i % 20);
	return (void *)sum;
}
int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 100;
	void *other;
	pthread_t thread;
	if (pthread_create(&thread, NULL, work, (void *)(rounds / 2)))
		return 1;
	long sum = (long)work((void *)rounds);
	if (pthread_join(thread, &other))
		return 1;
	printf("%ld\n", sum + (long)other);
	return 3;
}
