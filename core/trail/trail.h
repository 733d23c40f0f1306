/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A trail: a path in terms that a person would use.  It is a list of steps; each enters a block, calls or returns.  Every
 * plan, of every scheme, gives the trail of an id, and what follows decoding (source lines, reports, segments) takes trails:
 *     an id of a plan           wm_trail_decode: steps that enter blocks, and the calls that the path crosses, with the returns
 *     a sequence of pieces      wm_trail_decode_pieces
 *     code with inlined calls   wm_trail_original (core/trail/original.h): the trail of the original functions
 *     machine code              wm_hw_trail (analysis/machine/machine_trail.h): the functions are the procedures of a binary
 *
 * A block is not repeated after its calls.  A path may begin with steps that an earlier path of the same activations had
 * too: its context, which is the way to a loop or the calls that are open and the way to them, or earlier iterations of a
 * loop.  What follows is the active part.
 */
#ifndef WM_CORE_TRAIL_TRAIL_H
#define WM_CORE_TRAIL_TRAIL_H

#include "core/scheme/pieces.h"
#include "core/scheme/unit_scheme.h"

enum wm_trail_kind { WM_TRAIL_BLOCK, WM_TRAIL_CALL, WM_TRAIL_RETURN };

struct wm_trail_step {
	enum wm_trail_kind kind;
	/* The function of `block`: its index in the unit, or 0 in a plan of one function.  In a trail of original functions:
	 * the compiled function that has the code of `frame`. */
	uint32_t function;
	uint32_t block; /* CALL and RETURN: of the call, in the caller */
	uint32_t site; /* CALL and RETURN: the call site; BLOCK: WM_NONE, or the call after which the path begins */
	uint32_t edge; /* BLOCK, lone RETURN: the control-flow edge by which the path leaves the block; WM_NONE: none */
	uint32_t depth; /* calls that are open after the step, counted so that none is below 0 */
	bool restart; /* BLOCK: a path goes on here after a back edge, after a cut or in a landing pad */
	bool again; /* BLOCK: a further iteration of a loop begins, on a path that has several or a context */
	bool lone; /* RETURN: the path does not have the call */
	bool unwinds; /* RETURN, in a trail of original functions: an exception left the callee */
	/* In a trail of original functions (core/trail/original.h): */
	uint32_t frame; /* the activation in which control is after the step */
	uint32_t at; /* the step of the compiled functions in which this step is taken */
	uint32_t mark; /* of the marks of the block of that step, the one that this step follows from */
};

/* An activation of an original function. */
struct wm_trail_frame {
	uint32_t parent; /* the frame of the caller, which has a smaller index; WM_NONE: the path does not tell */
	uint32_t function; /* the compiled function that has its code */
	uint32_t context; /* among the origins of that function; 0: it is that function itself */
	uint32_t block; /* of the call site, in the original graph of the caller */
};

struct wm_trail {
	uint32_t count;
	struct wm_trail_step *step;
	uint32_t fresh; /* index of the first step of the active part */
	uint8_t start, end; /* enum wm_start, enum wm_end */
	uint32_t last; /* the step into the block that the path leaves last: BLOCK, or the lone RETURN to that block */
	/* The call site before which the path ends (end CUT, or CALL of recorded subpaths) or in which it ends pending (end
	 * CALL), in the last block; WM_NONE: neither. */
	uint32_t cut;
	/* Of a trail of original functions: */
	uint32_t frame_count;
	struct wm_trail_frame *frame;
	uint32_t first; /* the frame in which the trail begins */
};

/* The trail of the path with this id, in the arena.  The plan is not one of `sequences`; if paths cross calls, it is that of any
 * function of the unit.  WM_BAD_PATH: no path has this id.  WM_NO_MEMORY.  O(length · out-degree); in schemes with cuts, plus
 * the number of calls of every function that the path enters. */
enum wm_status wm_trail_decode(const struct wm_plan *plan, uint64_t id, struct wm_trail *trail, struct wm_arena *arena);
/* The same for a path that is named by its pieces (core/scheme/pieces.h).  WM_BAD_PATH: a piece does not begin where the
 * previous one ended. */
enum wm_status wm_trail_decode_pieces(const struct wm_plan *plan, const uint64_t *piece, uint32_t length,
	struct wm_trail *trail, struct wm_arena *arena);
/* The trail of the path that has this id in a profile: if the plan has sequences, `lookup` finds the pieces of the path, else as
 * wm_trail_decode. */
enum wm_status wm_trail_find(const struct wm_plan *plan, uint64_t id, wm_name_lookup *lookup, const void *closure,
	struct wm_trail *trail, struct wm_arena *arena);
/* The trail of blocks of one function, of which there is at least one.  Of the plan, only the graph, the index and what says
 * where iterations begin are read.  WM_NO_MEMORY.  O(length · out-degree). */
enum wm_status wm_trail_of_path(
	const struct wm_plan *plan, const struct wm_block_path *path, struct wm_trail *trail, struct wm_arena *arena);

/* Whether a call follows the step, so that the path does not leave its block here. */
bool wm_trail_calls_next(const struct wm_trail *trail, uint32_t step);
/* Whether two steps are the same but for the way in which the path goes on. */
bool wm_trail_same_step(const struct wm_trail_step *a, const struct wm_trail_step *b);
/* How many steps two trails of the same function, or unit, have in common from their beginning. */
uint32_t wm_trail_common(const struct wm_trail *a, const struct wm_trail *b);
/* Whether the step enters a function at its entry. */
bool wm_trail_is_entry(const struct wm_trail *trail, uint32_t step);

#endif
