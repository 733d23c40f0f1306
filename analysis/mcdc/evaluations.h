/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The evaluations of boolean expressions on a path. */
#ifndef WM_ANALYSIS_MCDC_EVALUATIONS_H
#define WM_ANALYSIS_MCDC_EVALUATIONS_H

#include "analysis/mcdc/expressions.h"
#include "core/trail/trail.h"
#include "support/progress.h"

enum wm_evaluation_event {
	WM_EVALUATION_BEGUN, /* the first condition is evaluated */
	WM_EVALUATION_ENDED, /* `value` has the values of all conditions */
	WM_EVALUATION_LOST, /* it ended with a condition whose value is not observed */
};

struct wm_follower {
	const struct wm_expressions *expressions;
	const struct wm_graph *graph;
	void *closure;
	void (*take)(void *closure, enum wm_evaluation_event event, uint32_t expression, const uint8_t *value);
	struct wm_progress *progress; /* per expression */
	bool active; /* the block at work is in the active part of the path */
};
/* The other fields must be filled in; memory is in the arena.  WM_NO_MEMORY. */
enum wm_status wm_follower_init(struct wm_follower *follower, struct wm_arena *arena);
/* Gives the events of the active part of a path in order; an evaluation that begins before the active part may end in it.  A path
 * that ends earlier leaves evaluations open, of which there is no further event. */
void wm_follow(struct wm_follower *follower, const struct wm_trail *trail);

#endif
