#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <threads.h>
#include <unistd.h>
static void *nothing(void *unused)
{
	return unused;
}
static int none(void *unused)
{
	(void)unused;
	return 0;
}
int main(void)
{
	pthread_t id;
	thrd_t other;
	alarm(60);
	if (!dlopen("./plugin.so", RTLD_NOW))
		return 1;
	if (dlsym(RTLD_DEFAULT, "no_such_name"))
		return 2;
	if (pthread_create(&id, 0, nothing, 0) || pthread_join(id, 0))
		return 3;
	if (thrd_create(&other, none, 0) || thrd_join(other, 0))
		return 4;
	if (!dlerror())
		return 5;
	puts("loaded");
	return 0;
}
