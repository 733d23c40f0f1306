/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tells the runtime of an executable that a second thread is about to run, so that functions need not check for it.
 * `waymark cc` links this file into executables only.  A dynamic executable exports these names, so they precede
 * those of the C library for every object of the process; a static executable is linked with --wrap (WM_STATIC).
 *
 * The definitions are weak: a sanitizer or program that defines its own pthread_create keeps it.
 */
#include "runtime/elf.h"

#include <errno.h>
#include <pthread.h>
#include <threads.h>

/* Not defined if no function of the program is instrumented. */
__attribute__((weak, visibility("hidden"))) void __wm_second_thread(void);

static void tell(void)
{
	if (__wm_second_thread)
		__wm_second_thread();
}

typedef int create_pthread(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);
typedef int create_thrd(thrd_t *thread, thrd_start_t start, void *argument);

#ifdef WM_STATIC

create_pthread __real_pthread_create, __wrap_pthread_create;
create_thrd __real_thrd_create, __wrap_thrd_create;

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
	tell();
	return __real_pthread_create(thread, attributes, start, argument);
}

int __wrap_thrd_create(thrd_t *thread, thrd_start_t start, void *argument)
{
	tell();
	return __real_thrd_create(thread, start, argument);
}

#else

static create_pthread *real_pthread;
static create_thrd *real_thrd;

/* Runs before the constructors of all libraries, so that no symbol is looked up when a thread is created.  At that
 * time, reading the list of objects would race with dlopen, and dlsym would wait for the lock that dlopen holds while
 * constructors run. */
static void find_real(void)
{
	real_pthread = (create_pthread *)wm_elf_library("pthread_create");
	real_thrd = (create_thrd *)wm_elf_library("thrd_create");
}
__attribute__((section(".preinit_array"), used)) static void (*const earliest)(void) = find_real;

__attribute__((weak, visibility("default"))) int pthread_create(
	pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
	tell();
	return real_pthread ? real_pthread(thread, attributes, start, argument) : EAGAIN;
}

__attribute__((weak, visibility("default"))) int thrd_create(thrd_t *thread, thrd_start_t start, void *argument)
{
	tell();
	return real_thrd ? real_thrd(thread, start, argument) : thrd_nomem;
}

#endif
