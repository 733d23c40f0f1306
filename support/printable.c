/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/printable.h"
#include "support/tool.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

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
	bool control = *at < ' ' || *at == 0x7f || (*at == 0xc2 && at[1] < 0xa0);
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

/* Copies a character; returns the bytes written, at most four for each of its own. */
static size_t put_character(char *to, const char *text, struct wm_character character)
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
		used += put_character(copy + used, text + i, character);
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

/* ---- Styles --------------------------------------------------------------------------- */

enum { SECRET = 16, STYLE_MAX = 1 + SECRET + 5 };

static char secret[SECRET + 1]; /* empty: stdout is not changed */

const char *wm_style(enum wm_style style)
{
	static const char *const codes[WM_STYLE_COUNT] = {"0", "1", "2", "32", "33"};
	static char text[WM_STYLE_COUNT][STYLE_MAX + 1];
	snprintf(text[style], sizeof text[style], "\033%s[%sm", secret, codes[style]);
	return text[style];
}

/* The length of a style of our own at the start of the text; 0: there is none.  *cut: the text ends inside of what may be
 * one. */
static size_t style_length(const char *text, size_t size, bool *cut)
{
	size_t compared = size < 1 + SECRET ? size : 1 + SECRET;
	*cut = false;
	if (*text != '\033' || !*secret || memcmp(text + 1, secret, compared - 1) != 0)
		return 0;
	const char *end = size > compared ? memchr(text + compared, 'm', size - compared) : NULL;
	*cut = !end && size < STYLE_MAX;
	return end ? (size_t)(end - text) + 1 : 0;
}

/* ---- Standard output ------------------------------------------------------------------ */

static struct {
	FILE *stream; /* NULL: stdout is as it was */
	char held[STYLE_MAX]; /* the beginning of a character or style whose rest has not been written yet */
	size_t held_count;
	char out[1 << 14]; /* not yet written */
	size_t out_count;
} filter;

static bool write_out(void)
{
	size_t done = 0;
	while (done < filter.out_count) {
		ssize_t put = write(STDOUT_FILENO, filter.out + done, filter.out_count - done);
		if (put < 0 && errno != EINTR)
			break;
		done += put > 0 ? (size_t)put : 0;
	}
	bool ok = done == filter.out_count;
	filter.out_count = 0;
	return ok;
}

/* Takes the character or style at the start of the text; returns its length.  0: it is cut. */
static size_t take(const char *text, size_t size)
{
	bool cut;
	size_t style = style_length(text, size, &cut);
	char *to = filter.out + filter.out_count;
	if (cut)
		return 0;
	if (style) {
		*to = '\033';
		memcpy(to + 1, text + 1 + SECRET, style - 1 - SECRET);
		filter.out_count += style - SECRET;
		return style;
	}
	struct wm_character character = wm_character_at(text, size);
	if (character.cut)
		return 0;
	filter.out_count += put_character(to, text, character);
	return character.length;
}

/* Takes the ASCII characters at the start of the text, as many as there is room for. */
static size_t take_ascii(const char *text, size_t size)
{
	size_t room = sizeof filter.out - filter.out_count, count = 0;
	size = size < room ? size : room;
	while (count < size && ((text[count] >= ' ' && text[count] < 0x7f) || text[count] == '\n'))
		count++;
	memcpy(filter.out + filter.out_count, text, count);
	filter.out_count += count;
	return count;
}

/* As much as is complete; *used says how much that is. */
static bool take_all(const char *text, size_t size, size_t *used)
{
	size_t at = 0, length = 1;
	bool ok = true;
	while (ok && at < size && length) {
		if (filter.out_count > sizeof filter.out - 64)
			ok = write_out();
		length = take_ascii(text + at, size - at);
		if (!length)
			length = take(text + at, size - at);
		at += length;
	}
	*used = at;
	return ok;
}

/* Completes what was held with bytes of `data`; returns how many it took. */
static size_t complete(const char *data, size_t size, bool *ok)
{
	size_t taken = 0, used;
	while (*ok && filter.held_count && taken < size) {
		filter.held[filter.held_count++] = data[taken++];
		*ok = take_all(filter.held, filter.held_count, &used);
		filter.held_count -= used;
		memmove(filter.held, filter.held + used, filter.held_count);
	}
	return taken;
}

static ssize_t put(void *cookie, const char *data, size_t size)
{
	bool ok = true;
	size_t taken = complete(data, size, &ok), used = 0;
	(void)cookie;
	ok = ok && take_all(data + taken, size - taken, &used);
	if (ok && taken + used < size) {
		filter.held_count = size - taken - used;
		memcpy(filter.held, data + taken + used, filter.held_count);
	}
	return ok && write_out() ? (ssize_t)size : 0;
}

bool wm_printable_finish(void)
{
	if (!filter.stream)
		return true;
	bool ok = fflush(stdout) == 0;
	for (size_t i = 0; i < filter.held_count; i++, filter.out_count += WM_ESCAPED_BYTE)
		wm_escape_byte(filter.out + filter.out_count, (unsigned char)filter.held[i]);
	filter.held_count = 0;
	return write_out() && ok;
}

static void finish_at_exit(void)
{
	wm_printable_finish();
}

void wm_printable_stdout(void)
{
	enum { BUFFER = 1 << 16 };
	unsigned long long number = 0;
	(void)!getrandom(&number, sizeof number, 0);
	snprintf(secret, sizeof secret, "%016llx", number);
	filter.stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = put});
	if (!filter.stream || atexit(finish_at_exit) != 0)
		wm_bug("out of memory");
	setvbuf(filter.stream, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFFER);
	stdout = filter.stream;
}

int wm_stream_descriptor(FILE *out)
{
	return filter.stream && out == filter.stream ? STDOUT_FILENO : fileno(out);
}
