#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
__attribute__((noinline)) int work(int x)
{
	return x > 1 ? x : -x;
}
int idle(int x)
{
	return x ? 3 : 4;
}
static char stack[65536];
static int start(void *nothing)
{
	(void)nothing;
	return work(5) != 5;
}
int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		waitpid(clone(start, stack + sizeof stack, CLONE_VM | SIGCHLD, NULL), NULL, 0);
	return work(argc) == 99;
}
