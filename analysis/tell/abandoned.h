/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the abandoned activations of a function may have executed.  An activation that is left inside a call (by exit, longjmp, an
 * exception, or the end of the process) completes no path.  What it executed since its last path ended is an unfinished path, if the
 * runtime has seen it being left; this is about the others.  It is known where such a path began: as many paths begin at the entry and at each loop head as the completed paths and the counter
 * of entries say, and those that were not completed were abandoned.  From there, it came to the call in which it was left
 * over edges that do not end a path.
 *
 * A process that is killed, or whose signal handler exits, may be left between calls.  That is only taken into account if no call
 * can be reached at all.
 *
 * After a second return of setjmp, the path goes on as it stood at the call, so that what precedes the call is on two paths and
 * was executed once.
 */
#ifndef WM_ANALYSIS_TELL_ABANDONED_H
#define WM_ANALYSIS_TELL_ABANDONED_H

#include "analysis/join/story.h"

struct wm_abandoned {
	/* How many activations were left of which no unfinished path is known: of the function or, if its paths cross calls, of its
	 * whole unit.  0: the arrays `begun`, `comes`, `leads` and `edge` are NULL, and nothing is unknown. */
	uint64_t count;
	uint64_t *begun; /* per block: abandoned paths that certainly began there */
	bool *comes; /* per block: an abandoned path may have entered it, and was left in it or later */
	bool *leads; /* per block: … and may have gone on from its end */
	bool *edge; /* per control-flow edge: an abandoned path may have taken it */
	const bool *start; /* per DAG edge out of Start: abandoned paths may have begun with it; NULL: with every one */
	/* Paths that are counted twice for what precedes a second return of setjmp: per block, those that came to its
	 * beginning and to its end, and per control-flow edge.  At most; NULL: setjmp did not return twice. */
	uint64_t *twice_begun, *twice_ended, *twice_edge;
	bool *twice; /* per call site: it may be the one that returned twice */
};

/* The function has known counts.  Everything is in the arena.  Takes O(paths · length). */
void wm_abandoned_find(
	struct wm_abandoned *abandoned, const struct wm_story_function *function, struct wm_arena *arena);

/* Whether an abandoned path may have executed line `line` of the block; line_count: the decision. */
bool wm_abandoned_may_line(
	const struct wm_abandoned *abandoned, const struct wm_map_function *map, uint32_t block, uint32_t line);
/* How many lines of the block precede its first call, whose own line is included; `only`, per call site of the function, says which
 * calls are meant, and then it is the last of them.  `otherwise`: there is no such call. */
/* The lines of its block up to a call, whose own line is included; where that is not known, all of them. */
uint32_t wm_call_line(const struct wm_map_function *map, uint32_t call);
uint32_t wm_call_lines(const struct wm_map_function *map, uint32_t block, const bool *only, uint32_t otherwise);

/* "3 activations were left inside calls"; heap. */
char *wm_abandoned_text(uint64_t count);

#endif
