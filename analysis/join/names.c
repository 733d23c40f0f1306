/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/join/names.h"
#include "support/xalloc.h"
#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Functions ------------------------------------------------------------------------- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* The length of "operator" with its symbol, if the text begins with that; else 0.  Operators whose name is a type or a word
 * (`operator bool`, `operator new`) have no symbol. */
static size_t operator_length(const char *name, const char *at)
{
	static const char word[] = "operator";
	size_t length = strlen(word);
	if (strncmp(at, word, length) || is_word(at[length]) || (at > name && is_word(at[-1])))
		return 0;
	if (!strncmp(at + length, "()", 2) || !strncmp(at + length, "[]", 2))
		return length + 2;
	return length + strspn(at + length, "<>=-+*/%^&|~!,");
}

/* Moves past one character, or past a bracket with everything in it; the demangler puts comparisons in parentheses, in which
 * `<` and `>` are not looked at.  A bracket that is not closed ends with the name. */
static const char *skip_brackets(const char *name, const char *at)
{
	size_t angles = 0, others = 0;
	do {
		size_t symbol = operator_length(name, at);
		bool arrow = *at == '>' && at > name && at[-1] == '-';
		if (!symbol && !others && !arrow)
			angles += (*at == '<') - (size_t)(*at == '>' && angles);
		if (!symbol)
			others += (strchr("([{", *at) != NULL) - (size_t)(strchr(")]}", *at) && others);
		at += symbol ? symbol : 1;
	} while ((angles || others) && *at);
	return at;
}

static bool is_anonymous(const char *at)
{
	return !strncmp(at, "(anonymous namespace)", 21) || !strncmp(at, "(anonymous class)", 17);
}

/* The parts of a demangled name: [start, end) is the qualified name without its return type and parameters. */
struct parts {
	const char *start, *end;
};

static struct parts parts_of(const char *name)
{
	struct parts parts = {name, NULL};
	const char *at = name;
	bool converts = false; /* `operator bool` contains spaces */
	for (; *at && !parts.end; at = skip_brackets(name, at)) {
		size_t symbol = operator_length(name, at);
		converts |= symbol > 0;
		if (!symbol && *at == ' ' && !converts)
			parts.start = at + 1;
		if (!symbol && *at == '(' && !is_anonymous(at) && at > parts.start)
			parts.end = at;
	}
	parts.end = parts.end ? parts.end : at;
	return parts;
}

/* Copies [from, end) without template arguments and ABI tags; heap. */
static char *without_arguments(const char *name, const char *from, const char *end)
{
	char *text = wm_xmalloc((size_t)(end - from) + 1), *out = text;
	for (const char *at = from, *next; at < end; at = next) {
		next = skip_brackets(name, at);
		bool brackets = !operator_length(name, at) && (*at == '<' || *at == '[');
		for (; !brackets && at < next && at < end; at++)
			*out++ = *at;
	}
	*out = 0;
	return text;
}

static bool matches_part(const char *name, const char *from, const char *end, const char *glob)
{
	char *whole = wm_xprintf("%.*s", (int)(end - from), from), *plain = without_arguments(name, from, end);
	bool matches = fnmatch(glob, whole, 0) == 0 || fnmatch(glob, plain, 0) == 0;
	free(whole);
	free(plain);
	return matches;
}

bool wm_demangled_matches(const char *name, const char *glob)
{
	struct parts parts = parts_of(name);
	if (strcmp(name, glob) == 0 || fnmatch(glob, name, 0) == 0 || matches_part(name, name, parts.end, glob) ||
		matches_part(name, parts.start, parts.end, glob))
		return true;
	for (const char *at = parts.start; at < parts.end; at = skip_brackets(name, at))
		if (!strncmp(at, "::", 2) && matches_part(name, at + 2, parts.end, glob))
			return true;
	return false;
}

/* ---- Templates ------------------------------------------------------------------------- */

/* The end of parameters that begin here, if they are followed by what is defined inside of the function, as a lambda is; else the
 * end of the name. */
static const char *skip_parameters(const char *name, const char *at)
{
	const char *end = skip_brackets(name, at);
	return strncmp(end, "::", 2) == 0 ? end : end + strlen(end);
}

