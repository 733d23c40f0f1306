/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * feasible PROFILE BINARY
 *
 * A path that was executed is feasible: complains about each that the facts of the map (core/graph/facts.h) call likely
 * infeasible.  Prints how many executed paths there are, and how many of the first possible paths are called so.
 */
#include "analysis/join/merge_files.h"
#include "analysis/join/operands.h"
#include "analysis/tell/trails.h"
#include <inttypes.h>
#include <stdio.h>

enum { MOST_POSSIBLE = 2000 };

static bool is_infeasible(const struct wm_story_function *function, uint64_t id)
{
	struct wm_trail trail;
	struct wm_arena arena;
	wm_arena_init(&arena);
	wm_story_decode(function, id, &trail, &arena);
	bool infeasible = wm_story_contradiction(function, &trail, &arena).later != WM_NONE;
	wm_arena_release(&arena);
	return infeasible;
}

int main(int argc, char **argv)
{
	struct wm_operands operands = {0};
	struct wm_binaries binaries;
	struct wm_profile profile;
	struct wm_story story;
	uint64_t executed = 0, wrong = 0, possible = 0, infeasible = 0;
	wm_operands_take(&operands, argv + 1, argc - 1);
	wm_profile_init(&profile);
	wm_profile_need(&profile, operands.profile, operands.profile_count);
	wm_binaries_open(&binaries, &operands, NULL);
	wm_story_build(&story, WM_STORY_OF_BINARIES, &profile, binaries.object, binaries.count);
	for (size_t f = 0; f < story.function_count; f++) {
		struct wm_story_function *function = &story.function[f];
		for (size_t i = 0; i < function->ran_count; i++) {
			executed++;
			if (!is_infeasible(function, function->path[i].id))
				continue;
			wrong++;
			printf("%s: path %" PRIu64 " was executed and is called infeasible\n", function->map->name,
				function->path[i].id);
		}
		if (wm_story_crosses_calls(function) || !wm_story_number(function) ||
			wm_plan_has_pieces(wm_story_plan(function)))
			continue;
		for (uint64_t id = 0; id < wm_story_plan(function)->numbering.path_count && id < MOST_POSSIBLE;
			id++, possible++)
			infeasible += is_infeasible(function, id);
	}
	printf("%" PRIu64 " executed paths, %" PRIu64 " wrong; %" PRIu64 " of %" PRIu64
	       " possible paths are likely infeasible\n",
		executed, wrong, infeasible, possible);
	return wrong > 0;
}
