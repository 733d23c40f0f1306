/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "store/store_operand.h"
#include "store/select.h"
#include "support/attempt.h"
#include "support/fail.h"
#include "support/string_builder.h"
#include "support/xalloc.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool has_several_programs(const struct wm_profile *profile)
{
	for (size_t i = 1; i < profile->object_count; i++)
		if (strcmp(profile->object[i].program, profile->object[0].program) != 0)
			return true;
	return false;
}

/* Whether the objects with the name of this one cannot be added up, and a writer that may push only this program has part in it. */
static bool is_spoilt(const struct wm_profile *profile, const char *program)
{
	struct wm_profile part = {.object = wm_xrealloc(NULL, profile->object_count, sizeof(*part.object))};
	bool claimed = false;
	for (size_t i = 0; i < profile->object_count; i++)
		if (!strcmp(profile->object[i].program, program)) {
			part.object[part.object_count++] = profile->object[i];
			claimed |= profile->object[i].claimed;
		}
	bool spoilt = claimed && wm_profile_conflicts(&part, &part);
	free(part.object);
	return spoilt;
}

static void drop_program(struct wm_profile *profile, const char *program)
{
	size_t kept = 0;
	for (size_t i = 0; i < profile->object_count; i++)
		if (strcmp(profile->object[i].program, program) != 0)
			profile->object[kept++] = profile->object[i];
		else
			wm_profile_object_release(&profile->object[i]);
	profile->object_count = kept;
}

/* Whoever may push one program must not keep people from reading the others. */
static void drop_spoilt(struct wm_profile *profile, const char *location)
{
	for (size_t i = 0; i < profile->object_count;) {
		char program[WM_PROGRAM_MAX];
		memcpy(program, profile->object[i].program, sizeof(program));
		if (!profile->object[i].claimed || !is_spoilt(profile, program)) {
			i++;
			continue;
		}
		wm_warn("%s is left out of %s: it has profiles with all paths of a function and others with only its "
			"untested ones; add the filter build= to read it",
			program, location);
		drop_program(profile, program);
		i = 0;
	}
}

void wm_store_select(
	struct wm_profile *profile, struct wm_profile_store *store, const struct wm_filter *filter, const char *name)
{
	char *public = wm_store_public_name(name);
	wm_store_load(store, filter, profile);
	if (!profile->runs && !profile->run_id_count)
		wm_fail("the store has no profile that %s selects; `waymark store list` lists what it has", public);
	bool conflicts = wm_profile_conflicts(profile, profile);
	if (conflicts && !profile->any_program && has_several_programs(profile)) {
		drop_spoilt(profile, store->database->base.location);
		conflicts = wm_profile_conflicts(profile, profile);
	}
	if (conflicts)
		wm_fail("%s selects profiles with all paths of a function and others with only its untested ones; add "
			"the filter kind=field, kind=test or build=",
			public);
	free(public);
}

void wm_store_read(struct wm_profile *profile, const char *name)
{
	struct wm_guard guard;
	struct wm_profile_store *store = wm_store_open(name, WM_DATABASE_READ);
	wm_guard_begin(&guard, wm_store_close, store);
	wm_store_select(profile, store, &store->url.filter, name);
	wm_guard_end(&guard);
}

struct tests {
	const char *name; /* of the store, for messages */
	wm_store_take_test *take;
	void *closure;
};

static void take_test(void *closure, const struct wm_sql_value *value)
{
	const struct tests *tests = closure;
	if (value[0].kind != WM_SQL_TEXT || !wm_label_value_is_valid(value[0].text))
		wm_fail("the store %s is damaged: the name of a test makes no sense; restore it from a copy",
			tests->name);
	tests->take(tests->closure, value[0].text);
}

/* sql: ends in WHERE and conditions on the bundle b. */
static void query(const char *name, const char *sql, const char *end, size_t columns, wm_sql_take *take, void *closure)
{
	struct wm_guard guard, transaction;
	struct wm_select select;
	struct wm_profile_store *store = wm_store_open(name, WM_DATABASE_READ);
	wm_guard_begin(&guard, wm_store_close, store);
	store->database->base.kind->begin(store->database, WM_READING);
	wm_guard_begin(&transaction, wm_store_roll_back, store);
	wm_select_init(&select, sql);
	wm_select_add_bundles(&select, &store->url.filter);
	wm_select_add(&select, end);
	wm_select_run(&select, store->database, columns, take, closure);
	wm_select_release(&select);
	wm_guard_end(&transaction);
	wm_guard_end(&guard);
}

