/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "view/report/timeline.h"
#include "view/report/source_pages.h"
#include <stdlib.h>

void wm_timeline_begin(struct wm_timeline *timeline, const char *unit, uint64_t total, uint32_t columns)
{
	*timeline = (struct wm_timeline){.column_count = columns};
	timeline->json = open_memstream(&timeline->text, &timeline->size);
	if (!timeline->json)
		wm_no_memory();
	fputs("{\"unit\":", timeline->json);
	wm_data_text(unit, timeline->json);
	fputs(",\"total\":", timeline->json);
	wm_data_count(total, timeline->json);
	fprintf(timeline->json, ",\"columns\":%u,\"rows\":[", columns);
}

static unsigned thousandths(uint64_t part, uint64_t whole)
{
	double share = whole ? 1000.0 * (double)part / (double)whole : 0;
	return share > 1000 ? 1000 : part && share < 1 ? 1 : (unsigned)(share + 0.5);
}

/* [NAME, columns, thousandths, columns, thousandths, ...] */
void wm_timeline_row(struct wm_timeline *timeline, const char *name, const uint64_t *cell, uint64_t whole)
{
	fputs(timeline->row_count++ ? ",[" : "[", timeline->json);
	wm_data_text(name, timeline->json);
	for (uint32_t first = 0, end; first < timeline->column_count; first = end) {
		unsigned value = thousandths(cell[first], whole);
		for (end = first + 1; end < timeline->column_count && thousandths(cell[end], whole) == value; end++)
			;
		fprintf(timeline->json, ",%u,%u", end - first, value);
	}
	fputc(']', timeline->json);
}

void wm_timeline_end(struct wm_timeline *timeline, const char *label, FILE *out)
{
	fputs("]}", timeline->json);
	if (fclose(timeline->json))
		wm_no_memory();
	wm_html_print(
		out, "<div class=\"timeline\" aria-label=\"%s\" data-timeline=\"%s\"></div>\n", label, timeline->text);
	free(timeline->text);
}