char *wm_template_name(const char *name)
{
	const char *start = parts_of(name).start;
	char *text = wm_xmalloc(strlen(start) + 2), *out = text;
	bool found = false;
	for (const char *at = start, *next; *at; at = next) {
		bool symbol = operator_length(name, at), arguments = !symbol && *at == '<';
		bool parameters = !symbol && *at == '(' && !is_anonymous(at) && at > start;
		next = parameters ? skip_parameters(name, at) : skip_brackets(name, at);
		found |= arguments;
		if (arguments)
			out = stpcpy(out, "<>");
		for (; !arguments && !parameters && at < next; at++)
			*out++ = *at;
	}
	*out = 0;
	if (found)
		return text;
	free(text);
	return NULL;
}

/* ---- Short names ------------------------------------------------------------------------ */

/* Copies [at, end), or what is before a closing bracket, to *out without the namespaces and classes before names.  Other brackets, as
 * in conditions and types of functions, are copied as they are, and so is what is nested deeper than any name needs. */
static const char *copy_unqualified(const char *name, const char *at, const char *end, unsigned depth, char **out)
{
	enum { DEEPEST = 50 };
	char *word = *out;
	while (at < end && *at != '>') {
		size_t symbol = operator_length(name, at), length = symbol ? symbol : 1;
		bool arguments = !symbol && *at == '<' && depth < DEEPEST;
		if (!strncmp(at, "::", 2)) {
			*out = word;
			at += 2;
			continue;
		}
		if (!symbol && !arguments && strchr("<([{", *at))
			length = (size_t)(skip_brackets(name, at) - at);
		length = length < (size_t)(end - at) ? length : (size_t)(end - at);
		memcpy(*out, at, length);
		*out += length;
		at += length;
		if (arguments) {
			at = copy_unqualified(name, at, end, depth + 1, out);
			if (at < end)
				*(*out)++ = *at++;
		} else if (length == 1 && strchr(", *&", at[-1])) {
			word = *out;
		}
	}
	return at;
}

/* "a::B<c::D>, int" becomes "B<D>, int"; heap. */
static char *unqualified(const char *name, const char *from, const char *end)
{
	char *text = wm_xmalloc((size_t)(end - from) + 1), *out = text;
	for (const char *at = from; at < end;) {
		at = copy_unqualified(name, at, end, 0, &out);
		if (at < end) /* a bracket that closes nothing */
			*out++ = *at++;
	}
	*out = 0;
	return text;
}

/* The end of those of the first arguments after `from` that fit; `from`: not even the first one does. */
static const char *fitting(const char *name, const char *from, const char *end)
{
	const char *last = from;
	for (const char *at = from; at < end; at = skip_brackets(name, at))
		if (*at == ',' && at - from <= WM_LONGEST_ARGUMENTS)
			last = at;
	return last;
}

/* Appends "<", arguments that fit, and ">". */
static char *append_arguments(char *out, size_t room, const char *name, const char *from, const char *end)
{
	char *plain = unqualified(name, from, end);
	size_t length = strlen(plain);
	if (length <= WM_LONGEST_ARGUMENTS) {
		out += snprintf(out, room, "<%s>", plain);
	} else {
		const char *cut = fitting(plain, plain, plain + length);
		out += snprintf(out, room, "<%.*s%s...>", (int)(cut - plain), plain, cut > plain ? ", " : "");
	}
	free(plain);
	return out;
}

char *wm_name_shortened(const char *name)
{
	/* ", ..." may be longer than what it replaces, but never by more than that. */
	size_t room = 2 * strlen(name) + sizeof "<...>";
	char *text = wm_xmalloc(room), *out = text;
	for (const char *at = name; *at;) {
		size_t symbol = operator_length(name, at);
		const char *next = *at == '<' && !symbol ? skip_brackets(name, at) : at + (symbol ? symbol : 1);
		if (*at != '<' || symbol || next - at <= WM_LONGEST_ARGUMENTS + 2) {
			memcpy(out, at, (size_t)(next - at));
			out += next - at;
		} else {
			out = append_arguments(out, room - (size_t)(out - text), name, at + 1, next - 1);
		}
		at = next;
	}
	*out = 0;
	return text;
}
