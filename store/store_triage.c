/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "store/store_triage.h"
#include "profile/collect.h"
#include "store/select.h"
#include "store/store_operand.h"
#include "support/attempt.h"
#include "support/fail.h"
#include "support/xalloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct wm_database_kind *kind_of(const struct wm_profile_store *store)
{
	return store->database->base.kind;
}

struct reading {
	const struct wm_profile_store *store;
	struct wm_triages *triages;
};

static _Noreturn void fail_damaged(const struct wm_profile_store *store)
{
	wm_fail("the store %s is damaged: a triaged path makes no sense; restore it from a copy",
		store->database->base.location);
}

/* id, key, graph, source, flags, path, time */
enum { NUMBERS = 7, TEXTS = 5, COLUMNS = NUMBERS + TEXTS };

static bool is_sound(const struct wm_sql_value *value)
{
	static const size_t longest[TEXTS] = {
		2 * WM_BUILD_ID_MAX, WM_PROGRAM_MAX - 1, WM_TRIAGE_TEXT_MAX, WM_TRIAGE_TEXT_MAX, WM_TRIAGE_TEXT_MAX};
	for (size_t i = 0; i < NUMBERS; i++)
		if (value[i].kind != WM_SQL_INTEGER)
			return false;
	for (size_t i = 0; i < TEXTS; i++)
		if (value[NUMBERS + i].kind != WM_SQL_TEXT || strlen(value[NUMBERS + i].text) > longest[i])
			return false;
	uint64_t id = (uint64_t)value[0].integer, flags = (uint64_t)value[4].integer;
	if (!id || id >> 48 || flags > UINT32_MAX || flags & wm_indexed_refused_flags())
		return false;
	for (size_t i = 0; i < TEXTS; i++)
		for (const char *c = value[NUMBERS + i].text; *c; c++)
			if (!wm_program_byte((uint8_t)*c))
				return false;
	return true;
}

static bool decode_build_id(struct wm_triage *triage, const char *hex)
{
	static const char digits[] = "0123456789abcdef";
	size_t size = strlen(hex);
	triage->build_id_size = (uint32_t)(size / 2);
	for (size_t i = 0; i < size; i++) {
		const char *digit = strchr(digits, hex[i]);
		if (!digit)
			return false;
		triage->build_id[i / 2] = (uint8_t)(triage->build_id[i / 2] << 4 | (digit - digits));
	}
	return size % 2 == 0;
}

static void take_triage(void *closure, const struct wm_sql_value *value)
{
	const struct reading *reading = closure;
	struct wm_triages *triages = reading->triages;
	const struct wm_sql_value *text = value + NUMBERS;
	struct wm_triage triage = {0};
	if (!is_sound(value) || !decode_build_id(&triage, text[0].text))
		fail_damaged(reading->store);
	triage.id = (uint64_t)value[0].integer;
	triage.key = (uint64_t)value[1].integer;
	triage.graph_hash = (uint64_t)value[2].integer;
	triage.source = (uint64_t)value[3].integer;
	triage.flags = (uint32_t)value[4].integer;
	triage.path = (uint64_t)value[5].integer;
	triage.time = (uint64_t)value[6].integer;
	memcpy(triage.program, text[1].text, strlen(text[1].text) + 1);
	triage.function = wm_xstrdup(text[2].text);
	triage.note = wm_xstrdup(text[3].text);
	triage.author = wm_xstrdup(text[4].text);
	WM_XGROW(triages->triage, triages->count);
	triages->triage[triages->count++] = triage;
}

void wm_store_triages(struct wm_profile_store *store, struct wm_triages *triages)
{
	struct reading reading = {store, triages};
	kind_of(store)->query(store->database,
		&(struct wm_sql_query){
			.sql = "SELECT id, key, graph, source, flags, path, time, build_id, program, function,"
			       " note, author FROM triage ORDER BY id",
			.columns = COLUMNS,
			.take = take_triage,
			.closure = &reading});
	wm_triages_sort(triages);
}

