/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Walks for replay: block names separated by white space, one activation of the first function per line.  After a
 * block that calls functions of the file, the blocks of each callee follow until its exit.
 */
#ifndef WM_ANALYSIS_GRAPHFILE_WALK_FILE_H
#define WM_ANALYSIS_GRAPHFILE_WALK_FILE_H

#include "core/graph/cfgtext.h"
#include "core/walk/event.h"

/* Reads a file ("-": standard input) and gives the sink one walk per line.  If a line ends before an exit, the activations that
 * are open are abandoned.  Ends in wm_fail with line and column if the file is not a walk of the graphs. */
void wm_walk_file_take(const struct wm_cfg *cfg, const char *path, const struct wm_sink *sink);

#endif
