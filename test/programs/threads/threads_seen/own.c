#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
int work(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += i % 3 ? 1 : 2;
	return s;
}
static void *run(void *unused)
{
	(void)unused;
	return (void *)(long)work(1000);
}
int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*start)(void *), void *data)
{
	int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
		dlsym(RTLD_NEXT, "pthread_create");
	return real(t, a, start, data);
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, run, 0);
	pthread_join(t, 0);
	return work(9) == 12 ? 0 : 1;
}
