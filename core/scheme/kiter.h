/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Paths over k iterations of a loop, in mixed mode: which loops of a graph have
 * k iterations in a path, and the nodes of the unrolled DAG.
 *
 * A block of such a loop has 2k-1 nodes, its versions.  Version i of a block is
 * the block in the i-th iteration of a path: of a path that came into the loop from
 * outside, or, for i < k a node of its own, of a path that started at the head.  A
 * path that started at the head must see k iterations, so in those versions no edge
 * leaves the loop.  All other blocks have one node.
 */
#ifndef WM_CORE_KITER_H
#define WM_CORE_KITER_H

#include "core/scheme/scheme.h"

enum wm_loop_mode {
	WM_LOOP_ITERATED, /* k > 1 */
	WM_LOOP_ACYCLIC, /* k = 1, as chosen */
	WM_LOOP_OUTER, /* not innermost, and not chosen */
	WM_LOOP_INNER, /* inside a loop that was chosen */
	WM_LOOP_AROUND, /* chosen, but so is a loop inside it */
	WM_LOOP_IRREDUCIBLE,
	WM_LOOP_CUT, /* the graph is cut at one of its edges */
	WM_LOOP_WIDE, /* plan->most_iterations is 1 */
	WM_LOOP_LARGE, /* its versions would be too many nodes */
};
/* A clause for reports: "it is irreducible". */
const char *wm_loop_mode_text(enum wm_loop_mode mode);

struct wm_iterated_loop {
	uint32_t loop; /* index in loops.loop */
	uint32_t head, k;
	uint32_t size; /* blocks of its body */
	uint32_t *block; /* those, in reverse postorder: the head first */
	uint32_t first_node;
};
struct wm_iterations {
	struct wm_loops loops;
	uint8_t *mode; /* per loop: enum wm_loop_mode */
	uint32_t count;
	struct wm_iterated_loop *iterated;
	uint32_t *of; /* per block: the iterated loop whose body holds it, or WM_NONE */
	bool *completes; /* per such block: an iteration can end without ending the path at an inner loop before */
	uint32_t *node; /* per block: its first version */
	uint32_t node_count; /* without Start and End */
};

/* A version of the blocks of an iterated loop; loop WM_NONE: of all other blocks. */
struct wm_version {
	uint32_t loop;
	uint32_t number; /* 1 … k */
	bool restarted; /* the path started at the head; below k these are other nodes */
};
uint32_t wm_version_node(const struct wm_iterations *iterations, uint32_t block, struct wm_version version);
/* What an edge does in a version of its source. */
enum wm_passage {
	WM_PASS_FORBIDDEN, /* the path that started at the head would not reach its k-th iteration */
	WM_PASS_REAL,
	WM_PASS_STOP,
};
/* *node: where a real one leads. */
enum wm_passage wm_version_pass(
	const struct wm_plan *plan, struct wm_version version, uint32_t cfg_edge, uint32_t *node);
/* The version in which a path finds the block when it comes there from outside of its loop. */
struct wm_version wm_version_arrive(const struct wm_iterations *iterations, uint32_t block);
/* The same when the path starts there. */
struct wm_version wm_version_restart(const struct wm_iterations *iterations, uint32_t block);
/* The DAG edge of a control-flow edge in a version of its source, or WM_NONE.  O(out-degree). */
uint32_t wm_version_edge(const struct wm_plan *plan, struct wm_version version, uint32_t cfg_edge);
/* The back edges of an iterated loop itself, on which its iterations end. */
bool wm_version_is_own_back_edge(const struct wm_plan *plan, uint32_t loop, uint32_t cfg_edge);

/* Chooses the loops, by plan->choice and ->cut. */
enum wm_status wm_iterations_make(struct wm_iterations *iterations, const struct wm_plan *plan, struct wm_arena *arena);
/* The DAG of a plan whose iterations are made; NULL: no loop is iterated.  O(edges · k). */
enum wm_status wm_unroll(struct wm_plan *plan, struct wm_arena *arena);

#endif
