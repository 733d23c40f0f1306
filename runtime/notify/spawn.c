/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * pthread_create, thrd_create and clone.  A thread of the first two is attached before it runs code of the program: signals are
 * blocked from its creation until then, because a handler would count in the cells of the thread that created it.  A
 * thread of clone may share the thread-local variables of another one, so it gets no cells, and the runtime is told.
 */
#include "runtime/notify/announce.h"

#include "runtime/system/sys.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <threads.h>

static void *run_pthread(void *data)
{
	struct wm_start start = wm_start_begin(data);
	return start.function.pthread(start.argument);
}

static int run_thrd(void *data)
{
	struct wm_start start = wm_start_begin(data);
	return start.function.thrd(start.argument);
}

/* glibc 2.32.  A thread whose attributes contain a mask has that mask. */
__attribute__((weak)) int pthread_attr_getsigmask_np(const pthread_attr_t *attributes, sigset_t *mask);

static bool has_mask(const pthread_attr_t *attributes)
{
	sigset_t mask;
	return attributes && pthread_attr_getsigmask_np && pthread_attr_getsigmask_np(attributes, &mask) == 0;
}

typedef int create_pthread(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);
typedef int create_thrd(thrd_t *thread, thrd_start_t start, void *argument);

static int watch_pthread(create_pthread *real, pthread_t *thread, const pthread_attr_t *attributes,
	void *(*function)(void *), void *argument)
{
	uint64_t mask;
	struct wm_start *start = wm_start_take();
	if (!start)
		return real(thread, attributes, function, argument);
	sys_block_signals(&mask);
	*start = (struct wm_start){
		.function.pthread = function, .argument = argument, .mask = mask, .set_mask = !has_mask(attributes)};
	int error = real(thread, attributes, run_pthread, start);
	sys_restore_signals(&mask);
	if (error)
		wm_start_give(start);
	return error;
}

static int watch_thrd(create_thrd *real, thrd_t *thread, thrd_start_t function, void *argument)
{
	uint64_t mask;
	struct wm_start *start = wm_start_take();
	if (!start)
		return real(thread, function, argument);
	sys_block_signals(&mask);
	*start = (struct wm_start){.function.thrd = function, .argument = argument, .mask = mask, .set_mask = true};
	int error = real(thread, run_thrd, start);
	sys_restore_signals(&mask);
	if (error != thrd_success)
		wm_start_give(start);
	return error;
}

WM_REPLACE(int, thrd_create, thrd_t *thread, thrd_start_t start, void *argument)
{
	return WM_REAL(thrd_create) ? watch_thrd(WM_REAL(thrd_create), thread, start, argument) : thrd_nomem;
}

#ifdef WM_STATIC

WM_REPLACE(int, pthread_create, pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
	void *argument)
{
	return watch_pthread(__real_pthread_create, thread, attributes, start, argument);
}

__attribute__((visibility("hidden"))) bool __wm_sees_threads(void);
bool __wm_sees_threads(void)
{
	return true;
}

#else

/* The pthread_create of a sanitizer that is linked into the executable calls the first of these functions, which others may
 * define, and which has to call the second one. */
__attribute__((visibility("hidden"))) create_pthread __interceptor_pthread_create;
__attribute__((weak)) create_pthread ___interceptor_pthread_create;

static create_pthread replaced_pthread_create;
static create_pthread *real_pthread_create;

static void find_pthread_create(void)
{
	real_pthread_create = (create_pthread *)wm_elf_library("pthread_create");
}
__attribute__((section(".preinit_array"), used)) static void (*const finds_pthread_create)(void) = find_pthread_create;

static int replaced_pthread_create(
	pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
	return real_pthread_create ? watch_pthread(real_pthread_create, thread, attributes, start, argument) : EAGAIN;
}

int __interceptor_pthread_create(
	pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
	return watch_pthread(___interceptor_pthread_create, thread, attributes, start, argument);
}
__attribute__((weak, visibility("default"), alias("replaced_pthread_create"))) create_pthread pthread_create;

__attribute__((visibility("hidden"))) bool __wm_sees_threads(void);
bool __wm_sees_threads(void)
{
	return pthread_create == replaced_pthread_create || ___interceptor_pthread_create;
}

#endif

/* The last three arguments are there or not, as in the C library. */
WM_REPLACE(int, clone, int (*function)(void *), void *stack, int flags, void *argument, ...)
{
	va_list list;
	va_start(list, argument);
	void *parent = va_arg(list, void *), *thread = va_arg(list, void *), *child = va_arg(list, void *);
	va_end(list);
	if (flags & CLONE_VM && !(flags & CLONE_VFORK) && wm_second_thread)
		wm_second_thread();
	if (WM_REAL(clone))
		return WM_REAL(clone)(function, stack, flags, argument, parent, thread, child);
	errno = ENOSYS;
	return -1;
}
