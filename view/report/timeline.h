/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A timeline in a page, which view/document/assets/timeline.js draws: rows with names, a time axis, and in each column of time the share
 * of each row.  The data is an attribute of an element, as JSON:
 *
 *     wm_timeline_begin(&timeline, "blocks", total, columns);
 *     wm_timeline_row(&timeline, name, cell, whole);         for each row
 *     wm_timeline_end(&timeline, "thread 1", out);
 */
#ifndef WM_VIEW_REPORT_TIMELINE_H
#define WM_VIEW_REPORT_TIMELINE_H

#include "support/json.h"

struct wm_timeline {
	json_t *data, *rows;
	uint32_t column_count;
};

/* The columns divide `total` units of time equally. */
void wm_timeline_begin(struct wm_timeline *timeline, const char *unit, uint64_t total, uint32_t columns);
/* cell[column] of `whole` belongs to the row; the page shows it to a thousandth. */
void wm_timeline_row(struct wm_timeline *timeline, const char *name, const uint64_t *cell, uint64_t whole);
void wm_timeline_end(struct wm_timeline *timeline, const char *label, FILE *out);

#endif
