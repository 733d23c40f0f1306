/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/known_paths.h"
#include "abi/sequence.h"
#include "core/scheme/pieces.h"
#include "policy/known.h"
#include "profile/map/identity.h"
#include "profile/map/scheme_guess.h"
#include <math.h>
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

static bool is_known_as(void *closure, const char *scheme)
{
	const struct wm_use_request *request = closure;
	struct records records;
	return first_record(&records, request, hash_with(request, scheme));
}

/* Whether the profile has counts by the scheme of the request, or by that scheme with names for paths. */
static bool is_known_as_told(char *text, size_t size, struct wm_use_request *request)
{
	static const char *const suffix[] = {"", WM_SEQUENCES};
	for (int i = 0; i < 2; i++) {
		struct wm_scheme_choice choice;
		snprintf(text, size, "%s%s", request->scheme, suffix[i]);
		if (wm_scheme_parse(text, &choice) == WM_OK && is_known_as(request, text))
			return true;
	}
	return false;
}

/* What the records of the function say of their schemes. */
struct said {
	uint32_t name; /* the least of those asked for, or WM_SCHEME_UNNAMED */
	bool nothing; /* some record names no scheme */
};

static void listen(struct said *said, uint32_t name, uint32_t above)
{
	said->nothing |= name == WM_SCHEME_UNNAMED;
	if (name > above && (said->name == WM_SCHEME_UNNAMED || name < said->name))
		said->name = name;
}

static struct said find_said(const struct wm_use_request *request, uint32_t above)
{
	uint64_t key = request->function->key;
	struct said said = {WM_SCHEME_UNNAMED, false};
	for (size_t o = 0; o < request->profile->object_count; o++) {
		const struct wm_profile_object *object = &request->profile->object[o];
		const struct wm_profile_function *f = wm_object_find_key(object, key);
		for (; f && f < object->function + object->function_count && f->key == key; f++)
			listen(&said, f->scheme, above);
	}
	return said;
}

/* Whether the profile has counts by a scheme that it names, or that is guessed because it does not. */
static bool is_known_as_said(char text[WM_SCHEME_TEXT], struct wm_use_request *request)
{
	struct said said = find_said(request, WM_SCHEME_UNNAMED);
	for (; said.name != WM_SCHEME_UNNAMED; said = find_said(request, said.name))
		if (wm_scheme_guess(text, said.name, is_known_as, request))
			return true;
	return said.nothing && wm_scheme_guess(text, WM_SCHEME_UNNAMED, is_known_as, request);
}

/* *found is the text of the scheme, in the arena.  WM_UNKNOWN: the profile has no counts of the function as it is. */
static enum wm_status find_scheme(const char **found, const struct wm_use_request *request, struct wm_arena *arena)
{
	struct wm_use_request tried = *request;
	size_t size = request->scheme ? strlen(request->scheme) + sizeof WM_SEQUENCES : WM_SCHEME_TEXT;
	char *text = WM_NEW(arena, char, size);
	if (!text)
		return WM_NO_MEMORY;
	if (!wm_known_function(request->profile, request->function))
		return WM_UNKNOWN;
	bool known = request->scheme ? is_known_as_told(text, size, &tried) : is_known_as_said(text, &tried);
	*found = known ? text : NULL;
	return known ? WM_OK : WM_UNKNOWN;
}

/* Whether a function of the file ran, and all that did are in the profile. */
static bool has_source(const struct wm_profile *profile, uint64_t source)
{
	for (size_t o = 0; o < profile->object_count; o++)
		for (size_t f = 0; f < profile->object[o].function_count; f++) {
			const struct wm_profile_function *function = &profile->object[o].function[f];
			if (wm_source_is_of_file(function->source, source) && !(function->flags & WM_FUNC_PARTIAL))
				return true;
		}
	return false;
}

/* Whether the profiled program had the function, which the profile lacks because it never ran: its file and the main file are
 * those of functions that did run.  (A program has only those functions of a header that its main files use.) */
static bool is_idle(const struct wm_use_request *request)
{
	uint64_t own = request->function->own_source,
		 main = wm_source_of_file(request->module->source, &request->module->source_sum);
	return has_source(request->profile, main) && (own == main || has_source(request->profile, own));
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
	return is_idle(request) ? WM_USE_IDLE : WM_USE_UNKNOWN;
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
	if (wm_plan_has_pieces(&use->plan))
		return path->count && !(path->id & WM_NAME_BIT);
	return path->count && path->id < use->plan.numbering.path_count;
}

static size_t collect_paths(const struct wm_use *use, const struct wm_use_request *request, struct wm_id_count *into)
{
	struct records records;
	const struct wm_profile_function *counts;
	size_t count = 0;
	for (counts = first_record(&records, request, use->graph_hash); counts; counts = next_record(&records))
		for (size_t i = 0; i < counts->path_count; i++) {
			if (!is_path(use, &counts->path[i]))
				continue;
			if (into)
				into[count] = (struct wm_id_count){counts->path[i].id, counts->path[i].count};
			count++;
		}
	return count;
}

