/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * prctl and syscall.  Both may install a seccomp filter: the runtime is told, and then avoids the system calls that the filter
 * forbids (runtime/system/seccomp_filter.h).  libseccomp installs its filters by syscall.
 *
 * A filter is known before it is there: afterwards, its copy could not be made.
 */
#include "runtime/notify/announce.h"

#include "runtime/system/seccomp_filter.h"
#include "runtime/system/sys.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>

static void announce(void)
{
	if (__wm_announce_filter)
		__wm_announce_filter();
}

static size_t add(unsigned long mode, unsigned long program)
{
	return wm_filter_add(mode, (const void *)program, wm_is_guest && wm_is_guest());
}

static int install_by_prctl(int (*real)(int, ...), unsigned long mode, unsigned long program)
{
	size_t added = add(mode, program);
	int result = real(PR_SET_SECCOMP, mode, program, 0, 0);
	if (result)
		wm_filter_remove(added);
	return result;
}

WM_REPLACE(int, prctl, int option, ...)
{
	unsigned long argument[4];
	va_list list;
	va_start(list, option);
	for (int i = 0; i < 4; i++)
		argument[i] = va_arg(list, unsigned long);
	va_end(list);
	if (option == PR_SET_SECCOMP || option == PR_SET_NO_NEW_PRIVS)
		announce();
	if (WM_REAL(prctl) && option == PR_SET_SECCOMP)
		return install_by_prctl(WM_REAL(prctl), argument[0], argument[1]);
	if (WM_REAL(prctl))
		return WM_REAL(prctl)(option, argument[0], argument[1], argument[2], argument[3]);
	errno = ENOSYS;
	return -1;
}

/* A filter for all threads may be refused because of one of them, whose id is then the result. */
static bool is_refused(long result, unsigned long flags)
{
	return result < 0 ||
	       (result > 0 && flags & SECCOMP_FILTER_FLAG_TSYNC && !(flags & SECCOMP_FILTER_FLAG_NEW_LISTENER));
}

/* errno is set as by the function of the C library. */
static long call_kernel(long number, long a, long b, long c, long d, long e, long f)
{
	long result = sys_unchecked6(number, a, b, c, d, e, f);
	if (result >= 0 || result < -4095)
		return result;
	errno = (int)-result;
	return -1;
}

/* What SYSCALL below leaves to C: seccomp, and every call if the function of the C library was not found. */
__attribute__((visibility("hidden"), used)) long wm_watched_syscall(
	long number, long a, long b, long c, long d, long e, long f);
long wm_watched_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	if (number != SYS_seccomp || (a != SECCOMP_SET_MODE_STRICT && a != SECCOMP_SET_MODE_FILTER))
		return call_kernel(number, a, b, c, d, e, f);
	announce();
	size_t added = add(a == SECCOMP_SET_MODE_STRICT ? SECCOMP_MODE_STRICT : SECCOMP_MODE_FILTER, (unsigned long)c);
	long result = call_kernel(number, a, b, c, d, e, f);
	if (is_refused(result, (unsigned long)b))
		wm_filter_remove(added);
	return result;
}

#ifdef WM_STATIC
#define SYSCALL __wrap_syscall
#define CONTINUE "jmp __real_syscall"
#else
#define SYSCALL syscall
#define CONTINUE "movq wm_real_syscall(%%rip), %%rax\n\ttestq %%rax, %%rax\n\tje wm_watched_syscall\n\tjmpq *%%rax"
__attribute__((visibility("hidden"))) void *wm_real_syscall;
static void find_syscall(void)
{
	wm_real_syscall = (void *)wm_elf_library("syscall");
}
__attribute__((section(".preinit_array"), used)) static void (*const finds_syscall)(void) = find_syscall;
#endif

/* It jumps, because a call may return twice, on another stack, or never: vfork, clone, exit.  The arguments are where the
 * function of the C library expects them. */
__attribute__((weak, visibility("default"), naked)) long SYSCALL(long number, ...);
long SYSCALL(long number, ...)
{
	__asm__("cmpq %0, %%rdi\n\tje wm_watched_syscall\n\t" CONTINUE : : "i"(SYS_seccomp));
}
