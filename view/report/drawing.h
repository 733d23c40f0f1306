/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Drawings of control-flow graphs: Graphviz (`dot`) places blocks and edges when a report is made, and the scripts of the pages
 * draw them.  All graphs go through one process, which is ended if it takes too long; the graphs that it has placed by then are
 * drawn.
 */
#ifndef WM_VIEW_REPORT_DRAWING_H
#define WM_VIEW_REPORT_DRAWING_H

#include "analysis/join/story.h"
#include "support/json.h"
#include <stdio.h>

/* Larger graphs are not readable, and take dot long. */
enum { WM_DRAWN_BLOCKS = 250, WM_DRAWN_TOTAL = 40000, WM_DRAWN_SECONDS = 60 };

struct wm_drawings {
	size_t function_count;
	long *start; /* per function of the story: where its drawing begins in `placed`; -1: there is none */
	FILE *placed; /* what dot has printed; NULL: nothing */
	const char *missing; /* one sentence that says why there are none, or NULL */
};

/* Draws the functions that ran, those with the most executions first. */
void wm_drawings_make(struct wm_drawings *drawings, const struct wm_story *story);
/* A drawing as a JSON object: width and height, per block x, y, width and height of its box, and per edge its two blocks and the
 * points of its curve; in pixels.  Null if there is none. */
json_t *wm_drawing_json(struct wm_drawings *drawings, const struct wm_story *story, size_t function);
void wm_drawings_release(struct wm_drawings *drawings);

#endif
