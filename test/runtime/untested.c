/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program of a residual build: `untested SCENARIO [LIBRARY]`.  Says on standard
 * output what its callback is told; untested.sh compares that and the raw profiles.
 */
#include "runtime/waymark.h"
#include "test/runtime/emulate.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

FUNCTION_RESIDUAL(shared, 14, 77)
FUNCTION_RESIDUAL(own, 24, 78)

static void take_shared(uint64_t id)
{
	add_atomic(&cells_shared[0]);
	__wm_residual_add(&func_shared, &head_shared, id, 1);
}

static void take_own(uint64_t id)
{
	int64_t delta = enter_delta();
	add_plain(moved(&cells_own[0], delta));
	__wm_residual_add(&func_own, moved_head(&head_own, delta), id, 1);
}

static int fail(const char *what)
{
	printf("FAILED %s: %s\n", what, strerror(errno));
	return 1;
}

static uint64_t now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_REALTIME, &time);
	return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

static uint64_t started;
static void say(const struct waymark_untested *path, void *closure)
{
	bool sane = path->size == sizeof *path && path->graph_hash == 0x1234 && path->time_us >= started &&
		    path->time_us <= now();
	printf("%s %s:%llu%s\n", (const char *)closure, path->function, (unsigned long long)path->path,
		sane ? "" : " with a wrong record");
	fflush(stdout);
	errno = EBADF;
}

static int once(const char *library)
{
	(void)library;
	take_shared(1);
	if (waymark_on_untested(say, (void *)"told"))
		return fail("register");
	errno = 77;
	for (uint64_t id = 1; id < 4; id++) {
		take_shared(id);
		take_own(id);
		take_shared(id);
	}
	if (errno != 77)
		return fail("errno");
	waymark_on_untested(say, (void *)"again");
	take_shared(3);
	take_shared(4);
	waymark_on_untested(NULL, NULL);
	take_shared(5);
	return 0;
}

/* Enough paths for several tables. */
static int growth(const char *library)
{
	(void)library;
	waymark_on_untested(say, (void *)"told");
	for (int round = 0; round < 3; round++)
		for (uint64_t id = 0; id < 1000; id++)
			take_own(id);
	return 0;
}

static void say_and_take(const struct waymark_untested *path, void *closure)
{
	say(path, closure);
	take_shared(path->path + 100);
	raise(SIGUSR1);
}

static void take_in_handler(int signal)
{
	(void)signal;
	take_own(1000);
}

static int inside(const char *library)
{
	(void)library;
	signal(SIGUSR1, take_in_handler);
	waymark_on_untested(say_and_take, (void *)"told");
	take_shared(1);
	take_shared(101);
	take_shared(2);
	return 0;
}

static uint64_t told;
static void count_told(const struct waymark_untested *path, void *closure)
{
	(void)path;
	(void)closure;
	__atomic_fetch_add(&told, 1, __ATOMIC_RELAXED);
}

static void *take_many(void *data)
{
	(void)data;
	for (uint64_t id = 0; id < 5000; id++) {
		take_shared(id);
		take_own(id);
	}
	return NULL;
}

static int threads(const char *library)
{
	pthread_t id[8];
	(void)library;
	waymark_on_untested(count_told, NULL);
	for (int i = 0; i < 8; i++)
		if (pthread_create(&id[i], NULL, take_many, NULL))
			return fail("pthread_create");
	for (int i = 0; i < 8; i++)
		pthread_join(id[i], NULL);
	printf("told %llu\n", (unsigned long long)told);
	return 0;
}

static int forks(const char *library)
{
	(void)library;
	waymark_on_untested(say, (void *)"parent");
	take_shared(1);
	take_own(1);
	pid_t child = fork();
	if (child == 0) {
		started = now();
		waymark_on_untested(say, (void *)"child");
		take_shared(1);
		take_own(1);
		take_own(1);
		_exit(0);
	}
	if (waitpid(child, NULL, 0) != child)
		return fail("wait");
	take_shared(1);
	return 0;
}

