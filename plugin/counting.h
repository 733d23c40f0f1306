/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How a function counts its paths: chosen before probes are placed, because the choice
 * says which values are added up.
 *
 *     plain           array if there are few paths, else hash; then paths that the compiler
 *                     knows have cells too
 *     interesting     array if there are few paths: nothing is cheaper; else packed (core/pack.h),
 *                     or perfect (core/perfect.h) where both sums do not fit a register,
 *                     else hash; a function without interesting paths calls the runtime
 *     residual        sign (core/residual.h) where it is the whole test, else packed or
 *                     perfect; or the sign first and perfect behind it, where the paths have
 *                     a core (core/closed.h): whichever is expected to be cheapest
 *
 * In a hash, and where a total is looked up in a table, loops with few paths of their own
 * are regions (wm_place_regions): a path that begins and ends inside has a cell of its
 * own or, in a residual build, costs nothing if it is tested.
 *
 * Paths keep their acyclic ids in the profile whatever is added up.
 */
#ifndef WM_PLUGIN_COUNTING_H
#define WM_PLUGIN_COUNTING_H

#include "core/aside.h"
#include "core/pack.h"
#include "core/perfect.h"
#include "core/residual.h"
#include "plugin/options.h"

/* Up to this many paths, a function's counters are an array indexed by path id; the
 * second number is for functions with loops, where a hash would be felt.  It also bounds
 * the cells of interesting paths. */
#define WM_ARRAY_PATHS 4096
#define WM_LOOP_ARRAY_PATHS 65536
/* Local paths of a region, and of all regions of a function. */
#define WM_REGION_PATHS 128
#define WM_ALL_REGION_PATHS 512
/* A region that ends fewer paths than this each time it is entered is not worth its entry
 * and its exits: measured on residual builds of bzip2 and Lua. */
#define WM_REGION_ENDS 4

enum wm_counting_kind {
	WM_COUNT_ARRAY, /* the total is the index of a cell */
	WM_COUNT_HASH, /* in a hash table, with an inline probe where it is hot */
	WM_COUNT_CALL, /* every path goes to the runtime */
	WM_COUNT_PACKED, /* the total's high bits are the index of a cell and of what it must be */
	WM_COUNT_PERFECT, /* a hash of the total is */
	WM_COUNT_SIGN, /* residual: the sign of the total tells */
};

struct wm_counting {
	enum wm_counting_kind kind;
	bool residual; /* only paths outside `set` are counted */
	const int64_t *value; /* per DAG edge, for wm_place_values */
	const bool *first; /* likewise */
	const bool *marked; /* likewise, for wm_place_sums; or NULL */
	const uint64_t *outside; /* likewise: core/residual.h */
	const bool *aside; /* per DAG edge, or NULL: what leaves the core runs in a copy, and here nothing is asked of
			    * what does not */
	const bool *single; /* if so, per DAG node: the core has at most one way there */
	struct wm_asides asides; /* if so: of what */
	unsigned width; /* bits of the path register */
	uint64_t id_mask; /* these bits of a total are the acyclic id */
	/* Not for ARRAY and HASH: */
	struct wm_path_set set;
	struct wm_membership membership;
	/* Per DAG edge where paths are asked: whether one path of the set is worth a comparison
	 * before, or instead of, a lookup there, and its total. */
	bool *guesses;
	uint64_t *guess;
	struct wm_pack pack;
	struct wm_perfect perfect;
	/* Not for ARRAY: */
	uint32_t size; /* cells with ids; 0: there are none */
	uint64_t *ids; /* per index: the acyclic id, ~0 for none */
	uint32_t table_size; /* PACKED and PERFECT: of the table; their cells have the first indices */
	uint64_t *table; /* the total of the path with that index */
	/* Local paths of all regions, one region after the other; their cells come next: */
	uint32_t local_paths;
	uint32_t *region_index; /* per region: its first local path */
	bool *settled; /* per local path: it began inside and has a cell or, residual, is tested */
	struct wm_path_set constants; /* HASH: paths that the compiler knows, at the last indices */
};
/* Chooses, and places the probes of the chosen values.  `leaves` as wm_place_trips has it.  `resumes`: a call may
 * return twice, and all that a probe reads must be in the path register.  `aside`: paths may go aside. */
enum wm_status wm_counting_make(struct wm_counting *counting, struct wm_probe_program *program,
	const struct wm_options *options, const struct wm_map_function *function, const struct wm_plan *plan,
	const struct wm_weights *weights, const bool *leaves, bool resumes, bool aside, struct wm_arena *arena);

/* Index of the cell of a path of the set: PACKED and PERFECT, not residual. */
uint32_t wm_counting_index(const struct wm_counting *counting, uint64_t total);

#endif
