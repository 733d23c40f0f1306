/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * IR → facts about the values that decisions test (core/graph/facts.h).
 *
 * Two blocks test the same value if they compute it in the same way from the same variables.  Whether code between them may
 * change a variable is LLVM's alias analysis to say; an assignment of a constant is known exactly.  What other threads and
 * signal handlers change is not considered, so a contradiction is evidence and not a proof.
 *
 * In functions with very much code, values in memory other than local variables are left out.  O(tests · stores).
 */
#ifndef WM_PLUGIN_EXTRACT_VALUE_FACTS_H
#define WM_PLUGIN_EXTRACT_VALUE_FACTS_H

#include "plugin/extract/extract.h"

/* The facts of a function that has been extracted, in the arena.  Functions that call setjmp have none.  WM_NO_MEMORY. */
enum wm_status wm_facts_extract(LLVMValueRef ir, const struct wm_map_function *function,
	const struct wm_anchors *anchors, struct wm_shim_analyses *analyses, struct wm_facts *facts,
	struct wm_arena *arena);

#endif
