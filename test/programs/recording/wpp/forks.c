#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static int count(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		if (i % 3)
			sum += i;
	return sum;
}
static void *run(void *n)
{
	return (void *)(long)count((int)(long)n);
}
int main(void)
{
	pthread_t thread[3];
	for (long i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, run, (void *)(100 + i));
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	int sum = count(10);
	pid_t child = fork();
	sum += count(child ? 20 : 30);
	return (!child || waitpid(child, NULL, 0) == child) && sum > 0 ? 0 : 1;
}
