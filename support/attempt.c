/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/attempt.h"
#include "support/tool.h"
#include <stdarg.h>

static _Thread_local struct wm_attempt *innermost;

/* Not the function that does the work: its variables may be in registers, which longjmp restores. */
static bool run(struct wm_attempt *attempt, void (*work)(void *), void *argument)
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

/* The sentence must not be in the heap, which may be released before it is read. */
static _Noreturn void leave(enum wm_failure failure, const char *format, va_list arguments)
{
	struct wm_heap *heap = wm_heap_use(NULL);
	char *sentence = make_sentence(format, arguments);
	if (!innermost) {
		wm_terminal_say(NULL, sentence ? sentence : "out of memory");
		free(sentence);
		exit(failure == WM_FAILURE_MISTAKE ? 1 : 2);
	}
	wm_heap_use(heap);
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
	static const char memory[] = "out of memory";
	va_list arguments;
	va_start(arguments, format);
	leave(strncmp(format, memory, sizeof memory - 1) ? WM_FAILURE_DEFECT : WM_FAILURE_MEMORY, format, arguments);
}

static const struct wm_listener *current_listener(void)
{
	const struct wm_attempt *attempt = innermost;
	while (attempt && !attempt->listener)
		attempt = attempt->around;
	return attempt ? attempt->listener : &wm_terminal;
}

void wm_warn(const char *format, ...)
{
	const struct wm_listener *listener = current_listener();
	va_list arguments;
	va_start(arguments, format);
	char *sentence = make_sentence(format, arguments);
	va_end(arguments);
	listener->warn(listener->closure, sentence ? sentence : "out of memory");
	free(sentence);
}

void wm_progress(const char *what, size_t done, size_t total)
{
	const struct wm_listener *listener = current_listener();
	listener->progress(listener->closure, what, done, total);
}

void wm_progress_end(void)
{
	wm_progress(NULL, 0, 0);
}
