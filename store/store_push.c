/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writing a profile to the stage, from which the database takes it. */
#define XXH_INLINE_ALL
#include "abi/abi.h"
#include "profile/base/unfinished_paths.h"
#include "profile/collect.h"
#include "store/schema.h"
#include "store/store.h"
#include "support/attempt.h"
#include "support/fail.h"
#include "support/xalloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Epoch of the id of runs that have none. */
#define WITHOUT_ID UINT64_MAX

/*
 * The checksum of a run says with which content the store has it.  Versions of a store before 3 leave unfinished paths out, so theirs
 * is that of the profile without them (seed 0), and later ones do not know of a run that was stored then whether it had any.
 * Checksums of later versions cover them, and differ from all earlier ones (seed 3): a run that was stored without unfinished paths
 * is another run than the same with some.
 */
enum { SEED_WITHOUT_UNFINISHED = 0, SEED = WM_SCHEMA_WITH_UNFINISHED };

struct push {
	struct wm_profile_store *store;
	const struct wm_profile *profile;
	const struct wm_profile *bare; /* the same without unfinished paths; perhaps the same profile */
	const struct wm_push_facts *facts;
	struct wm_label_list labels; /* those of the facts, and `kind` */
	struct wm_run_id rest; /* of the runs without id; part 1: there are none */
	struct wm_sql_value digest; /* of what the one run has counted; NULL: it is one of several */
	struct wm_sql_value earlier; /* the same without unfinished paths; a store of an older version keeps this one */
	enum wm_staged staged;
	int64_t version; /* of the store */
};

static const struct wm_database_kind *kind_of(const struct push *push)
{
	return push->store->database->base.kind;
}

static void stage_begin(const struct push *push, const char *table, size_t columns)
{
	kind_of(push)->stage_begin(push->store->database, table, columns);
}

static void stage_row(const struct push *push, const struct wm_sql_value *row)
{
	kind_of(push)->stage_row(push->store->database, row);
}

static void stage_end(const struct push *push)
{
	kind_of(push)->stage_end(push->store->database);
}

/* Most numbers are 0, and NULL needs no room. */
static struct wm_sql_value sparse(uint64_t number)
{
	return number ? WM_SQL_NUMBER(number) : (struct wm_sql_value){.kind = WM_SQL_NULL};
}

static bool keeps_unfinished(const struct push *push)
{
	return push->version >= WM_SCHEMA_WITH_UNFINISHED;
}

static void stage_run(const struct push *push, const struct wm_run_id *id)
{
	const struct wm_sql_value row[] = {WM_SQL_NUMBER(id->high), WM_SQL_NUMBER(id->low), WM_SQL_NUMBER(id->epoch),
		WM_SQL_NUMBER(id->part), WM_SQL_NUMBER(id->start_time),
		keeps_unfinished(push) ? push->digest : push->earlier, push->earlier};
	stage_row(push, row);
}

static bool has_rest(const struct push *push)
{
	return !push->rest.part;
}

static void stage_runs(const struct push *push)
{
	if (keeps_unfinished(push))
		stage_begin(push, "stage_run (high, low, epoch, part, start, digest, earlier)", 7);
	else
		stage_begin(push, "stage_run (high, low, epoch, part, start, digest)", 6);
	for (size_t i = 0; i < push->profile->run_id_count; i++)
		stage_run(push, &push->profile->run_id[i]);
	if (has_rest(push))
		stage_run(push, &push->rest);
	stage_end(push);
}

struct times {
	int64_t first, last;
};

static void note_time(struct times *times, int64_t time)
{
	times->first = time < times->first ? time : times->first;
	times->last = time > times->last ? time : times->last;
}

/* When the last of the untested paths was seen for the first time; 0: it is not known. */
static int64_t last_first_seen(const struct wm_profile *profile)
{
	uint64_t last = 0;
	for (size_t o = 0; o < profile->object_count; o++)
		for (size_t f = 0; f < profile->object[o].function_count; f++)
			for (size_t i = 0; i < profile->object[o].function[f].path_count; i++) {
				uint64_t seen = profile->object[o].function[f].path[i].first_seen;
				last = seen > last ? seen : last;
			}
	return (int64_t)(last / 1000000);
}

/* From when to when the counts were made, as far as it is known. */
static struct times find_times(const struct push *push)
{
	const struct wm_push_facts *facts = push->facts;
	struct times times = {INT64_MAX, 0};
	for (size_t i = 0; i < push->profile->run_id_count; i++) {
		uint64_t start = push->profile->run_id[i].start_time;
		note_time(&times, start && start < INT64_MAX ? (int64_t)start : facts->now);
	}
	if (has_rest(push) || !push->profile->run_id_count)
		note_time(&times, facts->now);
	int64_t seen = last_first_seen(push->profile);
	times.last = seen > times.last ? seen : times.last;
	times.last = facts->until > times.last ? facts->until : times.last;
	times.last = facts->now < times.last ? facts->now : times.last;
	times.first = facts->since ? facts->since : times.first;
	times.first = times.last < times.first ? times.last : times.first;
	return times;
}