static uint64_t add(uint64_t a, uint64_t b)
{
	return __builtin_add_overflow(a, b, &a) || a > INT64_MAX ? INT64_MAX : a;
}

static enum wm_status find_paths(struct wm_use *use, const struct wm_use_request *request, struct wm_arena *arena)
{
	size_t count = collect_paths(use, request, NULL);
	use->path = WM_NEW(arena, struct wm_id_count, count + 1);
	if (!use->path)
		return WM_NO_MEMORY;
	collect_paths(use, request, use->path);
	qsort(use->path, count, sizeof *use->path, wm_by_id);
	for (size_t i = 0; i < count; i++) {
		struct wm_id_count *last = use->path_count ? &use->path[use->path_count - 1] : NULL;
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
	return wm_plan_has_pieces(&use->plan) ? wm_sequence_find(&use->plan, id, find_name, &names, path, arena)
					      : wm_plan_decode(&use->plan, id, path, arena);
}

static enum wm_status add_path(struct wm_use *use, const struct wm_use_request *request, const struct wm_id_count *path,
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
	/* LLVM multiplies the entries with what the weights say: without an entry nothing would have run. */
	else if (!use->ran.entries)
		use->ran.entries = 1;
	return status;
}

/* ---- For LLVM -------------------------------------------------------------------------- */

/* The entropy of a decision one of whose outcomes has the share q, in bits. */
static double entropy(double q)
{
	return q > 0 ? -q * log2(q) - (1 - q) * log2(1 - q) : 0;
}

/* The smaller share of the two outcomes of a decision with this entropy, by bisection. */
static double smaller_share(double bits)
{
	double low = 0, high = 0.5;
	for (int i = 0; i < 50; i++) {
		double middle = (low + high) / 2;
		*(entropy(middle) < bits ? &low : &high) = middle;
	}
	return high;
}

struct path_sums {
	size_t paths;
	double executions, bits; /* the entropy of the paths */
};

static uint64_t count_of(const struct wm_counted_path *path)
{
	return path->id & WM_NAME_BIT ? 0 : path->count;
}

static struct path_sums sum_paths(const struct wm_profile_function *function)
{
	struct path_sums sums = {0};
	for (size_t i = 0; i < function->path_count; i++) {
		sums.paths += count_of(&function->path[i]) > 0;
		sums.executions += (double)count_of(&function->path[i]);
	}
	for (size_t i = 0; i < function->path_count; i++) {
		double share = (double)count_of(&function->path[i]) / sums.executions;
		sums.bits -= share > 0 ? share * log2(share) : 0;
	}
	return sums;
}

static size_t decisions_of(size_t paths)
{
	return paths > 1 ? (size_t)ceil(log2((double)paths)) : 0;
}

static void append_count(struct wm_use_summary *summary, double count, double most)
{
	summary->count[summary->first[summary->function_count + 1]++] = (uint64_t)(count < most ? count : most);
}

/* A function of which nothing is counted has the count 0, as it has in profiles of clang. */
static void summarise_function(struct wm_use_summary *summary, const struct wm_profile_function *function, double most)
{
	struct path_sums sums = sum_paths(function);
	size_t decisions = decisions_of(sums.paths);
	double share = decisions ? smaller_share(sums.bits / (double)decisions) : 0;
	summary->first[summary->function_count + 1] = summary->first[summary->function_count];
	append_count(summary, sums.executions, most);
	for (size_t i = 0; i < decisions; i++) {
		append_count(summary, (1 - share) * sums.executions, most);
		append_count(summary, share * sums.executions, most);
	}
	summary->executions += sums.executions;
	summary->function_count++;
}

enum wm_status wm_use_summary(struct wm_use_summary *summary, const struct wm_profile *profile, struct wm_arena *arena)
{
	size_t functions = 0, counts = 0;
	for (size_t o = 0; o < profile->object_count; o++)
		for (size_t f = 0; f < profile->object[o].function_count; f++, functions++)
			counts += 1 + 2 * decisions_of(profile->object[o].function[f].path_count);
	*summary = (struct wm_use_summary){
		.first = WM_NEW(arena, size_t, functions + 1), .count = WM_NEW(arena, uint64_t, counts + 1)};
	if (!summary->first || !summary->count)
		return WM_NO_MEMORY;
	for (size_t o = 0; o < profile->object_count; o++)
		for (size_t f = 0; f < profile->object[o].function_count; f++)
			summarise_function(
				summary, &profile->object[o].function[f], (double)INT64_MAX / (double)(counts + 1));
	return WM_OK;
}

uint64_t wm_use_scale(uint64_t most)
{
	return most < UINT32_MAX ? 1 : most / UINT32_MAX + 1;
}
