/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Leaves activations with sites: `leaver HOW`.  leaver.sh compares what is recorded. */
#include "runtime/waymark.h"
#include "test/runtime/left_calls.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct nest {
	void (*innermost)(void);
};

static void level6(void *data)
{
	const struct nest *nest = data;
	nest->innermost();
}
static void level5(void *data)
{
	call_frame(level6, data, 0xABC0D);
}
static void level4(void *data)
{
	call_half(level5, data, 0x500000004);
}
static void level3(void *data)
{
	call_stack(level4, data, 3);
}
static void level2(void *data)
{
	call_register(level3, data, 2);
}
/* Paths: 101 1 17, 102 2 1002, 103 3 2, 104 0x80000004 4, 105 5 7 */
static void nested(void (*innermost)(void))
{
	struct nest nest = {innermost};
	call_constant(level2, &nest, 0);
}

static void leave_exit(void)
{
	exit(3);
}

static void inlined_exit(void *data)
{
	(void)data;
	exit(3);
}

static void unknown_inner(void *data)
{
	call_inlined(inlined_exit, data, 40);
}

static int in_order(const void *a, const void *b)
{
	(void)a;
	(void)b;
	nested(leave_exit);
	return 0;
}

static int by_exit(void)
{
	nested(leave_exit);
	return 1;
}

static int by_sort(void)
{
	char letters[] = "ba";
	qsort(letters, 2, 1, in_order);
	return 1;
}

static void leave__exit(void)
{
	_exit(3);
}
static int by__exit(void)
{
	nested(leave__exit);
	return 1;
}

static void leave_quickly(void)
{
	quick_exit(3);
}
static int by_quick_exit(void)
{
	nested(leave_quickly);
	return 1;
}

static int by_unknown(void)
{
	call_unknown(unknown_inner, NULL, 0);
	return 1;
}

static jmp_buf back;
static sigjmp_buf signal_back;

static void jump_back(void *data)
{
	(void)data;
	longjmp(back, 1);
}

static int by_jump(void)
{
	volatile int round = 0;
	for (; round < 2000; round++)
		if (!setjmp(back))
			call_register(jump_back, NULL, (uint64_t)round);
	for (round = 0; round < 2; round++)
		if (!setjmp(back))
			call_register(jump_back, NULL, 0);
	errno = 77;
	if (!setjmp(back))
		call_register(jump_back, NULL, 0);
	return errno == 77 ? 0 : 1;
}

/* The activation that called setjmp leaves its path too, that around it does not. */
static void jump_inner(void *data)
{
	(void)data;
	longjmp(back, 5);
}
static void jump_middle(void *data)
{
	if (!setjmp(back))
		call_stack(jump_inner, data, 200);
}
static int by_inner_jump(void)
{
	call_register(jump_middle, NULL, 100);
	return 0;
}

/* A jump out of a signal handler on its own stack. */
static void on_jump(int signal)
{
	(void)signal;
	siglongjmp(signal_back, 1);
}
static void raise_inner(void *data)
{
	(void)data;
	raise(SIGUSR1);
}
static int by_signal_jump(void)
{
	stack_t stack = {.ss_sp = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
		.ss_size = 1 << 16};
	struct sigaction action = {.sa_handler = on_jump, .sa_flags = SA_ONSTACK};
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	for (volatile int i = 0; i < 5; i++)
		if (!sigsetjmp(signal_back, 1))
			call_stack(raise_inner, NULL, 301);
	return 0;
}

/* ---- Processes --------------------------------------------------------------------------- */

static void fork_inside(void *data)
{
	(void)data;
	int status;
	pid_t child = fork();
	if (child == 0)
		exit(4);
	waitpid(child, &status, 0);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 4)
		abort();
	exit(3);
}

static int by_fork(void)
{
	if (!setjmp(back))
		call_register(jump_back, NULL, 1);
	call_stack(fork_inside, NULL, 11);
	return 1;
}

static void vfork_inside(void *data)
{
	(void)data;
	pid_t child = vfork();
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
}

static int by_vfork(void)
{
	call_stack(vfork_inside, NULL, 11);
	return 0;
}

static int by_reset(void)
{
	if (!setjmp(back))
		call_register(jump_back, NULL, 1);
	if (waymark_dump("snapshot.wmraw") || waymark_reset())
		return 1;
	if (!setjmp(back))
		call_register(jump_back, NULL, 2);
	return 0;
}

static int by_tests(void)
{
	for (volatile int i = 0; i < 2; i++) {
		if (waymark_test_begin(i ? "second" : "first"))
			return 1;
		if (!setjmp(back))
			call_register(jump_back, NULL, 1);
		if (i && !setjmp(back))
			call_register(jump_back, NULL, 2);
		waymark_test_end();
	}
	return 0;
}

/* ---- Signals ------------------------------------------------------------------------------ */

