/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reading a profile.  Rows come in any order and are added by the functions that merge profiles, so that the sum is the same.
 * Every value is hostile.
 */
#include "abi/abi.h"
#include "core/base/search.h"
#include "profile/base/scheme_name.h"
#include "profile/base/unfinished_paths.h"
#include "profile/collect.h"
#include "store/schema.h"
#include "store/select.h"
#include "store/store.h"
#include "support/attempt.h"
#include "support/fail.h"
#include "support/xalloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct build {
	int64_t id;
	struct wm_profile_object object; /* what all bundles say of it; without functions */
	bool has_facts, runs_unknown;
	bool late; /* what is claimed here is added to another object, or loses its build-id */
};
/* A function, with its rows so far. */
struct record {
	int64_t id, build;
	bool apart;
	bool present; /* it has a row in `tally` */
	size_t compact; /* how many paths it had when they were last sorted and summed */
	struct wm_profile_function sum;
};

struct loader {
	struct wm_profile_store *store;
	const struct wm_filter *filter;
	struct wm_profile *profile; /* the result, without objects until the end */
	struct build *build; /* ascending by id */
	size_t build_count, build_capacity;
	struct record *record; /* ascending by id */
	size_t record_count, record_capacity;
	struct wm_function_list functions; /* of the records, for queries */
};

static _Noreturn void fail_damaged(const struct loader *loader, const char *what)
{
	wm_fail("the store %s is damaged: %s; restore it from a copy", loader->store->database->base.location, what);
}

static uint64_t number(const struct loader *loader, const struct wm_sql_value *value)
{
	if (value->kind != WM_SQL_INTEGER)
		fail_damaged(loader, "a number is missing");
	return (uint64_t)value->integer;
}

static uint64_t number_or_0(const struct loader *loader, const struct wm_sql_value *value)
{
	return value->kind == WM_SQL_NULL ? 0 : number(loader, value);
}

static const char *text(const struct loader *loader, const struct wm_sql_value *value, size_t longest)
{
	if (value->kind != WM_SQL_TEXT || strlen(value->text) > longest)
		fail_damaged(loader, "a text is missing or too long");
	return value->text;
}

static void check_memory(bool ok)
{
	if (!ok)
		wm_no_memory();
}

/* Bundles and runs. */

static void take_bundle(void *closure, const struct wm_sql_value *value)
{
	struct loader *loader = closure;
	uint32_t ignored = 0;
	loader->profile->runs = wm_add_saturating(loader->profile->runs, number(loader, &value[0]), &ignored);
	loader->profile->kill_unsafe_runs =
		wm_add_saturating(loader->profile->kill_unsafe_runs, number(loader, &value[1]), &ignored);
	loader->profile->any_program |= number(loader, &value[2]) != 0;
}

static void take_run(void *closure, const struct wm_sql_value *value)
{
	struct loader *loader = closure;
	struct wm_run_id id = {.high = number(loader, &value[0]),
		.low = number(loader, &value[1]),
		.epoch = number(loader, &value[2]),
		.start_time = number(loader, &value[3])};
	if (!(id.high | id.low))
		fail_damaged(loader, "a run has no id");
	/* Runs without id have one only in the store. */
	if (id.epoch != UINT64_MAX)
		check_memory(wm_profile_append_run_id(loader->profile, &id));
}

/* Builds. */

static int compare_builds(const void *a, const void *b)
{
	const struct build *x = a, *y = b;
	return (x->id > y->id) - (x->id < y->id);
}

static struct build *find_build(struct loader *loader, int64_t id)
{
	size_t i;
	WM_LOWER_BOUND(i, 0, loader->build_count, loader->build[i].id < id);
	if (i == loader->build_count || loader->build[i].id != id)
		fail_damaged(loader, "a build is missing");
	return &loader->build[i];
}

