/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Threads and forks that nobody announced.
 *
 * Threads (`gs` updates, in executables): such a thread counts in the cells of the thread that created
 * it.  They are noticed when the file is finished, from what the C library and the kernel know.
 *
 * The C library records whether there ever was a second thread of its own.  That matters only if the program defines
 * pthread_create itself; otherwise spawn.c announces the threads that run code of the program.
 *
 * The kernel adds up the processor time of all threads of the process, also of those that have ended.  In a process that
 * always had one thread, the processor time of the process grows exactly as that of this thread.  A thread that was created
 * by the system call itself shows as a difference.
 */
#include "runtime/state/unseen.h"

#include "runtime/state/header.h"
#include "runtime/state/state.h"

/* glibc 2.32 */
__attribute__((weak)) extern char __libc_single_threaded;
/* spawn.c: whether its pthread_create is the one that the program calls. */
__attribute__((weak, visibility("hidden"))) bool __wm_sees_threads(void);

static struct {
	bool usable; /* when the process began, it had one thread; an emulator may have threads of its own */
	int64_t others; /* nanoseconds that other threads had run by then: those of a program that called exec */
} at_start;

static int64_t nanoseconds(clockid_t clock)
{
	struct timespec time = {0, 0};
	sys3(SYS_clock_gettime, clock, (long)&time, 0);
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/* The thread's own time is read first, so the result is never too small. */
void wm_unseen_fork(void)
{
	int64_t own = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
	at_start.others = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - own;
}

/* Whether the process has one thread. */
static bool is_alone(void)
{
	struct stat status;
	return sys3(SYS_stat, (long)"/proc/self/task", (long)&status, 0) == 0 && status.st_nlink == 3;
}

void wm_unseen_start(void)
{
	wm_unseen_fork();
	at_start.usable = wm.object.executable && is_alone();
}

/* Here the time of the process is read first, so the result is never too large. */
static bool others_have_run(void)
{
	int64_t all = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
	return all - nanoseconds(CLOCK_THREAD_CPUTIME_ID) > at_start.others;
}

static bool is_group_leader(void)
{
	return sys_gettid() == wm.pid;
}

bool wm_unseen_none(void)
{
	bool library = &__libc_single_threaded && __libc_single_threaded;
	return (library && at_start.usable && is_group_leader() && !others_have_run()) || is_alone();
}

void wm_unseen_detect(bool quiet)
{
	if (!wm.object.executable || !wm.threads.distances || wm.threads.announced)
		return;
	bool seen = __wm_sees_threads && __wm_sees_threads();
	bool library = &__libc_single_threaded && !__libc_single_threaded;
	if (library && !seen)
		wm_second_thread();
	else if (!library && !quiet && at_start.usable && is_group_leader() && others_have_run())
		wm_second_thread();
}

/* ---- Forks ------------------------------------------------------------------------------ */

static uint64_t none = 1;

/* The kernel clears the sentinel in a forked address space.  The fork handler of the child sets it again, so a zero
 * means that the fork handlers were not called. */
void wm_sentinel_make(void)
{
	char *page = sys_map_anonymous(WM_PAGE);
	wm.sentinel = &none;
	if (!page)
		return;
	if (sys3(SYS_madvise, (long)page, WM_PAGE, MADV_WIPEONFORK) == 0)
		wm.sentinel = (void *)page;
	else
		sys_unmap(page, WM_PAGE);
	*wm.sentinel = 1;
}

bool wm_forked_unseen(void)
{
	if (!wm.sentinel || wm_load(wm.sentinel))
		return false;
	wm_header_set_flags(WM_RAW_FOREIGN_PROCESS);
	return true;
}

bool wm_sentinel_works(void)
{
	return wm.sentinel != &none;
}

void wm_sentinel_release(void)
{
	if (wm_sentinel_works())
		sys_unmap(wm.sentinel, WM_PAGE);
	wm.sentinel = &none;
}
