#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
enum { RETURN, END_THREAD, END_PROCESS };
static __attribute__((noinline)) void leave(int how)
{
	if (how == END_THREAD)
		pthread_exit(0);
	if (how)
		exit(0);
}
static void (*volatile way)(int) = leave; /* calls through pointers are stepped over */
static __attribute__((noinline)) int waits(int n)
{
	way(n & 1);
	return n + 1;
}
static void *run(void *n)
{
	waits(*(int *)n);
	return 0;
}
static void spawn(int threads)
{
	for (int i = 0; i < threads; i++) {
		pthread_t t;
		if (pthread_create(&t, 0, run, &i))
			return;
		pthread_join(t, 0);
	}
}
static void child(void)
{
	spawn(10);
	way(END_PROCESS);
}
static void (*volatile in_child)(void) = child;
static void poor(void)
{
	long pages;
	FILE *f = fopen("/proc/self/statm", "r");
	if (!f || fscanf(f, "%ld", &pages) != 1)
		return;
	struct rlimit limit = {pages * 4096 + (20 << 20), RLIM_INFINITY};
	setrlimit(RLIMIT_AS, &limit);
}
int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1) {
		poor();
		spawn(2);
		return 0;
	}
	spawn(2000);
	if (!fork())
		in_child();
	wait(0);
	return 0;
}
