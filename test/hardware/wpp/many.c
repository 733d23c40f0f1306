#include "work.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>
static volatile sig_atomic_t ticks;
static sigjmp_buf env;
static void handle(int number) { ticks += number == SIGALRM; }
static void leave(int number) { siglongjmp(env, number); }
static int long_path(int n)
{
#define T if (n & 1) n += 3; else n += 5;
	T T T T T T T T T T T T T T T T T T T T T T T T T T T T T T T T T T T T T T T T
	return n;
}
static void *run(void *argument) { for (int i = 0; i < 3; i++) work(99); return argument; }
int main(int argc, char **argv)
{
	struct itimerval timer = {{0, 1000}, {0, 1000}}, off = {{0, 0}, {0, 0}};
	pthread_t thread[4];
	signal(SIGALRM, handle);
	signal(SIGUSR1, leave);
	for (volatile int i = 0; i < 50; i++)
		if (!sigsetjmp(env, 1))
			raise(SIGUSR1);
	setitimer(ITIMER_REAL, &timer, 0);
	while (ticks < 5)
		long_path(work(50));
	setitimer(ITIMER_REAL, &off, 0);
	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], 0, run, 0);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], 0);
	if (argc > 1)
		*(volatile int *)8 = argv[0][0];
	return 0;
}
