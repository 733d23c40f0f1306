#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
static void *work(void *data)
{
	int *n = data, sum = 0;
	for (int i = 0; i < *n; i++)
		if (i % 3)
			sum++;
	*n = sum;
	return NULL;
}
int in_thread(int n)
{
	pthread_t thread;
	return pthread_create(&thread, NULL, work, &n) || pthread_join(thread, NULL) ? -1 : n;
}
#ifndef PLUGIN
int main(int argc, char **argv)
{
	void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	int (*there)(int) = plugin ? (int (*)(int))dlsym(plugin, "in_thread") : in_thread;
	printf("%d %d\n", in_thread(300), there(30));
	return 0;
}
#endif
