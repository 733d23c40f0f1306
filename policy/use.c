/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/use.h"
#include "abi/sequence.h"
#include "core/scheme/pieces.h"
#include "policy/known.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool wm_use_is_of_other_stage(const struct wm_profile *profile, enum wm_cfg_stage stage)
{
	size_t count = 0;
	for (size_t o = 0; o < profile->object_count; o++)
		for (size_t f = 0; f < profile->object[o].function_count; f++, count++)
			if (!(profile->object[o].function[f].flags & WM_FUNC_OPTIMISED) == (stage == WM_CFG_SOURCE))
				return false;
	return count;
}

bool wm_use_is_across(const struct wm_profile *profile)
{
	for (size_t o = 0; o < profile->object_count; o++)
		for (size_t f = 0; f < profile->object[o].function_count; f++)
			if (profile->object[o].function[f].flags & WM_FUNC_UNIT)
				return true;
	return false;
}

/* ---- The scheme ------------------------------------------------------------------------ */

/* The largest k that is tried without being told. */
#define MOST_ITERATIONS 16u

/* The records of a function with this graph hash, also those without paths. */
struct records {
	struct wm_map_function function;
	struct wm_known known;
};

static const struct wm_profile_function *first_record(
	struct records *records, const struct wm_use_request *request, uint64_t graph_hash)
{
	records->function = *request->function;
	records->function.graph_hash = graph_hash;
	records->known = (struct wm_known){.profile = request->profile, .function = &records->function, .idle = true};
	return wm_known_next(&records->known);
}

static const struct wm_profile_function *next_record(struct records *records)
{
	return wm_known_next(&records->known);
}

/* Of the graph of the function with a scheme. */
static uint64_t hash_with(const struct wm_use_request *request, const char *scheme)
{
	struct wm_map_function function = *request->function;
	function.scheme = scheme;
	return wm_map_has_origins(&function) ? wm_map_inlined_hash(request->module, &function)
					     : wm_map_graph_hash(&function.graph, scheme);
}

static bool is_known_as(const struct wm_use_request *request, const char *scheme)
{
	struct records records;
	return first_record(&records, request, hash_with(request, scheme));
}

/* Whether the profile has counts by the scheme, or by the scheme with names for paths; *found is its text, in the arena.
 * WM_UNKNOWN: it has none. */
static enum wm_status try_scheme(
	const char **found, const struct wm_use_request *request, const char *scheme, struct wm_arena *arena)
{
	static const char *const suffix[] = {"", WM_SEQUENCES};
	size_t size = strlen(scheme) + sizeof WM_SEQUENCES;
	char *text = WM_NEW(arena, char, size);
	if (!text)
		return WM_NO_MEMORY;
	for (int i = 0; i < 2; i++) {
		struct wm_scheme_choice choice;
		snprintf(text, size, "%s%s", scheme, suffix[i]);
		if (wm_scheme_parse(text, &choice) != WM_OK || !is_known_as(request, text))
			continue;
		*found = text;
		return WM_OK;
	}
	return WM_UNKNOWN;
}

static enum wm_status find_scheme(const char **found, const struct wm_use_request *request, struct wm_arena *arena)
{
	enum wm_status status = WM_UNKNOWN;
	if (request->scheme)
		return try_scheme(found, request, request->scheme, arena);
	status = try_scheme(found, request, wm_scheme_acyclic.name, arena);
	if (status == WM_UNKNOWN)
		status = try_scheme(found, request, wm_scheme_loopcontext.name, arena);
	for (unsigned k = 1; status == WM_UNKNOWN && k <= MOST_ITERATIONS; k++) {
		char text[32];
		snprintf(text, sizeof text, "%s=%u", wm_scheme_kiter.name, k);
		status = try_scheme(found, request, text, arena);
	}
	return status;
}

/* Whether a function of the same file ran.  Then the program had the function, too. */
static bool has_source(const struct wm_profile *profile, uint64_t source)
{
	for (size_t o = 0; source && o < profile->object_count; o++)
		for (size_t f = 0; f < profile->object[o].function_count; f++)
			if (profile->object[o].function[f].source == source)
				return true;
	return false;
}

