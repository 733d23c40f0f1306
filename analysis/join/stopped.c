/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/join/stopped.h"
#include "support/xalloc.h"
#include <stdlib.h>

void wm_stops_add(struct wm_stops *stops, char *reason)
{
	WM_XGROW(stops->reason, stops->count);
	stops->reason[stops->count++] = reason;
}

void wm_stops_release(struct wm_stops *stops)
{
	for (size_t i = 0; i < stops->count; i++)
		free(stops->reason[i]);
	free(stops->reason);
	*stops = (struct wm_stops){0};
}

char *wm_stops_text(struct wm_stops *stops)
{
	char *text = NULL;
	for (size_t i = 0; i < stops->count; i++) {
		char *longer = wm_xprintf("%s%s%s", i ? text : "stopped early", i ? "; " : ": ", stops->reason[i]);
		free(text);
		text = longer;
	}
	wm_stops_release(stops);
	return text;
}
