/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where the sum of a path in flight is: for each block of a function, how the sum S of the values along the prefix that ends in the
 * block follows from the path register, as the probe program leaves it.  S and the block determine the prefix
 * (core/probes/pending.h), so an activation that is left in a call of the block leaves its unfinished path behind
 * (abi/unfinished.h), although the program writes nothing down while it runs.
 *
 * S minus the register is the same constant for all prefixes that end in the block wherever the program only adds up.  It is
 * not where a pass has taken updates away, or keeps sums elsewhere: in regions, between the iterations of a window, and
 * behind the place where a residual build knows that the path is tested.  For these blocks a second register can be computed.
 */
#ifndef WM_CORE_PROBES_PREFIX_SUMS_H
#define WM_CORE_PROBES_PREFIX_SUMS_H

#include "core/probes/counting.h"

enum wm_prefix_place {
	WM_PREFIX_UNKNOWN,
	WM_PREFIX_CONSTANT, /* a single prefix ends in the block: S is `missing` */
	WM_PREFIX_REGISTER, /* S is r + missing */
	WM_PREFIX_SECOND, /* S is the second register + missing */
};

struct wm_prefix_sum {
	enum wm_prefix_place place;
	uint64_t missing;
	uint8_t bits; /* S is the low `bits` bits; 1 to 64 */
};

struct wm_prefix_sums {
	struct wm_prefix_sum *block; /* per block of plan->graph */
	/* SET, ADD, SAVE and RESTORE of the second register, at events; NULL: there is none. */
	struct wm_probe_program *second;
};

/*
 * `counting` says of which bits of the register S consists.  `wanted`, per block: if S does not follow from r there, it is
 * computed in the second register, whose updates are placed by the weights; NULL weights: there is no second register.  Paths that
 * are named by pieces, or have ids that depend on several iterations, have no sums.  WM_NO_MEMORY.  O(edges · log edges).
 */
enum wm_status wm_prefix_sums_find(struct wm_prefix_sums *sums, const struct wm_plan *plan,
	const struct wm_probe_program *program, const struct wm_counting *counting, const bool *wanted,
	const struct wm_weights *weights, struct wm_arena *arena);

/* The prefix that ends in a block and has this sum.  path->block as in struct wm_block_path; the last block is `block`, `end`
 * is WM_END_NONE; `again` is filled in if it is not NULL.  WM_BAD_PATH: there is no such prefix.  O(length · log out-degree). */
enum wm_status wm_prefix_decode(
	const struct wm_plan *plan, uint32_t block, uint64_t sum, struct wm_block_path *path, struct wm_arena *arena);

/* Whether a single prefix ends in the block; then *sum is its S.  WM_BAD_PATH: several do, or none.  O(edges). */
enum wm_status wm_prefix_only(const struct wm_plan *plan, uint32_t block, uint64_t *sum, struct wm_arena *arena);

struct wm_prefix {
	uint32_t block; /* in which it ends */
	uint64_t sum;
};
/* The ids of the paths that begin with the prefix.  WM_BAD_PATH as above.  O(length · log out-degree). */
enum wm_status wm_prefix_completions(
	const struct wm_plan *plan, const struct wm_prefix *prefix, struct wm_id_run *ids, struct wm_arena *arena);
/* Whether the prefix is the beginning of `longer`, or the same.  WM_BAD_PATH, if one of them does not exist; likewise. */
enum wm_status wm_prefix_begins(const struct wm_plan *plan, const struct wm_prefix *prefix,
	const struct wm_prefix *longer, bool *begins, struct wm_arena *arena);

#endif
