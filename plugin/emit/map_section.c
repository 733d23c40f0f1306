/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/emit/map_section.h"
#include <stdlib.h>
#include <string.h>

static char *octal(char *at, uint8_t byte)
{
	*at++ = '\\';
	for (int shift = 6; shift >= 0; shift -= 3)
		*at++ = (char)('0' + (byte >> shift & 7));
	return at;
}

/* Octal escapes for bytes that an assembler string cannot contain. */
static char *assembly_of(const uint8_t *data, size_t size, size_t *length)
{
	static const char open[] = ".pushsection " WM_MAP_SECTION ",\"\",@progbits\n", close[] = ".popsection\n";
	enum { PER_LINE = 64 };
	char *text = malloc(sizeof open + sizeof close + 4 * size + (size / PER_LINE + 1) * 16);
	if (!text)
		return NULL;
	char *at = text + sizeof open - 1;
	memcpy(text, open, sizeof open - 1);
	for (size_t i = 0; i < size; i++) {
		if (i % PER_LINE == 0)
			at = stpcpy(at, ".ascii \"");
		bool plain = data[i] >= ' ' && data[i] < 127 && data[i] != '"' && data[i] != '\\';
		if (plain)
			*at++ = (char)data[i];
		else
			at = octal(at, data[i]);
		if (i % PER_LINE == PER_LINE - 1 || i + 1 == size)
			at = stpcpy(at, "\"\n");
	}
	at = stpcpy(at, close);
	*length = (size_t)(at - text);
	return text;
}

enum wm_status wm_write_map(LLVMModuleRef module, const struct wm_map_module *map)
{
	uint8_t *data;
	size_t size, length;
	enum wm_status status = wm_map_encode(map, &data, &size);
	if (status != WM_OK)
		return status;
	char *text = assembly_of(data, size, &length);
	if (text)
		LLVMAppendModuleInlineAsm(module, text, length);
	free(data);
	free(text);
	return text ? WM_OK : WM_NO_MEMORY;
}
