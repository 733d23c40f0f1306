/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tells the runtime of an executable that a second thread is about to run, so that
 * functions need not look.  Linked into executables only, by `waymark cc`: a
 * dynamic one exports these names and so stands before the C library for every
 * object of the process; a static one is linked with --wrap (WM_STATIC).
 *
 * Weak: a sanitizer or a program that brings its own pthread_create keeps it.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

/* Not there when no function of the program is instrumented. */
__attribute__((weak, visibility("hidden"))) void __wm_second_thread(void);

static void tell(void)
{
	if (__wm_second_thread)
		__wm_second_thread();
}

#ifdef WM_STATIC

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
	tell();
	return __real_pthread_create(thread, attributes, start, argument);
}

int __real_thrd_create(thrd_t *thread, thrd_start_t start, void *argument);
int __wrap_thrd_create(thrd_t *thread, thrd_start_t start, void *argument);

int __wrap_thrd_create(thrd_t *thread, thrd_start_t start, void *argument)
{
	tell();
	return __real_thrd_create(thread, start, argument);
}

#else

/* The C library has both, or this object would not have been loaded. */
static void *next(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);
	if (!found)
		abort();
	return found;
}

__attribute__((weak, visibility("default"))) int pthread_create(
	pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
	int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = next("pthread_create");
	tell();
	return real(thread, attributes, start, argument);
}

__attribute__((weak, visibility("default"))) int thrd_create(thrd_t *thread, thrd_start_t start, void *argument)
{
	int (*real)(thrd_t *, thrd_start_t, void *) = next("thrd_create");
	tell();
	return real(thread, start, argument);
}

#endif