static void stage_bundle(const struct push *push)
{
	struct times times = find_times(push);
	struct wm_guard guard;
	char *labels = wm_label_list_text(&push->labels);
	wm_guard_begin(&guard, free, labels);
	const struct wm_sql_value row[] = {WM_SQL_STRING(labels), WM_SQL_NUMBER(push->profile->runs),
		WM_SQL_NUMBER(push->profile->kill_unsafe_runs), WM_SQL_NUMBER(push->profile->any_program),
		WM_SQL_NUMBER(times.first), WM_SQL_NUMBER(times.last), WM_SQL_STRING(push->facts->machine)};
	stage_begin(push, "stage_bundle (labels, runs, unsafe, any_program, first, last, machine)", 7);
	stage_row(push, row);
	stage_end(push);
	wm_guard_end(&guard);
	stage_begin(push, "stage_label (key, value)", 2);
	for (size_t i = 0; i < push->labels.count; i++)
		stage_row(push, (const struct wm_sql_value[]){WM_SQL_STRING(push->labels.label[i].key),
					WM_SQL_STRING(push->labels.label[i].value)});
	stage_end(push);
}

/* Later parts of a run add no run, and this is known. */
static bool runs_are_known(const struct push *push, const struct wm_profile_object *object)
{
	return object->runs || (push->profile->run_id_count && push->profile->run_id[0].part > 1 && !has_rest(push));
}

/* A name may have any bytes, and a database takes text. */
static void make_text(char *name)
{
	for (size_t length; *name; name += length) {
		length = wm_utf8_length(name);
		if (!length)
			*name = '?';
		length += !length;
	}
}

static void stage_objects(const struct push *push)
{
	stage_begin(push, "stage_object (object, build_id, program, runs)", 4);
	for (size_t i = 0; i < push->profile->object_count; i++) {
		const struct wm_profile_object *object = &push->profile->object[i];
		char build_id[2 * WM_BUILD_ID_MAX + 1] = "", program[WM_PROGRAM_MAX];
		snprintf(program, sizeof(program), "%s", object->program);
		make_text(program);
		for (size_t b = 0; b < object->build_id_size; b++)
			snprintf(build_id + 2 * b, 3, "%02x", object->build_id[b]);
		const struct wm_sql_value row[] = {WM_SQL_NUMBER(i), WM_SQL_STRING(build_id), WM_SQL_STRING(program),
			runs_are_known(push, object) ? WM_SQL_NUMBER(object->runs) : sparse(0)};
		stage_row(push, row);
	}
	stage_end(push);
}

static void stage_doubtful(const struct push *push)
{
	stage_begin(push, "stage_doubtful (object, start, pid, doubt)", 4);
	for (size_t i = 0; i < push->profile->object_count; i++)
		for (size_t d = 0; d < push->profile->object[i].doubtful_count; d++) {
			const struct wm_doubtful_run *run = &push->profile->object[i].doubtful[d];
			const struct wm_sql_value row[] = {WM_SQL_NUMBER(i), WM_SQL_NUMBER(run->start_time),
				WM_SQL_NUMBER(run->pid), WM_SQL_NUMBER(run->doubt)};
			stage_row(push, row);
		}
	stage_end(push);
}

static void stage_function(const struct push *push, size_t object, size_t number, const struct wm_profile_function *f)
{
	bool schemes = push->version >= WM_SCHEMA_WITH_SCHEMES;
	uint64_t flags = f->flags | (schemes ? (uint64_t)f->scheme << WM_FUNC_SCHEME_SHIFT : 0);
	const struct wm_sql_value row[] = {WM_SQL_NUMBER(number), WM_SQL_NUMBER(object), WM_SQL_NUMBER(f->key),
		WM_SQL_NUMBER(f->graph_hash), WM_SQL_NUMBER(f->source), WM_SQL_NUMBER(flags),
		WM_SQL_NUMBER(wm_function_is_apart(f)), sparse(f->doubt), sparse(f->entries), sparse(f->resumed),
		sparse(f->base_entries), sparse(f->base_resumed), sparse(f->lost)};
	stage_row(push, row);
}

