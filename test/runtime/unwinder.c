/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Unwinds by runtime/unwind and by the unwinder of the compiler, and compares every return address and stack pointer:
 * `unwinder SCENARIO`.  With -DLIBRARY this is a shared object with a function that calls back, and with -DPROGRAM the rest.
 */
#include "runtime/unwind/unwind.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#ifdef __clang__
#define NOT_INLINED __attribute__((noinline))
#else
#define NOT_INLINED __attribute__((noinline, noclone))
#endif

void in_library(void (*callback)(void));
#ifndef PROGRAM
void in_library(void (*callback)(void))
{
	char room[4096 + 16];
	memset(room, 1, sizeof room);
	callback();
	__asm__ volatile("" : : "r"(room) : "memory");
}
#endif

#ifndef LIBRARY

enum { MOST = 300000 };

struct place {
	uint64_t pc, sp;
};

static struct place expected[MOST], found[MOST];
static size_t expected_count, found_count, checks, frames;

static _Unwind_Reason_Code expect(struct _Unwind_Context *context, void *data)
{
	(void)data;
	if (expected_count == MOST)
		return _URC_END_OF_STACK;
	expected[expected_count++] = (struct place){_Unwind_GetIP(context), _Unwind_GetCFA(context)};
	return _URC_NO_REASON;
}

static struct wm_walk walk;

static void find(void)
{
	struct wm_frame here;
	wm_frame_here(&here);
	found_count = 0;
	wm_walk_begin(&walk, &here);
	do
		found[found_count++] = (struct place){walk.frame.reg[WM_REGISTER_RIP], walk.frame.reg[WM_REGISTER_RSP]};
	while (found_count < MOST && wm_walk_step(&walk));
}

static void complain(const char *what, size_t index)
{
	dprintf(1, "%s: frame %zu of %zu and %zu\n", what, index, expected_count, found_count);
	for (size_t i = 0; i < 12; i++)
		dprintf(1, "%zu: expected %lx %lx found %lx %lx\n", i, expected[i].pc, expected[i].sp, found[i].pc,
			found[i].sp);
	_exit(1);
}

/* The two differ in the innermost frames, which are their own.  The compiler's unwinder also tells the end of the stack. */
static NOT_INLINED void check(void)
{
	expected_count = 0;
	_Unwind_Backtrace(expect, NULL);
	find();
	size_t mine = 0, theirs = 0;
	uint64_t own = (uintptr_t)__builtin_return_address(0);
	while (mine < found_count && found[mine].pc != own)
		mine++;
	while (theirs < expected_count && expected[theirs].pc != own)
		theirs++;
	while (expected_count > theirs && !expected[expected_count - 1].pc)
		expected_count--;
	if (expected_count - theirs != found_count - mine || found_count == mine)
		complain("other depth", mine);
	for (size_t i = 0; mine + i < found_count; i++)
		if (found[mine + i].pc != expected[theirs + i].pc || found[mine + i].sp != expected[theirs + i].sp)
			complain("other frame", mine + i);
	checks++;
	frames += found_count - mine;
}

static volatile size_t steps; /* instructions so far: the compiler's unwinder takes locks, and is not stepped through */

static NOT_INLINED int recurse(int depth)
{
	volatile char room[24] = {1};
	if (depth <= 0 && !steps)
		check();
	else if (depth > 0)
		return recurse(depth - 1) + room[0];
	return room[1];
}

static int plain(void)
{
	return recurse(10) * 0;
}

static int deep(void)
{
	recurse(50000);
	return found_count > 50000 ? 0 : 1;
}

static int compare(const void *a, const void *b)
{
	if (checks < 40)
		check();
	return *(const int *)a - *(const int *)b;
}

static int sorts(void)
{
	int numbers[100];
	for (int i = 0; i < 100; i++)
		numbers[i] = i * 37 % 101;
	qsort(numbers, 100, sizeof *numbers, compare);
	return 0;
}

/* A stack that is aligned, and one whose size is not constant. */
static NOT_INLINED int aligned(int size)
{
	_Alignas(64) volatile char room[256] = {0};
	char *more = __builtin_alloca((size_t)size);
	memset(more, 0, (size_t)size);
	recurse(3);
	return room[3] + more[1];
}

static int alignment(void)
{
	for (int i = 1; i < 300; i += 7)
		aligned(i);
	return 0;
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
	(void)info;
	recurse(2);
	/* The fault does not happen again. */
	if (signal == SIGSEGV)
		((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2;
}

static void handle(int signal, int flags)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | flags};
	sigaction(signal, &action, NULL);
}

static NOT_INLINED void fault(void)
{
	/* Two bytes: movb (%rax), %al */
	__asm__ volatile("xorl %%eax, %%eax\n\t.byte 0x8a, 0x00" : : : "rax");
}

static int signals(void)
{
	handle(SIGUSR1, 0);
	handle(SIGSEGV, 0);
	raise(SIGUSR1);
	fault();
	return 0;
}

