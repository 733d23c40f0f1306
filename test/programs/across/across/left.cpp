#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
static jmp_buf back;
static __attribute__((noinline)) int jump(int n)
{
	if (n == 0)
		longjmp(back, 1);
	return jump(n - 1) + 1;
}
static __attribute__((noinline)) int pass(int n)
{
	if (n == 0)
		throw 1;
	return pass(n - 1) + 1;
}
static __attribute__((noinline)) int stop(int n)
{
	if (n == 0)
		pthread_exit(NULL);
	return stop(n - 1) + 1;
}
static __attribute__((noinline)) int leave(int n)
{
	if (n == 0)
		exit(0);
	return leave(n - 1) + 1;
}
static __attribute__((noinline)) int die(int n)
{
	if (n == 0)
		abort();
	return die(n - 1) + 1;
}
static void *work(void *)
{
	return (void *)(long)stop(4);
}
int main(int count, char **)
{
	volatile int sum = 0;
	for (volatile int i = 0; i < 10; i++)
		if (!setjmp(back))
			sum += jump(5);
		else
			sum += 7;
	for (int i = 0; i < 10; i++)
		try {
			sum += pass(6);
		} catch (int) {
			sum += 3;
		}
	pthread_t thread;
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	std::printf("%d\n", sum);
	if (count > 1)
		die(3);
	leave(3);
}
