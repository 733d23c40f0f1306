/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The list of passes that make a probe program.  passes.c contains it as one table, in order.  Each row says which
 * properties of the program the pass requires, forbids, establishes and breaks; the driver asserts them.  The
 * compiler, `waymark number --probes`, `waymark replay` and the tests all run this list.
 */
#ifndef WM_CORE_PROBES_PASSES_H
#define WM_CORE_PROBES_PASSES_H

#include "core/graph/parts.h"
#include "core/probes/counting.h"
#include "core/probes/regions.h"

/* The input of the passes, besides struct wm_counting. */
struct wm_probe_request {
	const struct wm_plan *plan;
	const struct wm_weights *weights;
	enum wm_placement placement; /* NAIVE: optional passes do nothing */
	/* Per block, or NULL: a call in it may not return, so a path through it may be abandoned; or it may return twice, so that a
	 * loop which counts its trips in a register would add those before the call twice. */
	const bool *may_not_return;
	const struct wm_parts *parts; /* of the function, for recordings; else NULL */
	bool resumes; /* a call may return twice (setjmp): probes may read no register except r */
	bool regions; /* loops may become regions */
	bool trips; /* loops with one path may count their trips in a register */
	struct wm_region_limits region_limits;
};

/* The number of passes, and their names in the order in which they run. */
extern const uint32_t wm_pass_count;
const char *wm_pass_name(uint32_t pass);
const char *wm_pass_summary(uint32_t pass);

/*
 * Runs the passes up to and including the one named `after`; NULL: all.  Fills in counting->has_guess, ->guess,
 * ->membership.checked and ->sums.adds.  WM_UNKNOWN: there is no pass of this name.  WM_BAD_GRAPH, WM_TOO_MANY: this
 * way of counting cannot be used with the plan.
 */
enum wm_status wm_passes_run(const struct wm_probe_request *request, struct wm_counting *counting, const char *after,
	struct wm_probe_program *program, struct wm_arena *arena);

#endif
