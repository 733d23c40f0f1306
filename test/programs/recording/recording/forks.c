/* Children go on in the activations of their parents; a child forks too. */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
static int below(int depth)
{
	int sum = fib(depth);
	pid_t pid = fork();
	if (pid == 0)
		sum += fib(6);
	else
		waitpid(pid, NULL, 0);
	if (depth < 8 + 2)
		sum += below(depth + 1);
	return sum + fib(5);
}
static void *thread(void *argument)
{
	fib(9);
	if (fork() == 0) {
		fib(7);
		_exit(0);
	}
	wait(NULL);
	return argument;
}
int main(void)
{
	pthread_t other;
	fib(12);
	int sum = below(8);
	pthread_create(&other, NULL, thread, NULL);
	pthread_join(other, NULL);
	return sum == 0;
}
