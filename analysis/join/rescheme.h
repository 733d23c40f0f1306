/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reading a profile with a binary that was compiled for another scheme.  A plan is a function of graph and scheme, and the map has
 * the graph, so that a binary which records (-fwaymark-wpp) serves for the profiles of all schemes that `waymark wpp --as` computes
 * and whose paths stay in one function.
 * The profile names its scheme, or it is guessed (profile/map/scheme_guess.h).
 */
#ifndef WM_ANALYSIS_JOIN_RESCHEME_H
#define WM_ANALYSIS_JOIN_RESCHEME_H

#include "elf/elf_object.h"

/* Gives the functions of each object the scheme of the profile, if the profile has functions of the object under another scheme than
 * the one in the map.  Functions whose paths cross calls, or into which calls were inlined, keep theirs.  The first profile that has
 * counts of an object decides for all that are read later: stories refer to the map. */
void wm_rescheme(struct wm_object *objects, size_t count, const struct wm_profile *profile);
/* The scheme of a function in a build with this scheme, numbered in *plan: with many iterations, paths are named by their pieces.
 * Heap.  wm_fail if the function cannot be numbered. */
char *wm_scheme_of_build(
	const struct wm_map_function *function, const char *scheme, struct wm_plan *plan, struct wm_arena *arena);

#endif
