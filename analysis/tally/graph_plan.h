/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Plans and probe programs of single functions, as options ask for them, and the decoding of their paths. */
#ifndef WM_ANALYSIS_TALLY_GRAPH_PLAN_H
#define WM_ANALYSIS_TALLY_GRAPH_PLAN_H

#include "core/graph/cfgtext.h"
#include "core/graph/parts.h"
#include "core/probes/passes.h"
#include "core/trail/trail.h"

/* Parses the value of --scheme.  Ends in wm_fail, which lists the valid schemes, if there is no such scheme. */
void wm_scheme_option(const char *text, struct wm_scheme_choice *choice);
/* Makes a plan whose ids are below `limit`; ends in wm_fail if that is not possible. */
void wm_graph_plan(struct wm_plan *plan, const struct wm_cfg_function *function, const struct wm_scheme_choice *choice,
	uint64_t limit, struct wm_arena *arena);

/* A probe program, and the store to which the ends of its paths refer. */
struct wm_graph_probes {
	struct wm_counting counting; /* filled in before wm_graph_place */
	struct wm_probe_program program;
};
/* Up to this many paths, counters are an array. */
#define WM_GRAPH_ARRAY_PATHS 65536
struct wm_graph_placing {
	const struct wm_parts *parts; /* for schemes whose paths end at calls */
	enum wm_placement placement;
	bool abandons; /* a walk may end anywhere, so trips must not be kept in a register */
	const char *after; /* the last pass to run; NULL: all; ends in wm_fail if there is no such pass */
};
void wm_graph_place(struct wm_graph_probes *probes, const struct wm_plan *plan, const struct wm_graph_placing *how,
	struct wm_arena *arena);
/* "guesses, values, ..." */
char *wm_pass_names(void);

struct wm_sequence_name;
/* The trail of the path with this id, or, if it is not NULL, this name.  Memory is in the arena.  Ends in wm_bug if there is
 * no such path. */
void wm_graph_decode(const struct wm_plan *plan, uint64_t id, const struct wm_sequence_name *name,
	struct wm_trail *trail, struct wm_arena *arena);

#endif
