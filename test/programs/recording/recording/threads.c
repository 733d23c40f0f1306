/* 64 threads, some at the same time, some after others, some that end in the middle of calls. */
#include <pthread.h>
#include <stdio.h>
static int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
static void leaves(int n)
{
	if (n == 11)
		pthread_exit((void *)5);
}
static void *work(void *argument)
{
	int n = (int)(long)argument;
	long sum = fib(10 + n % 8);
	for (int i = 0; i < n * 100; i++)
		sum += i % 3 ? i : -i;
	leaves(n % 16);
	return (void *)sum;
}
int main(void)
{
	long sum = 0;
	void *result;
	pthread_t thread[64];
	for (int round = 0; round < 4; round++) {
		for (int i = 0; i < 16; i++)
			if (pthread_create(&thread[i], NULL, work, (void *)(long)(round * 16 + i)))
				return 1;
		for (int i = 0; i < 16; i++) {
			if (pthread_join(thread[i], &result))
				return 1;
			sum += (long)result;
		}
	}
	printf("%ld\n", sum);
	return 0;
}
