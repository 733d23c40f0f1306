/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Why a profile does not have all that its program would have executed. */
#include "analysis/hw/hw.h"
#include "support/json.h"
#include "support/process.h"
#include <signal.h>
#include <stdlib.h>
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

size_t wm_hw_stopped(const struct wm_hw_feed *feed, char *reason[WM_HW_STOPS])
{
	size_t count = 0;
	int number = ending_signal(feed);
	const char *name = sigabbrev_np(number);
	if (number && name)
		reason[count++] = wm_xprintf("the program was ended by SIG%s", name);
	else if (number)
		reason[count++] = wm_xprintf("the program was ended by signal %d", number);
	if (feed->limited)
		reason[count++] = wm_xprintf(
			"the limit of %llu instructions was reached", (unsigned long long)feed->options->limit);
	if (feed->interrupted)
		reason[count++] = wm_xstrdup("waymark was interrupted while it read the trace");
	if (feed->damaged)
		reason[count++] = wm_xstrdup("the rest of the trace is damaged or missing");
	if (feed->recorded_in_part)
		reason[count++] = wm_xstrdup("the trace was recorded only in part");
	return count;
}

char *wm_hw_stopped_text(const struct wm_hw_feed *feed)
{
	char *reason[WM_HW_STOPS], *text = NULL;
	size_t count = wm_hw_stopped(feed, reason);
	for (size_t i = 0; i < count; i++) {
		char *longer = wm_xprintf("%s%s%s", text ? text : "stopped early", text ? "; " : ": ", reason[i]);
		free(text);
		free(reason[i]);
		text = longer;
	}
	return text;
}

void wm_hw_stopped_json(const struct wm_hw_feed *feed, json_t *document)
{
	char *reason[WM_HW_STOPS];
	size_t count = wm_hw_stopped(feed, reason);
	json_t *list = wm_json_checked(json_array());
	for (size_t i = 0; i < count; i++) {
		json_array_append_new(list, wm_json_text(reason[i]));
		free(reason[i]);
	}
	json_object_set_new(document, "stopped_early", json_boolean(count));
	if (count)
		json_object_set(document, "stopped_because", list);
	json_decref(list);
}
