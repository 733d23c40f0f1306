/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How often the blocks and control-flow edges of the functions of a story ran: the counts of their paths, projected.
 *
 * A block counts when a path enters it in its active part, an edge when a path leaves its block on it; where a path has a
 * context or several iterations, what an earlier path had too is not counted again.  What an abandoned path did is not
 * known: a flow is then `partial`, and its counts are those of completed paths.  The flow of a residual function has only
 * its untested paths.
 */
#ifndef WM_ANALYSIS_STORY_FLOW_H
#define WM_ANALYSIS_STORY_FLOW_H

#include "analysis/story/trails.h"

/* The flow of one body: of a function, or where paths cross calls, of each of the bodies that it has in its unit. */
struct wm_flow {
	const struct wm_story_function *body; /* graph and lines */
	const struct wm_story_function *function; /* of the story */
	bool first; /* of the flows of the function */
	bool known; /* the function was counted; if it never ran, all counts are 0 */
	bool partial; /* paths of the function, or of its unit, were abandoned */
	bool inlined; /* calls of the function were inlined, and what they did counts in the flows of the callers */
	uint64_t *block, *edge; /* per block and edge of the graph of the body; NULL unless `known` */
};

struct wm_flows {
	size_t count;
	struct wm_flow *flow; /* in the order of the functions of the story; then the bodies of units */
	struct wm_arena arena;
};

/* The story must outlive the flows.  A flow whose sums do not fit 64 bits is not known.  O(paths · length). */
void wm_flows_build(struct wm_flows *flows, const struct wm_story *story);
void wm_flows_release(struct wm_flows *flows);

#endif
