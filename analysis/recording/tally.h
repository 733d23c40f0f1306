/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts the paths of one function by executing its probes in the interpreter: for walks of graph files and for
 * recordings. */
#ifndef WM_ANALYSIS_RECORDING_TALLY_H
#define WM_ANALYSIS_RECORDING_TALLY_H

#include "analysis/graphfile/graphfile.h"
#include "analysis/recording/idcounts.h"
#include "analysis/recording/sequences.h"
#include "core/probes/machine.h"

struct wm_tally {
	const char *name; /* of the function */
	struct wm_plan plan;
	struct wm_graph_probes probes;
	uint64_t entries, abandoned, resumed;
	struct wm_id_counts counts;
	struct wm_sequences names; /* of paths without ids: what stands for one is the index of its name */
};
/* Start from zeroes, name and plan; makes the probes.  Any walk may be abandoned. */
void wm_tally_place(struct wm_tally *tally, enum wm_placement placement, struct wm_arena *arena);
void wm_tally_release(struct wm_tally *tally);

/* An activation; it must be released by wm_tally_drop. */
void wm_tally_start(struct wm_tally *tally, struct wm_machine *machine);
void wm_tally_drop(struct wm_machine *machine);

#endif
