/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Pending paths: how an activation got from the beginning of its present path to the block in which it stands.
 *
 * The paths are those of the scheme `acyclic`, whatever scheme counts them.  In the numbering of Ball and Larus, the
 * completions of a prefix that ends in block b have the ids S … S + n - 1, where S is the sum of the values along the
 * prefix and n is the number of paths from b to End.  These intervals are disjoint for different prefixes that end in
 * b, so a prefix is determined by S and b, and it is the part up to b of the path with the id S.
 *
 * A register of its own holds the sum.  Its updates are placed by wm_place_sums with static weights, so that they
 * depend only on the graph: the compiler and `waymark crash` compute the same placement.  The register is S minus a
 * constant of the block.  In blocks to which a single prefix leads, the register may have any value.
 */
#ifndef WM_CORE_PROBES_PENDING_H
#define WM_CORE_PROBES_PENDING_H

#include "core/probes/program.h"
#include "core/scheme/scheme.h"

struct wm_pending {
	struct wm_plan plan; /* scheme acyclic */
	/* SET and ADD update the register.  COUNT and COUNT_AT stand where a path ends; for COUNT the register is that of
	 * the block before, and the operand has no meaning here. */
	struct wm_probe_program program;
	bool *single; /* per block: a single prefix leads to it */
	uint64_t *missing; /* per block: S minus the register; S itself if `single` */
};

/* WM_NO_MEMORY.  The graph must outlive the result.  O(edges · log edges). */
enum wm_status wm_pending_make(struct wm_pending *pending, const struct wm_graph *graph, struct wm_arena *arena);

/*
 * The prefix that ends in `block` with this value of the register.  path->block as in struct wm_block_path; the
 * last block is `block`, `end` is WM_END_NONE.  WM_BAD_PATH: there is no such prefix.  O(length · log out-degree).
 */
enum wm_status wm_pending_decode(const struct wm_pending *pending, uint32_t block, uint64_t value,
	struct wm_block_path *path, struct wm_arena *arena);

#endif
