#include <pthread.h>
#include <stdio.h>
__attribute__((noinline)) static int grow(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += i;
	return s;
}
__attribute__((noinline)) static int shrink(int n)
{
	int s = 0;
	for (int i = n; i > 0; i--)
		s -= i;
	return s;
}
static void *work(void *p)
{
	long s = 0;
	for (int i = 0; i < 100; i++)
		s += shrink(100);
	for (int i = 0; i < 100; i++)
		s += grow(100);
	*(long *)p = s;
	return NULL;
}
int main(void)
{
	pthread_t thread;
	long sum = 0, other;
	pthread_create(&thread, NULL, work, &other);
	for (int i = 0; i < 200; i++)
		sum += grow(100);
	for (int i = 0; i < 200; i++)
		sum += shrink(100);
	pthread_join(thread, NULL);
	printf("%ld\n", sum + other);
	return 0;
}
