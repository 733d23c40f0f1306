/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A binary and a profile made by hand: the graph of figure 1 of the k-iteration
 * paper as a function `walk` (blocks 0-5 are the figure's 1-6), and the walk
 * 1 (2 3 5 2 4 5)x100 6 as its profile.
 */
#ifndef TEST_TOOL_FIXTURE_H
#define TEST_TOOL_FIXTURE_H

#include "analysis/join/story.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* After those it needs. */
#include <cmocka.h>

struct fixture {
	struct wm_arena arena;
	struct wm_map_module module;
	const char *file[2];
	struct wm_map_function function[2];
	struct wm_map_block block[6];
	struct wm_map_line line[6][2];
	struct wm_object object;
	struct wm_profile profile;
	struct wm_profile_object profile_object;
	struct wm_profile_function record[2];
	struct wm_counted_path path[4];
	struct wm_story story;
};

void fixture_init(struct fixture *fixture);
void fixture_join(struct fixture *fixture);
void fixture_release(struct fixture *fixture);

#endif
