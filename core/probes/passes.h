/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The list of passes that make a probe program.  passes.c has it as one table, in order; each
 * row says what the pass requires and what it breaks, and the driver asserts that.  The compiler,
 * `waymark number --probes`, `waymark replay` and the tests all run this list.
 */
#ifndef WM_CORE_PROBES_PASSES_H
#define WM_CORE_PROBES_PASSES_H

#include "core/probes/counting.h"
#include "core/probes/regions.h"

/* What the passes are given besides the way of counting. */
struct wm_probe_request {
	const struct wm_plan *plan;
	const struct wm_weights *weights;
	enum wm_placement placement; /* NAIVE: only the passes that every program needs are run */
	/* Per block, or NULL: a call in it may not return, so that a path may vanish there. */
	const bool *leaves;
	bool resumes; /* a call may return twice: all that a probe reads must be in the path register */
	bool regions; /* loops may be regions */
	bool trips; /* loops with one path may count their trips in a register */
	struct wm_region_limits region_limits;
	bool early; /* the weights are those of a profile: paths may be counted before their end */
};

/* The number of passes, and their names in the order in which they run. */
extern const uint32_t wm_pass_count;
const char *wm_pass_name(uint32_t pass);
const char *wm_pass_summary(uint32_t pass);

/*
 * Runs the list up to and with the pass of this name; NULL: the whole list.  WM_UNKNOWN: there is no
 * such pass.  Fills in what the passes find out: counting->guesses, ->membership.asked and ->sums.adds.
 * WM_BAD_GRAPH and WM_TOO_MANY: this way of counting does not fit the plan.
 */
enum wm_status wm_passes_run(const struct wm_probe_request *request, struct wm_counting *counting, const char *after,
	struct wm_probe_program *program, struct wm_arena *arena);

#endif
