/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cmd/field_stores.h"
#include "analysis/untested/triaged.h"
#include "store/store_operand.h"
#include "store/store_triage.h"
#include "support/attempt.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <inttypes.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void read_triages(struct wm_field_stores *stores, const char *name)
{
	struct wm_guard guard;
	struct wm_profile_store *store = wm_store_open(name, WM_DATABASE_READ);
	wm_guard_begin(&guard, wm_store_close, store);
	wm_store_triages(store, &stores->triages);
	wm_guard_end(&guard);
}

static void read_sightings(struct wm_field_stores *stores)
{
	char *name = wm_store_name_of_kind(stores->store, "field");
	wm_sightings_read(&stores->sightings, name);
	free(name);
}

static void take(struct wm_file_list *list, const char *name, const char *kind)
{
	wm_file_list_add(list, wm_is_store(name) ? wm_store_name_of_kind(name, kind) : wm_xstrdup(name));
}

static void use_own_tests(struct wm_field_stores *stores)
{
	char *tests = wm_store_name_of_tests(stores->store);
	if (wm_store_has(tests))
		wm_file_list_add(&stores->tests, tests);
	else
		free(tests);
}

void wm_field_stores_take(
	struct wm_field_stores *stores, char *const *field, size_t field_count, char *const *tests, size_t test_count)
{
	for (size_t i = 0; i < field_count; i++) {
		take(&stores->field, field[i], "field");
		if (!wm_is_store(field[i]))
			continue;
		read_triages(stores, field[i]);
		stores->several |= stores->store != NULL;
		stores->store = field[i];
	}
	for (size_t i = 0; i < test_count; i++)
		take(&stores->tests, tests[i], "test");
	if (!test_count && stores->store && !stores->several)
		use_own_tests(stores);
	if (stores->store && !stores->several)
		read_sightings(stores);
}

void wm_field_stores_release(struct wm_field_stores *stores)
{
	wm_file_list_release(&stores->field);
	wm_file_list_release(&stores->tests);
	wm_triages_release(&stores->triages);
	wm_sightings_release(&stores->sightings);
}

/* The one path with the triage id. */
static const struct wm_untested_path *find(
	const struct wm_untested *untested, uint64_t triage_id, const struct wm_story_function **function)
{
	const struct wm_untested_path *found = NULL;
	for (size_t f = 0; f < untested->function_count; f++)
		for (size_t i = 0; i < untested->function[f].path_count; i++)
			if (untested->function[f].path[i].triage_id == triage_id) {
				if (found)
					wm_fail("two paths have the id %012" PRIx64
						"; give only one of the binaries, or "
						"use the filter program=",
						triage_id);
				found = &untested->function[f].path[i];
				*function = untested->function[f].field;
			}
	return found;
}

static char *author(void)
{
	const struct passwd *user = getpwuid(geteuid());
	return wm_xstrdup(user ? user->pw_name : "");
}

static void store_triages(const char *name, struct wm_triages *triages, const char *note)
{
	struct wm_guard guard;
	struct wm_profile_store *store = wm_store_open(name, WM_DATABASE_WRITE);
	wm_guard_begin(&guard, wm_store_close, store);
	for (size_t i = 0; i < triages->count; i++) {
		triages->triage[i].time = (uint64_t)time(NULL);
		triages->triage[i].note = wm_xstrdup(note ? note : "");
		triages->triage[i].author = author();
	}
	wm_store_triage(store, triages);
	wm_guard_end(&guard);
}

/* A path that is to be triaged, and its function. */
struct chosen {
	const struct wm_story_function *function;
	uint64_t path;
};

static struct chosen choose(const struct wm_untested *untested, const char *id)
{
	const struct wm_story_function *function = NULL;
	uint64_t triage_id = wm_triage_id_parse(id);
	const struct wm_untested_path *path = triage_id ? find(untested, triage_id, &function) : NULL;
	if (!path)
		wm_fail("no untested path has the triage id '%s'; the report prints the id of each path", id);
	if (wm_untested_is_unfinished(path))
		wm_fail("the path with the triage id '%s' was left inside a call, and such paths cannot be triaged",
			id);
	if (wm_plan_has_pieces(wm_story_plan(function)))
		wm_fail("function %s has too many paths for ids, and its paths cannot be triaged", function->display);
	return (struct chosen){function, path->path->id};
}

void wm_field_triage(const struct wm_field_stores *stores, const struct wm_untested *untested, char *const *id,
	size_t count, const char *note)
{
	struct wm_triages triages = {0};
	struct chosen *chosen = wm_xmalloc(count * sizeof *chosen);
	for (size_t i = 0; i < count; i++) {
		chosen[i] = choose(untested, id[i]);
		wm_path_triage(&triages, untested->field, chosen[i].function, chosen[i].path);
	}
	store_triages(stores->store, &triages, note);
	for (size_t i = 0; i < count; i++)
		printf("triaged: %s  %s:%" PRIu64 "\n", id[i], chosen[i].function->display, chosen[i].path);
	wm_triages_release(&triages);
	free(chosen);
}
