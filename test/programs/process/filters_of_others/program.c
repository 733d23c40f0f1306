#define _GNU_SOURCE
#include "runtime/state/lock.h"
#include "runtime/state/state.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#define PLAIN __attribute__((no_profile_instrument_function))
#define CALL(n, action) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, n, 0, 1), BPF_STMT(BPF_RET | BPF_K, action)
static volatile int ready, counted;
#define BIT(n) if (a & 1u << n) r = r * 3 + n;
__attribute__((noinline)) int many(unsigned a)
{
	int r = 0;
	BIT(0) BIT(1) BIT(2) BIT(3) BIT(4) BIT(5) BIT(6) BIT(7) BIT(8) BIT(9) BIT(10) BIT(11) BIT(12) BIT(13) BIT(14) BIT(15)
	return r;
}
__attribute__((noinline)) int few(unsigned a) { return a & 1 ? 3 : 4; }
static void work(void)
{
	for (unsigned i = 0; i < 4000; i++)
		many(i);
}
PLAIN static int install(struct sock_filter *code, unsigned short size)
{
	struct sock_fprog program = {size, code};
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
static void must_fail(int result, int error)
{
	if (!result || errno != error)
		abort();
}
static void refused(void)
{
	struct sock_filter invalid[] = {BPF_STMT(0xffff, 0)};
	struct sock_fprog nowhere = {3, (void *)64}, huge = {5000, invalid};
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	must_fail(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, (void *)-1l), EFAULT);
	must_fail(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL), EFAULT);
	must_fail(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &nowhere), EFAULT);
	must_fail(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &huge), EINVAL);
	must_fail(prctl(PR_SET_SECCOMP, 77, &huge), EINVAL);
	for (int i = 0; i < 40; i++)
		must_fail(install(invalid, 1), EINVAL);
}
PLAIN static void *be_refused(void *argument)
{
	struct sock_filter invalid[] = {BPF_STMT(0xffff, 0)};
	while (!counted) {
		install(invalid, 1);
		ready = 1;
	}
	return argument;
}
/* Another thread is refused a filter before, while and after this one installs its own. */
static void at_once(void)
{
	struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0), CALL(SYS_rt_sigprocmask, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	pthread_t thread;
	if (pthread_create(&thread, NULL, be_refused, NULL))
		abort();
	while (!ready)
		;
	if (install(code, sizeof code / sizeof *code))
		abort();
	counted = 1;
	pthread_join(thread, NULL);
	work();
}
/* The child counts, and only then ends: by exit(2), as the strict mode demands. */
static void in_vfork_child(int strict)
{
	struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0), CALL(SYS_exit, SECCOMP_RET_ALLOW), CALL(SYS_prctl, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
	int status;
	pid_t child = vfork();
	if (!child) {
		if (strict ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) : install(code, sizeof code / sizeof *code))
			syscall(SYS_exit, 1);
		work();
		syscall(SYS_exit, 0);
	}
	if (waitpid(child, &status, 0) != child || status)
		abort();
}
static void vforks(void)
{
	for (int i = 0; i < 20; i++)
		in_vfork_child(i % 2);
	work();
	if (!fork()) {
		work();
		exit(0);
	}
	wait(NULL);
}
PLAIN static void *count(void *argument)
{
	while (!ready)
		;
	few(1);
	counted = 1;
	for (;;)
		pause();
	return argument;
}
/* As if the thread had been interrupted while it holds the lock. */
PLAIN static void locked(void)
{
	struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0), CALL(SYS_rt_sigprocmask, SECCOMP_RET_ERRNO | EPERM),
		CALL(SYS_futex, SECCOMP_RET_ERRNO | EPERM), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	pthread_t thread;
	if (pthread_create(&thread, NULL, count, NULL) || install(code, sizeof code / sizeof *code))
		abort();
	wm_lock_take(&wm.lock);
	ready = 1;
	while (!counted)
		;
	wm_lock_release(&wm.lock);
}
PLAIN int main(int argc, char **argv)
{
	(void)argc;
	if (!strcmp(argv[1], "at_once"))
		at_once();
	if (!strcmp(argv[1], "refused")) {
		refused();
		work();
	}
	if (!strcmp(argv[1], "vforks"))
		vforks();
	if (!strcmp(argv[1], "locked"))
		locked();
	return 0;
}
