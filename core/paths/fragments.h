/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Whole paths from fragments of paths.  An observer that knows paths of other code than that of the graph (machine code, whose loops
 * are rotated and unrolled) sees a path of the graph in several fragments.  What happened on both sides of a gap is not known to
 * belong together, but the counts limit it: fragments are joined along edges of the graph, the most frequent ones first, each as
 * often as it was counted.
 *
 * Fragments that are whole paths keep their counts.  If each gap has one fragment before it or one behind it, the result is exact.
 * Otherwise it has the blocks of all fragments with their counts as far as fragments can be joined, and says how often it chose,
 * and how often it had to add blocks that no fragment has left.
 */
#ifndef WM_CORE_FRAGMENTS_H
#define WM_CORE_FRAGMENTS_H

#include "core/base/id_count.h"
#include "core/scheme/scheme.h"

struct wm_fragment {
	/* At least one block, along edges of the graph.  If the last edge is one on which paths stop, the fragment has it as its
	 * end; no other edge of a fragment is such an edge. */
	const uint32_t *block;
	uint32_t length;
	uint64_t count;
	bool begins; /* a path begins with the first block */
	bool ends; /* a path ends with the last block, or with the last edge */
};

struct wm_joined {
	size_t count;
	struct wm_id_count *path; /* ascending ids, each once; in the arena */
	uint64_t executions; /* of all */
	uint64_t chosen; /* executions of paths with a gap at which there were several fragments on both sides */
	uint64_t assumed; /* executions of paths with blocks that no fragment had left */
};
/* The plan is one of acyclic paths.  WM_NO_MEMORY; WM_BAD_PATH: a fragment is not along edges.  Counts that exceed 2^63-1 together
 * are limited to it. */
enum wm_status wm_fragments_join(struct wm_joined *joined, const struct wm_plan *plan,
	const struct wm_fragment *fragment, size_t count, struct wm_arena *arena);

#endif