static int sent;
static void send_signal(void)
{
	kill(getpid(), sent);
	for (;;)
		pause();
}
static void fault_now(void)
{
	*(volatile int *)8 = 0;
}
static void divide(void)
{
	volatile int zero = 0, five = 5;
	zero = five / zero;
}

static void call_nothing(void)
{
	void (*volatile nothing)(void) = NULL;
	nothing();
}

static void no_core(void)
{
	struct rlimit none = {0, 0};
	setrlimit(RLIMIT_CORE, &none);
}

static int by_kill(int signal)
{
	no_core();
	sent = signal;
	nested(send_signal);
	return 1;
}

static int by_term(void)
{
	return by_kill(SIGTERM);
}
static int by_segv(void)
{
	no_core();
	nested(fault_now);
	return 1;
}
static int by_division(void)
{
	no_core();
	nested(divide);
	return 1;
}
static int by_null_call(void)
{
	no_core();
	nested(call_nothing);
	return 1;
}
static int by_abort(void)
{
	no_core();
	nested(abort);
	return 1;
}

/* What the program asks for and sets is as if the runtime had no handlers. */
static int says_default(void)
{
	static const int asked[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGPIPE, SIGQUIT, SIGXCPU,
		SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	struct sigaction old, none = {.sa_handler = SIG_DFL};
	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
		if (sigaction(asked[i], NULL, &old) || old.sa_handler != SIG_DFL || old.sa_flags)
			return printf("signal %d\n", asked[i]);
		if (signal(asked[i], SIG_IGN) != SIG_DFL || signal(asked[i], SIG_DFL) != SIG_IGN)
			return printf("signal(%d)\n", asked[i]);
		if (sigaction(asked[i], &none, &old) || old.sa_handler != SIG_DFL)
			return printf("sigaction(%d)\n", asked[i]);
	}
	return 0;
}

/* ---- Threads ------------------------------------------------------------------------------ */

static void exit_thread(void)
{
	pthread_exit(NULL);
}

static void *run_thread(void *data)
{
	(void)data;
	nested(exit_thread);
	return NULL;
}

static int by_thread(void)
{
	pthread_t id;
	return pthread_create(&id, NULL, run_thread, NULL) || pthread_join(id, NULL);
}

static int by_main_thread(void)
{
	nested(exit_thread);
	return 1;
}

static int is_waiting;
static void wait_for_ever(void)
{
	__atomic_store_n(&is_waiting, 1, __ATOMIC_RELEASE);
	for (;;)
		pause();
}

static void *wait_in_thread(void *data)
{
	(void)data;
	nested(wait_for_ever);
	return NULL;
}

static int with_thread(void)
{
	pthread_t id;
	if (pthread_create(&id, NULL, wait_in_thread, NULL))
		return 1;
	while (!__atomic_load_n(&is_waiting, __ATOMIC_ACQUIRE))
		usleep(100);
	usleep(1000);
	return 0;
}

/* ---- Shared objects ------------------------------------------------------------------------ */

static const char *library_path;
static void jump_from_library(void *data)
{
	(void)data;
	call_stack(jump_back, NULL, 6);
}

static void exit_from_library(void *data)
{
	(void)data;
	exit(3);
}

/* 102 2 1002 of the library twice, 103 3 5 once of the program; after the object is gone, the program goes on alone. */
static int by_library(void)
{
	void *library = dlopen(library_path, RTLD_NOW);
	left_call *call = library ? (left_call *)dlsym(library, "library_call") : NULL;
	if (!call)
		return printf("%s\n", dlerror());
	if (!setjmp(back))
		call(jump_from_library, NULL, 2);
	if (dlclose(library))
		return 1;
	if (!setjmp(back))
		call_stack(jump_back, NULL, 7);
	library = dlopen(library_path, RTLD_NOW);
	call = (left_call *)dlsym(library, "library_call");
	call(exit_from_library, NULL, 2);
	return 1;
}

static const struct {
	const char *name;
	int (*run)(void);
} ways[] = {
	{"exit", by_exit},
	{"_exit", by__exit},
	{"quick_exit", by_quick_exit},
	{"unknown", by_unknown},
	{"sort", by_sort},
	{"jump", by_jump},
	{"inner_jump", by_inner_jump},
	{"signal_jump", by_signal_jump},
	{"fork", by_fork},
	{"vfork", by_vfork},
	{"reset", by_reset},
	{"tests", by_tests},
	{"term", by_term},
	{"segv", by_segv},
	{"division", by_division},
	{"null_call", by_null_call},
	{"abort", by_abort},
	{"says_default", says_default},
	{"thread", by_thread},
	{"main_thread", by_main_thread},
	{"with_thread", with_thread},
	{"library", by_library},
};

int main(int argc, char **argv)
{
	library_path = argc > 2 ? argv[2] : NULL;
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		if (argc > 1 && !strcmp(argv[1], ways[i].name))
			return ways[i].run();
	return 2;
}
