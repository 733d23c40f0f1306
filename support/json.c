/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/json.h"
#include "support/fail.h"
#include "support/printable.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>

json_t *wm_json_checked(json_t *value)
{
	if (!value)
		wm_no_memory();
	return value;
}

json_t *wm_json_text(const char *text)
{
	json_t *value = json_string(text);
	if (value)
		return value;
	size_t length = strlen(text);
	char *ascii = wm_xmalloc(length + 1);
	for (size_t i = 0; i <= length; i++)
		ascii[i] = (unsigned char)text[i] < 128 ? text[i] : '?';
	value = wm_json_checked(json_string(ascii));
	free(ascii);
	return value;
}

json_t *wm_json_count(uint64_t number)
{
	return json_integer((json_int_t)number);
}

json_t *wm_json_optional(const char *text)
{
	return text ? wm_json_text(text) : json_null();
}

json_t *wm_json_document(const char *command)
{
	char *schema = wm_xprintf("waymark.%s/1", command);
	json_t *document = json_pack("{s:s}", "schema", schema);
	free(schema);
	return wm_json_checked(document);
}

/* Jansson writes the control characters from U+007F on as they are. */
static int put_json(const char *text, size_t size, void *out)
{
	size_t start = 0, plain = 0;
	while (plain < size && (unsigned char)text[plain] < 0x7f)
		plain++;
	for (size_t i = plain, length; i < size; i += length) {
		bool ascii = (unsigned char)text[i] < 0x7f;
		struct wm_character character = {.length = 1, .printable = true};
		if (!ascii)
			character = wm_character_at(text + i, size - i);
		length = character.length;
		if (character.printable)
			continue;
		fwrite(text + start, 1, i - start, out);
		fprintf(out, "\\u00%02x", (unsigned char)text[i + length - 1]);
		start = i + length;
	}
	fwrite_unlocked(text + start, 1, size - start, out);
	return ferror((FILE *)out) ? -1 : 0;
}

int wm_json_dumpf(const json_t *value, FILE *out, size_t flags)
{
	return json_dump_callback(value, put_json, out, flags);
}

void wm_json_dump(json_t *value, FILE *out, size_t flags)
{
	if (wm_json_dumpf(value, out, flags) != 0 && !ferror(out))
		wm_bug("the JSON document cannot be printed");
	json_decref(value);
}

void wm_json_print(json_t *document)
{
	wm_json_dump(document, stdout, JSON_INDENT(1));
	putchar('\n');
}