static void stage_paths(const struct push *push, size_t object, size_t number, const struct wm_profile_function *f)
{
	(void)object;
	for (size_t i = 0; i < f->path_count; i++) {
		const struct wm_counted_path *path = &f->path[i];
		const struct wm_sql_value row[] = {WM_SQL_NUMBER(number), WM_SQL_NUMBER(path->id), sparse(path->count),
			sparse(path->base), sparse(path->first_seen), sparse(path->pid)};
		stage_row(push, row);
	}
}

static void stage_unfinished(const struct push *push, size_t object, size_t number, const struct wm_profile_function *f)
{
	(void)object;
	for (size_t i = 0; i < f->unfinished_count; i++) {
		const struct wm_unfinished_path *path = &f->unfinished[i];
		const struct wm_sql_value row[] = {WM_SQL_NUMBER(number), WM_SQL_NUMBER(path->site),
			WM_SQL_NUMBER(path->sum), WM_SQL_NUMBER(path->count)};
		stage_row(push, row);
	}
}

/* What is staged of each function, with the columns. */
struct rows {
	const char *table;
	size_t columns;
	void (*stage)(const struct push *push, size_t object, size_t number, const struct wm_profile_function *f);
};
static const struct rows tallies = {
	"stage_function (function, object, key, graph, source, flags, apart, doubt, entries,"
	" resumed, base_entries, base_resumed, lost)",
	13, stage_function};
static const struct rows paths = {"stage_path (function, path, count, base, first_seen, pid)", 6, stage_paths};
static const struct rows unfinished = {"stage_unfinished (function, site, sum, count)", 4, stage_unfinished};

/* As in an indexed profile, a function is stored only if there is something to say of it. */
static void stage_functions(const struct push *push, const struct rows *rows)
{
	size_t number = 0;
	stage_begin(push, rows->table, rows->columns);
	for (size_t i = 0; i < push->profile->object_count; i++)
		for (size_t f = 0; f < push->profile->object[i].function_count; f++) {
			const struct wm_profile_function *function = &push->profile->object[i].function[f];
			if (wm_function_is_worth_storing(function))
				rows->stage(push, i, number++, function);
		}
	stage_end(push);
}

static void take_version(void *closure, const struct wm_sql_value *value)
{
	*(int64_t *)closure = value->kind == WM_SQL_INTEGER ? value->integer : 1;
}

/* Those who may only push cannot call wm_store_version(). */
static int64_t version_for_push(const struct push *push)
{
	int64_t version = 1;
	kind_of(push)->query(push->store->database,
		&(struct wm_sql_query){
			.sql = kind_of(push)->version, .columns = 1, .take = take_version, .closure = &version});
	return version;
}

static void stage_all(const struct push *push)
{
	stage_bundle(push);
	stage_objects(push);
	stage_doubtful(push);
	stage_functions(push, &tallies);
	stage_functions(push, &paths);
	if (keeps_unfinished(push))
		stage_functions(push, &unfinished);
}

static void do_push(void *argument)
{
	struct push *push = argument;
	struct wm_database *database = push->store->database;
	struct wm_guard guard;
	wm_guard_begin(&guard, wm_store_roll_back, push->store);
	kind_of(push)->begin(database, WM_PUSHING);
	kind_of(push)->stage_open(database);
	push->version = version_for_push(push);
	push->profile = keeps_unfinished(push) ? push->profile : push->bare;
	stage_runs(push);
	push->staged = kind_of(push)->stage_compare(database);
	if (push->staged == WM_STAGED_NEW) {
		stage_all(push);
		kind_of(push)->stage_take(database);
	}
	kind_of(push)->commit(database);
	wm_guard_end(&guard); /* Nothing is open any more. */
}

static char *reason_of(const struct push *push)
{
	switch (push->staged) {
	case WM_STAGED_NEW:
	case WM_STAGED_STORED:
		return NULL;
	case WM_STAGED_OTHER:
		return wm_xstrdup(
			"the store has the same run with other counts, perhaps from a file that was copied or "
			"pushed while the program ran, or before it was damaged");
	case WM_STAGED_UNSURE:
		return wm_xstrdup(
			"the store has the run as part of a sum, and whether with all its counts is not known");
	case WM_STAGED_SHARED:
		return wm_xstrdup(
			"the store has some of its runs already, and their counts would be added twice; push the "
			"profiles of the other runs alone");
	case WM_STAGED_PARTS:
		return wm_xstrdup(
			"the store has increments of one of its runs, which `waymark push` stored while the program "
			"ran, and the same counts would be added twice; let `waymark push` finish");
	}
	return NULL;
}

