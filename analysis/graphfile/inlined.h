/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Graph files whose calls are inlined, for `number --inline` and `replay --inline` (core/graph/supergraph.h). */
#ifndef WM_ANALYSIS_GRAPHFILE_INLINED_H
#define WM_ANALYSIS_GRAPHFILE_INLINED_H

#include "analysis/graphfile/graphfile.h"
#include "analysis/projection/projection.h"
#include "core/graph/supergraph.h"
#include "core/walk/event.h"

/* The option --inline K of `number` and `replay`. */
#define WM_INLINE_OPTION(target) \
	WM_NUMBER("inline", target, \
		"inline all calls, recursive ones up to N deep, and observe the\n" \
		"paths of the functions that result")
/* Ends in wm_fail if the number, 0 where the option was not given, is too large or does not go with the scheme. */
void wm_check_inline_option(uint64_t copies, const char *text, const struct wm_scheme_choice *choice);

/*
 * The supergraph of every function, as functions of a graph file.  A block of an inlined function has the name
 * BLOCK/NAME, or BLOCK:POSITION/NAME, where BLOCK is the block of the caller and POSITION, if it is not 0, says which of
 * its calls it is; the part of a block after an inlined call has a + at the end, once per call.
 */
struct wm_inlined {
	const struct wm_cfg *original;
	struct wm_cfg cfg; /* has no unit */
	struct wm_supergraph *supergraph; /* per function */
};
/* All calls are inlined, recursive ones `copies` deep.  All memory is in the arena of the file. */
void wm_inlined_make(struct wm_inlined *inlined, struct wm_graph_file *file, uint32_t copies);

/* Makes a walk of the original functions a walk of the supergraphs: blocks are those of the supergraph of the function that was
 * entered, and there are no events for calls. */
struct wm_inlined_walk {
	const struct wm_inlined *inlined;
	struct wm_sink sink;
	struct wm_inlined_activation *activation; /* heap */
	size_t depth;
};
/* The sink of walks of the original functions, whose walks of the supergraphs are given to `sink`. */
struct wm_sink wm_inlined_sink(
	struct wm_inlined_walk *walk, const struct wm_inlined *inlined, const struct wm_sink *sink);

/* The original function of a frame of a trail of original functions. */
const struct wm_cfg_function *wm_inlined_function(const struct wm_inlined *inlined, const struct wm_trail_frame *frame);
/* The trail of the original functions, in the arena, of a trail of a supergraph. */
void wm_inlined_original(const struct wm_inlined *inlined, const struct wm_trail *trail, struct wm_trail *original,
	struct wm_arena *arena);
/* Adds the segments of depth `depth` on a path of a supergraph that was taken `count` times. */
void wm_inlined_add_segments(const struct wm_inlined *inlined, const struct wm_trail *trail, uint32_t depth,
	uint64_t count, struct wm_projection *counts);

#endif
