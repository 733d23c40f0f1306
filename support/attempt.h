/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Failures and messages: how a function of support/, elf/ or analysis/ tells its caller that it cannot go on.
 *
 * A function that fails calls wm_fail or wm_bug (support/fail.h) with one sentence, and does not return.  The sentence goes to
 * the innermost attempt of the thread: wm_attempt_run returns false there, and everything that the work had called is left,
 * as by longjmp(3).  Each function of the library that can fail is an attempt.  A command has none around its work: it says
 * once what becomes of its failures and warnings (wm_attempt_outside; cmd/main.c lets them be printed on the terminal and end
 * the process).  Code that prints and exits is therefore linked only into commands, and the library can do neither.
 *
 * What becomes of the state that the work had built:
 *   - Memory.  An attempt has a heap (core/base/heap.h).  Everything that the work allocated and did not free is in it, and
 *     the caller of the attempt releases it.  Nothing in it may be used after a failure unless the caller knows that the work
 *     had completed it.
 *   - Descriptors and handles of libelf are in no heap.  A function that may fail while it holds one has a guard
 *     (wm_guard_begin), which releases it.
 *   - Global state.  There is none, except in support/ what belongs to the process of a command: its streams, signals,
 *     temporary files and its name.
 * core/, profile/ and policy/ know nothing of this: they return codes, and their callers fail.
 *
 * Warnings and progress go to the listener of the innermost attempt that has one, and else to that of the process.
 */
#ifndef WM_SUPPORT_ATTEMPT_H
#define WM_SUPPORT_ATTEMPT_H

#include "core/base/error.h"
#include "core/base/heap.h"
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

enum wm_failure {
	WM_FAILURE_NONE,
	WM_FAILURE_MISTAKE, /* wm_fail: of the user; exit code 1 */
	WM_FAILURE_DEFECT, /* wm_bug: of Waymark; exit code 2 */
	WM_FAILURE_MEMORY, /* wm_no_memory: a defect that is only a lack of memory; exit code 2 */
};

/* wm_fail or wm_bug, whose failure is of this kind. */
_Noreturn void wm_fail_as(enum wm_failure failure, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What a status other than WM_OK is where it is a defect. */
enum wm_failure wm_failure_of(enum wm_status status);

/* Both are called in the thread of the attempt and must return. */
struct wm_listener {
	void *closure;
	void (*warn)(void *closure, const char *sentence);
	/* `total` 0: it is not known.  `what` NULL: the work of which progress was told is done. */
	void (*progress)(void *closure, const char *what, size_t done, size_t total);
};

/* What the process does with what no attempt takes. */
struct wm_outside {
	const struct wm_listener *listener;
	/* Ends the process: it does not return.  sentence: heap; NULL: there is no memory for it. */
	void (*end)(enum wm_failure failure, char *sentence);
};
/* Must be called before other threads start; `outside` must stay.  Until then, warnings and progress are dropped, and a
 * failure without an attempt, which is a defect, stops the process by an illegal instruction. */
void wm_attempt_outside(const struct wm_outside *outside);

struct wm_attempt {
	const struct wm_listener *listener; /* NULL: that of the attempt around this one */
	struct wm_heap *heap; /* NULL: that of the attempt around this one, or none */
	/* After wm_attempt_run has returned false: */
	enum wm_failure failure;
	char *sentence; /* in no heap, to be freed; NULL: there is no memory for it */
	/* While the work is done: */
	jmp_buf back;
	struct wm_attempt *around;
	struct wm_guard *guards; /* those that began before */
};

/* Something to be released when a function is done with it, or fails while it has it.  A guard is a variable of that
 * function, and guards end in the reverse of the order in which they begin. */
struct wm_guard {
	void (*release)(void *what);
	void *what;
	struct wm_guard *before;
};
void wm_guard_begin(struct wm_guard *guard, void (*release)(void *what), void *what);
/* Releases it. */
void wm_guard_end(struct wm_guard *guard);
/* The same for a descriptor, which is a variable; a negative one is not closed. */
void wm_guard_begin_fd(struct wm_guard *guard, int *fd);

/* Does the work; false: it failed.  Attempts may be nested. */
bool wm_attempt_run(struct wm_attempt *attempt, void (*work)(void *argument), void *argument);
/* Fails as this attempt has failed, and frees its sentence. */
_Noreturn void wm_attempt_fail_again(const struct wm_attempt *attempt);
/* What is said of the failure of this attempt. */
const char *wm_attempt_sentence(const struct wm_attempt *attempt);

#endif
