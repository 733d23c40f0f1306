#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
enum { THREADS = 3 };
static int count;
static void **handle;
static int (**function)(int);
static pthread_barrier_t barrier;
static long calls;
static void open_one(int i)
{
	char path[64];
	snprintf(path, sizeof path, "./objects/%d.so", i);
	handle[i] = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!handle[i]) {
		puts(dlerror());
		exit(1);
	}
	function[i] = (int (*)(int))dlsym(handle[i], "plug");
}
static void call(int first, int step)
{
	for (int i = first; i < count; i += step) {
		function[i](i);
		__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
	}
}
static void *stays(void *unused)
{
	pthread_barrier_wait(&barrier); /* all objects are open */
	call(0, 1);
	pthread_barrier_wait(&barrier); /* every other object is closed */
	pthread_barrier_wait(&barrier); /* and open again */
	call(0, 1);
	return unused;
}
static void *comes_and_goes(void *first)
{
	call(*(int *)first, 7);
	return 0;
}
static void short_threads(void)
{
	pthread_t t[THREADS];
	int first[THREADS];
	for (int i = 0; i < THREADS; i++) {
		first[i] = i;
		pthread_create(&t[i], 0, comes_and_goes, &first[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], 0);
}
static void vfork_child(void)
{
	pid_t child = vfork();
	if (!child) {
		function[count / 3](9);
		_exit(0);
	}
	waitpid(child, 0, 0);
	calls++;
}
int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	static int inherited[1024];
	for (int fd = 3; fd < 1024; fd++)
		inherited[fd] = fcntl(fd, F_GETFD) >= 0;
	count = argc > 1 ? atoi(argv[1]) : 12;
	handle = calloc((size_t)count, sizeof *handle);
	function = calloc((size_t)count, sizeof *function);
	pthread_barrier_init(&barrier, 0, THREADS + 1);
	for (int i = 0; i < THREADS - 1; i++)
		pthread_create(&t[i], 0, stays, 0);
	for (int i = 0; i < count; i++) {
		if (i == count / 2)
			pthread_create(&t[THREADS - 1], 0, stays, 0);
		open_one(i);
	}
	pthread_barrier_wait(&barrier);
	call(0, 1);
	vfork_child();
	short_threads();
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < count; i += 2)
		dlclose(handle[i]);
	for (int i = 0; i < count; i += 2)
		open_one(i);
	pthread_barrier_wait(&barrier);
	call(1, 3);
	short_threads();
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], 0);
	char maps[64], line[4096];
	snprintf(maps, sizeof maps, "/proc/%d/maps", getpid());
	FILE *file = fopen(maps, "r");
	long mappings = 0;
	while (file && fgets(line, sizeof line, file))
		mappings++;
	fclose(file);
	for (int fd = 3; fd < 1024; fd++)
		if (!inherited[fd] && fcntl(fd, F_GETFD) >= 0) {
			printf("descriptor %d\n", fd);
			return 1;
		}
	if (mappings > 20l * count + 200) {
		printf("%ld mappings\n", mappings);
		return 1;
	}
	printf("%ld\n", calls);
	return 0;
}
