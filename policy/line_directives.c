/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/line_directives.h"

#include <ctype.h>
#include <string.h>

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

/* Behind "#line N" or "# N"; NULL: the line is no directive. */
static const char *skip_number(const char *at, const char *end)
{
	static const char word[] = "line";
	size_t length = sizeof word - 1;
	at = skip_blanks(at, end);
	if (at == end || *at != '#')
		return NULL;
	at = skip_blanks(at + 1, end);
	if ((size_t)(end - at) > length && !memcmp(at, word, length))
		at = skip_blanks(at + length, end);
	const char *digits = at;
	while (at < end && isdigit((unsigned char)*at))
		at++;
	return at > digits ? skip_blanks(at, end) : NULL;
}

/* The name in quotes at `at`. */
static const char *read_name(const char *at, const char *end, size_t *length)
{
	const char *last = at;
	if (at == end || *at != '"')
		return NULL;
	for (last = ++at; last < end && *last != '"'; last++)
		if (*last == '\\' && last + 1 < end)
			last++;
	*length = (size_t)(last - at);
	return last < end ? at : NULL;
}

const char *wm_line_directive_next(const char **at, const char *end, size_t *length)
{
	while (*at < end) {
		const char *line = *at, *newline = memchr(line, '\n', (size_t)(end - line));
		const char *stop = newline ? newline : end, *rest = skip_number(line, stop);
		*at = newline ? newline + 1 : end;
		const char *name = rest ? read_name(rest, stop, length) : NULL;
		if (name)
			return name;
	}
	return NULL;
}