/* Whether counts of the function are in doubt. */
static bool is_doubtful(const struct wm_profile *profile, uint64_t key)
{
	for (size_t o = 0; o < profile->object_count; o++) {
		const struct wm_profile_object *object = &profile->object[o];
		const struct wm_profile_function *f = wm_object_find_key(object, key);
		for (; f && f < object->function + object->function_count && f->key == key; f++)
			if (f->doubt)
				return true;
	}
	return false;
}

static enum wm_use_state state_of_others(const struct wm_use_request *request)
{
	const struct wm_map_function *function = request->function;
	if (is_doubtful(request->profile, function->key))
		return WM_USE_UNKNOWN;
	if (wm_known_function(request->profile, function))
		return WM_USE_STALE;
	return has_source(request->profile, function->own_source) ? WM_USE_IDLE : WM_USE_UNKNOWN;
}

enum wm_status wm_use_find(struct wm_use *use, const struct wm_use_request *request, struct wm_arena *arena)
{
	struct wm_scheme_choice choice;
	*use = (struct wm_use){.state = WM_USE_RAN};
	enum wm_status status = find_scheme(&use->scheme, request, arena);
	if (status == WM_UNKNOWN)
		use->state = state_of_others(request);
	if (status != WM_OK)
		return status == WM_UNKNOWN ? WM_OK : status;
	use->graph_hash = hash_with(request, use->scheme);
	wm_scheme_parse(use->scheme, &choice);
	return wm_plan_choose(&use->plan, &request->function->graph, &choice, 0, arena);
}

/* ---- The counts ------------------------------------------------------------------------ */

static bool is_path(const struct wm_use *use, const struct wm_counted_path *path)
{
	if (use->plan.sequences)
		return path->count && !(path->id & WM_NAME_BIT);
	return path->count && path->id < use->plan.numbering.path_count;
}

static size_t collect_paths(const struct wm_use *use, const struct wm_use_request *request, struct wm_use_path *into)
{
	struct records records;
	const struct wm_profile_function *counts;
	size_t count = 0;
	for (counts = first_record(&records, request, use->graph_hash); counts; counts = next_record(&records))
		for (size_t i = 0; i < counts->path_count; i++) {
			if (!is_path(use, &counts->path[i]))
				continue;
			if (into)
				into[count] = (struct wm_use_path){counts->path[i].id, counts->path[i].count};
			count++;
		}
	return count;
}

static int by_id(const void *left, const void *right)
{
	uint64_t a = ((const struct wm_use_path *)left)->id, b = ((const struct wm_use_path *)right)->id;
	return (a > b) - (a < b);
}

static uint64_t add(uint64_t a, uint64_t b)
{
	return __builtin_add_overflow(a, b, &a) || a > INT64_MAX ? INT64_MAX : a;
}

static enum wm_status find_paths(struct wm_use *use, const struct wm_use_request *request, struct wm_arena *arena)
{
	size_t count = collect_paths(use, request, NULL);
	use->path = WM_NEW(arena, struct wm_use_path, count + 1);
	if (!use->path)
		return WM_NO_MEMORY;
	collect_paths(use, request, use->path);
	qsort(use->path, count, sizeof *use->path, by_id);
	for (size_t i = 0; i < count; i++) {
		struct wm_use_path *last = use->path_count ? &use->path[use->path_count - 1] : NULL;
		use->executions = add(use->executions, use->path[i].count);
		if (last && last->id == use->path[i].id)
			last->count = add(last->count, use->path[i].count);
		else
			use->path[use->path_count++] = use->path[i];
	}
	return WM_OK;
}

/* Entries that were counted include activations that were left inside a call. */
static uint64_t counted_entries(const struct wm_use *use, const struct wm_use_request *request)
{
	struct records records;
	const struct wm_profile_function *counts;
	uint64_t sum = 0;
	for (counts = first_record(&records, request, use->graph_hash); counts; counts = next_record(&records))
		if (counts->flags & WM_FUNC_ENTRIES)
			sum = add(sum, counts->entries);
	return sum;
}

