/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "view/report/page_data.h"
#include "support/fail.h"
#include "support/printable.h"
#include "view/document/deflated.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

/* base64 is a third larger than its data; a script has to be text. */
static void put_base64(FILE *out, const uint8_t *data, size_t size)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t i = 0; i < size; i += 3) {
		uint32_t bits = (uint32_t)data[i] << 16;
		bits |= i + 1 < size ? (uint32_t)data[i + 1] << 8 : 0;
		bits |= i + 2 < size ? data[i + 2] : 0;
		const char four[] = {digit[bits >> 18], digit[bits >> 12 & 63],
			i + 1 < size ? digit[bits >> 6 & 63] : '=', i + 2 < size ? digit[bits & 63] : '='};
		fwrite(four, 1, sizeof four, out);
	}
}

void wm_data_write(struct wm_document *document, const char *name, json_t *object)
{
	size_t size;
	char *text = json_dumps(object, JSON_COMPACT);
	json_decref(object);
	if (!text)
		wm_no_memory();
	if (strlen(text) > UINT32_MAX)
		wm_fail("the data of %s have more than 4294967295 bytes; choose files with --file", name);
	uint8_t *packed = wm_deflated(text, strlen(text), WM_DEFLATED_ZLIB, &size);
	free(text);
	FILE *out = wm_html_data(document, name);
	fputs("waymark(\"", out);
	put_base64(out, packed, size);
	fputs("\");\n", out);
	wm_html_data_end(document);
	free(packed);
}
