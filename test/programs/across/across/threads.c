#include <pthread.h>
#include <stdio.h>
static int step(int n)
{
	return n % 7 ? n + 1 : n * 2;
}
static int loop(int n)
{
	int s = 0;
	for (int i = 0; i < 2000; i++)
		s += step(i) + step(n);
	return s;
}
static void *work(void *argument)
{
	return (void *)(long)loop((int)(long)argument);
}
int main(void)
{
	pthread_t thread[4];
	long sum = 0;
	void *result;
	for (long i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, work, (void *)i);
	for (int i = 0; i < 4; i++) {
		pthread_join(thread[i], &result);
		sum += (long)result;
	}
	printf("%ld\n", sum);
	return 0;
}