static int other_stack(void)
{
	stack_t stack = {.ss_sp = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
		.ss_size = 1 << 16};
	sigaltstack(&stack, NULL);
	handle(SIGUSR1, SA_ONSTACK);
	handle(SIGSEGV, SA_ONSTACK);
	raise(SIGUSR1);
	fault();
	return 0;
}

static void *in_thread(void *data)
{
	(void)data;
	recurse(10);
	recurse(1000);
	sorts();
	signals();
	other_stack();
	return NULL;
}

static int threads(void)
{
	pthread_t id;
	return pthread_create(&id, NULL, in_thread, NULL) || pthread_join(id, NULL);
}

/* Every instruction of a few calls, those of the C library and of the lazy binding of its functions included. */
static void on_step(int signal)
{
	(void)signal;
	check();
	steps++;
}

static NOT_INLINED void stepped(void)
{
	char text[64];
	snprintf(text, sizeof text, "%d %s %.3f", 42, "hello", 1.5);
	qsort(text, 10, 1, (int (*)(const void *, const void *))strcmp);
	aligned((int)strlen(text));
	free(malloc(1000));
	in_library((void (*)(void))getpid);
}

static int every_step(void)
{
	signal(SIGTRAP, on_step);
	check();
	__asm__ volatile("pushfq\n\torl $0x100, (%%rsp)\n\tpopfq" : : : "memory", "cc");
	stepped();
	__asm__ volatile("pushfq\n\tandl $~0x100, (%%rsp)\n\tpopfq" : : : "memory", "cc");
	printf("steps %zu\n", steps);
	return steps < 1000;
}

static void check_in_callback(void)
{
	recurse(2);
}

static int library(void)
{
	in_library(check_in_callback);
	return 0;
}

/* The stack above is overwritten in various ways; the child only has to survive. */
static NOT_INLINED int smash(unsigned seed)
{
	uint64_t *word = __builtin_frame_address(0), here = (uintptr_t)word, value[8];
	value[0] = 0;
	value[1] = ~UINT64_C(0);
	value[2] = here;
	value[3] = here + 64;
	value[4] = (uintptr_t)smash;
	value[5] = (uintptr_t)recurse + 5;
	value[6] = 0x4141414141414141;
	value[7] = here - 4096;
	for (int i = 0; i < 60; i++, seed = seed * 1103515245 + 12345)
		word[i] = seed >> 16 & 64 ? word[i] : value[seed >> 16 & 7];
	find();
	_exit(found_count < MOST ? 0 : 1);
}

static int smashed(void)
{
	char room[1024];
	memset(room, 0, sizeof room);
	for (unsigned i = 0; i < 200; i++) {
		int status;
		pid_t child = fork();
		if (child == 0)
			smash(i * 7919);
		if (waitpid(child, &status, 0) != child || status)
			return printf("smashed %u: status %x\n", i, status);
	}
	return room[5];
}

/* The same on the stack of a thread, behind which there is no memory. */
static void *smash_thread(void *data)
{
	(void)data;
	return (void *)(intptr_t)smashed();
}

static int smashed_in_thread(void)
{
	pthread_t id;
	void *result;
	return pthread_create(&id, NULL, smash_thread, NULL) || pthread_join(id, &result) || result;
}

/* A call of what is no code. */
static void on_bad_call(int signal, siginfo_t *info, void *data)
{
	const ucontext_t *context = data;
	struct wm_frame frame = {
		.known = 1u << WM_REGISTER_RSP | 1u << WM_REGISTER_RIP | WM_CALLEE_SAVED, .exact = true};
	(void)signal;
	(void)info;
	frame.reg[WM_REGISTER_RIP] = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
	frame.reg[WM_REGISTER_RSP] = (uint64_t)context->uc_mcontext.gregs[REG_RSP];
	frame.reg[WM_REGISTER_RBP] = (uint64_t)context->uc_mcontext.gregs[REG_RBP];
	frame.reg[WM_REGISTER_RBX] = (uint64_t)context->uc_mcontext.gregs[REG_RBX];
	size_t depth = 0;
	for (wm_walk_begin(&walk, &frame); wm_walk_step(&walk);)
		depth++;
	_exit(depth < 4);
}

static int bad_call(void)
{
	struct sigaction action = {.sa_sigaction = on_bad_call, .sa_flags = SA_SIGINFO};
	void (*volatile nowhere)(void) = NULL;
	sigaction(SIGSEGV, &action, NULL);
	nowhere();
	return 1;
}

static const struct {
	const char *name;
	int (*run)(void);
} scenarios[] = {
	{"plain", plain},
	{"deep", deep},
	{"sorts", sorts},
	{"alignment", alignment},
	{"signals", signals},
	{"other_stack", other_stack},
	{"threads", threads},
	{"every_step", every_step},
	{"library", library},
	{"smashed", smashed},
	{"smashed_in_thread", smashed_in_thread},
	{"bad_call", bad_call},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
		if (argc > 1 && !strcmp(argv[1], scenarios[i].name)) {
			int result = scenarios[i].run();
			printf("checks %zu frames %zu\n", checks, frames);
			return result;
		}
	return 2;
}

#endif
