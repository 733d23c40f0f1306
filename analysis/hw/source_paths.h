/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Paths of the graph `source` from those of machine code, for -fwaymark-use.
 *
 * A build with -fwaymark-marks says which blocks of which functions begin at an address (profile/map/marks.h).  Along a path of machine
 * code, the marks of a function are the blocks that it executed, in their order; code of functions that are inlined into each other
 * is told apart by their marks.  These sequences are divided where paths of the source graph end.  The machine code has other loops
 * (rotated, unrolled), so that its paths begin and end elsewhere: core/paths/fragments.h joins what belongs together.
 *
 * What is not known: which of two ways was taken between two blocks if the optimiser removed the marks of both, as when it replaces a
 * branch by a selection.  Then each of the ways gets half of the count.
 */
#ifndef WM_ANALYSIS_HW_SOURCE_PATHS_H
#define WM_ANALYSIS_HW_SOURCE_PATHS_H

#include "analysis/machine/hw_story.h"

struct wm_hw_source_summary {
	size_t functions, paths; /* in the result */
	uint64_t executions; /* of these paths … */
	uint64_t chosen, assumed; /* … as in struct wm_joined */
	uint64_t halved; /* executions of paths of machine code in which a way was not known */
	size_t left_out; /* functions that ran, but have too many paths, or whose marks contradict their graph */
};
/* The result has acyclic paths, in one object for each binary of the story that has marks.  Ends in wm_fail if none has. */
void wm_hw_source_paths(
	struct wm_profile *result, const struct wm_hw_story *story, struct wm_hw_source_summary *summary);

#endif