static void decode_build_id(const struct loader *loader, struct wm_profile_object *object, const char *hex)
{
	size_t size = strlen(hex);
	if (size % 2)
		fail_damaged(loader, "a build-id makes no sense");
	object->build_id_size = (uint32_t)(size / 2);
	for (size_t i = 0; i < size; i++) {
		const char *digit = memchr("0123456789abcdef", hex[i], 16);
		if (!digit)
			fail_damaged(loader, "a build-id makes no sense");
		uint8_t nibble = (uint8_t)(hex[i] <= '9' ? hex[i] - '0' : hex[i] - 'a' + 10);
		object->build_id[i / 2] = (uint8_t)(object->build_id[i / 2] << 4 | nibble);
	}
}

static void take_program(const struct loader *loader, struct wm_profile_object *object, const char *program)
{
	for (size_t i = 0; program[i]; i++)
		if (!wm_program_byte((uint8_t)program[i]))
			fail_damaged(loader, "the name of a program has control characters");
	if (*program && (!*object->program || strcmp(program, object->program) < 0))
		snprintf(object->program, sizeof(object->program), "%s", program);
}

static void take_build(void *closure, const struct wm_sql_value *value)
{
	struct loader *loader = closure;
	struct build build = {.id = (int64_t)number(loader, &value[0])};
	decode_build_id(loader, &build.object, text(loader, &value[1], 2 * WM_BUILD_ID_MAX));
	build.object.claimed = build.object.build_id_size && *text(loader, &value[2], WM_PROGRAM_MAX - 1);
	WM_XGROW(loader->build, loader->build_count);
	loader->build[loader->build_count++] = build;
}

static void take_content(void *closure, const struct wm_sql_value *value)
{
	struct loader *loader = closure;
	struct build *build = find_build(loader, (int64_t)number(loader, &value[0]));
	uint32_t ignored = 0;
	take_program(loader, &build->object, text(loader, &value[1], WM_PROGRAM_MAX - 1));
	build->has_facts = true;
	build->runs_unknown |= value[2].kind == WM_SQL_NULL;
	build->object.runs = wm_add_saturating(build->object.runs, number_or_0(loader, &value[2]), &ignored);
}

static void take_doubtful(void *closure, const struct wm_sql_value *value)
{
	struct loader *loader = closure;
	struct wm_profile_object *object = &find_build(loader, (int64_t)number(loader, &value[0]))->object;
	struct wm_doubtful_run run = {.start_time = number(loader, &value[1]), .pid = number(loader, &value[2])};
	uint64_t doubt = number(loader, &value[3]);
	if (!doubt || doubt & ~(uint64_t)WM_DOUBT_OF_RUN)
		fail_damaged(loader, "a doubtful run has no doubt");
	run.doubt = (uint32_t)doubt;
	check_memory(wm_object_append_doubtful(object, &run));
}

/* Functions and paths. */

static int compare_records(const void *a, const void *b)
{
	const struct record *x = a, *y = b;
	return (x->id > y->id) - (x->id < y->id);
}

static struct record *find_record(struct loader *loader, int64_t id)
{
	size_t i;
	WM_LOWER_BOUND(i, 0, loader->record_count, loader->record[i].id < id);
	if (i == loader->record_count || loader->record[i].id != id)
		fail_damaged(loader, "a function is missing");
	return &loader->record[i];
}

/* One that a newer waymark has stored is not known here: its counts are like those of a scheme without a name. */
static uint32_t known_scheme(uint64_t flags)
{
	uint32_t name = WM_FUNC_SCHEME((uint32_t)flags);
	return wm_scheme_name_is_valid(name) ? name : WM_SCHEME_UNNAMED;
}

static void take_function(void *closure, const struct wm_sql_value *value)
{
	struct loader *loader = closure;
	struct record record = {.id = (int64_t)number(loader, &value[0]), .build = (int64_t)number(loader, &value[1])};
	uint64_t flags = number(loader, &value[5]), apart = number(loader, &value[6]);
	record.sum.key = number(loader, &value[2]);
	record.sum.graph_hash = number(loader, &value[3]);
	record.sum.source = number(loader, &value[4]);
	record.sum.flags = flags & WM_FUNC_KNOWN;
	record.sum.scheme = known_scheme(flags);
	if (flags > UINT32_MAX || record.sum.flags & wm_indexed_refused_flags() || apart > 1)
		fail_damaged(loader, "the flags of a function make no sense");
	record.apart = apart;
	WM_XGROW(loader->record, loader->record_count);
	loader->record[loader->record_count++] = record;
}

