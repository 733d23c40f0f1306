/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The probe program of one function that profiles paths across calls (core/scheme/interprocedural.h): besides the
 * entry, edges and exits it has probes before and after every call.
 *
 * Edges only add pairs ⟨a, b⟩; nothing is multiplied until the number of a path is needed: at a crossed call, at the
 * end of a path, at a reply.  With optimal placement pairs stand only on the chords of a spanning tree, and the
 * sum at a call is that of a part of a path: there the potential φ of the call's block makes up the difference.
 * All constants are in tables that the actions refer to by index.
 */
#ifndef WM_CORE_PROBES_UNIT_PROGRAM_H
#define WM_CORE_PROBES_UNIT_PROGRAM_H

#include "core/probes/place.h"
#include "core/scheme/interprocedural.h"

struct wm_call_probes {
	struct wm_probe before, after;
};
/* Constants of a call site; all 0 where it is stepped over. */
struct wm_unit_site {
	uint32_t token; /* of the callee */
	struct wm_pair behind; /* ways to go on behind the call */
	struct wm_pair potential; /* φ of the block */
	uint64_t edge_value; /* piecewise: added when the callee restarted */
};
struct wm_unit_program {
	struct wm_probe_program events; /* entry, edges, exits */
	struct wm_call_probes *call; /* per call site */
	struct wm_unit_site *site; /* per call site */
	uint32_t pair_count, pair_capacity;
	struct wm_pair *pair;
	uint32_t token; /* index of the function and 1 */
	bool root; /* paths may begin at the entry */
	uint64_t first, first_piece, behind_exit, exit_value; /* as in struct wm_function_plan */
};

/* The programs of all functions of a plan, in the order of the unit.  `weights`, per function: of an optimal placement;
 * naive: NULL.  O(edges + sites). */
enum wm_status wm_unit_place(const struct wm_unit_plan *plan, enum wm_placement placement,
	const struct wm_weights *weights, struct wm_unit_program **program, struct wm_arena *arena);

#endif
