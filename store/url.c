/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "store/url.h"
#include "support/fail.h"
#include "support/string_builder.h"
#include "support/xalloc.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool wm_label_key_is_valid(const char *key)
{
	size_t length = 0;
	for (; key[length]; length++)
		if (!is_letter(key[length]) && !is_digit(key[length]) && !strchr("_-.", key[length]))
			return false;
	return length <= WM_LABEL_KEY_MAX && is_letter(key[0]);
}

size_t wm_utf8_length(const char *text)
{
	static const struct {
		uint8_t mask, first;
		uint32_t least; /* a longer form of a smaller number is none */
	} form[] = {{0x80, 0x00, 0x20}, {0xe0, 0xc0, 0xa0}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
	const uint8_t *byte = (const uint8_t *)text;
	size_t more = 0;
	while (more < 4 && (byte[0] & form[more].mask) != form[more].first)
		more++;
	if (more == 4)
		return 0;
	uint32_t number = byte[0] & (uint8_t)~form[more].mask;
	for (size_t i = 1; i <= more; i++) {
		if ((byte[i] & 0xc0) != 0x80)
			return 0;
		number = number << 6 | (byte[i] & 0x3f);
	}
	bool is = number >= form[more].least && number != 127 && number <= 0x10ffff && number >> 11 != 0x1b;
	return is ? more + 1 : 0;
}

bool wm_label_value_is_valid(const char *value)
{
	size_t at = 0;
	for (size_t length; value[at] && value[at] != ','; at += length)
		if (!(length = wm_utf8_length(value + at)))
			return false;
	return !value[at] && at <= WM_LABEL_VALUE_MAX;
}

static int compare_labels(const struct wm_label *a, const struct wm_label *b)
{
	int order = strcmp(a->key, b->key);
	return order ? order : strcmp(a->value, b->value);
}

void wm_label_list_add(struct wm_label_list *list, const char *key, const char *value)
{
	if (!wm_label_key_is_valid(key))
		wm_fail("'%s' cannot be the key of a label; use at most %d letters, digits and _-., a letter first",
			key, WM_LABEL_KEY_MAX);
	if (!wm_label_value_is_valid(value))
		wm_fail("the value of the label %s is longer than %d bytes, is not UTF-8, or contains a comma or a "
			"control "
			"character",
			key, WM_LABEL_VALUE_MAX);
	if (list->count == WM_LABELS_MAX)
		wm_fail("there are more than %d labels or filters", WM_LABELS_MAX);
	list->label = wm_xrealloc(list->label, list->count + 1, sizeof(*list->label));
	struct wm_label label = {wm_xstrdup(key), wm_xstrdup(value)};
	size_t at = list->count++;
	for (; at && compare_labels(&list->label[at - 1], &label) > 0; at--)
		list->label[at] = list->label[at - 1];
	list->label[at] = label;
}

const char *wm_label_list_find(const struct wm_label_list *list, const char *key)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->label[i].key, key))
			return list->label[i].value;
	return NULL;
}

void wm_label_list_add_new(struct wm_label_list *list, const char *key, const char *value)
{
	if (wm_label_list_find(list, key))
		wm_fail("the label %s is given twice", key);
	wm_label_list_add(list, key, value);
}

void wm_label_list_add_kind(struct wm_label_list *list)
{
	size_t length = 0;
	if (!wm_label_list_find(list, "kind")) {
		if (list->count == WM_LABELS_MAX)
			wm_fail("there are more than %d labels; `kind` is one of them", WM_LABELS_MAX);
		wm_label_list_add(list, "kind", wm_label_list_find(list, "test") ? "test" : "field");
	}
	for (size_t i = 0; i < list->count; i++)
		length += strlen(list->label[i].key) + strlen(list->label[i].value) + 2;
	if (length > WM_LABELS_TEXT_MAX)
		wm_fail("the labels are together longer than %d bytes; shorten them", WM_LABELS_TEXT_MAX);
}

static bool is_other_word(const char *key)
{
	static const char *const words[] = {"program", "build", "since", "until", "machine"};
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(key, words[i]))
			return true;
	return false;
}

