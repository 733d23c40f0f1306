/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts the paths of single functions by executing their probes in the interpreter: for walks of graph files and for
 * recordings. */
#ifndef WM_ANALYSIS_RECORDING_TALLY_H
#define WM_ANALYSIS_RECORDING_TALLY_H

#include "analysis/graphfile/graphfile.h"
#include "analysis/recording/activations.h"
#include "analysis/recording/idcounts.h"
#include "analysis/recording/sequences.h"
#include "core/walk/walk.h"

struct wm_tally {
	const char *name; /* of the function */
	struct wm_plan plan;
	bool twice; /* calls of the function may return twice */
	/* Of a plan whose paths end at calls, for graph files: the paths are not counted, but become entries of a walk, in which
	 * the function has the number that it has here. */
	const struct wm_parts *parts;
	struct wm_walk *walk;
	struct wm_graph_probes probes;
	uint64_t entries, abandoned, resumed;
	uint64_t inherited; /* activations that go on in a forked child, in which they were not entered */
	struct wm_id_counts counts;
	struct wm_sequences names; /* of paths without ids: what stands for one is the index of its name */
};
/* Start from zeroes, name, plan and the fields before `probes`; makes the probes.  Any walk may be abandoned. */
void wm_tally_place(struct wm_tally *tally, enum wm_placement placement, struct wm_arena *arena);
void wm_tally_release(struct wm_tally *tally);

/* Start from zeroes, closure and find. */
struct wm_tallies {
	void *closure;
	struct wm_tally *(*find)(void *closure, uint32_t function); /* of a function that is entered */
	struct wm_activations activations;
	struct wm_machine machine;
	struct wm_probed *probed; /* per function that was entered */
};
/* The memory of the interpreter is in the arena. */
struct wm_sink wm_tallies_sink(struct wm_tallies *tallies, uint32_t function_count, struct wm_arena *arena);

#endif
