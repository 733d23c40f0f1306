/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "view/report/page_data.h"
#include "support/printable.h"
#include <inttypes.h>
#include <stdlib.h>

json_t *wm_data_count(uint64_t count)
{
	char text[24];
	if (count < (uint64_t)1 << 53)
		return wm_json_count(count);
	snprintf(text, sizeof text, "%" PRIu64, count);
	return wm_json_text(text);
}

json_t *wm_data_text(const char *text)
{
	char *printable = wm_printable(text);
	json_t *value = wm_json_text(printable);
	free(printable);
	return value;
}

void wm_data_add(json_t *list, int64_t number)
{
	json_array_append_new(list, json_integer(number));
}

void wm_data_write(struct wm_document *document, const char *name, json_t *object)
{
	FILE *out = wm_html_data(document, name);
	fputs("waymark(", out);
	wm_json_dump(object, out, JSON_COMPACT);
	fputs(");\n", out);
	wm_html_data_end(document);
}
