#include <pthread.h>
static __attribute__((noinline)) int work(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += i % 3 ? 1 : 2;
	return s;
}
void *run(void *unused)
{
	(void)unused;
	return (void *)(long)work(1000);
}
int entry(void)
{
	return work(9);
}