/* Without control characters, and cut between characters of UTF-8; heap. */
static char *clean(const char *text)
{
	char *copy = wm_xstrdup(text ? text : "");
	size_t length = strlen(copy);
	if (length > WM_TRIAGE_TEXT_MAX)
		length = WM_TRIAGE_TEXT_MAX;
	while (length < strlen(copy) && length && (copy[length] & 0xc0) == 0x80)
		length--;
	copy[length] = 0;
	for (char *c = copy; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = ' ';
	return copy;
}

static void encode_build_id(char hex[2 * WM_BUILD_ID_MAX + 1], const struct wm_triage *triage)
{
	for (uint32_t i = 0; i < triage->build_id_size; i++)
		snprintf(hex + (size_t)2 * i, 3, "%02x", triage->build_id[i]);
	hex[2 * triage->build_id_size] = 0;
}

static void insert(struct wm_profile_store *store, const struct wm_triage *triage)
{
	char build_id[2 * WM_BUILD_ID_MAX + 1];
	char *function = clean(triage->function), *note = clean(triage->note), *author = clean(triage->author);
	encode_build_id(build_id, triage);
	const struct wm_sql_value parameter[COLUMNS] = {WM_SQL_NUMBER(triage->id), WM_SQL_NUMBER(triage->key),
		WM_SQL_NUMBER(triage->graph_hash), WM_SQL_NUMBER(triage->source), WM_SQL_NUMBER(triage->flags),
		WM_SQL_NUMBER(triage->path), WM_SQL_NUMBER(triage->time), WM_SQL_STRING(build_id),
		WM_SQL_STRING(triage->program), WM_SQL_STRING(function), WM_SQL_STRING(note), WM_SQL_STRING(author)};
	kind_of(store)->query(store->database,
		&(struct wm_sql_query){
			.sql = "INSERT INTO triage (id, key, graph, source, flags, path, time, build_id, program, "
			       "function,"
			       " note, author) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)"
			       " ON CONFLICT (id, build_id, program, key, flags) DO UPDATE SET note = excluded.note,"
			       " author = excluded.author, time = excluded.time",
			.parameter = parameter,
			.parameter_count = COLUMNS});
	free(function);
	free(note);
	free(author);
}

void wm_store_triage(struct wm_profile_store *store, const struct wm_triages *triages)
{
	struct wm_guard guard;
	wm_guard_begin(&guard, wm_store_roll_back, store);
	kind_of(store)->begin(store->database, WM_PUSHING);
	for (size_t i = 0; i < triages->count; i++)
		insert(store, &triages->triage[i]);
	kind_of(store)->commit(store->database);
	wm_guard_end(&guard);
}

/* How many programs, and two of them. */
struct programs {
	int64_t count;
	char first[WM_PROGRAM_MAX], last[WM_PROGRAM_MAX];
};

static void take_programs(void *closure, const struct wm_sql_value *value)
{
	struct programs *programs = closure;
	programs->count = value[0].integer;
	for (size_t i = 1; i < 3; i++)
		if (value[i].kind == WM_SQL_TEXT)
			snprintf(i == 1 ? programs->first : programs->last, WM_PROGRAM_MAX, "%s", value[i].text);
}

/* Runs a statement that begins with sql for the triaged paths with the id. */
static void run_untriage(struct wm_profile_store *store, const char *sql, const struct wm_filter *filter, uint64_t id,
	struct programs *programs)
{
	struct wm_select select;
	wm_select_init(&select, sql);
	wm_select_add_value(&select, WM_SQL_NUMBER(id));
	wm_select_add_programs(&select, "program", filter);
	wm_select_run(&select, store->database, programs ? 3 : 0, programs ? take_programs : NULL, programs);
	wm_select_release(&select);
}

bool wm_store_untriage(struct wm_profile_store *store, const struct wm_filter *filter, uint64_t id)
{
	struct programs programs = {0};
	struct wm_guard guard;
	wm_guard_begin(&guard, wm_store_roll_back, store);
	kind_of(store)->begin(store->database, WM_PUSHING);
	run_untriage(store,
		"SELECT count(DISTINCT program), min(program), max(program) FROM triage WHERE id = ", filter, id,
		&programs);
	if (programs.count > 1 && !wm_label_list_find(&filter->labels, "program"))
		wm_fail("the id is that of paths of several programs, such as '%s' and '%s'; add the filter program=",
			programs.first, programs.last);
	run_untriage(store, "DELETE FROM triage WHERE id = ", filter, id, NULL);
	kind_of(store)->commit(store->database);
	wm_guard_end(&guard);
	return programs.count > 0;
}

void wm_store_known(struct wm_profile_store *store, struct wm_profile *profile)
{
	struct wm_triages triages = {0};
	struct wm_filter filter = store->url.filter;
	struct wm_label_list labels = {0};
	for (size_t i = 0; i < filter.labels.count; i++)
		wm_label_list_add(&labels, filter.labels.label[i].key, filter.labels.label[i].value);
	if (!wm_label_list_find(&labels, "kind"))
		wm_label_list_add(&labels, "kind", "test");
	filter.labels = labels;
	wm_store_load(store, &filter, profile);
	wm_store_triages(store, &triages);
	if (wm_profile_is_residual(profile))
		wm_fail("the profiles of the tests in %s count only untested paths; run the tests with a program built "
			"without -fwaymark-residual",
			store->database->base.location);
	if (!profile->object_count && !triages.count)
		wm_fail("the store %s has neither profiles of tests nor triaged paths; push those of the tests with "
			"`waymark store push --test NAME`",
			store->database->base.location);
	if (wm_triages_test(profile, &triages) != WM_PROFILE_OK)
		wm_no_memory();
	wm_triages_release(&triages);
	wm_label_list_release(&labels);
}
