/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/standard_output.h"
#include "support/fail.h"
#include "support/printable.h"
#include "support/progress.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

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
static size_t take_character(const char *text, size_t size)
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
	filter.out_count += wm_put_character(to, text, character);
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
			length = take_character(text + at, size - at);
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

static ssize_t write_filtered(void *cookie, const char *data, size_t size)
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
	filter.stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_filtered});
	if (!filter.stream || atexit(finish_at_exit) != 0)
		wm_no_memory();
	setvbuf(filter.stream, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFFER);
	stdout = filter.stream;
}

int wm_stream_descriptor(FILE *out)
{
	return filter.stream && out == filter.stream ? STDOUT_FILENO : fileno(out);
}

/* ---- The end of the output ------------------------------------------------------------ */

static int output_error; /* errno of the first flush that failed */

bool wm_flush_output(void)
{
	bool written = fflush(stdout) == 0 && !ferror(stdout);
	if (!written && !output_error)
		output_error = errno;
	return written;
}

void wm_finish_output(void)
{
	wm_progress_end();
	bool whole = wm_printable_finish();
	if (!whole && !output_error)
		output_error = errno;
	if (!wm_flush_output() || !whole)
		wm_fail("cannot write standard output: %s", strerror(output_error));
}
