/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counts paths by executing probes in the interpreter: for walks of graph files and for recordings.  One machine runs all
 * functions of a unit; functions whose paths do not cross calls are one unit.
 *
 * On the optimised graph, a recording ends an activation before a tail call, while an instrumented build whose paths cross
 * calls makes the tail call an ordinary call.  Such an activation stays open here (`tail`) until its callee has returned, or
 * until its caller goes on if the callee is not recorded.
 */
#ifndef WM_ANALYSIS_TALLY_TALLY_H
#define WM_ANALYSIS_TALLY_TALLY_H

#include "analysis/counts/idcounts.h"
#include "analysis/counts/sequences.h"
#include "analysis/tally/activations.h"
#include "analysis/tally/graph_plan.h"
#include "core/walk/walk.h"
#include "profile/map/map.h"

struct wm_tally_sums {
	struct wm_id_counts ids;
	uint64_t entries; /* activations in which a path began */
	uint64_t crossed; /* those that were entered by crossed calls */
	uint64_t resumed;
};
enum { WM_INHERITED, WM_OWN, WM_WHOSE }; /* before the process was forked, or by the process itself */

/* What was counted in a function. */
struct wm_tally {
	const char *name;
	bool twice; /* calls of the function may return twice */
	struct wm_tally_sums sums[WM_WHOSE];
	uint64_t abandoned; /* paths of activations that were abandoned, except those that are counted as pending */
	uint64_t inherited; /* activations that go on in a forked child, in which they were not entered */
	/* Functions whose paths do not cross calls: */
	struct wm_plan plan;
	struct wm_graph_probes probes;
	struct wm_sequences names; /* of paths without ids: what stands for one is the index of its name */
	/* Of a plan whose paths end at calls, for graph files: the paths are not counted, but become entries of a walk, in which
	 * the function has the number that it has here. */
	const struct wm_parts *parts;
	struct wm_walk *walk;
};

struct wm_tally_unit {
	const struct wm_unit_plan *plan; /* NULL: paths do not cross calls */
	uint32_t function_count;
	struct wm_tally *tally; /* per function */
	struct wm_probed *probed; /* per function */
	struct wm_machine machine;
	const bool *own; /* set by wm_tallies_sink */
	bool pending; /* the path of the top frame was counted as pending in a frame that is gone */
};
/* `probed` has the probes of the plan; both are NULL if paths do not cross calls.  Memory is in the arena, except that of the
 * counts. */
void wm_tally_unit_init(struct wm_tally_unit *unit, uint32_t function_count, const struct wm_unit_plan *plan,
	struct wm_probed *probed, struct wm_arena *arena);
/* For a function whose paths do not cross calls, with a name and a plan: makes its probes.  Any walk may be abandoned. */
void wm_tally_place(struct wm_tally_unit *unit, uint32_t function, enum wm_placement placement, struct wm_arena *arena);

/* The function of a unit that a function of the walk is. */
struct wm_tally_member {
	struct wm_tally_unit *unit; /* NULL: the instrumented build does not count in it */
	uint32_t function;
	const struct wm_map_function *recorded; /* NULL: there is nothing to know of tail calls */
};

/* Start from zeroes and the fields before `activations`. */
struct wm_tallies {
	struct wm_tally_unit *unit;
	size_t unit_count;
	/* Per function of the walk; NULL: they are those of the only unit. */
	const struct wm_tally_member *member;
	/* NULL, or called when a function is entered: it may give the function its plan and its probes. */
	void (*plan)(void *closure, uint32_t function);
	void *closure;
	struct wm_activations activations;
};
struct wm_sink wm_tallies_sink(struct wm_tallies *tallies);
void wm_tallies_release(struct wm_tallies *tallies);

#endif