static void take_tally(void *closure, const struct wm_sql_value *value)
{
	struct loader *loader = closure;
	struct record *record = find_record(loader, (int64_t)number(loader, &value[0]));
	uint64_t doubt = number_or_0(loader, &value[1]);
	struct wm_profile_function one = {.doubt = (uint32_t)doubt,
		.entries = number_or_0(loader, &value[2]),
		.resumed = number_or_0(loader, &value[3]),
		.base_entries = number_or_0(loader, &value[4]),
		.base_resumed = number_or_0(loader, &value[5]),
		.lost = number_or_0(loader, &value[6])};
	if (doubt > UINT32_MAX || wm_function_is_apart(&one) != record->apart)
		fail_damaged(loader, "the doubts of a function make no sense");
	if (record->present) {
		wm_function_add_scalars(&record->sum, &one);
		return;
	}
	record->present = true;
	record->sum.doubt = one.doubt;
	record->sum.entries = one.entries;
	record->sum.resumed = one.resumed;
	record->sum.base_entries = one.base_entries;
	record->sum.base_resumed = one.base_resumed;
	record->sum.lost = one.lost;
}

static void take_path(void *closure, const struct wm_sql_value *value)
{
	struct loader *loader = closure;
	struct record *record = find_record(loader, (int64_t)number(loader, &value[0]));
	struct wm_counted_path path = {.id = number(loader, &value[1]),
		.count = number_or_0(loader, &value[2]),
		.base = number_or_0(loader, &value[3]),
		.first_seen = number_or_0(loader, &value[4]),
		.pid = number_or_0(loader, &value[5])};
	if ((!path.count && !path.base) || (path.first_seen && !(record->sum.flags & WM_FUNC_RESIDUAL)) ||
		!record->present)
		fail_damaged(loader, "the counts of a path make no sense");
	check_memory(wm_function_append_path(&record->sum, &path));
	/* The rows of a path in many bundles must not all be in memory. */
	if (record->sum.path_count >= 2 * record->compact + 1024) {
		wm_function_sort(&record->sum);
		record->compact = record->sum.path_count;
	}
}

/* Those of a function without a tally are dropped with it: they are moved in another stage of a roll-up, between which a filter may tell
 * the sum from its bundles. */
static void take_unfinished(void *closure, const struct wm_sql_value *value)
{
	struct loader *loader = closure;
	struct record *record = find_record(loader, (int64_t)number(loader, &value[0]));
	uint64_t site = number(loader, &value[1]);
	struct wm_unfinished_path path = {
		.site = (uint32_t)site, .sum = number(loader, &value[2]), .count = number(loader, &value[3])};
	if (site > UINT32_MAX || !wm_unfinished_site_is_valid(path.site) || !path.count)
		fail_damaged(loader, "an unfinished path makes no sense");
	check_memory(wm_unfinished_append(&record->sum, &path));
}

/* Queries. */

/* `objects`: the query has content and builds, on which the filter has conditions too.  end: follows the conditions. */
static void run(
	struct loader *loader, const char *columns, bool objects, const char *end, size_t count, wm_sql_take *take)
{
	struct wm_select select;
	wm_select_init(&select, columns);
	wm_select_add_bundles(&select, loader->filter);
	if (objects)
		wm_select_add_objects(&select, loader->filter);
	wm_select_add(&select, end);
	wm_select_run(&select, loader->store->database, count, take, loader);
	wm_select_release(&select);
}

/* The same of a table that has rows of functions. */
static void run_divided(
	struct loader *loader, const char *columns, const char *function, size_t count, wm_sql_take *take)
{
	struct wm_select select;
	wm_select_init(&select, columns);
	wm_select_add_functions(&select, loader->store->database, function, &loader->functions);
	wm_select_add_bundles(&select, loader->filter);
	wm_select_add_objects(&select, loader->filter);
	wm_select_run(&select, loader->store->database, count, take, loader);
	wm_select_release(&select);
}

