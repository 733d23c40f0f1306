/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/join/rescheme.h"
#include "core/scheme/pieces.h"
#include "profile/map/scheme_guess.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>

/* Functions of an object that are tried before it is taken for one of another program. */
enum { TRIED = 8 };

/* Takes over the text.  The map of the object refers to it. */
static const char *intern(struct wm_object *object, char *text)
{
	for (size_t i = 0; i < object->scheme_count; i++)
		if (!strcmp(object->scheme[i], text)) {
			free(text);
			return object->scheme[i];
		}
	WM_XGROW(object->scheme, object->scheme_count);
	return object->scheme[object->scheme_count++] = text;
}

char *wm_scheme_of_build(
	const struct wm_map_function *function, const char *scheme, struct wm_plan *plan, struct wm_arena *arena)
{
	struct wm_scheme_choice choice;
	enum wm_status status = wm_scheme_parse(scheme, &choice);
	if (status == WM_OK)
		status = wm_plan_choose_for_build(plan, &function->graph, &choice, function->has_resumed, arena);
	if (status == WM_NO_MEMORY)
		wm_no_memory();
	if (status != WM_OK)
		wm_fail("function %s cannot be numbered under the scheme %s: %s", function->name, scheme,
			wm_status_text(status));
	return wm_xprintf("%s%s", scheme, plan->choice.sequences && !choice.sequences ? WM_SEQUENCES : "");
}

/* ---- The scheme of a profile ------------------------------------------------------------- */

static bool stays_inside(const struct wm_map_function *function)
{
	return function->status != WM_SKIPPED && !function->unit && !function->inlined;
}

struct wanted {
	const struct wm_map_function *function;
	uint64_t hash;
};

static bool has_hash(void *closure, const char *scheme)
{
	const struct wanted *wanted = closure;
	return wm_map_graph_hash(&wanted->function->graph, scheme) == wanted->hash;
}

/* The scheme under which the function has the graph of the record, without what is said of names for paths: each function of the
 * build has such names only if it needs them.  Heap, or NULL. */
static char *find_candidate(const struct wm_map_function *function, const struct wm_profile_function *record)
{
	char text[WM_SCHEME_TEXT];
	struct wanted wanted = {function, record->graph_hash};
	if (!wm_scheme_guess(text, record->scheme, has_hash, &wanted))
		return NULL;
	char *names = strstr(text, WM_SEQUENCES);
	if (names)
		*names = 0;
	return wm_xstrdup(text);
}

/* Calls `visit` for the functions of an object until it returns true. */
static bool each_function(
	const struct wm_object *object, void *closure, bool (*visit)(void *closure, struct wm_map_function *function))
{
	for (uint32_t m = 0; m < object->map.module_count; m++)
		for (uint32_t f = 0; f < object->map.module[m].function_count; f++)
			if (stays_inside(&object->map.module[m].function[f]) &&
				visit(closure, &object->map.module[m].function[f]))
				return true;
	return false;
}

struct search {
	const struct wm_profile_function *record;
	bool matches; /* the record is of a function of the object, as it is */
	bool tried;
	char *scheme;
};

static bool look(void *closure, struct wm_map_function *function)
{
	struct search *s = closure;
	if (function->key != s->record->key)
		return false;
	s->tried = true;
	s->matches = function->graph_hash == s->record->graph_hash;
	if (!s->matches)
		s->scheme = find_candidate(function, s->record);
	return s->matches || s->scheme;
}

/* Whether the counts are of functions of the object.  *scheme: that of the counts, heap; NULL: that of the map. */
static bool find_scheme(const struct wm_object *object, const struct wm_profile_object *counted, char **scheme)
{
	struct search s = {0};
	*scheme = NULL;
	for (size_t i = 0, tried = 0; i < counted->function_count && tried < TRIED; i++, tried += s.tried) {
		s = (struct search){.record = &counted->function[i]};
		if (each_function(object, &s, look)) {
			*scheme = s.scheme;
			return true;
		}
	}
	return false;
}

/* ---- The map ----------------------------------------------------------------------------- */

struct new_scheme {
	struct wm_object *object;
	const char *name;
};

static bool give_scheme(void *closure, struct wm_map_function *function)
{
	const struct new_scheme *scheme = closure;
	struct wm_plan plan;
	struct wm_arena arena;
	wm_arena_init(&arena);
	function->scheme = intern(scheme->object, wm_scheme_of_build(function, scheme->name, &plan, &arena));
	function->graph_hash = wm_map_graph_hash(&function->graph, function->scheme);
	function->status = plan.cut_count ? WM_SPLIT : WM_EXACT;
	wm_arena_release(&arena);
	return false;
}

static bool is_build(const struct wm_object *object, const struct wm_profile_object *counted)
{
	return object->build_id_size && object->build_id_size == counted->build_id_size &&
	       !memcmp(object->build_id, counted->build_id, object->build_id_size);
}

/* Counts of the object itself decide before those of other builds. */
static void settle(struct wm_object *object, const struct wm_profile *profile, bool own)
{
	for (size_t o = 0; o < profile->object_count && !object->settled; o++) {
		char *scheme;
		if (is_build(object, &profile->object[o]) != own || !find_scheme(object, &profile->object[o], &scheme))
			continue;
		object->settled = true;
		if (scheme)
			each_function(object, &(struct new_scheme){object, scheme}, give_scheme);
		free(scheme);
	}
}

void wm_rescheme(struct wm_object *objects, size_t count, const struct wm_profile *profile)
{
	for (size_t i = 0; i < count; i++) {
		settle(&objects[i], profile, true);
		settle(&objects[i], profile, false);
	}
}
