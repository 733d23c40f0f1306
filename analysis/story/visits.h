/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A path across calls as a list of visits: the blocks that it enters, the calls that it crosses and the returns.  A
 * block is not repeated after its calls.  A path of the scheme `context` that goes on after a back edge begins with its
 * context, the calls that were still open there and the way to them; what follows is the active part.
 */
#ifndef WM_ANALYSIS_STORY_VISITS_H
#define WM_ANALYSIS_STORY_VISITS_H

#include "core/scheme/unit_path.h"

enum wm_visit_kind { WM_VISIT_BLOCK, WM_VISIT_CALL, WM_VISIT_RETURN };

struct wm_visit {
	enum wm_visit_kind kind;
	uint32_t function; /* of the unit; CALL and RETURN: that of the caller */
	uint32_t block; /* CALL and RETURN: of the call */
	uint32_t site; /* CALL and RETURN: the call site; BLOCK: WM_NONE, or the call after which the path begins */
	uint32_t edge; /* BLOCK: the control-flow edge by which the path leaves the block; WM_NONE: none */
	uint32_t depth; /* calls that are open, counted so that none is below 0 */
	bool restart; /* BLOCK: a path goes on here after a back edge, after a cut or in a landing pad */
	bool lone; /* RETURN: the path does not have the call */
};

struct wm_visits {
	uint32_t count;
	struct wm_visit *visit;
	uint32_t fresh; /* index of the first visit of the active part */
	uint8_t start, end; /* enum wm_start, enum wm_end */
	uint32_t last_function; /* in which the path ends */
	uint32_t last; /* the visit of the block that the path leaves last, or the lone return into that block */
	/* The call site before which it is cut (end CUT) or in which it ends pending (end CALL); WM_NONE: neither. */
	uint32_t cut;
};

/* The visits of a path, in the arena.  WM_BAD_PATH: no path has this id. */
enum wm_status wm_visits_decode(
	const struct wm_unit_plan *plan, uint64_t id, struct wm_visits *visits, struct wm_arena *arena);

#endif
