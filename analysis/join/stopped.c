/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/join/stopped.h"
#include "support/string_builder.h"
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
	struct wm_string text = {0};
	for (size_t i = 0; i < stops->count; i++)
		wm_string_add(&text, "%s%s", i ? "; " : "stopped early: ", stops->reason[i]);
	wm_stops_release(stops);
	return text.text;
}