void wm_store_tests(const char *name, wm_store_take_test *take, void *closure)
{
	char *public = wm_store_public_name(name);
	query(name,
		"SELECT DISTINCT t.value FROM bundle b JOIN label t ON t.label_set = b.label_set AND t.key = 'test' "
		"WHERE true",
		" ORDER BY t.value", 1, take_test, &(struct tests){public, take, closure});
	free(public);
}

struct commits {
	const char *name; /* of the store, for messages */
	wm_store_take_commit *take;
	void *closure;
};

static void take_commit(void *closure, const struct wm_sql_value *value)
{
	const struct commits *commits = closure;
	if (value[0].kind != WM_SQL_TEXT || !wm_label_value_is_valid(value[0].text) || value[1].kind != WM_SQL_INTEGER)
		wm_fail("the store %s is damaged: a commit makes no sense; restore it from a copy", commits->name);
	commits->take(commits->closure, value[0].text, value[1].integer);
}

void wm_store_commits(const char *name, wm_store_take_commit *take, void *closure)
{
	char *public = wm_store_public_name(name), *tests = wm_store_name_of_kind(name, "test");
	query(tests,
		"SELECT t.value, min(b.first) FROM bundle b JOIN label t ON t.label_set = b.label_set AND t.key = "
		"'commit' "
		"WHERE true",
		" GROUP BY t.value ORDER BY min(b.first), t.value", 2, take_commit,
		&(struct commits){public, take, closure});
	free(tests);
	free(public);
}

static void take_any(void *closure, const struct wm_sql_value *value)
{
	(void)value;
	*(bool *)closure = true;
}

bool wm_store_has(const char *name)
{
	bool has = false;
	query(name, "SELECT b.id FROM bundle b WHERE true", " LIMIT 1", 1, take_any, &has);
	return has;
}

/* Names with filters. */

static void append(struct wm_string *text, const char *key, const char *value)
{
	static const char digits[] = "0123456789ABCDEF";
	char *coded = wm_xmalloc(3 * strlen(value) + 1), *to = coded;
	for (; *value; value++) {
		if (strchr("%&#", *value)) {
			*to++ = '%';
			*to++ = digits[(unsigned char)*value >> 4];
			*to++ = digits[(unsigned char)*value & 15];
		} else {
			*to++ = *value;
		}
	}
	*to = 0;
	wm_string_add(text, "%s%s=%s", text->text[text->length - 1] == '#' ? "" : "&", key, coded);
	free(coded);
}

static void append_time(struct wm_string *text, const char *key, int64_t seconds)
{
	char date[32];
	struct tm parts;
	time_t time = (time_t)seconds;
	if (seconds == INT64_MIN || seconds == INT64_MAX)
		return;
	if (gmtime_r(&time, &parts) && strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &parts))
		append(text, key, date);
}

static char *name_with(const struct wm_store_url *url, const char *key, const char *value)
{
	struct wm_string text = {0};
	wm_string_add(&text, "%s#", url->location);
	for (size_t i = 0; i < url->filter.labels.count; i++)
		if (strcmp(url->filter.labels.label[i].key, key) != 0)
			append(&text, url->filter.labels.label[i].key, url->filter.labels.label[i].value);
	append_time(&text, "since", url->filter.since);
	append_time(&text, "until", url->filter.until);
	append(&text, key, value);
	return text.text;
}

char *wm_store_name_with(const char *name, const char *key, const char *value)
{
	struct wm_store_url url;
	wm_store_url_parse(&url, name, time(NULL));
	char *text = name_with(&url, key, value);
	wm_store_url_release(&url);
	return text;
}

char *wm_store_name_of_kind(const char *name, const char *kind)
{
	struct wm_store_url url;
	wm_store_url_parse(&url, name, time(NULL));
	bool has = wm_label_list_find(&url.filter.labels, "kind") || wm_label_list_find(&url.filter.labels, "test");
	char *text = has ? wm_xstrdup(name) : name_with(&url, "kind", kind);
	wm_store_url_release(&url);
	return text;
}

char *wm_store_name_of_tests(const char *name)
{
	struct wm_store_url url;
	wm_store_url_parse(&url, name, time(NULL));
	struct wm_string text = {0};
	wm_string_add(&text, "%s#", url.location);
	for (size_t i = 0; i < url.filter.labels.count; i++)
		if (!strcmp(url.filter.labels.label[i].key, "program"))
			append(&text, "program", url.filter.labels.label[i].value);
	append(&text, "kind", "test");
	wm_store_url_release(&url);
	return text.text;
}
