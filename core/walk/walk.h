/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Rebuilds the walk of a thread from its stream of subpaths (abi/stream.h), entry by entry: the functions that it entered,
 * blocks, calls, returns, and the activations that exceptions and longjmp left.
 *
 * The walk is exact where control returns to the activation on top, and where an activation identifies itself by LAND.
 * In one case the stream does not say which activation continues: code that is not recorded caught an exception, or
 * called setjmp, and so ended activations, and several activations of the function that continues wait in the same
 * call.  Then the innermost of them is assumed to continue, and `ambiguous` counts how often that happened.
 */
#ifndef WM_CORE_WALK_WALK_H
#define WM_CORE_WALK_WALK_H

#include "core/graph/parts.h"
#include "core/scheme/scheme.h"
#include "core/walk/event.h"

/* Makes the parts of a function and its plan under the scheme `subpath`.  Ids are below 2^32; where there are more
 * subpaths, the graph is cut.  WM_TOO_MANY: cutting does not suffice, and the function cannot be recorded. */
enum wm_status wm_subpath_plan(
	struct wm_plan *plan, struct wm_parts *parts, const struct wm_unit_function *function, struct wm_arena *arena);

/* What the walk needs to know of a function: its plan under the scheme `subpath`. */
struct wm_walk_function {
	const struct wm_plan *plan; /* NULL: unknown; its entries are WM_BAD_PATH */
	const struct wm_parts *parts;
	bool frames; /* it identifies its activations: it has landing pads or calls that return twice */
};

struct wm_walk_frame {
	uint32_t function; /* WM_NONE: FRAME has announced the activation, and no subpath has opened it yet */
	uint32_t waits; /* the part at which the next subpath begins; WM_NONE: there is no next subpath */
	bool landed; /* LAND named it, and its next subpath has not come yet */
	uint64_t identity; /* of FRAME; 0: none */
};

struct wm_walk {
	const struct wm_walk_function *function;
	uint32_t function_count;
	struct wm_sink sink;
	/* The activations, outermost first.  From malloc. */
	struct wm_walk_frame *frame;
	uint32_t depth;
	uint32_t *edge; /* scratch memory for a path */
	uint64_t entries; /* entries taken, holes included */
	uint64_t ambiguous, abandoned, adopted, holes;
};

/* `arena` holds scratch memory only. */
enum wm_status wm_walk_init(struct wm_walk *walk, const struct wm_walk_function *function, uint32_t count,
	const struct wm_sink *sink, struct wm_arena *arena);
/* Begins the next walk: gives BEGIN.  OWN and END are not in streams, and are up to the caller (wm_sink_give). */
void wm_walk_begin(struct wm_walk *walk);
/* Takes the next entry and gives its events to the sink.  WM_BAD_PATH: the entry names no subpath.  The
 * walk is unchanged and may continue with the next entry, which then may have to adopt activations.  O(length of the
 * subpath) amortised. */
enum wm_status wm_walk_take(struct wm_walk *walk, uint64_t entry);
void wm_walk_release(struct wm_walk *walk);

#endif