#define OBJECTS " JOIN content c ON c.bundle = b.id JOIN build d ON d.id = c.build"
#define OF_FUNCTIONS \
	" JOIN content c ON c.bundle = b.id AND c.build = f.build JOIN build d ON d.id = c.build WHERE true"

static void query_all(struct loader *loader)
{
	run(loader, "SELECT b.runs, b.unsafe, b.any_program FROM bundle b WHERE true", false, "", 3, take_bundle);
	run(loader, "SELECT r.high, r.low, r.epoch, r.start FROM run r JOIN bundle b ON b.id = r.bundle WHERE true",
		false, "", 4, take_run);
	run(loader, "SELECT DISTINCT d.id, d.build_id, d.program FROM bundle b" OBJECTS " WHERE true", true, "", 3,
		take_build);
	if (loader->build_count)
		qsort(loader->build, loader->build_count, sizeof(*loader->build), compare_builds);
	run(loader, "SELECT c.build, c.program, c.runs FROM bundle b" OBJECTS " WHERE true", true, "", 3, take_content);
	run(loader,
		"SELECT x.build, x.start, x.pid, x.doubt FROM doubtful x JOIN bundle b ON b.id = x.bundle"
		" JOIN content c ON c.bundle = b.id AND c.build = x.build JOIN build d ON d.id = c.build WHERE true",
		true, "", 4, take_doubtful);
	run(loader,
		"SELECT f.id, f.build, f.key, f.graph, f.source, f.flags, f.apart FROM function f WHERE f.build IN"
		" (SELECT c.build FROM bundle b" OBJECTS " WHERE true",
		true, ")", 7, take_function);
}

static void query_rows(struct loader *loader)
{
	if (loader->record_count)
		qsort(loader->record, loader->record_count, sizeof(*loader->record), compare_records);
	wm_function_list_read(&loader->functions, loader->store->database, loader->filter);
	run_divided(loader,
		"SELECT t.function, t.doubt, t.entries, t.resumed, t.base_entries, t.base_resumed, t.lost FROM tally t"
		" JOIN function f ON f.id = t.function JOIN bundle b ON b.id = t.bundle" OF_FUNCTIONS,
		"t.function", 7, take_tally);
	run_divided(loader,
		"SELECT p.function, p.path, p.count, p.base, p.first_seen, p.pid FROM path p"
		" JOIN function f ON f.id = p.function JOIN bundle b ON b.id = p.bundle" OF_FUNCTIONS,
		"p.function", 6, take_path);
	if (wm_store_version(loader->store) >= WM_SCHEMA_WITH_UNFINISHED)
		run_divided(loader,
			"SELECT u.function, u.site, u.sum, u.count FROM unfinished u"
			" JOIN function f ON f.id = u.function JOIN bundle b ON b.id = u.bundle" OF_FUNCTIONS,
			"u.function", 4, take_unfinished);
	wm_function_list_release(&loader->functions);
}

/* The profile. */

static void add_functions(struct loader *loader)
{
	for (size_t i = 0; i < loader->record_count; i++) {
		struct record *record = &loader->record[i];
		struct wm_profile_object *object = &find_build(loader, record->build)->object;
		if (!record->present) {
			wm_function_release(&record->sum);
			continue;
		}
		WM_XGROW(object->function, object->function_count);
		object->function[object->function_count++] = record->sum;
		object->function_capacity = object->function_count;
		record->sum = (struct wm_profile_function){0};
	}
}

static int compare_build_ids(const void *a, const void *b)
{
	const struct wm_profile_object *x = &(*(struct build *const *)a)->object,
				       *y = &(*(struct build *const *)b)->object;
	int order = memcmp(x->build_id, y->build_id, WM_BUILD_ID_MAX);
	return order ? order : (x->build_id_size > y->build_id_size) - (x->build_id_size < y->build_id_size);
}

