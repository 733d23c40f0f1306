/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What an earlier profile says about a function that is optimised with it (-fwaymark-use): the plan by which its paths were
 * counted, the paths, and how often its blocks and edges were executed.
 *
 * Only speed depends on the answer, so a function is known by its key and its graph, whatever the checksum of its source.  The
 * source matters only for a function that the profile does not have: it never ran if other functions of its file, and of the main
 * file, did.  The profile names the scheme, or it is guessed (profile/map/scheme_guess.h).  Counts of all objects of the profile
 * are summed.
 */
#ifndef WM_POLICY_KNOWN_PATHS_H
#define WM_POLICY_KNOWN_PATHS_H

#include "core/base/id_count.h"
#include "core/trail/executions.h"
#include "profile/base/function_counts.h"
#include "profile/map/map.h"

enum wm_use_state {
	WM_USE_UNKNOWN, /* the profile has nothing about the function, or only counts that are in doubt */
	WM_USE_STALE, /* the profile has the function only with other graphs */
	WM_USE_IDLE, /* the function was part of the profiled program and never ran */
	WM_USE_RAN,
};

struct wm_use {
	enum wm_use_state state;
	/* If the profile has the function with its graph: */
	const char *scheme; /* by which paths were counted; NULL: it does not */
	uint64_t graph_hash; /* with this scheme */
	struct wm_plan plan;
	/* Paths that the plan has, ascending ids, counts above 0.  The ids of a plan with pieces are names, which
	 * wm_plan_decode does not know. */
	size_t path_count;
	struct wm_id_count *path;
	uint64_t executions; /* the sum of their counts, at most 2^63-1 */
	struct wm_executions ran; /* all counts 0 unless RAN; its entries are those of the function */
};

/* Whether the profile has functions, and all of them with the graph of another stage. */
bool wm_use_is_of_other_stage(const struct wm_profile *profile, enum wm_cfg_stage stage);

/* Whether some function has paths across calls (the schemes context and piecewise), whose ids only the linked program gives a
 * meaning. */
bool wm_use_is_across(const struct wm_profile *profile);

struct wm_use_request {
	const struct wm_profile *profile;
	const struct wm_map_module *module; /* of the function; names the functions of inlined calls */
	const struct wm_map_function *function; /* with graph, key and own_source; its scheme does not matter */
	const char *scheme; /* the only one to try; NULL: all for paths inside a function */
};
/* Sets use->state, ->scheme, ->graph_hash and ->plan, which refers to the graph of the function.  The counts follow with
 * wm_use_count.  WM_NO_MEMORY. */
enum wm_status wm_use_find(struct wm_use *use, const struct wm_use_request *request, struct wm_arena *arena);
/* Sets path, executions and ran; RAN may turn out to be IDLE.  WM_NO_MEMORY. */
enum wm_status wm_use_count(struct wm_use *use, const struct wm_use_request *request, struct wm_arena *arena);

/* The blocks of a path; path->block is NULL before.  WM_BAD_PATH: the profile does not have the whole name of the path.
 * WM_NO_MEMORY. */
enum wm_status wm_use_decode(const struct wm_use *use, const struct wm_use_request *request, uint64_t id,
	struct wm_block_path *path, struct wm_arena *arena);

/*
 * The counts of which LLVM makes its profile summary: how often blocks ran.  LLVM compares the counts of every module with the
 * thresholds of the summary, and its linker refuses modules with different summaries, so the summary must be one of the
 * whole profile, in which the graphs of other modules are not known.  The counts are therefore those of a model: a function with P
 * executed paths has ceil(log2 P) independent decisions with two outcomes each, all with the same shares, such that the entropy
 * of their outcomes is that of the paths.  (The counts of paths themselves are no counts of blocks: in a function with
 * thousands of paths, each path is rare and no block is.)  Counts are limited such that their sum is below 2^63.
 */
struct wm_use_summary {
	size_t function_count;
	size_t *first; /* per function, and behind the last one: the index of its first count, which is its largest */
	uint64_t *count; /* both in the arena */
	double executions; /* of all paths */
};
/* WM_NO_MEMORY. */
enum wm_status wm_use_summary(struct wm_use_summary *summary, const struct wm_profile *profile, struct wm_arena *arena);

/* The weights of branches have 32 bits.  What all counts of a branch are divided by, if the largest is `most`. */
uint64_t wm_use_scale(uint64_t most);

#endif
