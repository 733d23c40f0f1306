/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/printable.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>

/* ---- Characters ----------------------------------------------------------------------- */

/* How many bytes a character has that starts with this byte; 0: none does. */
static unsigned utf8_length(unsigned char first)
{
	return first < 0x80		       ? 1
	       : first >= 0xc2 && first < 0xe0 ? 2
	       : first >> 4 == 0xe	       ? 3
	       : first >= 0xf0 && first < 0xf5 ? 4
					       : 0;
}

/* Neither longer than necessary, nor a surrogate, nor above U+10FFFF; the first two bytes decide. */
static bool is_second_byte(unsigned char first, unsigned char second)
{
	unsigned char least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
	unsigned char most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
	return second >= least && second <= most;
}

/* Characters that are not seen but change how the text around them is shown: marks of direction, and line and paragraph separators,
 * U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069. */
static bool is_hidden(const unsigned char *at)
{
	if (at[0] == 0xd8)
		return at[1] == 0x9c;
	if (at[0] != 0xe2)
		return false;
	if (at[1] == 0x80)
		return at[2] == 0x8e || at[2] == 0x8f || (at[2] >= 0xa8 && at[2] <= 0xae);
	return at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9;
}

struct wm_character wm_character_at(const char *text, size_t size)
{
	static const struct wm_character byte = {.length = 1};
	const unsigned char *at = (const unsigned char *)text;
	unsigned length = utf8_length(*at);
	if (!length)
		return byte;
	for (unsigned i = 1; i < length; i++) {
		if (i == size)
			return (struct wm_character){.length = 1, .cut = true};
		if (i == 1 ? !is_second_byte(at[0], at[1]) : at[i] >> 6 != 2)
			return byte;
	}
	bool control = *at < ' ' || *at == 0x7f || (*at == 0xc2 && at[1] < 0xa0) || is_hidden(at);
	return (struct wm_character){.length = (unsigned char)length, .printable = !control};
}

void wm_escape_byte(char *to, unsigned char byte)
{
	static const char digits[] = "0123456789abcdef";
	memcpy(to, (char[]){'\\', 'x', digits[byte >> 4], digits[byte & 15]}, WM_ESCAPED_BYTE);
}

static bool is_layout(char byte)
{
	return byte == '\n' || byte == '\t';
}

size_t wm_put_character(char *to, const char *text, struct wm_character character)
{
	if (character.printable || is_layout(*text)) {
		memcpy(to, text, character.length);
		return character.length;
	}
	for (size_t i = 0; i < character.length; i++)
		wm_escape_byte(to + i * WM_ESCAPED_BYTE, (unsigned char)text[i]);
	return (size_t)character.length * WM_ESCAPED_BYTE;
}

char *wm_printable(const char *text)
{
	size_t size = strlen(text), used = 0;
	char *copy = wm_xmalloc(size * WM_ESCAPED_BYTE + 1);
	for (size_t i = 0; i < size;) {
		struct wm_character character = wm_character_at(text + i, size - i);
		used += wm_put_character(copy + used, text + i, character);
		i += character.length;
	}
	copy[used] = 0;
	return copy;
}

char *wm_one_line(const char *text)
{
	char *copy = wm_xmalloc(strlen(text) * WM_ESCAPED_BYTE + 1), *to = copy;
	for (; *text; text++) {
		if (!is_layout(*text)) {
			*to++ = *text;
			continue;
		}
		wm_escape_byte(to, (unsigned char)*text);
		to += WM_ESCAPED_BYTE;
	}
	*to = 0;
	return copy;
}
