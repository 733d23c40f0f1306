/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages and progress of a command on stderr (support/attempt.h). */
#include "support/attempt.h"
#include "support/printable.h"
#include "support/tool.h"
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

void wm_terminal_say(void *closure, const char *sentence)
{
	(void)closure;
	fflush(stdout);
	clear_progress();
	char *printable = wm_printable(sentence);
	fprintf(stderr, "waymark%s%s: %s\n", *wm_command_name ? " " : "", wm_command_name, printable);
	free(printable);
}

const struct wm_listener wm_terminal = {NULL, wm_terminal_say, show_progress};
