#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <waymark.h>
static int few(unsigned a)
{
	if (a % 3 == 0)
		return 1;
	return a & 8 ? 2 : 3;
}
#define STEP(n) \
	if (a >> n & 1) \
	s += n
static int many(unsigned a)
{
	int s = 0;
	STEP(0);
	STEP(1);
	STEP(2);
	STEP(3);
	STEP(4);
	STEP(5);
	STEP(6);
	STEP(7);
	STEP(8);
	STEP(9);
	STEP(10);
	STEP(11);
	STEP(12);
	return s;
}
static int loops(unsigned n)
{
	int s = 0;
	for (unsigned i = 0; i < n; i++)
		s += i & 1 ? 3 : 1;
	for (unsigned i = 0; i < n; i++)
		s ^= 1;
	return s;
}
static void *work(void *from)
{
	long s = 0, first = (long)from;
	for (long i = first; i < first + 3000; i++)
		s += few((unsigned)i) + many((unsigned)i / 4) + loops((unsigned)i % 5);
	return (void *)s;
}
int main(int argc, char **argv)
{
	pthread_t thread[3];
	long s = (long)work((void *)0);
	if (argc > 1 && argv[1][0] == 'r')
		waymark_reset();
	for (long i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, work, (void *)(i * 1000));
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	if (fork() == 0)
		_exit(work((void *)2000) == NULL);
	wait(NULL);
	s += (long)work((void *)7000);
	return s == 0;
}