static char *refusal(const struct wm_profile *profile, const struct wm_label_list *labels)
{
	const char *kind = wm_label_list_find(labels, "kind");
	if (kind && !strcmp(kind, "test") && wm_profile_is_residual(profile))
		return wm_xstrdup(
			"it counts only untested paths, and the tests are compared by all; run them with a program "
			"built without -fwaymark-residual");
	if (wm_profile_has_branches(profile))
		return wm_xstrdup(
			"it has paths of machine code (`waymark hw`), which a store does not hold; merge it as a file");
	if (!profile->runs && !profile->run_id_count)
		return wm_xstrdup("it is the sum of no run");
	for (size_t i = 0; i < profile->run_id_count; i++)
		if (profile->run_id[i].part == WM_PART_UNFINISHED)
			return wm_xstrdup(
				"it has counts of a program that ran on, from a snapshot or from a file that was "
				"merged while the program ran; store the profile of the whole run");
	return NULL;
}

/* The checksum of the profile in its canonical form, so that it is the same for a copy. */
static XXH128_hash_t checksum(const struct wm_profile *profile, XXH64_hash_t seed)
{
	uint8_t *data;
	size_t size;
	if (wm_indexed_write(profile, &data, &size))
		wm_no_memory();
	XXH128_hash_t hash = XXH3_128bits_withSeed(data, size, seed);
	free(data);
	return hash;
}

static void identify(struct push *push)
{
	const struct wm_profile *profile = push->profile;
	XXH128_hash_t hash = checksum(push->bare, SEED_WITHOUT_UNFINISHED);
	bool all_known = profile->run_id_count && profile->run_id_count >= profile->runs;
	push->rest = all_known ? (struct wm_run_id){.part = 1}
			       : (struct wm_run_id){.high = hash.high64, .low = hash.low64 | 1, .epoch = WITHOUT_ID};
	if (profile->run_id_count + has_rest(push) != 1)
		return;
	push->digest = WM_SQL_NUMBER(checksum(profile, SEED).low64);
	push->earlier = WM_SQL_NUMBER(hash.low64);
}

/* What the database refuses is no failure: it would refuse it again. */
static char *try_push(struct push *push)
{
	struct wm_attempt attempt = {0};
	struct wm_database_base *base = &push->store->database->base;
	base->refusal[0] = 0;
	if (wm_attempt_run(&attempt, do_push, push))
		return reason_of(push);
	if (!*base->refusal)
		wm_attempt_fail_again(&attempt);
	free(attempt.sentence);
	push->staged = WM_STAGED_OTHER;
	return wm_xprintf("the store refuses it (%s)", base->refusal);
}

static enum wm_push_result result_of(const struct push *push)
{
	switch (push->staged) {
	case WM_STAGED_NEW:
		return WM_PUSH_STORED;
	case WM_STAGED_STORED:
		return WM_PUSH_KNOWN;
	case WM_STAGED_UNSURE:
		return WM_PUSH_UNSURE;
	case WM_STAGED_SHARED:
	case WM_STAGED_PARTS:
	case WM_STAGED_OTHER:
		return WM_PUSH_REFUSED;
	}
	return WM_PUSH_REFUSED;
}

static void release_labels(void *labels)
{
	wm_label_list_release(labels);
}

static enum wm_push_result push_both(struct wm_profile_store *store, const struct wm_profile *profile,
	const struct wm_profile *bare, const struct wm_push_facts *facts, char **reason)
{
	struct push push = {.store = store, .profile = profile, .bare = bare, .facts = facts};
	struct wm_guard guard;
	wm_guard_begin(&guard, release_labels, &push.labels);
	for (size_t i = 0; i < facts->labels->count; i++)
		wm_label_list_add(&push.labels, facts->labels->label[i].key, facts->labels->label[i].value);
	wm_label_list_add_kind(&push.labels);
	*reason = refusal(profile, &push.labels);
	push.staged = WM_STAGED_OTHER;
	if (!*reason) {
		identify(&push);
		*reason = try_push(&push);
	}
	wm_guard_end(&guard);
	return result_of(&push);
}

static void release_profile(void *profile)
{
	wm_profile_release(profile);
}

enum wm_push_result wm_store_push(struct wm_profile_store *store, const struct wm_profile *profile,
	const struct wm_push_facts *facts, char **reason)
{
	struct wm_profile bare;
	struct wm_guard guard;
	if (!wm_profile_has_unfinished(profile))
		return push_both(store, profile, profile, facts, reason);
	wm_profile_init(&bare);
	if (wm_profile_merge(&bare, profile))
		wm_no_memory();
	wm_profile_drop_unfinished(&bare);
	wm_guard_begin(&guard, release_profile, &bare);
	enum wm_push_result result = push_both(store, profile, &bare, facts, reason);
	wm_guard_end(&guard);
	return result;
}
