/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/join/story.h"
#include "core/base/search.h"
#include "policy/system_headers.h"
#include "profile/map/identity.h"
#include "support/string_builder.h"
#include "support/xalloc.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void wm_story_note(struct wm_story *story, char *text)
{
	WM_XGROW(story->note, story->note_count);
	story->note[story->note_count++] = text;
}

void wm_story_list_refusal(struct wm_story *story, const struct wm_story_function *function, const char *reason)
{
	WM_XGROW(story->refused, story->refused_count);
	story->refused[story->refused_count++] = (struct wm_story_refusal){wm_xstrdup(function->map->name),
		wm_xstrdup(reason), function->object->path, function->program, function->map->key};
}

char *wm_doubt_text(uint32_t doubt, uint64_t lost)
{
	if (doubt & WM_DOUBT_THREADS)
		return wm_xstrdup("a thread without counters of its own ran, so counts may be wrong; compile with "
				  "-fwaymark-update=atomic");
	if (doubt & WM_DOUBT_PROCESS)
		return wm_xstrdup("a process that was not made by fork() shared its counters; start it by fork, or "
				  "compile with -fwaymark-update=atomic");
	if (doubt & WM_DOUBT_LOST)
		return wm_xprintf(
			"%" PRIu64
			" or more of its counts are not in the profile: there was no memory, or the file could "
			"not grow (a full disk, a file size limit, or a program that closes all descriptors and enters "
			"a chroot or changes its user); run again with more space, or with a WAYMARK_FILE that stays "
			"reachable",
			lost);
	if (doubt & WM_DOUBT_SATURATED)
		return wm_xstrdup(
			"a sum of counts has reached the largest number that can be stored; merge fewer runs");
	if (doubt & WM_DOUBT_NAMES)
		return wm_xstrdup("two of its paths were counted under one number; merge fewer runs");
	if (doubt & WM_DOUBT_SCHEMES)
		return wm_xstrdup(
			"profiles name two schemes for the same counts, so that one of them is damaged; merge "
			"them one by one to find it");
	return wm_xprintf("the profile marks its counts as doubtful (%#" PRIx32 ")", doubt);
}

/* Finding the function that a record counts */

