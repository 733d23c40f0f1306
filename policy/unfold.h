/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Chooses the copies of code for preferential builds.  Not in the papers.
 *
 * The paths that begin at one block form a tree: two of them share instructions until they branch differently.  The shape
 * (core/graph/shape.h) unfolds the trees of frequent paths: a block on such a path has an instance of its own for every
 * sequence of blocks from the beginning of the path.  Inside a tree the position of control alone identifies the path.  So
 * no register is needed there, and the end of a frequent path increments a counter whose address is a constant.  All
 * other paths leave the tree and go on in *common* instances, where they are counted as in other preferential builds; the
 * edge on which a path leaves the tree sets the path register to a constant.
 *
 * The first instance of a block with which frequent paths begin is the root of the tree.  Control flow from elsewhere
 * reaches the block in a further, common instance.  The first instance of any other block is the common one.
 */
#ifndef WM_POLICY_UNFOLD_H
#define WM_POLICY_UNFOLD_H

#include "core/graph/shape.h"
#include "core/paths/pathset.h"

/* A frequent path has at least one in this number of the executions of the function's paths, and of those of all paths of
 * the program. */
#define WM_UNFOLD_SHARE 1024
#define WM_UNFOLD_PROGRAM 4096
/* How many blocks may be copied: one for this number of blocks of the function, and a few more in small functions. */
#define WM_UNFOLD_BLOCKS 2
#define WM_UNFOLD_FEW 64
/* The instructions that a copied block must save, for this number of executions of paths of the program. */
#define WM_UNFOLD_GAIN 2048

/* The paths that are known, and how often each ran. */
struct wm_unfold_paths {
	const struct wm_path_set *set;
	const uint64_t *count;
	double least; /* a path that ran less often is not frequent */
};
/*
 * WM_TOO_MANY: no path is frequent enough, or the function has more than WM_UNFOLD_LARGE blocks.  Needs
 * plan->events_are_edges.  O(paths · (log paths + length)).
 */
#define WM_UNFOLD_LARGE 1024u
enum wm_status wm_unfold_shape(struct wm_shape *shape, const struct wm_plan *plan, const struct wm_unfold_paths *paths,
	struct wm_arena *arena);

#endif
