/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Progress on a terminal.  The program may write to the same terminal: then nothing is overwritten, and a line of its own is
 * printed more and more rarely. */
#include "analysis/join/story.h"
#include "cmd/hw_command.h"
#include "support/fail.h"
#include "support/progress.h"
#include <time.h>
#include <unistd.h>

static void print_line(uint64_t instructions)
{
	enum { FIRST_SECONDS = 5 };
	static time_t start, pause = FIRST_SECONDS;
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!start)
		start = now.tv_sec;
	if (now.tv_sec - start < pause)
		return;
	wm_warn("%s instructions so far", wm_thousands(instructions));
	start = now.tv_sec;
	pause *= 2;
}

void wm_hw_progress(const struct wm_hw_feed *feed)
{
	const struct wm_hw_options *options = feed->options;
	uint64_t instructions = wm_follow_stats(feed->follow)->instructions;
	if (options->quiet || !isatty(STDERR_FILENO))
		return;
	if (options->replay && feed->trace_size)
		wm_progress("bytes of the trace read:", feed->trace_read, feed->trace_size);
	else if (!options->replay && !options->program_output && isatty(STDOUT_FILENO))
		print_line(instructions);
	else
		wm_progress("instructions so far:", instructions, 0);
}
