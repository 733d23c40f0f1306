/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which blocks of two versions of a function are the same block. */
#ifndef WM_ANALYSIS_DELTA_MATCH_H
#define WM_ANALYSIS_DELTA_MATCH_H

#include "analysis/source/source.h"
#include "analysis/story/story.h"

struct wm_match {
	uint32_t *block[2]; /* per block of the old and of the new function: the block of the other one, or WM_NONE */
	uint32_t matched; /* blocks */
	bool blind; /* the source of a side is not known, so that no text could be compared */
};

#endif
