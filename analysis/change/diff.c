/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/change/diff.h"
#include "policy/file_names.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>

struct text {
	const char *at;
	size_t length;
};

struct parser {
	const char *next, *end; /* the lines that are not read yet */
	struct text line; /* the line at work, without its end */
	size_t number; /* of this line */
	struct text header; /* what follows "diff --git " of the file at work; at NULL: there is none */
	struct text rename; /* what follows "rename to " or "copy to "; backwards, "rename from " */
	bool backwards;
	struct wm_diff *diff;
	struct wm_diff_file *file; /* to which hunks belong; NULL: to none */
	bool deleted; /* the hunks are of a file that is deleted */
	struct wm_diff_error *error;
};

static bool fail(struct parser *parser, const char *what)
{
	*parser->error = (struct wm_diff_error){parser->number, what};
	return false;
}

/* Lines */

static bool next_line(struct parser *parser)
{
	if (parser->next == parser->end)
		return false;
	const char *stop = memchr(parser->next, '\n', (size_t)(parser->end - parser->next));
	if (!stop)
		stop = parser->end;
	parser->line = (struct text){parser->next, (size_t)(stop - parser->next)};
	parser->next = stop == parser->end ? stop : stop + 1;
	parser->number++;
	return true;
}

/* Whether a text begins with a word; *rest receives what follows, without a CR at the end. */
static bool begins(struct text text, const char *word, struct text *rest)
{
	size_t length = strlen(word);
	if (text.length < length || memcmp(text.at, word, length) != 0)
		return false;
	if (rest)
		*rest = (struct text){text.at + length, text.length - length};
	if (rest && rest->length && rest->at[rest->length - 1] == '\r')
		rest->length--;
	return true;
}

/* Whether the line after the one at work begins with a word. */
static bool next_begins(const struct parser *parser, const char *word)
{
	return begins((struct text){parser->next, (size_t)(parser->end - parser->next)}, word, NULL);
}

/* Names */

static int octal(const char *digit, size_t left)
{
	if (left < 3)
		return -1;
	int value = 0;
	for (int i = 0; i < 3; i++) {
		if (digit[i] < '0' || digit[i] > '7')
			return -1;
		value = value * 8 + (digit[i] - '0');
	}
	return value > 0 && value < 256 ? value : -1;
}

/* The character that follows a backslash; -1: it means nothing.  *used receives the number of bytes that it takes. */
static int escaped(const char *at, size_t left, size_t *used)
{
	static const char letters[] = "abtnvfr\"\\", values[] = "\a\b\t\n\v\f\r\"\\";
	const char *letter = left && *at ? strchr(letters, *at) : NULL;
	*used = letter ? 1 : 3;
	return letter ? (unsigned char)values[letter - letters] : octal(at, left);
}

/* A name in double quotes; NULL: it is not well formed. */
static char *unquote(struct text text)
{
	char *name = wm_xmalloc(text.length + 1);
	size_t used = 0, i = 1;
	while (i < text.length && text.at[i] != '"' && text.at[i]) {
		size_t taken = 1;
		int value = (unsigned char)text.at[i];
		if (text.at[i] == '\\') {
			value = escaped(text.at + i + 1, text.length - i - 1, &taken);
			i++;
		}
		if (value < 0)
			break;
		name[used++] = (char)value;
		i += taken;
	}
	name[used] = 0;
	if (i < text.length && text.at[i] == '"')
		return name;
	free(name);
	return NULL;
}

/* The part of the rest of a line that is a name: without the time of the file, which follows a tab. */
static struct text name_text(struct text rest)
{
	const char *tab = rest.length && *rest.at != '"' ? memchr(rest.at, '\t', rest.length) : NULL;
	if (tab)
		rest.length = (size_t)(tab - rest.at);
	return rest;
}

/* NULL: the text is not a name. */
static char *read_name(struct text text)
{
	if (text.length && *text.at == '"')
		return unquote(text);
	if (!text.length || memchr(text.at, 0, text.length))
		return NULL;
	char *name = wm_xmalloc(text.length + 1);
	memcpy(name, text.at, text.length);
	name[text.length] = 0;
	return name;
}

static bool is_nothing(const char *name)
{
	return strcmp(name, "/dev/null") == 0;
}

/* The longest end of both names that consists of whole components; "" if there is none. */
static const char *common_end(const char *old, const char *new)
{
	size_t o = strlen(old), n = strlen(new), best = n;
	if (strcmp(old, new) == 0)
		return new;
	while (o && n && old[o - 1] == new[n - 1]) {
		o--;
		n--;
		if (new[n] == '/' || (!o && n && new[n - 1] == '/') || (!n && o && old[o - 1] == '/'))
			best = new[n] == '/' ? n + 1 : n;
	}
	return new + best;
}

