/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Random control-flow graphs for tests, the same for the same seed.
 *
 *   RANDOM_STRUCTURED   sequences, ifs, switches and loops nested in each other: reducible
 *   RANDOM_GOTO         the same with some arbitrary jumps: often irreducible
 *   RANDOM_ARBITRARY    any successors for any block: unreached blocks, entries
 *                       that are heads, functions without an exit
 *   RANDOM_DAG          forward edges only
 *   RANDOM_WIDE         switches with tens of targets
 */
#ifndef WM_TEST_CORE_RANDOM_GRAPH_H
#define WM_TEST_CORE_RANDOM_GRAPH_H

#include "core/graph/graph.h"

struct random {
	uint64_t state;
};
uint64_t random_next(struct random *random);
/* Below `bound`, which is not 0. */
uint32_t random_below(struct random *random, uint32_t bound);

enum random_shape { RANDOM_STRUCTURED, RANDOM_GOTO, RANDOM_ARBITRARY, RANDOM_DAG, RANDOM_WIDE, RANDOM_SHAPES };

/* About `size` blocks. */
enum wm_status random_graph(
	struct wm_graph *graph, enum random_shape shape, uint32_t size, struct random *random, struct wm_arena *arena);

/* The least number of edges from a block to an exit block; 2^20 or more if there is no way to one. */
uint32_t distance_to_exit(const struct wm_graph *graph, uint32_t from);

#endif
