#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netdb.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static sem_t done;
int work(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += i % 3 ? 1 : 2;
	return s;
}
static void tick(union sigval v)
{
	if (v.sival_int != 7)
		abort();
	for (int i = 0; i < 1000; i++)
		work(9);
	sem_post(&done);
}
static struct sigevent event = {
	.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick, .sigev_value.sival_int = 7};
/* Counts until the events have run. */
static int finish(int events)
{
	int n = 0, left = events;
	while (left) {
		n++;
		work(9);
		if (sem_trywait(&done) == 0)
			left--;
	}
	printf("%d\n", n + 1000 * events);
	return 0;
}
