/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef WM_CMD_REPLAY_SEGMENTS_H
#define WM_CMD_REPLAY_SEGMENTS_H

#include "analysis/graphfile/graphfile.h"

/* waymark replay --segments: the interprocedural path segments of a walk.  Every line is a thread of its own. */
void wm_replay_segments(struct wm_graph_file *file, const char *walk, uint32_t most_calls, bool json);

#endif