static int compare_claims(const void *a, const void *b)
{
	int order = compare_build_ids(a, b);
	return order ? order
		     : (*(struct build *const *)a)->object.claimed - (*(struct build *const *)b)->object.claimed;
}

/* Builds with one build-id, those that are not claimed first.  A claim that agrees with what a trusted writer says is added to
 * it.  Other claims contradict each other: they count for the program that the writer may push, which is known by its name. */
static void settle_claims(struct build **build, size_t count)
{
	const struct wm_profile_object *first = &build[0]->object;
	for (size_t i = 0; i < count; i++) {
		struct wm_profile_object *object = &build[i]->object;
		build[i]->late = object->claimed;
		if (object->claimed && (first->claimed || strcmp(object->program, first->program) != 0)) {
			memset(object->build_id, 0, sizeof(object->build_id));
			object->build_id_size = 0;
		}
	}
}

static void settle_all_claims(struct loader *loader)
{
	struct build **order = wm_xrealloc(NULL, loader->build_count, sizeof(struct build *));
	for (size_t i = 0; i < loader->build_count; i++)
		order[i] = &loader->build[i];
	if (loader->build_count)
		qsort(order, loader->build_count, sizeof(struct build *), compare_claims);
	for (size_t first = 0, end; first < loader->build_count; first = end) {
		for (end = first + 1; end < loader->build_count && !compare_build_ids(&order[first], &order[end]);
			end++)
			;
		if (end - first > 1 && order[first]->object.build_id_size)
			settle_claims(&order[first], end - first);
	}
	free(order);
}

static void add_late(struct loader *loader)
{
	for (size_t i = 0; i < loader->build_count; i++)
		if (loader->build[i].late) {
			struct wm_profile one = {.object = &loader->build[i].object, .object_count = 1};
			check_memory(!wm_profile_merge(loader->profile, &one));
			wm_profile_object_release(&loader->build[i].object);
		}
}

static void add_objects(struct loader *loader)
{
	loader->profile->object = wm_xrealloc(NULL, loader->build_count, sizeof(*loader->profile->object));
	loader->profile->object_capacity = loader->build_count;
	for (size_t i = 0; i < loader->build_count; i++) {
		struct wm_profile_object *object = &loader->build[i].object;
		check_memory(wm_object_sort(object));
		if (loader->build[i].runs_unknown)
			object->runs = 0;
		if (object->doubtful_count)
			qsort(object->doubtful, object->doubtful_count, sizeof(*object->doubtful),
				wm_doubtful_run_compare);
		if (!loader->build[i].late)
			loader->profile->object[loader->profile->object_count++] = *object;
	}
}

static int compare_objects(const void *a, const void *b)
{
	return wm_object_compare(a, b);
}

static void finish(struct loader *loader)
{
	struct wm_profile *profile = loader->profile;
	add_functions(loader);
	settle_all_claims(loader);
	add_objects(loader);
	wm_profile_sort_run_ids(profile);
	if (profile->object_count)
		qsort(profile->object, profile->object_count, sizeof(*profile->object), compare_objects);
	for (size_t i = 1; i < profile->object_count; i++)
		if (!wm_object_compare(&profile->object[i - 1], &profile->object[i]))
			fail_damaged(loader, "two builds have one identity");
	add_late(loader);
}

void wm_store_load(struct wm_profile_store *store, const struct wm_filter *filter, struct wm_profile *profile)
{
	struct wm_profile result;
	struct loader loader = {.store = store, .filter = filter, .profile = &result};
	struct wm_guard guard;
	wm_profile_init(&result);
	store->database->base.kind->begin(store->database, WM_READING);
	wm_guard_begin(&guard, wm_store_roll_back, store);
	wm_select_check_machines(store->database, filter);
	query_all(&loader);
	query_rows(&loader);
	wm_guard_end(&guard);
	finish(&loader);
	free(loader.build);
	free(loader.record);
	check_memory(!wm_profile_merge(profile, &result));
	wm_profile_release(&result);
}
