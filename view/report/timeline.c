/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "view/report/timeline.h"
#include "support/fail.h"
#include "view/report/page_data.h"
#include <stdlib.h>

void wm_timeline_begin(struct wm_timeline *timeline, const char *unit, uint64_t total, uint32_t columns)
{
	*timeline = (struct wm_timeline){.rows = wm_json_checked(json_array()), .column_count = columns};
	timeline->data = wm_json_checked(json_pack("{s:o, s:o, s:I, s:o}", "unit", wm_data_text(unit), "total",
		wm_data_count(total), "columns", (json_int_t)columns, "rows", timeline->rows));
}

static unsigned thousandths(uint64_t part, uint64_t whole)
{
	double share = whole ? 1000.0 * (double)part / (double)whole : 0;
	return share > 1000 ? 1000 : part && share < 1 ? 1 : (unsigned)(share + 0.5);
}

/* [NAME, columns, thousandths, columns, thousandths, ...] */
void wm_timeline_row(struct wm_timeline *timeline, const char *name, const uint64_t *cell, uint64_t whole)
{
	json_t *row = wm_json_checked(json_array());
	json_array_append_new(timeline->rows, row);
	json_array_append_new(row, wm_data_text(name));
	for (uint32_t first = 0, end; first < timeline->column_count; first = end) {
		unsigned value = thousandths(cell[first], whole);
		for (end = first + 1; end < timeline->column_count && thousandths(cell[end], whole) == value; end++)
			;
		wm_data_add(row, end - first);
		wm_data_add(row, value);
	}
}

void wm_timeline_end(struct wm_timeline *timeline, const char *label, FILE *out)
{
	char *text = json_dumps(timeline->data, JSON_COMPACT);
	if (!text)
		wm_no_memory();
	wm_html_print(out, "<div class=\"timeline\" aria-label=\"%s\" data-timeline=\"%s\"></div>\n", label, text);
	free(text);
	json_decref(timeline->data);
}