/* The other name in the header of git, if the header ends (backwards: begins) with this name as the diff writes it; else
 * NULL. */
static char *other_name(const struct parser *parser, struct text name)
{
	struct text header = parser->header;
	size_t rest = header.at && header.length > name.length + 1 ? header.length - name.length : 0;
	size_t at = parser->backwards ? 0 : rest, blank = parser->backwards ? name.length : rest - 1;
	if (!rest || memcmp(header.at + at, name.at, name.length) != 0 || header.at[blank] != ' ')
		return NULL;
	return read_name((struct text){parser->backwards ? header.at + blank + 1 : header.at, rest - 1});
}

/* The name of a file whose old and new name are given, without the prefixes. */
static char *choose_name(const struct parser *parser, const char *old, const char *new)
{
	const char *end = common_end(old, new);
	if (!*end)
		end = new;
	const char *first = parser->backwards ? new : old, *second = parser->backwards ? old : new;
	if (end == new && parser->header.at && strncmp(first, "a/", 2) == 0 && strncmp(second, "b/", 2) == 0)
		end = new + 2;
	return wm_xstrdup(end);
}

/* The name of the file whose line "+++" (backwards: "---") says `rest`; NULL: it is not a name. */
static char *find_name(const struct parser *parser, char *old, struct text rest)
{
	if (parser->rename.at)
		return read_name(parser->rename);
	char *new = read_name(rest), *before = old &&is_nothing(old) ? other_name(parser, rest) : NULL;
	char *name = new && old ? choose_name(parser, before ? before : is_nothing(old) ? new : old, new) : NULL;
	free(before);
	free(new);
	return name;
}

/* Files */

/* Takes ownership of the name. */
static bool add_file(struct parser *parser, char *name)
{
	struct wm_diff *diff = parser->diff;
	if (!name || !*name) {
		free(name);
		return fail(parser, "the name of the file is missing or not quoted correctly");
	}
	wm_file_name_normalise(name);
	WM_XGROW(diff->file, diff->count);
	parser->file = &diff->file[diff->count++];
	*parser->file = (struct wm_diff_file){.name = name, .line = parser->number};
	return true;
}

static int by_name(const void *left, const void *right)
{
	const struct wm_diff_file *a = left, *b = right;
	int order = strcmp(a->name, b->name);
	return order ? order : (a->line > b->line) - (a->line < b->line);
}

/* Sorts the files.  False: one of them occurs twice. */
static bool sort_files(struct parser *parser)
{
	struct wm_diff *diff = parser->diff;
	if (diff->count)
		qsort(diff->file, diff->count, sizeof *diff->file, by_name);
	for (size_t i = 1; i < diff->count; i++)
		if (strcmp(diff->file[i - 1].name, diff->file[i].name) == 0) {
			parser->number = diff->file[i].line;
			return fail(parser,
				"it changes a file a second time, so that its line numbers are not those of one "
				"state: give a single diff, such as that of `git diff A B`");
		}
	return true;
}

/* The lines "--- OLD", which is the line at work, and "+++ NEW". */
static bool read_file(struct parser *parser)
{
	struct text first, second;
	begins(parser->line, "--- ", &first);
	next_line(parser);
	begins(parser->line, "+++ ", &second);
	char *old = read_name(name_text(parser->backwards ? second : first));
	struct text rest = name_text(parser->backwards ? first : second);
	parser->deleted = rest.length == 9 && memcmp(rest.at, "/dev/null", 9) == 0;
	parser->file = NULL;
	bool well = parser->deleted || add_file(parser, find_name(parser, old, rest));
	free(old);
	parser->diff->git |= parser->header.at != NULL;
	parser->header.at = parser->rename.at = NULL;
	return well;
}

/* Hunks */

/* A number at *at, which is moved behind it. */
static bool read_number(struct text *text, uint32_t *number)
{
	uint64_t value = 0;
	size_t i = 0;
	for (; i < text->length && text->at[i] >= '0' && text->at[i] <= '9' && value < UINT32_MAX; i++)
		value = value * 10 + (uint64_t)(text->at[i] - '0');
	*number = (uint32_t)value;
	*text = (struct text){text->at + i, text->length - i};
	return i > 0 && value < UINT32_MAX / 2;
}

/* "-12,3" or "+12": a sign, the first line and the number of lines. */
static bool read_extent(struct text *text, const char *sign, uint32_t *first, uint32_t *count)
{
	*count = 1;
	if (!begins(*text, sign, NULL))
		return false;
	*text = (struct text){text->at + 1, text->length - 1};
	if (!read_number(text, first))
		return false;
	if (!text->length || *text->at != ',')
		return true;
	*text = (struct text){text->at + 1, text->length - 1};
	return read_number(text, count);
}

struct hunk {
	uint32_t old_left, new_left; /* lines that follow */
	uint32_t line; /* the number of the next line of the new file */
	uint32_t added, removed; /* lines of the change at work */
};

