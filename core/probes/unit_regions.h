/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Regions of functions that profile paths across calls: small loops with a numbering of their own, like those of
 * regions.h.  Only schemes with pieces have regions.  In these schemes, the id of a path that begins at a loop head and
 * ends at a back edge of the same loop depends on nothing that happened before, so such a path can have a counter cell
 * instead of an entry in a hash table.  Not in the papers.
 *
 * A region is a natural loop, as large as possible, in which no path can end or begin at a call.  Inside a region, the
 * register l has the *local index* of the path, and ⟨A, B⟩ and x stay as they were when the region was entered.  Every
 * path from the head, or from a block at which paths begin, to a back edge or to an edge that leaves the region has
 * a local index of its own:
 *     index < entered   the path began outside the region
 *     otherwise         it began inside the region
 * The table of the function (abi/unit_tables.h) has, per local index, the pair that the path adds to ⟨A, B⟩ on its way through
 * the region; the pair of a path that began inside contains the value with which it began.  Where a path leaves
 * the region, this pair is added.
 *
 * Regions depend only on the function and on its spanning tree, like the rest of its program (unit_program.h).
 */
#ifndef WM_CORE_PROBES_UNIT_REGIONS_H
#define WM_CORE_PROBES_UNIT_REGIONS_H

#include "core/numbering/pair.h"
#include "core/scheme/unit_scheme.h"

/* The most local indices of one region, and of all regions of a function. */
#define WM_UNIT_REGION_PATHS 256
#define WM_UNIT_REGIONS_PATHS 1024

struct wm_unit_region {
	uint32_t head; /* block */
	uint32_t entered, paths; /* see above; `paths` is the number of local indices */
	uint32_t first_pair; /* the word of the table with the pair of local index 0 */
	uint32_t first_cell; /* the cell of local index `entered`; that of the next index follows */
};

struct wm_unit_regions {
	uint32_t count;
	struct wm_unit_region *region; /* `first_pair` is not set */
	uint32_t *of; /* per block: its region, or WM_NONE */
	/* Per DAG edge out of a block of a region, or with which paths begin in a region: what the edge adds to l. */
	uint32_t *value;
	uint32_t cell_count; /* of all regions */
};

/* `tree`: the spanning tree, or NULL; its edges are expected to run often and get the value 0 where possible.
 * WM_NO_MEMORY.  O(edges · depth of loops + sites). */
enum wm_status wm_unit_regions_make(
	struct wm_unit_regions *regions, const struct wm_plan *plan, const bool *tree, struct wm_arena *arena);

/* A path with a local index. */
struct wm_local_path {
	/* Of the increments of its edges inside the region, and of its first edge if the path begins in the region. */
	struct wm_pair sum;
	bool leaves; /* it leaves the region; the edge on which it leaves is not part of the sum */
};
/* `increment`: per DAG edge.  O(length · out-degree). */
struct wm_local_path wm_unit_region_follow(const struct wm_unit_regions *regions, const struct wm_plan *plan,
	uint32_t region, uint32_t index, const struct wm_pair *increment);

#endif
