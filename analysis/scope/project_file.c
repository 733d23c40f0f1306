/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/scope/project_file.h"
#include "policy/check_names.h"
#include "support/buffer.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The text that is read, line by line, and what was found in it. */
struct reading {
	const char *at, *end;
	size_t line;
	bool failed;
	struct wm_project_file *file;
	struct wm_project_file_error *error;
};

/* Only the first mistake is told. */
__attribute__((format(printf, 2, 3))) static bool refuse(struct reading *reading, const char *format, ...)
{
	va_list list;
	if (reading->failed)
		return false;
	reading->failed = true;
	reading->error->line = reading->line;
	va_start(list, format);
	vsnprintf(reading->error->text, sizeof reading->error->text, format, list);
	va_end(list);
	return false;
}

/* ---- Values ------------------------------------------------------------------------------------ */

static const char *keep(struct reading *reading, const char *text, size_t length)
{
	char *copy = wm_arena_alloc(&reading->file->arena, length + 1, 1);
	if (!copy)
		wm_no_memory();
	memcpy(copy, text, length);
	return copy;
}

static bool add_item(struct reading *reading, struct wm_globs *list, const char *key, const char *text, size_t length)
{
	if (list->count == WM_MOST_GLOBS)
		return refuse(reading, "%s can have %d items", key, WM_MOST_GLOBS);
	if (*text == '#')
		return refuse(reading, "a comment behind a value begins with ; and not with #");
	if (*text == '!')
		return refuse(reading, "globs cannot be negated; name in include what belongs to the project");
	list->glob[list->count++] = keep(reading, text, length);
	return true;
}

static bool add_ignored(struct reading *reading, const char *text, size_t length)
{
	uint8_t check = wm_check_named(text, length);
	reading->file->checks |= check;
	return check || add_item(reading, &reading->file->ignored, "ignore", text, length);
}

static bool take_list(struct reading *reading, struct wm_globs *list, const char *key, const char *value)
{
	static const char separators[] = " \t,";
	bool good = true;
	for (const char *at = value + strspn(value, separators); good && *at; at += strspn(at, separators)) {
		size_t length = strcspn(at, separators);
		good = list == &reading->file->ignored ? add_ignored(reading, at, length)
						       : add_item(reading, list, key, at, length);
		at += length;
	}
	return good;
}

static bool take_word(struct reading *reading, const char **word, const char *key, const char *value)
{
	if (*word)
		return refuse(reading, "%s is given twice", key);
	if (!*value)
		return refuse(reading, "%s needs a value", key);
	*word = keep(reading, value, strlen(value));
	return true;
}

/* git must not take the name for an option. */
static bool take_base(struct reading *reading, const char *value)
{
	if (*value == '-' || strpbrk(value, " \t"))
		return refuse(reading, "'%s' is no name of a branch", value);
	return take_word(reading, &reading->file->base, "base", value);
}

static int take_value(void *closure, const char *section, const char *key, const char *value)
{
	struct reading *reading = closure;
	struct wm_project_file *file = reading->file;
	const struct {
		const char *key;
		struct wm_globs *list;
	} lists[] = {{"include", &file->include}, {"exclude", &file->exclude}, {"tests", &file->tests},
		{"ignore", &file->ignored}};
	if (*section)
		return refuse(reading, "there are no sections, and [%s] is one", section);
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		if (strcmp(key, lists[i].key) == 0) {
			file->has_tests |= lists[i].list == &file->tests;
			return take_list(reading, lists[i].list, key, value);
		}
	if (strcmp(key, "budget") == 0)
		return take_word(reading, &file->budget, key, value);
	if (strcmp(key, "base") == 0)
		return take_base(reading, value);
	return refuse(
		reading, "the key '%s' is unknown; keys are include, exclude, tests, ignore, budget and base", key);
}

/* ---- The text ---------------------------------------------------------------------------------- */

/* What libinih calls for the next line, in place of fgets; NULL: there is none. */
static char *next_line(char *line, int size, void *closure)
{
	struct reading *reading = closure;
	size_t left = (size_t)(reading->end - reading->at);
	if (!left || reading->failed)
		return NULL;
	const char *newline = memchr(reading->at, '\n', left);
	size_t length = newline ? (size_t)(newline - reading->at) : left;
	reading->line++;
	if (memchr(reading->at, 0, length))
		refuse(reading, "the line has a NUL byte");
	else if (length + 2 > (size_t)size)
		refuse(reading, "the line is longer than %d bytes; continue it on a line that begins with a blank",
			size - 2);
	if (reading->failed)
		return NULL;
	memcpy(line, reading->at, length);
	memcpy(line + length, "\n", 2);
	reading->at += length + (newline != NULL);
	return line;
}

bool wm_project_file_parse(
	struct wm_project_file *file, const char *text, size_t size, struct wm_project_file_error *error)
{
	struct reading reading = {text, text + size, 0, false, file, error};
	*file = (struct wm_project_file){0};
	wm_arena_init(&file->arena);
	int line = ini_parse_stream(next_line, &reading, take_value, &reading);
	if (line < 0)
		wm_no_memory();
	if (!line && !reading.failed)
		return true;
	/* A line that libinih cannot read does not stop it, and may be before the first mistake of a value. */
	if (line && (!reading.failed || (size_t)line < error->line))
		*error = (struct wm_project_file_error){
			(size_t)line, "the line has neither the form KEY = VALUE nor begins with ; or #"};
	wm_project_file_release(file);
	return false;
}

bool wm_project_file_read(struct wm_project_file *file, const char *directory)
{
	struct wm_buffer buffer;
	struct wm_project_file_error error;
	struct stat info;
	char *path = wm_xprintf("%s/" WM_PROJECT_FILE, strcmp(directory, "/") == 0 ? "" : directory);
	if (stat(path, &info) != 0) {
		free(path);
		return false;
	}
	if (!S_ISREG(info.st_mode))
		wm_fail("%s is not a file", path);
	if (!wm_buffer_read(&buffer, path))
		wm_fail("cannot read %s: %s", path, strerror(errno));
	if (!wm_project_file_parse(file, (const char *)buffer.data, buffer.size, &error))
		wm_fail("%s, line %zu: %s", path, error.line, error.text);
	wm_buffer_release(&buffer);
	free(path);
	return true;
}

void wm_project_file_release(struct wm_project_file *file)
{
	wm_arena_release(&file->arena);
	*file = (struct wm_project_file){0};
}