/* Where the names of paths are found. */
struct names {
	const struct wm_use *use;
	const struct wm_use_request *request;
};

static int by_path_id(const void *left, const void *right)
{
	uint64_t a = ((const struct wm_counted_path *)left)->id, b = ((const struct wm_counted_path *)right)->id;
	return (a > b) - (a < b);
}

static bool find_name(const void *closure, uint64_t name, uint64_t *value)
{
	const struct names *names = closure;
	const struct wm_counted_path key = {.id = name}, *found = NULL;
	struct records records;
	const struct wm_profile_function *counts = first_record(&records, names->request, names->use->graph_hash);
	for (; !found && counts; counts = next_record(&records))
		found = bsearch(&key, counts->path, counts->path_count, sizeof key, by_path_id);
	*value = found ? (found->count ? found->count : found->base) - 1 : 0;
	return found;
}

enum wm_status wm_use_decode(const struct wm_use *use, const struct wm_use_request *request, uint64_t id,
	struct wm_block_path *path, struct wm_arena *arena)
{
	const struct names names = {use, request};
	return use->plan.sequences ? wm_sequence_find(&use->plan, id, find_name, &names, path, arena)
				   : wm_plan_decode(&use->plan, id, path, arena);
}

static enum wm_status add_path(struct wm_use *use, const struct wm_use_request *request, const struct wm_use_path *path,
	struct wm_arena *arena)
{
	const struct names names = {use, request};
	struct wm_trail trail;
	struct wm_executions *ran = &use->ran;
	enum wm_status status = wm_trail_find(&use->plan, path->id, find_name, &names, &trail, arena);
	uint32_t *entered = status == WM_OK ? WM_NEW(arena, uint32_t, trail.count + (size_t)1) : NULL;
	if (entered)
		wm_executions_add_trail(&ran, &trail, path->count, entered);
	return status == WM_OK && !entered ? WM_NO_MEMORY : status;
}

enum wm_status wm_use_count(struct wm_use *use, const struct wm_use_request *request, struct wm_arena *arena)
{
	enum wm_status status = wm_executions_init(&use->ran, &request->function->graph, arena);
	if (status != WM_OK || use->state != WM_USE_RAN)
		return status;
	status = find_paths(use, request, arena);
	for (size_t i = 0; i < use->path_count && status == WM_OK; i++) {
		struct wm_arena scratch;
		wm_arena_init(&scratch);
		status = add_path(use, request, &use->path[i], &scratch);
		if (status == WM_BAD_PATH) /* a name that is not whole, or that is none of this graph */
			status = WM_OK;
		wm_arena_release(&scratch);
	}
	uint64_t entries = counted_entries(use, request);
	use->ran.entries = entries > use->ran.block[0] ? entries : use->ran.block[0];
	if (!use->ran.entries && !use->executions)
		use->state = WM_USE_IDLE;
	return status;
}

/* ---- For LLVM -------------------------------------------------------------------------- */

uint64_t *wm_use_summary(size_t *count, const struct wm_profile *profile, struct wm_arena *arena)
{
	size_t all = 0, next = 0;
	for (size_t o = 0; o < profile->object_count; o++)
		for (size_t f = 0; f < profile->object[o].function_count; f++)
			all += profile->object[o].function[f].path_count;
	uint64_t *into = WM_NEW(arena, uint64_t, all + 1), most = INT64_MAX / (all + 1);
	for (size_t o = 0; into && o < profile->object_count; o++)
		for (size_t f = 0; f < profile->object[o].function_count; f++) {
			const struct wm_profile_function *function = &profile->object[o].function[f];
			for (size_t i = 0; i < function->path_count; i++) {
				uint64_t one = function->path[i].id & WM_NAME_BIT ? 0 : function->path[i].count;
				into[next++] = one > most ? most : one;
			}
		}
	*count = all;
	return into;
}

uint64_t wm_use_scale(uint64_t most)
{
	return most < UINT32_MAX ? 1 : most / UINT32_MAX + 1;
}
