/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/attempt.h"
#include "support/fail.h"
#include "support/progress.h"
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static const char no_memory[] = "out of memory";
static const struct wm_outside *outside; /* NULL: the process has said nothing */
static _Thread_local struct wm_attempt *innermost;
static _Thread_local struct wm_guard *last_guard;

void wm_attempt_outside(const struct wm_outside *of_process)
{
	outside = of_process;
}

void wm_guard_begin(struct wm_guard *guard, void (*release)(void *what), void *what)
{
	*guard = (struct wm_guard){release, what, last_guard};
	last_guard = guard;
}

void wm_guard_end(struct wm_guard *guard)
{
	last_guard = guard->before;
	guard->release(guard->what);
}

static void close_descriptor(void *fd)
{
	if (*(int *)fd >= 0)
		close(*(int *)fd);
}

void wm_guard_begin_fd(struct wm_guard *guard, int *fd)
{
	wm_guard_begin(guard, close_descriptor, fd);
}

/* Not the function that does the work: its variables may be in registers, which longjmp restores. */
static __attribute__((noinline)) bool run(struct wm_attempt *attempt, void (*work)(void *), void *argument)
{
	if (setjmp(attempt->back))
		return false;
	work(argument);
	return true;
}

bool wm_attempt_run(struct wm_attempt *attempt, void (*work)(void *), void *argument)
{
	struct wm_heap *heap = wm_heap_use(NULL);
	wm_heap_use(attempt->heap ? attempt->heap : heap);
	attempt->failure = WM_FAILURE_NONE;
	attempt->sentence = NULL;
	attempt->around = innermost;
	attempt->guards = last_guard;
	innermost = attempt;
	bool done = run(attempt, work, argument);
	innermost = attempt->around;
	wm_heap_use(heap);
	return done;
}

/* NULL: out of memory. */
static char *make_sentence(const char *format, va_list arguments)
{
	char *text;
	return vasprintf(&text, format, arguments) < 0 ? NULL : text;
}

/* The sentence must not be in the heap, which may be released before it is read.  Guards are variables of functions that
 * longjmp leaves, so they end before. */
static _Noreturn void leave(enum wm_failure failure, const char *format, va_list arguments)
{
	struct wm_heap *heap = wm_heap_use(NULL);
	char *sentence = make_sentence(format, arguments);
	if (!innermost) {
		if (outside)
			outside->end(failure, sentence);
		__builtin_trap();
	}
	wm_heap_use(heap);
	while (last_guard != innermost->guards)
		wm_guard_end(last_guard);
	innermost->failure = failure;
	innermost->sentence = sentence;
	longjmp(innermost->back, 1);
}

void wm_fail(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	leave(WM_FAILURE_MISTAKE, format, arguments);
}

void wm_bug(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	leave(WM_FAILURE_DEFECT, format, arguments);
}

void wm_fail_as(enum wm_failure failure, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	leave(failure, format, arguments);
}

void wm_no_memory(void)
{
	wm_fail_as(WM_FAILURE_MEMORY, "%s", no_memory);
}

enum wm_failure wm_failure_of(enum wm_status status)
{
	return status == WM_NO_MEMORY ? WM_FAILURE_MEMORY : WM_FAILURE_DEFECT;
}

const char *wm_attempt_sentence(const struct wm_attempt *attempt)
{
	return attempt->sentence ? attempt->sentence : no_memory;
}

void wm_attempt_fail_again(const struct wm_attempt *attempt)
{
	struct wm_guard guard;
	wm_guard_begin(&guard, free, attempt->sentence);
	wm_fail_as(attempt->failure, "%s", wm_attempt_sentence(attempt));
}

/* NULL: there is none. */
static const struct wm_listener *current_listener(void)
{
	const struct wm_attempt *attempt = innermost;
	while (attempt && !attempt->listener)
		attempt = attempt->around;
	return attempt ? attempt->listener : outside ? outside->listener : NULL;
}

void wm_warn(const char *format, ...)
{
	const struct wm_listener *listener = current_listener();
	va_list arguments;
	if (!listener)
		return;
	va_start(arguments, format);
	char *sentence = make_sentence(format, arguments);
	va_end(arguments);
	listener->warn(listener->closure, sentence ? sentence : no_memory);
	free(sentence);
}

void wm_progress(const char *what, size_t done, size_t total)
{
	const struct wm_listener *listener = current_listener();
	if (listener)
		listener->progress(listener->closure, what, done, total);
}

void wm_progress_end(void)
{
	wm_progress(NULL, 0, 0);
}
