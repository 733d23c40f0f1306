/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Why a profile, a recording or an answer does not have all that the program would have executed. */
#ifndef WM_ANALYSIS_JOIN_STOPPED_H
#define WM_ANALYSIS_JOIN_STOPPED_H

#include <stddef.h>

/* Must be initialised with zeros. */
struct wm_stops {
	size_t count;
	char **reason; /* clauses */
};
/* The reason is on the heap and is taken. */
void wm_stops_add(struct wm_stops *stops, char *reason);
void wm_stops_release(struct wm_stops *stops);
/* "stopped early: " and the reasons, heap; NULL: there are none.  Releases the reasons. */
char *wm_stops_text(struct wm_stops *stops);

#endif
