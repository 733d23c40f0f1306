/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Walks for replay: block names separated by white space, one activation of the first function per line.  After a
 * block that calls functions of the file, the blocks of each callee follow until its exit.
 */
#ifndef WM_ANALYSIS_GRAPHFILE_WALK_H
#define WM_ANALYSIS_GRAPHFILE_WALK_H

#include "core/graph/cfgtext.h"

/* The events of a walk, all of which are about the innermost activation. */
struct wm_walk_events {
	void *closure;
	void (*enter)(void *closure, uint32_t function);
	void (*step)(void *closure, uint32_t block); /* a successor of the current block */
	void (*call)(void *closure); /* before the next call of the current block */
	void (*go_on)(void *closure); /* after it */
	void (*leave)(void *closure); /* at an exit */
	void (*abandon)(void *closure); /* the line has ended before an exit */
};
/* Reads a file ("-": standard input).  Ends in wm_fail with line and column if it is not a walk of the graphs. */
void wm_walk_file_take(const struct wm_cfg *cfg, const char *path, const struct wm_walk_events *events);

#endif
