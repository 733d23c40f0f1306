#include "work.h"
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static void repeat(int n)
{
	while (n--)
		work(999);
}
static void *run(void *argument)
{
	repeat(7);
	return argument;
}
int main(void)
{
	pthread_t thread;
	int status = 1, ready[2];
	pthread_create(&thread, 0, run, 0);
	if (pipe(ready))
		return 2;
	if (!fork()) {
		repeat(10);
		if (!fork()) {
			char byte;
			close(ready[1]);
			while (read(ready[0], &byte, 1) > 0)
				;
			repeat(20);
		}
		_exit(0);
	}
	wait(&status);
	pthread_join(thread, 0);
	repeat(3);
	return status;
}
