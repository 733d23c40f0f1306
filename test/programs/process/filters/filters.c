#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
/* As libseccomp does, in a shared object that is not instrumented. */
long install_filter(const struct sock_fprog *program);
static bool by_syscall;
static volatile long sink;
static volatile int begun, waiting, done;
__attribute__((noinline)) int few(unsigned a) { int r = 0; if (a & 1) r += 1; if (a & 2) r *= 2; if (a & 4) r += 4; return r; }
#define BIT(n) if (a & 1u << n) r = r * 3 + n;
__attribute__((noinline)) int many(unsigned a)
{
	int r = 0;
	BIT(0) BIT(1) BIT(2) BIT(3) BIT(4) BIT(5) BIT(6) BIT(7) BIT(8) BIT(9) BIT(10) BIT(11) BIT(12) BIT(13) BIT(14) BIT(15) BIT(16) BIT(17) BIT(18)
	for (unsigned i = 0; i < (a & 3); i++)
		r += few(a + i);
	return r;
}
__attribute__((noinline)) int deep(unsigned a) { return a ? few(a) + deep(a - 1) : 0; }
static void work(void)
{
	for (unsigned i = 0; i < 4000; i++)
		sink += many(i * 2654435761u >> 13);
	sink += deep(40);
}
static void handler(int number) { sink += many((unsigned)number * 77) + few((unsigned)number); }
static void *run(void *argument)
{
	begun = 1;
	while (!waiting)
		;
	work();
	done = 1;
	for (;;)
		if (argument)
			syscall(SYS_exit, 0);
	return NULL;
}
/* Everything but these kills. */
#define ALLOW(n) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, n, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
static void filter(void)
{
	struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)), ALLOW(SYS_read), ALLOW(SYS_write),
		ALLOW(SYS_exit), ALLOW(SYS_exit_group), ALLOW(SYS_rt_sigreturn), ALLOW(SYS_fstat), ALLOW(SYS_newfstatat),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
	struct sock_fprog program = {sizeof code / sizeof *code, code};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || (by_syscall ? install_filter(&program) : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)))
		abort();
}
/* What syscall passes on, and what it returns, is that of the C library. */
static void calls(void)
{
	char from[] = "abc", to[4] = "";
	struct iovec here = {to, 3}, there = {from, 3};
	if (syscall(SYS_process_vm_readv, getpid(), &here, 1ul, &there, 1ul, 0ul) != 3 || strcmp(to, from))
		abort();
	errno = 0;
	if (syscall(SYS_close, -1) != -1 || errno != EBADF || syscall(SYS_seccomp, 99, 0, NULL) != -1 || errno != EINVAL)
		abort();
	int status;
	long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (!child)
		syscall(SYS_exit, 7);
	if (child < 0 || waitpid((pid_t)child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7)
		abort();
}
static void refused(void)
{
	struct sock_fprog none = {0, NULL};
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &none) != -1 || errno != EINVAL)
		abort();
	if (!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &none))
		abort();
}
int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	struct itimerspec often = {{0, 1000000}, {0, 1000000}};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	pthread_t thread;
	timer_t timer;
	few(0);
	by_syscall = !strcmp(mode, "syscall") || !strcmp(mode, "thread");
	calls();
	if (!strcmp(mode, "train"))
		return 0;
	if (!strcmp(mode, "thread") && pthread_create(&thread, NULL, run, &thread))
		return 1;
	if (!strcmp(mode, "signal")) {
		signal(SIGUSR1, handler);
		if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &often, NULL))
			return 1;
	}
	while (!strcmp(mode, "thread") && !begun)
		;
	if (!strcmp(mode, "strict"))
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	else if (!strcmp(mode, "refused"))
		refused();
	else
		filter();
	waiting = 1;
	work();
	while (!strcmp(mode, "thread") && !done)
		;
	write(1, "worked\n", 7);
	if (!strcmp(mode, "strict"))
		syscall(SYS_exit, 0);
	return 0;
}
