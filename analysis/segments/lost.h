/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The functions whose segments may lie on paths that were begun and not counted.
 *
 * A path of a function into which calls were inlined goes through this function and the inlined ones.  A path across calls
 * begins in a function whose balance says that paths were abandoned.  It enters callees by crossed calls, and, if it began in
 * the middle of a function and has no context, it may return to the callers of the function.  If the balance of single
 * functions is not known, all functions of the unit may be on the path.
 */
#ifndef WM_ANALYSIS_SEGMENTS_LOST_H
#define WM_ANALYSIS_SEGMENTS_LOST_H

#include "analysis/segments/segment_names.h"

/* Adds these functions of the story to `lost`, as FUNCTION:0. */
void wm_segments_find_lost(struct wm_words *lost, const struct wm_story *story, const struct wm_segment_names *names);

#endif