/* What this process has seen it has seen, whichever file it counts in. */
static int resets(const char *library)
{
	(void)library;
	waymark_on_untested(say, (void *)"told");
	take_shared(1);
	take_own(1);
	printf("until %llu\n", (unsigned long long)now());
	if (waymark_reset())
		return fail("reset");
	take_shared(1);
	if (waymark_set_file("second.wmraw"))
		return fail("set_file");
	take_shared(1);
	take_own(1);
	take_own(2);
	return 0;
}

static void (*library_untested)(uint64_t id);
static void say_and_call(const struct waymark_untested *path, void *closure)
{
	say(path, closure);
	library_untested(path->path + 100);
}

static int objects(const char *library)
{
	waymark_on_untested(say_and_call, (void *)"told");
	void *handle = dlopen(library, RTLD_NOW);
	if (!handle)
		return fail(dlerror());
	library_untested = (void (*)(uint64_t))dlsym(handle, "library_untested");
	library_untested(1);
	take_shared(2);
	library_untested(102);
	waymark_on_untested(NULL, NULL);
	library_untested(3);
	return 0;
}

/*
 * A first sighting is interrupted before each of its instructions in turn: the trap flag
 * makes every one of them a signal.
 */
enum { SAME = 1000, OTHER = 10000 };
static volatile long step, stop;
static void (*interrupt)(void);
static sigjmp_buf back;
static pid_t parent;

static void trap(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	if (++step < stop)
		return;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~0x100;
	interrupt();
}

static void begin_steps(void)
{
	__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
}

static void end_steps(void)
{
	__asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");
}

/* Whether there was such an instruction. */
static bool take_in_steps(uint64_t id, long instruction)
{
	step = 0;
	stop = instruction;
	begin_steps();
	take_shared(id);
	end_steps();
	return step >= stop;
}

static int interrupt_each(void (*with)(void))
{
	struct sigaction action = {.sa_sigaction = trap, .sa_flags = SA_SIGINFO};
	volatile long instruction = 1;
	sigaction(SIGTRAP, &action, NULL);
	interrupt = with;
	parent = getpid();
	take_shared(SAME);
	while (sigsetjmp(back, 1) || take_in_steps((uint64_t)SAME + (uint64_t)instruction, instruction)) {
		if (getpid() != parent)
			_exit(0);
		instruction++;
	}
	printf("instructions %ld\n", instruction - 1);
	return instruction < 20;
}

static void take_both(void)
{
	take_shared((uint64_t)SAME + (uint64_t)stop);
	take_shared((uint64_t)OTHER + (uint64_t)stop);
}

static void take_and_jump(void)
{
	take_both();
	siglongjmp(back, 1);
}

static void take_and_fork(void)
{
	take_both();
	pid_t child = fork();
	if (child)
		waitpid(child, NULL, 0);
	else
		take_shared((uint64_t)OTHER + (uint64_t)stop);
}

static void take_and_reset(void)
{
	waymark_reset();
	take_shared((uint64_t)OTHER + (uint64_t)stop);
}

static const struct scenario {
	const char *name;
	int (*run)(const char *library);
	void (*interrupt)(void); /* or a first sighting is interrupted by this */
} scenarios[] = {
	{"once", once, NULL},
	{"growth", growth, NULL},
	{"inside", inside, NULL},
	{"threads", threads, NULL},
	{"forks", forks, NULL},
	{"resets", resets, NULL},
	{"objects", objects, NULL},
	{"interrupted", NULL, take_both},
	{"jumps_out", NULL, take_and_jump},
	{"forks_inside", NULL, take_and_fork},
	{"resets_inside", NULL, take_and_reset},
};

int main(int argc, char **argv)
{
	started = now();
	for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
		if (argc > 1 && !strcmp(argv[1], scenarios[i].name))
			return scenarios[i].run ? scenarios[i].run(argc > 2 ? argv[2] : "")
						: interrupt_each(scenarios[i].interrupt);
	return 2;
}
