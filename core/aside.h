/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which parts of a function are worth a copy for paths that have left the core (plugin/aside.h).
 *
 * A function without loops, or a small one, as a whole; of others, loops that go round often, none inside another.
 * What is computed before a loop is then the same for the loop and its copy, and only what goes round in it
 * has to be handed from one to the other.  In large functions that matters: LZ4HC_compress_generic (593 blocks) runs
 * 8 % more instructions copied whole than by its loops, sqlite3VdbeExec (1923) more even by its loops than not copied;
 * BZ2_compressBlock (454) gains as a whole.
 */
#ifndef WM_CORE_ASIDE_H
#define WM_CORE_ASIDE_H

#include "core/place.h"

struct wm_asides {
	uint32_t count;
	uint32_t *head; /* per part: of its loop; WM_NONE: the whole function */
	uint32_t *of; /* per block: its part, or WM_NONE */
	double entering; /* how often parts are entered that are loops */
};
#define WM_ASIDE_SMALL 512u
/* `small`: functions with at most so many blocks are copied whole.  O(edges · depth of loops). */
enum wm_status wm_asides_choose(struct wm_asides *asides, const struct wm_plan *plan, const struct wm_loops *loops,
	const struct wm_weights *weights, uint32_t small, struct wm_arena *arena);
/* Whether an edge of the CFG stays in its part. */
bool wm_asides_within(const struct wm_asides *asides, const struct wm_graph *graph, uint32_t edge);

#endif
