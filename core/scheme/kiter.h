/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Paths over k iterations of a loop, in mixed mode: which loops of a graph are iterated, that is, have k iterations
 * in a path, and the nodes of the unrolled DAG.
 *
 * A block of an iterated loop has 2k-1 nodes, its *versions*.  Version i of a block stands for the block in the i-th
 * iteration of a path.  For i < k there are two versions with number i: one for paths that entered the loop from
 * outside, one for paths that began at the loop head.  A path that began at the head must contain k iterations, so no
 * edge leaves the loop from its versions below k.  A block that is in no iterated loop has one node.
 */
#ifndef WM_CORE_KITER_H
#define WM_CORE_KITER_H

#include "core/scheme/scheme.h"

enum wm_loop_mode {
	WM_LOOP_ITERATED, /* k > 1 */
	WM_LOOP_ACYCLIC, /* k = 1 was chosen */
	WM_LOOP_OUTER, /* not innermost, and no k was chosen for it */
	WM_LOOP_INNER, /* inside a loop for which a k was chosen */
	WM_LOOP_AROUND, /* a k was chosen, but also for a loop inside it */
	WM_LOOP_IRREDUCIBLE,
	WM_LOOP_CUT, /* the graph is cut at one of its edges */
	WM_LOOP_WIDE, /* plan->most_iterations is 1 */
	WM_LOOP_LARGE, /* its versions would need too many nodes */
};
/* The reason as a clause for reports, such as "it is irreducible". */
const char *wm_loop_mode_text(enum wm_loop_mode mode);

struct wm_iterated_loop {
	uint32_t loop; /* index in loops.loop */
	uint32_t head, k;
	uint32_t size; /* blocks of its body */
	uint32_t *block; /* its blocks in reverse postorder, head first */
	uint32_t first_node;
};
struct wm_iterations {
	struct wm_loops loops;
	uint8_t *mode; /* per loop: enum wm_loop_mode */
	uint32_t count;
	struct wm_iterated_loop *iterated;
	uint32_t *of; /* per block: index in `iterated` of the loop that contains it, or WM_NONE */
	/* Per block of an iterated loop: a back edge of the loop can be reached without ending the path at an inner loop. */
	bool *completes;
	uint32_t *node; /* per block: its first version */
	uint32_t node_count; /* excluding Start and End */
};

/* A version of the blocks of an iterated loop.  Blocks outside iterated loops have loop WM_NONE. */
struct wm_version {
	uint32_t loop;
	uint32_t number; /* 1 … k */
	bool restarted; /* the path began at the head; for numbers below k these are separate nodes */
};
uint32_t wm_version_node(const struct wm_iterations *iterations, uint32_t block, struct wm_version version);
/* What a control-flow edge becomes in a version of its source. */
enum wm_passage {
	WM_PASS_FORBIDDEN, /* no DAG edge: the path began at the head and would leave before its k-th iteration */
	WM_PASS_REAL,
	WM_PASS_STOP,
};
/* For WM_PASS_REAL, *node receives the target. */
enum wm_passage wm_version_pass(
	const struct wm_plan *plan, struct wm_version version, uint32_t cfg_edge, uint32_t *node);
/* The version of a block for a path that enters its loop there. */
struct wm_version wm_version_arrive(const struct wm_iterations *iterations, uint32_t block);
/* The version of a block for a path that begins there. */
struct wm_version wm_version_restart(const struct wm_iterations *iterations, uint32_t block);
/* The DAG edge of a control-flow edge in a version of its source, or WM_NONE.  O(out-degree). */
uint32_t wm_version_edge(const struct wm_plan *plan, struct wm_version version, uint32_t cfg_edge);
/* Whether a control-flow edge is a back edge of this iterated loop itself, so that an iteration ends on it. */
bool wm_version_is_own_back_edge(const struct wm_plan *plan, uint32_t loop, uint32_t cfg_edge);

/* Chooses the iterated loops according to plan->choice and plan->cut. */
enum wm_status wm_iterations_make(struct wm_iterations *iterations, const struct wm_plan *plan, struct wm_arena *arena);
/* Builds plan->dag.  plan->iterations names the iterated loops; NULL: no loop is iterated.  O(edges · k). */
enum wm_status wm_unroll(struct wm_plan *plan, struct wm_arena *arena);

#endif
