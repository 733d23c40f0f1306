/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Inlines calls into functions, as core/graph/supergraph.h chooses them, so that the origin of every block is known.
 *
 * LLVM inlines; but LLVM's inliner merges blocks, folds branches and gives no map.  So every block and every call site is
 * marked before: by a call of WM_TAG_NAME, an undefined function that no pass can remove or move across another tag.
 * LLVM copies the tags with the code.  The tags of an inlined body are given the context of the call.  Then the function
 * is extracted again (plugin/extract/extract.h), with the tags in it, and in the end all tags are removed (plugin/llvm/inline_tags.h).  Branches that
 * LLVM folds because an argument is constant are not in the graph: no path could take them.
 */
#ifndef WM_PLUGIN_INLINE_INLINE_H
#define WM_PLUGIN_INLINE_INLINE_H

#include "plugin/extract/calls.h"
#include "policy/plugin_options.h"

/* The most blocks that inlining may give a function: LLVM's optimiser takes more than linear time. */
#define WM_INLINE_BLOCKS 1000u

struct wm_inline_subject {
	LLVMValueRef ir;
	struct wm_map_function *function;
	const struct wm_anchors *anchors;
	const struct wm_call_anchors *calls;
	bool listed; /* the function is in the map: it may be inlined, and calls may be inlined into it */
	/* Results: */
	bool changed; /* calls were inlined into it, or added to it: its graph, anchors and calls are no longer valid */
	struct wm_origins origins; /* only the contexts; indices of the unit */
};
struct wm_inline_request {
	struct wm_unit unit; /* as it was extracted; graphs and call sites must stay valid */
	struct wm_inline_subject *subject; /* per function of the unit */
	struct wm_options *options;
	struct wm_shim_analyses *analyses;
};
/* WM_NO_MEMORY: calls may have been inlined; all functions must be skipped. */
enum wm_status wm_inline_calls(struct wm_inline_request *request, struct wm_arena *arena);

/* Why a call site, which has been extracted again, was not inlined: enum wm_inline_choice. */
uint8_t wm_inline_kept(LLVMValueRef call);
#endif
