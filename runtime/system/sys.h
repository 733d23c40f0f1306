/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * System calls without the C library, and functions for memory and strings.
 *
 * The runtime may be called at any place of the profiled program: from a signal handler, from an open(), memcpy() or
 * malloc() that the program defines, or before main.  The runtime therefore calls no function that the program may
 * define under the same name.  The system calls return -errno and do not change errno.
 */
#ifndef WM_RUNTIME_SYSTEM_SYS_H
#define WM_RUNTIME_SYSTEM_SYS_H

#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

/* Whatever a filter says. */
static inline long sys_unchecked6(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;
	__asm__ volatile("syscall"
		: "=a"(result)
		: "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
		: "rcx", "r11", "memory");
	return result;
}

/* seccomp_filter.c: unless a filter of the program forbids the call. */
__attribute__((visibility("hidden"))) long wm_system_call(long number, long a, long b, long c, long d, long e, long f);

static inline long sys6(long number, long a, long b, long c, long d, long e, long f)
{
	return wm_system_call(number, a, b, c, d, e, f);
}

static inline long sys3(long number, long a, long b, long c)
{
	return sys6(number, a, b, c, 0, 0, 0);
}

static inline int sys_open(const char *path, int flags, int mode)
{
	return (int)sys6(SYS_openat, AT_FDCWD, (long)path, flags | O_CLOEXEC, mode, 0, 0);
}

static inline void sys_close(int fd)
{
	sys3(SYS_close, fd, 0, 0);
}

static inline long sys_unlink(const char *path)
{
	return sys3(SYS_unlink, (long)path, 0, 0);
}

/* Returns NULL on failure. */
static inline char *sys_map(void *address, size_t size, int flags, int fd, uint64_t offset)
{
	long result = sys6(SYS_mmap, (long)address, (long)size, PROT_READ | PROT_WRITE, flags, fd, (long)offset);
	return result < 0 && result > -4096 ? NULL : (char *)result;
}

static inline char *sys_map_anonymous(size_t size)
{
	return sys_map(NULL, size, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static inline void sys_unmap(void *address, size_t size)
{
	sys3(SYS_munmap, (long)address, (long)size, 0);
}

/* Moves whole pages to `to`, in place of the pages that are mapped there. */
static inline bool sys_move_pages(void *from, size_t size, void *to)
{
	if (!size)
		return true;
	long result = sys6(SYS_mremap, (long)from, (long)size, (long)size, MREMAP_MAYMOVE | MREMAP_FIXED, (long)to, 0);
	return result == (long)to;
}

static inline int sys_getpid(void)
{
	return (int)sys3(SYS_getpid, 0, 0, 0);
}

static inline int sys_gettid(void)
{
	return (int)sys3(SYS_gettid, 0, 0, 0);
}

/* Blocks all signals, including those that the C library uses internally: if a thread that holds the lock were
 * cancelled or suspended, every thread that needs the lock would wait for it.  False: a filter forbids it. */
static inline bool sys_block_signals(uint64_t *saved)
{
	uint64_t all = ~0ull;
	return !sys6(SYS_rt_sigprocmask, SIG_BLOCK, (long)&all, (long)saved, sizeof all, 0, 0);
}

static inline void sys_restore_signals(const uint64_t *saved)
{
	sys6(SYS_rt_sigprocmask, SIG_SETMASK, (long)saved, 0, sizeof *saved, 0, 0);
}

static inline void wm_copy(void *to, const void *from, size_t size)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

static inline void wm_zero(void *to, size_t size)
{
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(0) : "memory");
}

static inline size_t wm_length(const char *text)
{
	size_t length = 0;
	while (text[length])
		length++;
	return length;
}

static inline bool wm_equal(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

static inline uint64_t wm_load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static inline void wm_store(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELAXED);
}

static inline void wm_add(uint64_t *word, uint64_t value)
{
	__atomic_fetch_add(word, value, __ATOMIC_RELAXED);
}

#endif
