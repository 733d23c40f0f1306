/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/terminal.h"
#include "support/attempt.h"
#include "support/fail.h"
#include "support/printable.h"
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

const char *wm_command_name = "";

static bool progress_open;

static void clear_progress(void)
{
	if (!progress_open)
		return;
	progress_open = false;
	fputs("\r\033[K", stderr);
	fflush(stderr);
}

static void print_progress(const char *what, size_t done, size_t total)
{
	progress_open = true;
	fprintf(stderr, "\r\033[K%s %zu", what, done);
	if (total)
		fprintf(stderr, " of %zu", total);
	fflush(stderr);
}

/* Ten times a second is enough. */
static void show_progress(void *closure, const char *what, size_t done, size_t total)
{
	static struct timespec last;
	struct timespec now;
	(void)closure;
	if (!what)
		clear_progress();
	if (!what || !isatty(STDERR_FILENO))
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	long elapsed = (now.tv_sec - last.tv_sec) * 1000 + (now.tv_nsec - last.tv_nsec) / 1000000;
	if (elapsed < 100)
		return;
	last = now;
	print_progress(what, done, total);
}

static void print_sentence(void *closure, const char *sentence)
{
	(void)closure;
	fflush(stdout);
	clear_progress();
	char *printable = wm_printable(sentence);
	fprintf(stderr, "waymark%s%s: %s\n", *wm_command_name ? " " : "", wm_command_name, printable);
	free(printable);
}

static void end_process(enum wm_failure failure, char *sentence)
{
	print_sentence(NULL, sentence ? sentence : "out of memory");
	free(sentence);
	exit(failure == WM_FAILURE_MISTAKE ? 1 : 2);
}

void wm_terminal_use(void)
{
	static const struct wm_listener listener = {NULL, print_sentence, show_progress};
	static const struct wm_outside outside = {&listener, end_process};
	wm_attempt_outside(&outside);
}
