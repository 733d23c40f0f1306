/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the acyclic scheme must give, straight from its definition and sharing no
 * code with core/: back edges by colouring, paths by listing them in numbering
 * order, a profile by splitting a walk.  Slow and plain on purpose.
 */
#ifndef WM_TEST_CORE_ORACLE_H
#define WM_TEST_CORE_ORACLE_H

#include "core/graph/graph.h"

struct oracle_path {
	uint32_t length, *block;
	uint32_t last_edge; /* the back or cut edge that ends it, or WM_NONE */
	enum wm_start start;
	enum wm_end end;
};

struct oracle {
	const struct wm_graph *graph;
	const bool *cut;
	bool *reached, *back, *head, *restarts;
	uint32_t count, capacity;
	struct oracle_path *path; /* in numbering order */
};

/* Lists at most `limit` paths; false when there are more. */
bool oracle_init(struct oracle *oracle, const struct wm_graph *graph, const bool *cut, uint32_t limit);
void oracle_release(struct oracle *oracle);
/* The id of a path; dies when there is none. */
uint32_t oracle_find(
	const struct oracle *oracle, enum wm_start start, const uint32_t *block, uint32_t length, uint32_t last_edge);
/* Adds the paths of one activation, given as blocks, to `counts`; `left`: the last
 * block was left as an exit, else its path is abandoned. */
void oracle_count(const struct oracle *oracle, const uint32_t *walk, uint32_t length, bool left, uint64_t *counts);

#endif