static bool read_hunk_head(struct parser *parser, struct hunk *hunk)
{
	struct text rest;
	uint32_t line[2], count[2];
	begins(parser->line, "@@ ", &rest);
	if (!read_extent(&rest, "-", &line[0], &count[0]) || !begins(rest, " ", &rest) ||
		!read_extent(&rest, "+", &line[1], &count[1]) || !begins(rest, " @@", NULL))
		return fail(parser, "a hunk does not begin as in `@@ -1,2 +1,3 @@`");
	hunk->line = line[!parser->backwards];
	hunk->new_left = count[!parser->backwards];
	hunk->old_left = count[parser->backwards];
	/* An extent of no lines names the line before it. */
	hunk->line += hunk->new_left == 0;
	hunk->added = hunk->removed = 0;
	const struct wm_diff_file *file = parser->file;
	uint32_t after =
		file && file->count ? file->range[file->count - 1].end - file->range[file->count - 1].removal : 0;
	if (hunk->line < after || !hunk->line)
		return fail(parser, "the hunks of a file overlap or are not in the order of its lines");
	return true;
}

/* A sequence of added and removed lines is over. */
static void finish_change(struct parser *parser, struct hunk *hunk)
{
	struct wm_diff_file *file = parser->file;
	struct wm_diff_range range = {hunk->line - hunk->added, hunk->line, false};
	if (!hunk->added)
		range = (struct wm_diff_range){hunk->line - 1, hunk->line + 1, true};
	if (file && (hunk->added || hunk->removed)) {
		WM_XGROW(file->range, file->count);
		file->range[file->count++] = range;
	}
	hunk->added = hunk->removed = 0;
}

/* False: the line cannot be in this place of a hunk.  An empty line is an empty line of both files whose blank was lost. */
static bool take_line(struct parser *parser, struct hunk *hunk)
{
	char kind = parser->line.length ? *parser->line.at : ' ';
	bool in_old = kind != (parser->backwards ? '-' : '+'), in_new = kind != (parser->backwards ? '+' : '-');
	if (kind == '\\')
		return true;
	if ((kind != ' ' && kind != '+' && kind != '-' && kind != '\r') || hunk->old_left < in_old ||
		hunk->new_left < in_new)
		return fail(parser, "a hunk has other lines than its first line says");
	if (in_old && in_new)
		finish_change(parser, hunk);
	hunk->old_left -= in_old;
	hunk->new_left -= in_new;
	hunk->line += in_new;
	hunk->added += !in_old;
	hunk->removed += !in_new;
	return true;
}

static bool read_hunk(struct parser *parser)
{
	struct hunk hunk;
	if (!parser->file && !parser->deleted)
		return fail(parser, "a hunk stands before the name of its file (`--- OLD` and `+++ NEW`)");
	if (!read_hunk_head(parser, &hunk))
		return false;
	while (hunk.old_left || hunk.new_left) {
		if (!next_line(parser))
			return fail(parser, "the diff ends inside a hunk");
		if (!take_line(parser, &hunk))
			return false;
	}
	finish_change(parser, &hunk);
	return true;
}

/* A line outside of hunks. */
static bool read_line(struct parser *parser)
{
	struct text line = parser->line;
	if (begins(line, "@@@", NULL) || begins(line, "diff --cc ", NULL) || begins(line, "diff --combined ", NULL))
		return fail(parser, "it is a combined diff, which has several old files: give that between two states, "
				    "such as that of `git diff A B`");
	if (begins(line, "@@ ", NULL))
		return read_hunk(parser);
	if (begins(line, "--- ", NULL) && next_begins(parser, "+++ "))
		return read_file(parser);
	if (begins(line, "diff --git ", &parser->header)) {
		parser->rename.at = NULL;
		parser->file = NULL;
		parser->deleted = false;
	} else if (parser->header.at && parser->backwards) {
		begins(line, "rename from ", &parser->rename);
	} else if (parser->header.at && !begins(line, "rename to ", &parser->rename)) {
		begins(line, "copy to ", &parser->rename);
	}
	return true;
}

bool wm_diff_parse(struct wm_diff *diff, const char *text, size_t size, bool backwards, struct wm_diff_error *error)
{
	struct parser parser = {.next = text, .end = text + size, .backwards = backwards, .diff = diff, .error = error};
	bool well = true;
	*diff = (struct wm_diff){0};
	while (well && next_line(&parser))
		well = read_line(&parser);
	well = well && sort_files(&parser);
	if (!well)
		wm_diff_release(diff);
	return well;
}

void wm_diff_release(struct wm_diff *diff)
{
	for (size_t i = 0; i < diff->count; i++) {
		free(diff->file[i].name);
		free(diff->file[i].range);
	}
	free(diff->file);
	*diff = (struct wm_diff){0};
}
