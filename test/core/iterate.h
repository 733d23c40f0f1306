/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the schemes kiter and loopcontext must give, from their definitions and
 * sharing no code with core/: loops by reachability, paths by listing them in
 * numbering order, a profile by looking back over a walk.  Slow and plain on purpose.
 */
#ifndef WM_TEST_CORE_ITERATE_H
#define WM_TEST_CORE_ITERATE_H

#include "test/core/oracle.h"

struct iterate {
	const struct oracle *oracle; /* back edges, heads, cuts */
	const struct wm_graph *graph;
	bool context; /* loopcontext, else kiter */
	uint32_t *k; /* per block: iterations of the loop of this head; 0: acyclic or no head */
	uint32_t *of; /* per block: head of the iterated loop that holds it, or WM_NONE */
	bool **body; /* per head of a natural loop: its blocks; else NULL */
	uint32_t count, capacity;
	struct iterate_path *path; /* in numbering order */
};
struct iterate_path {
	uint32_t length, *block;
	uint32_t last_edge;
	bool *again; /* per block: a head that the path has in a later iteration, after its context */
	uint32_t fresh; /* blocks before are context or earlier iterations */
	enum wm_start start;
};

/* `k` for innermost natural loops; `own`, per block, is the k chosen for the loop of this
 * head, or 0; NULL: none. */
void iterate_init(struct iterate *it, const struct oracle *oracle, uint32_t k, const uint32_t *own);
void iterate_init_context(struct iterate *it, const struct oracle *oracle);
/* Lists at most `limit` paths; false when there are more. */
bool iterate_list(struct iterate *it, uint32_t limit);
/* Adds the paths of one activation. */
void iterate_count(const struct iterate *it, const uint32_t *walk, uint32_t length, bool left, uint64_t *counts);
/* The path in which a walk of an activation stands; its `block` is on the heap, `again` is NULL.  No paths need be listed. */
void iterate_pending(const struct iterate *it, const uint32_t *walk, uint32_t length, struct iterate_path *pending);
void iterate_release(struct iterate *it);

#endif
