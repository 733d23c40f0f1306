#define _GNU_SOURCE
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>
static char stack[65536];
int work(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += i % 3 ? 1 : 2;
	return s;
}
static int run(void *unused)
{
	(void)unused;
	work(100000);
	_exit(0);
}
int main(void)
{
	int flags = CLONE_VM | CLONE_FS | CLONE_FILES | 17;
	pid_t child = clone(run, stack + sizeof stack, flags, 0);
	return child < 0 || waitpid(child, 0, 0) != child || work(9) != 12;
}
