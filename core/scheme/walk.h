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
#ifndef WM_CORE_SCHEME_WALK_H
#define WM_CORE_SCHEME_WALK_H

#include "core/graph/parts.h"
#include "core/scheme/scheme.h"

/* Makes the parts of a function and its plan under the scheme `subpath`.  Ids are below 2^32; where there are more
 * subpaths, the graph is cut.  WM_TOO_MANY: cutting does not suffice, and the function cannot be recorded. */
enum wm_status wm_subpath_plan(
	struct wm_plan *plan, struct wm_parts *parts, const struct wm_unit_function *function, struct wm_arena *arena);

enum wm_walk_kind {
	WM_WALK_ENTER, /* an activation of `function` is opened */
	WM_WALK_BLOCK, /* the activation on top enters `block` */
	WM_WALK_CALL, /* the activation on top makes call `call` of `block` */
	WM_WALK_BEHIND, /* call `call` returned */
	WM_WALK_CAUGHT, /* an exception left call `call`; the next block is its landing pad */
	WM_WALK_AGAIN, /* call `call`, of setjmp, returned for the second time */
	WM_WALK_LEAVE, /* the activation on top is closed: it returned, or it resumed an exception (`end`) */
	WM_WALK_STUCK, /* the activation on top makes its last call, which does not return; it stays open */
	WM_WALK_ABANDON, /* the activation on top was left without being closed */
	WM_WALK_ADOPT, /* an activation continues whose beginning is not in the stream; it is on top now */
	WM_WALK_SPECIAL, /* a special entry, except FRAME and LAND: `entry` */
};

struct wm_walk_event {
	enum wm_walk_kind kind;
	uint32_t function; /* of the activation on top; WM_NONE: SPECIAL */
	uint32_t block; /* ENTER, LEAVE, ABANDON, ADOPT, SPECIAL: WM_NONE */
	uint32_t call; /* CALL, BEHIND, CAUGHT, AGAIN; STUCK: or WM_NONE, if the block has no call */
	enum wm_end end; /* LEAVE: RETURN or UNWIND */
	uint32_t depth; /* activations below the one on top */
	uint64_t entry;
};

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
	void (*take)(void *closure, const struct wm_walk_event *event);
	void *closure;
	/* The activations, outermost first.  From malloc. */
	struct wm_walk_frame *frame;
	uint32_t depth;
	uint32_t *edge; /* scratch memory for a path */
	uint64_t entries; /* entries taken, holes included */
	uint64_t ambiguous, abandoned, adopted, holes;
};

/* `arena` holds scratch memory only. */
enum wm_status wm_walk_init(
	struct wm_walk *walk, const struct wm_walk_function *function, uint32_t count, struct wm_arena *arena);
/* Takes the next entry and calls walk->take for each event.  WM_BAD_PATH: the entry names no subpath.  The
 * walk is unchanged and may continue with the next entry, which then may have to adopt activations.  O(length of the
 * subpath) amortised. */
enum wm_status wm_walk_take(struct wm_walk *walk, uint64_t entry);
/* Gives a forked child the open activations of its parent.  `parent` must have taken as many entries as FORK says. */
enum wm_status wm_walk_inherit(struct wm_walk *child, const struct wm_walk *parent);
void wm_walk_release(struct wm_walk *walk);

#endif
