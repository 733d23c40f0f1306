/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Chooses how a function counts its paths, and runs the passes that make its probe program.
 *
 *     plain         an array if there are few paths, else a hash table
 *     interesting   an array if there are few paths, because nothing is cheaper; else packed sums
 *                   (core/paths/pack.h), or a perfect hash (core/paths/perfect.h) where both sums
 *                   do not fit a register; a function without interesting paths calls the runtime
 *     residual      the sign of the sum (core/paths/residual.h) where it is the whole test; else the
 *                   sign first and a table behind it, the table alone, or copies of code in which
 *                   nothing is asked (policy/copies.h): whichever is expected to be cheapest on
 *                   tested paths
 */
#ifndef WM_POLICY_STORE_H
#define WM_POLICY_STORE_H

#include "core/probes/passes.h"
#include "policy/options.h"

/* Up to this many paths, a function's counters are an array indexed by path id.  The second number is
 * for functions with loops, where a hash table would be felt; it also bounds packed tables. */
#define WM_ARRAY_PATHS 4096
#define WM_LOOP_ARRAY_PATHS 65536
/* Local paths of a region, and of all regions of a function. */
#define WM_REGION_PATHS 128
#define WM_ALL_REGION_PATHS 512
/* A region that ends fewer paths than this each time it is entered is not worth its entry and its exits:
 * measured on residual builds of bzip2 and Lua. */
#define WM_REGION_ENDS 4

struct wm_store_request {
	enum wm_purpose purpose;
	enum wm_cfg_stage stage;
	struct wm_test_options test;
	/* The paths that the profile of the purpose knows, and how often each ran. */
	struct wm_path_set known;
	const uint64_t *known_count;
	bool may_copy; /* the blocks of the function can be copied */
	/* plan, weights, leaves, resumes and early are set by the caller, the rest here. */
	struct wm_probe_request probes;
};
/* What was chosen.  With copies, `plan` is the plan of the shape (core/scheme/shaped.h), whose ids are those of the
 * plan of the request; the program's events are those of the shape's graph. */
struct wm_store_choice {
	const struct wm_plan *plan;
	const struct wm_shape *shape; /* NULL: no block is copied */
	struct wm_counting counting;
	struct wm_probe_program program;
};
enum wm_status wm_store_choose(
	const struct wm_store_request *request, struct wm_store_choice *choice, struct wm_arena *arena);

#endif
