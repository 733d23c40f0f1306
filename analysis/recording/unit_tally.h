/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counts paths across calls by executing the probes of units in the interpreter, which has one machine per unit: for walks
 * of graph files and for recordings.
 *
 * On the optimised graph, a recording ends an activation before a tail call, while an instrumented build makes the tail
 * call an ordinary call.  Such an activation stays open here (`tail`) until its callee has returned, or until its caller
 * goes on if the callee is not recorded.
 */
#ifndef WM_ANALYSIS_RECORDING_UNIT_TALLY_H
#define WM_ANALYSIS_RECORDING_UNIT_TALLY_H

#include "analysis/recording/activations.h"
#include "analysis/recording/idcounts.h"
#include "profile/map.h"

/* What was counted in a function. */
struct wm_unit_sums {
	struct wm_id_counts ids;
	uint64_t entries; /* activations in which a path began */
	uint64_t crossed; /* those that were entered by crossed calls */
	uint64_t resumed;
};
enum { WM_INHERITED, WM_OWN, WM_WHOSE }; /* before the process was forked, or by the process itself */

struct wm_unit_tally {
	const struct wm_unit_plan *plan;
	struct wm_machine machine;
	struct wm_unit_sums (*sums)[WM_WHOSE]; /* per function */
	const bool *own;
	uint64_t abandoned; /* paths of activations that were abandoned, except those that are counted as pending */
	bool pending; /* the path of the top frame was counted as pending in a frame that is gone */
};
/* `probed` has the probes of the plan.  All memory is in the arena, except that of the sums. */
void wm_unit_tally_init(struct wm_unit_tally *tally, const struct wm_unit_plan *plan, const struct wm_probed *probed,
	struct wm_arena *arena);

/* The function of a unit that a function of the walk is. */
struct wm_tally_member {
	struct wm_unit_tally *tally; /* NULL: the instrumented build does not count in it */
	uint32_t function;
	const struct wm_map_function *recorded; /* NULL: it is of a graph file, which has no tail calls and no setjmp */
};

/* Start from zeroes and the fields before `activations`. */
struct wm_unit_tallies {
	const struct wm_tally_member *member; /* per function of the walk */
	struct wm_unit_tally *tally;
	size_t count;
	struct wm_activations activations;
};
struct wm_sink wm_unit_tallies_sink(struct wm_unit_tallies *tallies);
void wm_unit_tallies_release(struct wm_unit_tallies *tallies);

#endif
