/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Why a profile does not have all that its program would have executed. */
#include "analysis/hw/hw.h"
#include "support/process.h"
#include "support/xalloc.h"
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

/* A shell, and programs that tidy up, exit with 128 and the number of the signal that they got. */
static int ending_signal(const struct wm_hw_feed *feed)
{
	if (WIFSIGNALED(feed->status))
		return WTERMSIG(feed->status);
	int got = feed->options->replay ? 0 : wm_process_interrupted();
	return got && WIFEXITED(feed->status) && WEXITSTATUS(feed->status) == 128 + got ? got : 0;
}

struct wm_stops wm_hw_stops(const struct wm_hw_feed *feed)
{
	struct wm_stops stops = {0};
	int number = ending_signal(feed);
	const char *name = sigabbrev_np(number);
	if (number && name)
		wm_stops_add(&stops, wm_xprintf("the program was ended by SIG%s", name));
	else if (number)
		wm_stops_add(&stops, wm_xprintf("the program was ended by signal %d", number));
	if (feed->limited)
		wm_stops_add(&stops, wm_xprintf("the limit of %llu instructions was reached",
					     (unsigned long long)feed->options->limit));
	if (feed->interrupted)
		wm_stops_add(&stops, wm_xstrdup("waymark was interrupted while it read the trace"));
	if (feed->damaged)
		wm_stops_add(&stops, wm_xstrdup("the rest of the trace is damaged or missing"));
	if (feed->recorded_in_part)
		wm_stops_add(&stops, wm_xstrdup("the trace was recorded only in part"));
	return stops;
}

char *wm_hw_stopped_text(const struct wm_hw_feed *feed)
{
	struct wm_stops stops = wm_hw_stops(feed);
	return wm_stops_text(&stops);
}
