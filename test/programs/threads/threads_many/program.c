#define _GNU_SOURCE
#include <asm/prctl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int work(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += i % 3 ? 1 : 2;
	return s;
}
static int (*library)(int);
static pthread_barrier_t barrier;
static volatile int stop;
static void *briefly(void *unused)
{
	(void)unused;
	work(9);
	return 0;
}
static void *together(void *unused)
{
	(void)unused;
	work(9);
	pthread_barrier_wait(&barrier);
	work(9);
	return 0;
}
static void create(pthread_t *t, void *(*run)(void *), void *data)
{
	if (pthread_create(t, 0, run, data)) {
		puts("pthread_create");
		exit(1);
	}
}
/* one after the other, and `alive` at the same time */
static int many(int total, int alive)
{
	pthread_t *t = calloc((size_t)alive, sizeof *t);
	for (int i = 0; i < total; i++) {
		create(t, briefly, 0);
		pthread_join(*t, 0);
	}
	pthread_barrier_init(&barrier, 0, (unsigned)alive);
	for (int i = 0; i < alive; i++)
		create(&t[i], together, 0);
	for (int i = 0; i < alive; i++)
		pthread_join(t[i], 0);
	return 0;
}
/* threads call the library in turn with its opening and closing, for which they make way: a mutex alone is not fair, and the
 * opening thread waited minutes for it on a busy machine */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long calls;
static volatile int waits;
static void take_turn(void)
{
	waits = 1;
	pthread_mutex_lock(&mutex);
	waits = 0;
}
static void *call_on(void *unused)
{
	(void)unused;
	while (!stop) {
		while (waits)
			sched_yield();
		pthread_mutex_lock(&mutex);
		if (library) {
			library(9);
			calls++;
		}
		pthread_mutex_unlock(&mutex);
		work(9);
	}
	return 0;
}
static int cycles(int count, const char *path)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		create(&t[i], call_on, 0);
	for (int i = 0; i < count; i++) {
		void *handle = dlopen(path, RTLD_NOW);
		if (!handle) {
			puts(dlerror());
			return 1;
		}
		take_turn();
		library = (int (*)(int))dlsym(handle, "library");
		library(9);
		calls++;
		pthread_mutex_unlock(&mutex);
		usleep(200);
		take_turn();
		library = 0;
		pthread_mutex_unlock(&mutex);
		dlclose(handle);
	}
	stop = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	printf("%ld\n", calls);
	return 0;
}
/* a thread that exists when the library is opened, with no room for the library's copy at its distance */
static void *wait_and_call(void *blocked)
{
	uint64_t distance = 0;
	work(9);
	syscall(SYS_arch_prctl, ARCH_GET_GS, &distance);
	Dl_info info;
	if (!distance || !dladdr((void *)(uintptr_t)puts, &info))
		exit(2);
	char *near = (char *)info.dli_fbase + (distance & ~4095ull) - (1l << 30);
	if (*(int *)blocked &&
		mmap(near, 2l << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
			0) != near)
		exit(3);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 1000; i++) {
		work(9);
		library(9);
	}
	uint64_t now = 0;
	syscall(SYS_arch_prctl, ARCH_GET_GS, &now);
	if (*(int *)blocked && now == distance)
		exit(4); /* without a reason it moves only where addresses are in use by chance */
	return 0;
}
static int late(int blocked, const char *path)
{
	pthread_t t[3];
	pthread_barrier_init(&barrier, 0, 4);
	for (int i = 0; i < 3; i++)
		create(&t[i], wait_and_call, &blocked);
	pthread_barrier_wait(&barrier);
	void *handle = dlopen(path, RTLD_NOW);
	if (!handle) {
		puts(dlerror());
		return 1;
	}
	library = (int (*)(int))dlsym(handle, "library");
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 1000; i++) {
		work(9);
		library(9);
	}
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 0;
}
/* forks while other threads count; the child creates threads too */
static void *fork_here(void *data)
{
	for (int i = 0; i < 10; i++) {
		work(9);
		pid_t child = fork();
		if (child == 0) {
			work(9);
			pthread_t t[2];
			for (int j = 0; j < 2; j++)
				create(&t[j], briefly, 0);
			for (int j = 0; j < 2; j++)
				pthread_join(t[j], 0);
			work(9);
			exit(0);
		}
		int status;
		if (waitpid(child, &status, 0) != child || status)
			exit(5);
	}
	return data;
}
static void *count_on(void *data)
{
	long *n = data;
	while (!stop) {
		work(9);
		++*n;
	}
	return 0;
}
static int forks(void)
{
	pthread_t t[2], forking[2];
	long n[2] = {0, 0};
	for (int i = 0; i < 2; i++)
		create(&t[i], count_on, &n[i]);
	for (int i = 0; i < 2; i++)
		create(&forking[i], fork_here, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(forking[i], 0);
	stop = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	printf("%ld\n", n[0] + n[1] + 2 * 10 * 5); /* per fork: 1 in the parent, 2 + 2 in the child */
	return 0;
}
int main(int argc, char **argv)
{
	if (argc > 3 && !strcmp(argv[1], "many"))
		return many(atoi(argv[2]), atoi(argv[3]));
	if (argc > 3 && !strcmp(argv[1], "cycles"))
		return cycles(atoi(argv[2]), argv[3]);
	if (argc > 3 && !strcmp(argv[1], "late"))
		return late(atoi(argv[2]), argv[3]);
	return forks();
}
