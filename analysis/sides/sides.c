/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/join/merge_files.h"
#include "analysis/sides/delta.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>

void wm_take_run(void *suite, const char *value)
{
	wm_suite_add(suite, value);
}

bool wm_is_run(const char *argument)
{
	return !wm_is_object_file(argument);
}

/* Which binaries a side has */

/* Marks the binary of the build or, if there is none, all binaries of the program. */
static void choose_for(const struct wm_binaries *all, const struct wm_profile_object *object, bool *chosen)
{
	bool found = false;
	for (size_t i = 0; i < all->count; i++)
		if (wm_object_is_build(&all->object[i], object))
			found = chosen[i] = true;
	for (size_t i = 0; !found && i < all->count; i++)
		if (*object->program && strcmp(all->object[i].program, object->program) == 0)
			chosen[i] = true;
}

static void open_binaries(struct wm_delta_side *side, const struct wm_binaries *all, const char *debug_dir)
{
	bool *chosen = wm_xmalloc(all->count + 1), any = false;
	memset(chosen, 0, all->count + 1);
	for (size_t i = 0; i < side->suite.profile.object_count; i++)
		choose_for(all, &side->suite.profile.object[i], chosen);
	for (size_t i = 0; i < all->count; i++)
		any |= chosen[i];
	for (size_t i = 0; i < all->count; i++)
		chosen[i] |= !any;
	wm_binaries_choose(&side->binaries, all, chosen, debug_dir);
	free(chosen);
}

/* The executions of each path */

uint64_t wm_sum(uint64_t a, uint64_t b)
{
	uint64_t sum;
	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static void list_counts(struct wm_delta_side *side, uint32_t run, size_t *filled)
{
	const struct wm_suite_test *test = &side->suite.test[run];
	for (size_t i = 0; i < test->path_count; i++)
		side->count[filled[test->path[i]]++] = (struct wm_delta_count){run, test->count[i]};
}

static void count_paths(struct wm_delta_side *side)
{
	const struct wm_suite *suite = &side->suite;
	size_t *filled = wm_xmalloc((suite->path_count + 1) * sizeof *filled);
	side->first = wm_xmalloc((suite->path_count + 1) * sizeof *side->first);
	side->total = wm_xmalloc((suite->test_count + 1) * sizeof *side->total);
	memset(side->total, 0, (suite->test_count + 1) * sizeof *side->total);
	side->first[0] = 0;
	for (size_t p = 0; p < suite->path_count; p++) {
		filled[p] = side->first[p];
		side->first[p + 1] = side->first[p] + suite->path[p].tests;
	}
	side->count = wm_xmalloc((side->first[suite->path_count] + 1) * sizeof *side->count);
	for (uint32_t t = 0; t < suite->test_count; t++)
		list_counts(side, t, filled);
	free(filled);
}

/* Both sides */

static void read_side(struct wm_suite *suite, const char *name)
{
	wm_suite_read(suite);
	if (wm_profile_has_branches(&suite->profile))
		wm_fail("the %s side has a profile of `waymark hw`, whose paths are of machine code and cannot be "
			"compared",
			name);
}

void wm_delta_load(struct wm_delta *delta, const struct wm_operands *operands, const char *debug_dir, bool any_program)
{
	struct wm_binaries all;
	wm_binaries_open(&all, operands, debug_dir);
	for (int s = 0; s < WM_SIDES; s++) {
		struct wm_delta_side *side = &delta->side[s];
		read_side(&side->suite, delta->name[s]);
		open_binaries(side, &all, debug_dir);
		wm_suite_join(
			&side->suite, WM_STORY_OF_FUNCTIONS, side->binaries.object, side->binaries.count, any_program);
		count_paths(side);
	}
	wm_binaries_release(&all);
}

void wm_delta_unload(struct wm_delta *delta)
{
	for (int s = 0; s < WM_SIDES; s++) {
		free(delta->side[s].total);
		free(delta->side[s].first);
		free(delta->side[s].count);
		wm_suite_release(&delta->side[s].suite);
		wm_binaries_release(&delta->side[s].binaries);
	}
}
