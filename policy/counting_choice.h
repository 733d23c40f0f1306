/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Chooses how a function counts its paths, and runs the passes that make its probe program.
 *
 *     plain         an array if there are few paths, else a hash table
 *     interesting   an array if there are few paths, because nothing is cheaper.  Otherwise the interesting paths are
 *                   looked up by packed sums (core/preferential/pack.h) or, if both sums do not fit a register or the table is
 *                   too large, by a perfect hash (core/preferential/perfect.h).  A function without interesting paths calls
 *                   the runtime for every path.  Frequent paths may have copies of their code, whose ends need no
 *                   lookup (policy/unfold.h), if that is expected to cost less
 *     residual      several ways of finding out whether a path is tested are tried (enum wm_check_method in
 *                   policy/plugin_options.h), and the one that is expected to cost least on tested paths is used.  Each uses
 *                   the sign of the total (core/paths/residual_marks.h), a table of tested paths (packed or perfect hash), or
 *                   both; two of them also copy code (policy/copies.h, policy/unfold.h)
 */
#ifndef WM_POLICY_COUNTING_CHOICE_H
#define WM_POLICY_COUNTING_CHOICE_H

#include "core/probes/passes.h"
#include "policy/plugin_options.h"

/* Up to this many paths, the counters of a function are an array indexed by path id.  The second number is for
 * functions with loops, where a hash table costs more; it is also the limit of packed tables. */
#define WM_ARRAY_PATHS 4096
#define WM_LOOP_ARRAY_PATHS 65536
/* The largest number of local paths of a region, and of all regions of a function. */
#define WM_REGION_PATHS 128
#define WM_ALL_REGION_PATHS 512
/* A loop in which fewer paths end each time it is entered does not become a region, because entering and leaving a
 * region costs instructions.  Measured on residual builds of bzip2 and Lua. */
#define WM_REGION_ENDS 4

struct wm_store_request {
	enum wm_purpose purpose;
	enum wm_cfg_stage stage;
	struct wm_test_options test;
	/* The interesting or tested paths, and how often each ran. */
	struct wm_path_set known;
	const uint64_t *known_count;
	double executions; /* of all paths of all functions in the profile that named them */
	bool may_copy; /* the blocks of the function can be cloned (plugin/inline/clone.h) */
	/* The caller sets plan, weights, may_not_return and resumes; wm_store_choose sets the rest. */
	struct wm_probe_request probes;
};
/* The result.  With copies, `plan` is the plan of the shape (core/scheme/shaped.h), which has the ids of the requested
 * plan, and the events of the program are those of the shape's graph. */
struct wm_store_choice {
	const struct wm_plan *plan;
	const struct wm_shape *shape; /* NULL: no block is copied */
	struct wm_counting counting;
	struct wm_probe_program program;
};
enum wm_status wm_store_choose(
	const struct wm_store_request *request, struct wm_store_choice *choice, struct wm_arena *arena);

#endif
