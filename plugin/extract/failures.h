/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds the control-flow edges that lead to failures of checks (core/graph/checks.h).
 *
 * A block fails if it calls a function that reports a failure, or if all its edges lead to blocks that fail; edges to
 * landing pads do not count.  An edge fails if its target does, or if the target joins the value of && or || and the edge decides
 * this value, so that a later branch on the value leads to a block that fails: C++ compiles assert(a && b) to this.
 *
 * Within a check of a sanitizer, clang may also skip a part of the check, such as that of the type of a null pointer.  The edge that
 * skips it fails, too.
 */
#ifndef WM_PLUGIN_EXTRACT_FAILURES_H
#define WM_PLUGIN_EXTRACT_FAILURES_H

#include "plugin/extract/extract.h"

/* Fills in function->failure.  The anchors must still be as wm_extract left them.  WM_NO_MEMORY.  O((blocks + edges) · nesting of
 * failures), and once through all instructions. */
enum wm_status wm_failures_extract(
	struct wm_map_function *function, const struct wm_anchors *anchors, struct wm_arena *arena);

#endif
