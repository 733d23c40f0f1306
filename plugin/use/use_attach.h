/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counts of a profile → IR, in the form in which LLVM's own instrumentation profile is attached (PGOInstrumentationUse), so that
 * all passes that read profiles see them: weights of branches, entry counts, and attributes of hot and cold functions.
 */
#ifndef WM_PLUGIN_USE_USE_ATTACH_H
#define WM_PLUGIN_USE_USE_ATTACH_H

#include "core/trail/executions.h"
#include "plugin/extract/extract.h"

/* A function that did not run gets an entry count of 0.  The module must have its summary.  WM_NO_MEMORY: the function is as
 * before. */
enum wm_status wm_use_attach(LLVMValueRef ir, const struct wm_graph *graph, const struct wm_anchors *anchors,
	const struct wm_executions *ran, struct wm_shim_analyses *analyses, struct wm_arena *arena);

#endif
