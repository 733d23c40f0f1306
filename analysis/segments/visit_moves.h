/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A path across calls in terms of the original functions (core/graph/origin.h): the calls that it crosses and the calls that
 * were inlined in its functions become moves of the same kind.  So segments and reports are the same, whether a callee was
 * inlined or is one copy that all its callers share.
 */
#ifndef WM_ANALYSIS_SEGMENTS_VISIT_MOVES_H
#define WM_ANALYSIS_SEGMENTS_VISIT_MOVES_H

#include "analysis/segments/projection.h"
#include "analysis/story/story.h"
#include "analysis/story/visits.h"

/* What is known of the functions of a unit. */
struct wm_visit_source {
	const struct wm_unit_plan *plan;
	const void *closure;
	const struct wm_origins *(*origins)(const void *closure, uint32_t function); /* NULL: nothing was inlined */
	/* The linkage name of the function of a context; context 0 is the function itself. */
	const char *(*name)(const void *closure, uint32_t function, uint32_t context);
};
/* That of a unit of a story, which must stay. */
struct wm_visit_source wm_story_visit_source(const struct wm_story_unit *unit);
/* Whether calls were inlined in a function on the path. */
bool wm_visits_inlined(const struct wm_story_unit *unit, const struct wm_visits *visits);

struct wm_visit_moves {
	/* The contexts of all activations on the path.  wm_context.function is an index of `name`; blocks are positions. */
	struct wm_origins origins;
	const char **name; /* linkage names */
	struct wm_moves moves; /* of the active part */
	uint32_t length; /* positions: blocks that are entered, and blocks to which calls return */
	uint32_t *first_site,
		*end_site; /* per position: the call sites that the path steps over there are in this range */
	uint32_t *function; /* per position: the function of the unit */
};
/* In the arena.  WM_NO_MEMORY. */
enum wm_status wm_visit_moves_make(struct wm_visit_moves *made, const struct wm_visit_source *source,
	const struct wm_visits *visits, struct wm_arena *arena);
/* FUNCTION:INDEX, for struct wm_block_names; `names` is the array `name`.  Heap. */
char *wm_visit_block_name(const void *names, uint32_t function, uint32_t block);

#endif
