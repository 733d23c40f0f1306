/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Pending paths: how an activation got from the beginning of its present path to the block in which it stands.
 *
 * In the numbering of Ball and Larus, the completions of a prefix that ends in block b have the ids S … S + n - 1, where S
 * is the sum of the values along the prefix and n is the number of paths from b to End.  These intervals are disjoint for
 * different prefixes that end in b, so a prefix is determined by S and b, and it is the part up to b of the path with the
 * id S.
 *
 * A register of its own holds the sum.  Its updates are placed by wm_place_sums with static weights, so that they
 * depend only on the graph and the scheme: the compiler and `waymark crash` compute the same placement.  The register is S
 * minus a constant of the block.  In blocks to which a single prefix leads, the register may have any value.
 *
 * A scheme with contexts has the prefixes of its own paths.  All other schemes have those of acyclic paths.  Under a scheme
 * with iterations a path consists of pieces (core/scheme/pieces.h), and the prefix is the last, unfinished piece.  At the
 * back edge of an iterated loop the piece that ends there is put in front of a list of earlier pieces.  The list is never
 * emptied: where a piece begins says whether the piece before it is part of the same path.  So the list needs no
 * initialisation, and only as many pieces as a path can have are kept.
 */
#ifndef WM_CORE_PROBES_PENDING_H
#define WM_CORE_PROBES_PENDING_H

#include "abi/crash.h"
#include "core/probes/program.h"
#include "core/scheme/scheme.h"

/* The most pieces that are kept; paths with more lose their beginning. */
#define WM_PENDING_PIECES WM_CRASH_PIECES

struct wm_pending {
	struct wm_plan plan; /* whose paths have the prefixes */
	/* SET and ADD update the register; SAVE and RESTORE copy it.  PIECE and PIECE_AT put a piece in front of the list.
	 * COUNT and COUNT_AT stand where a path ends otherwise; for COUNT the register is that of the block before. */
	struct wm_probe_program program;
	bool *single; /* per block: a single prefix leads to it */
	uint64_t *missing; /* per block: S minus the register; S itself if `single` */
	/* Per block: how many earlier pieces a pending path there may have; of the head of an iterated loop, this many
	 * are kept at the loop's back edges.  NULL: the scheme has no iterations. */
	uint32_t *earlier;
	uint32_t most_earlier; /* in any block */
};

/* `counted`: the plan by which the paths of the graph are counted; NULL: a plan of another graph, or one across calls, so
 * that the paths are acyclic.  WM_NO_MEMORY.  Graph and plan must outlive the result.  O(edges · log edges). */
enum wm_status wm_pending_make(struct wm_pending *pending, const struct wm_graph *graph, const struct wm_plan *counted,
	struct wm_arena *arena);

/* What an activation has recorded. */
struct wm_pending_state {
	uint32_t block;
	uint64_t value; /* of the register */
	const uint64_t *piece; /* earlier pieces, the last one first */
	uint32_t piece_count; /* at least pending->earlier[block], unless some were not recorded */
};

/*
 * The pending path.  path->block as in struct wm_block_path; the last block is state->block, `end` is WM_END_NONE.
 * *whole: no piece of its beginning is missing.  WM_BAD_PATH: there is no such path.
 * O(length · log out-degree).
 */
enum wm_status wm_pending_decode(const struct wm_pending *pending, const struct wm_pending_state *state,
	struct wm_block_path *path, bool *whole, struct wm_arena *arena);

#endif