static void parse_label(struct wm_label_list *list, char *word)
{
	char *value = strchr(word, '=');
	if (!value)
		wm_fail("'%s' is no label; write KEY=VALUE", word);
	*value++ = 0;
	if (is_other_word(word))
		wm_fail("'%s' cannot be the key of a label: filters use it for something else", word);
	wm_label_list_add_new(list, word, value);
}

void wm_label_list_parse(struct wm_label_list *list, const char *text)
{
	char *copy = wm_xstrdup(text), *rest = copy, *word;
	while ((word = strsep(&rest, ",")))
		parse_label(list, word);
	free(copy);
}

char *wm_label_list_text(const struct wm_label_list *list)
{
	struct wm_string text = {0};
	for (size_t i = 0; i < list->count; i++)
		wm_string_add(&text, "%s%s=%s", i ? "," : "", list->label[i].key, list->label[i].value);
	return wm_string_text(&text);
}

void wm_label_list_release(struct wm_label_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->label[i].key);
		free(list->label[i].value);
	}
	free(list->label);
	*list = (struct wm_label_list){0};
}

/* N and a unit. */
static bool parse_ago(int64_t *time, const char *text, int64_t now)
{
	static const struct {
		char letter;
		int64_t seconds;
	} unit[] = {{'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 7 * 86400}};
	int64_t number = 0;
	size_t i = 0;
	for (; is_digit(text[i]) && i < 7; i++)
		number = number * 10 + (text[i] - '0');
	if (!i || !text[i] || text[i + 1])
		return false;
	for (size_t u = 0; u < sizeof(unit) / sizeof(*unit); u++)
		if (unit[u].letter == text[i]) {
			*time = now - number * unit[u].seconds;
			return true;
		}
	return false;
}

static bool parse_date(int64_t *time, const char *text)
{
	static const char *const format[] = {"%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%SZ"};
	/* strptime takes blanks, signs and numbers of any length. */
	for (size_t i = 0; text[i]; i++)
		if (i >= 20 || !(is_digit(text[i]) || strchr("-T:Z", text[i])))
			return false;
	if (strlen(text) < 10)
		return false;
	for (size_t i = 0; i < sizeof(format) / sizeof(*format); i++) {
		struct tm date = {0};
		const char *end = strptime(text, format[i], &date);
		if (end && !*end) {
			*time = timegm(&date);
			return true;
		}
	}
	return false;
}

bool wm_store_time_parse(int64_t *time, const char *text, int64_t now)
{
	return parse_ago(time, text, now) || parse_date(time, text);
}

/* Decodes %XX in place.  False: what follows a '%' is no number, or is 00. */
static bool decode(char *value)
{
	char *to = value;
	for (; *value; to++) {
		if (*value != '%') {
			*to = *value++;
			continue;
		}
		if (!isxdigit((unsigned char)value[1]) || !isxdigit((unsigned char)value[2]))
			return false;
		*to = (char)strtol((const char[]){value[1], value[2], 0}, NULL, 16);
		if (!*to)
			return false;
		value += 3;
	}
	*to = 0;
	return true;
}

static void take_time(int64_t *time, const char *key, const char *value, int64_t now)
{
	if (!wm_store_time_parse(time, value, now))
		wm_fail("%s=%s is no time; write a date (2026-11-18 or 2026-11-18T07:15) or how long ago (7d, 12h, "
			"30m, 2w)",
			key, value);
}

static void take_filter(struct wm_filter *filter, char *word, int64_t now)
{
	char *value = strchr(word, '=');
	if (!value)
		wm_fail("'%s' is no filter of a store; write KEY=VALUE, where KEY is program, build, since, until, "
			"machine or a "
			"label such as kind, test, commit or version",
			word);
	*value++ = 0;
	if (!decode(value))
		wm_fail("the value of the filter %s has a '%%' without two hexadecimal digits; write %%25 for '%%'",
			word);
	if (!strcmp(word, "since"))
		take_time(&filter->since, word, value, now);
	else if (!strcmp(word, "until"))
		take_time(&filter->until, word, value, now);
	else
		wm_label_list_add(&filter->labels, word, value);
}

bool wm_filter_is_empty(const struct wm_filter *filter)
{
	return !filter->labels.count && filter->since == INT64_MIN && filter->until == INT64_MAX;
}

static bool is_server_name(const char *text)
{
	return !strncmp(text, "postgresql://", 13) || !strncmp(text, "postgres://", 11);
}

/* Whether the parameter KEY=VALUE of a connection is secret.  libpq decodes %XX in keys, too. */
static bool is_secret(const char *parameter)
{
	char key[32];
	size_t length = strcspn(parameter, "=");
	if (length >= sizeof(key))
		return false;
	snprintf(key, sizeof(key), "%.*s", (int)length, parameter);
	return !decode(key) || strstr(key, "password") || strstr(key, "secret");
}

/* The parameters after '?', which end at the end of the text. */
static char *public_parameters(const char *text)
{
	struct wm_string result = {0};
	wm_string_add(&result, "%s", "?");
	for (const char *at = text; at; at = strchr(at, '&') ? strchr(at, '&') + 1 : NULL) {
		size_t length = strcspn(at, "&"), shown = is_secret(at) ? strcspn(at, "=&") : length;
		wm_string_add(&result, "%s%.*s%s", at == text ? "" : "&", (int)shown, at, shown < length ? "=*" : "");
	}
	return wm_string_text(&result);
}

/* SCHEME://USER:PASSWORD@HOST/… without the password: whatever stands between the first ':' and the last '@'. */
static char *public_address(const char *text, size_t length)
{
	const char *start = strstr(text, "://") + 3, *at = memrchr(text, '@', length);
	const char *colon = at && at > start ? memchr(start, ':', (size_t)(at - start)) : NULL;
	if (!colon)
		return wm_xprintf("%.*s", (int)length, text);
	return wm_xprintf("%.*s%.*s", (int)(colon - text), text, (int)(text + length - at), at);
}

char *wm_store_public_name(const char *name)
{
	if (!is_server_name(name))
		return wm_xstrdup(name);
	const char *filters = strrchr(name, '#');
	char *location = wm_xprintf("%.*s", (int)(filters ? (size_t)(filters - name) : strlen(name)), name);
	const char *question = strchr(location, '?');
	char *address = public_address(location, question ? (size_t)(question - location) : strlen(location));
	char *parameters = question ? public_parameters(question + 1) : wm_xstrdup("");
	char *result = wm_xprintf("%s%s%s", address, parameters, filters ? filters : "");
	free(parameters);
	free(address);
	free(location);
	return result;
}

void wm_store_url_parse(struct wm_store_url *url, const char *text, int64_t now)
{
	*url = (struct wm_store_url){.location = wm_xstrdup(text),
		.is_server = is_server_name(text),
		.filter = {.since = INT64_MIN, .until = INT64_MAX}};
	char *rest = strrchr(url->location, '#'), *word;
	if (rest)
		*rest++ = 0;
	if (!*url->location)
		wm_fail("the name of the store is missing before '#'; write FILE#FILTER or postgresql://…#FILTER");
	while (rest && *rest && (word = strsep(&rest, "&")))
		take_filter(&url->filter, word, now);
}

void wm_store_url_release(struct wm_store_url *url)
{
	free(url->location);
	wm_label_list_release(&url->filter.labels);
	*url = (struct wm_store_url){0};
}

static bool is_sqlite_file(const char *path)
{
	static const char magic[16] = "SQLite format 3";
	char start[sizeof(magic)];
	struct stat info;
	/* Opening a FIFO would wait for its writer. */
	if (stat(path, &info) || !S_ISREG(info.st_mode))
		return false;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool is =
		fd >= 0 && pread(fd, start, sizeof(start), 0) == sizeof(start) && !memcmp(start, magic, sizeof(magic));
	if (fd >= 0)
		close(fd);
	return is;
}

bool wm_is_store(const char *operand)
{
	if (is_server_name(operand) || is_sqlite_file(operand))
		return true;
	const char *filters = strrchr(operand, '#');
	if (!filters)
		return false;
	char *path = wm_xprintf("%.*s", (int)(filters - operand), operand);
	bool is = is_sqlite_file(path);
	free(path);
	return is;
}
