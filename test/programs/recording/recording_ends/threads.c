#include <pthread.h>
#include <stdio.h>
static int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
static void *work(void *argument)
{
	fib(10);
	return argument;
}
int main(void)
{
	int lines = 0, c;
	for (int i = 0; i < 2000; i++) {
		pthread_t t;
		if (pthread_create(&t, NULL, work, NULL))
			return 1;
		pthread_join(t, NULL);
	}
	FILE *maps = fopen("/proc/self/maps", "r");
	while ((c = getc(maps)) != EOF)
		lines += c == '\n';
	return lines > 200;
}