static int compare_words(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

int wm_story_identity(const struct wm_story_function *a, const struct wm_story_function *b)
{
	int order = compare_words(a->map->key, b->map->key);
	if (!order)
		order = compare_words(wm_story_hash(a), wm_story_hash(b));
	return order ? order : compare_words(a->program, b->program);
}

bool wm_story_has_binary(const struct wm_story_function *function, size_t binary)
{
	return function->binary ? function->binary[binary] : function->program == binary;
}

/* The functions with a key, in any graph and binary. */
struct range {
	struct wm_story_function *first, *end;
};

static struct range find_key(const struct wm_story *story, uint64_t key)
{
	size_t i;
	WM_LOWER_BOUND(i, 0, story->function_count, story->function[i].map->key < key);
	struct range range = {&story->function[i], &story->function[i]};
	while (range.end < story->function + story->function_count && range.end->map->key == key)
		range.end++;
	return range;
}

/* Whether the record contains information.  A residual function without counts does: it took no untested path. */
static bool tells_anything(const struct wm_profile_function *record)
{
	return record->path_count || record->unfinished_count || record->entries || record->resumed || record->doubt ||
	       record->base_entries || record->flags & WM_FUNC_RESIDUAL;
}

/* Finding the binary */

/* A claimed build-id is believed for the program whose profiles the writer may push. */
static bool same_build(const struct wm_object *binary, const struct wm_profile_object *object)
{
	return (!object->claimed || !strcmp(binary->program, object->program)) && wm_object_is_build(binary, object);
}

static bool ran_itself(const struct wm_story *story, const struct wm_object *binary)
{
	return binary->build_id_size && wm_profile_find_object(story->profile, binary->build_id, binary->build_id_size);
}

static bool has_graph(const struct wm_story *story, size_t program, const struct wm_profile_function *record)
{
	struct range range = find_key(story, record->key);
	for (const struct wm_story_function *f = range.first; f < range.end; f++)
		if (wm_story_has_binary(f, program) && wm_story_hash(f) == record->graph_hash &&
			f->map->status != WM_SKIPPED)
			return true;
	return false;
}

static size_t count_graphs(const struct wm_story *story, size_t program, const struct wm_profile_object *object)
{
	size_t count = 0;
	for (size_t f = 0; f < object->function_count; f++)
		count += has_graph(story, program, &object->function[f]);
	return count;
}

static bool has_key(const struct wm_story *story, size_t program, uint64_t key)
{
	struct range range = find_key(story, key);
	for (const struct wm_story_function *f = range.first; f < range.end; f++)
		if (wm_story_has_binary(f, program))
			return true;
	return false;
}

static bool has_all_functions(const struct wm_story *story, size_t program, const struct wm_profile_object *object)
{
	size_t told = 0;
	for (size_t f = 0; f < object->function_count; f++) {
		if (!tells_anything(&object->function[f]))
			continue;
		if (!has_key(story, program, object->function[f].key))
			return false;
		told++;
	}
	return told;
}

static struct wm_owner owner_by_name(const struct wm_story *story, const struct wm_profile_object *object)
{
	struct wm_owner owner = {WM_OWNER_NONE, 0};
	size_t most = 0;
	for (size_t i = 0; i < story->object_count; i++) {
		if (strcmp(story->object[i].program, object->program) != 0)
			continue;
		size_t count = count_graphs(story, i, object);
		if (owner.kind == WM_OWNER_NONE || count > most)
			owner = (struct wm_owner){WM_OWNER_PROGRAM, i};
		most = count > most ? count : most;
	}
	return owner;
}

static struct wm_owner owner_by_functions(const struct wm_story *story, const struct wm_profile_object *object)
{
	struct wm_owner owner = {WM_OWNER_NONE, 0};
	for (size_t i = 0; i < story->object_count; i++)
		if (!ran_itself(story, &story->object[i]) && has_all_functions(story, i, object))
			owner = (struct wm_owner){owner.kind == WM_OWNER_NONE ? WM_OWNER_LIKELY : WM_OWNER_UNCLEAR, i};
	return owner;
}

static struct wm_owner find_owner(const struct wm_story *story, const struct wm_profile_object *object)
{
	for (size_t i = 0; i < story->object_count; i++)
		if (same_build(&story->object[i], object))
			return (struct wm_owner){WM_OWNER_BUILD, i};
	if (story->profile->any_program)
		return (struct wm_owner){WM_OWNER_ANY, 0};
	return *object->program ? owner_by_name(story, object) : owner_by_functions(story, object);
}

/* Placing the records of one object */

enum { NAMED = 3 };
struct left_out {
	size_t count, named_count;
	const char *named[NAMED]; /* linkage names of the first ones; profiles contain none */
};

/* Records without information are never left out. */
struct tally {
	size_t matched;
	struct left_out stale; /* not in the map, or not with this graph */
	struct left_out bodies; /* inline bodies of functions that are defined outside of the binary */
};

static void leave_out(struct left_out *list, const char *name_or_null)
{
	list->count++;
	if (name_or_null && list->named_count < NAMED)
		list->named[list->named_count++] = name_or_null;
}

static void add_record(struct wm_story_function *function, const struct wm_profile_function *record)
{
	WM_XGROW(function->records.record, function->records.count);
	function->records.record[function->records.count++] = record;
}

/* Doubtful counts are kept apart and not reported.  If the object has other runs, a note about the object says what is
 * left out; otherwise the function is refused. */
static void place_apart(struct wm_story_function *function, const struct wm_profile_function *record,
	const struct wm_profile_object *object)
{
	if (object->runs > object->doubtful_count)
		return;
	function->records.apart_doubt |= record->doubt;
	function->records.apart_lost += record->lost;
}

/* Of an inline body, nothing is to be said if no binary has the definition: it is not instrumented, as those of the C
 * library, or its object is not given, and note_others() says that. */
static void place_unknown(const struct wm_object *binary, struct range definitions, uint64_t key, struct tally *tally)
{
	const char *name = wm_map_find_outside(&binary->map, key);
	if (!name)
		leave_out(&tally->stale, NULL);
	else if (definitions.first < definitions.end)
		leave_out(&tally->bodies, name);
}

static void place_stale(struct wm_story_function *function, struct tally *tally)
{
	leave_out(&tally->stale, function->map->name);
	function->records.stale = true;
}

/* Whether the records of an object belong to a binary, or to all. */
static bool is_told(struct wm_owner owner)
{
	return owner.kind != WM_OWNER_NONE && owner.kind != WM_OWNER_UNCLEAR;
}

static bool is_own(const struct wm_story *story, struct wm_owner owner, const struct wm_story_function *function)
{
	return story->profile->any_program || (is_told(owner) && wm_story_has_binary(function, owner.binary));
}

static bool counts_for(const struct wm_story *story, const struct wm_profile_function *record,
	const struct wm_story_function *function, bool own)
{
	const struct wm_function_identity here = {function->map->key, wm_story_hash(function), function->source};
	const struct wm_function_identity there = wm_record_identity(record);
	return function->map->status != WM_SKIPPED && (own || story->kind == WM_STORY_OF_TESTS) &&
	       wm_same_function(&here, &there, own);
}

static void place_at(struct wm_story_function *function, const struct wm_profile_function *record,
	const struct wm_profile_object *object)
{
	if (!tells_anything(record))
		return;
	if (wm_function_is_apart(record))
		place_apart(function, record, object);
	else
		add_record(function, record);
}

static void place_record(struct wm_story *story, struct wm_owner owner, const struct wm_profile_object *object,
	const struct wm_profile_function *record, struct tally *tally)
{
	struct range range = find_key(story, record->key);
	struct wm_story_function *first = NULL; /* in its own binary */
	bool placed = false, placed_own = false;
	for (struct wm_story_function *f = range.first; f < range.end; f++) {
		bool own = is_own(story, owner, f);
		first = first || !own ? first : f;
		if (!counts_for(story, record, f, own))
			continue;
		place_at(f, record, object);
		placed = true;
		placed_own |= own;
	}
	tally->matched += placed;
	if (placed_own || !is_told(owner) || !tells_anything(record))
		return;
	if (first)
		place_stale(first, tally);
	else
		place_unknown(&story->object[owner.binary], range, record->key, tally);
}

/* Notes */

/* "xz (build-id 12ab)", "the object with build-id 12ab": heap. */
static char *object_name(const struct wm_profile_object *object)
{
	char id[2 * WM_BUILD_ID_MAX + 1];
	wm_build_id_text(object->build_id, object->build_id_size, id);
	const char *text = *id ? id : "none";
	return *object->program ? wm_xprintf("%s (build-id %s)", object->program, text)
				: wm_xprintf("an object with build-id %s", text);
}

static char *other_build(const char *name, const char *how, const char *path, size_t functions, size_t matched)
{
	return wm_xprintf("the profile has counts of %s, %s %s: %zu of its %zu functions have the same graph here and "
			  "are used, %zu are left out",
		name, how, path, matched, functions, functions - matched);
}

/* ": f(int), g", heap; "" if no name is known. */
static char *names_text(const struct left_out *list)
{
	struct wm_string text = {0};
	for (size_t i = 0; i < list->named_count; i++) {
		char *name = wm_demangle(list->named[i]);
		wm_string_add(&text, "%s%s", i ? ", " : ": ", name);
		free(name);
	}
	if (text.length && list->count != list->named_count)
		wm_string_add(&text, " and %zu more", list->count - list->named_count);
	return wm_string_text(&text);
}

/* The counts of this very binary that are left out. */
static void note_left_out(struct wm_story *story, const char *path, const struct tally *tally)
{
	size_t stale = tally->stale.count, bodies = tally->bodies.count;
	char *stale_names = names_text(&tally->stale), *body_names = names_text(&tally->bodies);
	if (stale)
		wm_story_note(story,
			wm_xprintf("%s: %zu counted function%s not in its map, or not with this graph, and "
				   "%s left out%s",
				path, stale, stale == 1 ? " is" : "s are", stale == 1 ? "is" : "are", stale_names));
	if (bodies)
		wm_story_note(story,
			wm_xprintf(
				"%s: its map has no definition of %zu function%s whose inline bodies were counted; the "
				"counts are left out, because calls of the definition%s are not among them%s",
				path, bodies, bodies == 1 ? "" : "s", bodies == 1 ? "" : "s", body_names));
	free(stale_names);
	free(body_names);
}

static void note_owner(struct wm_story *story, const struct wm_profile_object *object, struct wm_owner owner,
	const struct tally *tally)
{
	const char *path = story->object[owner.binary].path;
	size_t functions = object->function_count;
	char *name = object_name(object), *text = NULL;
	switch (owner.kind) {
	case WM_OWNER_BUILD:
		note_left_out(story, path, tally);
		break;
	case WM_OWNER_PROGRAM:
		text = other_build(name, "another build of", path, functions, tally->matched);
		break;
	case WM_OWNER_LIKELY:
		text = other_build(name, "whose program is not recorded and which is taken for another build of", path,
			functions, tally->matched);
		break;
	case WM_OWNER_ANY:
		text = wm_xprintf("the profile has counts of %s, none of the binaries given: %zu of its %zu functions "
				  "are in them with the same graph and are used, because of --any-program",
			name, tally->matched, functions);
		break;
	case WM_OWNER_UNCLEAR:
		text = wm_xprintf("the profile has counts of %s, which may be another build of several of the binaries "
				  "given: its %zu functions are left out; give one binary at a time",
			name, functions);
		break;
	case WM_OWNER_NONE: /* note_others() */
		break;
	}
	free(name);
	if (text)
		wm_story_note(story, text);
}

/* Whether an earlier object of another program has the name, as builds of one program do. */
static bool is_named(const struct wm_story *story, size_t index)
{
	const char *program = story->profile->object[index].program;
	bool named = false;
	for (size_t i = 0; i < index && *program; i++)
		named |= story->owner[i].kind == WM_OWNER_NONE &&
			 strcmp(story->profile->object[i].program, program) == 0;
	return named;
}

/* A profile may be of many programs: one note for all that are not asked for, with the name of each program once.  Who did not ask
 * for them has no use for their build-ids. */
static void note_others(struct wm_story *story, size_t matched)
{
	enum { SHOWN = 3 };
	size_t objects = 0, named = 0, functions = 0;
	struct wm_string names = {0};
	for (size_t i = 0; i < story->profile->object_count; i++) {
		const struct wm_profile_object *object = &story->profile->object[i];
		if (story->owner[i].kind != WM_OWNER_NONE)
			continue;
		functions += object->function_count;
		objects++;
		if (is_named(story, i) || named++ >= SHOWN)
			continue;
		char *name = *object->program ? wm_xstrdup(object->program) : object_name(object);
		wm_string_add(&names, "%s%s", named == 1 ? "" : ", ", name);
		free(name);
	}
	char *fate =
		matched ? wm_xprintf("%zu of %s %zu function%s %s the same source here and %s used, %zu %s left out",
				  matched, objects == 1 ? "its" : "their", functions, functions == 1 ? "" : "s",
				  matched == 1 ? "has" : "have", matched == 1 ? "is" : "are", functions - matched,
				  functions - matched == 1 ? "is" : "are")
			: wm_xprintf("%zu functions are left out; name the binaries too, or use --any-program if "
				     "counts of other programs are valid for these",
				  functions);
	if (objects)
		wm_story_note(story, wm_xprintf("the profile has counts of %zu object%s that %s none of the programs "
						"given (%s%s): %s",
					     objects, objects == 1 ? "" : "s", objects == 1 ? "is" : "are", names.text,
					     named > SHOWN ? ", ..." : "", fate));
	free(fate);
	free(names.text);
}

/* ": pid 12 of 2026-11-15 05:15:41 UTC, …", the runs with this doubt: heap. */
static char *runs_text(const struct wm_profile_object *object, uint32_t doubt)
{
	enum { SHOWN = 3 };
	struct wm_string text = {0};
	size_t count = 0;
	for (size_t i = 0; i < object->doubtful_count; i++) {
		const struct wm_doubtful_run *run = &object->doubtful[i];
		if (!(run->doubt & doubt) || count++ >= SHOWN)
			continue;
		uint64_t time = run->start_time < UINT64_MAX / 1000000 ? run->start_time * 1000000 : UINT64_MAX;
		wm_string_add(
			&text, "%s process %" PRIu64 " of %s", count == 1 ? "" : ",", run->pid, wm_time_text(time));
	}
	if (count > SHOWN)
		wm_string_add(&text, " and %zu more", count - SHOWN);
	return wm_string_text(&text);
}

static void note_doubt(struct wm_story *story, const struct wm_profile_object *object, uint32_t doubt, const char *what)
{
	size_t count = 0;
	for (size_t i = 0; i < object->doubtful_count; i++)
		count += !!(object->doubtful[i].doubt & doubt);
	if (!count)
		return;
	char *name = object_name(object), *runs = runs_text(object, doubt);
	wm_story_note(story, wm_xprintf("%s of %s runs of %s %s %s:%s", wm_thousands(count), wm_thousands(object->runs),
				     name, count == 1 ? "is" : "are", what, runs));
	free(name);
	free(runs);
}

static void note_doubtful(struct wm_story *story, const struct wm_profile_object *object)
{
	note_doubt(story, object, WM_DOUBT_THREADS,
		"left out, because a thread without counters of its own ran (compile with -fwaymark-update=atomic)");
	note_doubt(story, object, WM_DOUBT_PROCESS,
		"left out, because a process that was not made by fork() shared the counters");
	note_doubt(story, object, WM_DOUBT_LOST,
		"left out for functions for whose counts there was no memory, or whose profile could not grow");
}

/* A function is refused if all its counts are for another graph, unless it is in a system header.  If there are also counts for its own graph, counts of
 * other builds for another graph are left out, and the note about the build says so. */
static void refuse_stale(struct wm_story *story)
{
	for (size_t i = 0; i < story->function_count; i++) {
		struct wm_story_function *stale = &story->function[i];
		struct range range = find_key(story, stale->map->key);
		bool told = false;
		if (!stale->records.stale)
			continue;
		for (const struct wm_story_function *f = range.first; f < range.end; f++)
			told |= wm_story_has_binary(f, stale->program) && (f->records.count || f->records.apart_doubt);
		if (told || strcmp(stale->map->reason, WM_SYSTEM_REASON) == 0)
			continue;
		const char *reason = stale->map->status == WM_SKIPPED
					     ? "the profile is of a build that instruments it, and the binary does not"
					     : "the profile is of another version of its graph; rebuild or re-run";
		if (stale->state == WM_STORY_IDLE)
			wm_story_refuse(stale, wm_xstrdup(reason));
		else
			wm_story_list_refusal(story, stale, reason);
	}
}

void wm_story_place(struct wm_story *story)
{
	const struct wm_profile *profile = story->profile;
	size_t shared = 0;
	story->owner = wm_xmalloc((profile->object_count + 1) * sizeof *story->owner);
	for (size_t i = 0; i < profile->object_count; i++) {
		const struct wm_profile_object *object = &profile->object[i];
		struct wm_owner owner = story->owner[i] = find_owner(story, object);
		struct tally tally = {0};
		for (size_t f = 0; f < object->function_count; f++)
			place_record(story, owner, object, &object->function[f], &tally);
		story->matched += tally.matched;
		shared += owner.kind == WM_OWNER_NONE ? tally.matched : 0;
		note_owner(story, object, owner, &tally);
		if (is_told(owner))
			note_doubtful(story, object);
		story->doubtful_runs += is_told(owner) ? object->doubtful_count : 0;
	}
	note_others(story, shared);
	refuse_stale(story);
}
