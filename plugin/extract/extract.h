/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * IR → graph, and the anchors: the places in the IR where events happen.
 *
 * Extraction runs before the IR is changed.  The index of a block is its position in the function, unreachable blocks
 * included.  The anchors are instructions and successor numbers instead of blocks, because these survive the
 * splitting of blocks and edges.
 */
#ifndef WM_PLUGIN_EXTRACT_EXTRACT_H
#define WM_PLUGIN_EXTRACT_EXTRACT_H

#include "plugin/extract/files.h"
#include "profile/map/map.h"

struct wm_anchors {
	LLVMBasicBlockRef *block;  /* per block; invalid once edges have been split */
	LLVMValueRef *terminator;  /* per block; NULL: the block was removed (plugin/inline/clone.h) */
	uint32_t *edge_successor;  /* per control-flow edge: the number of the first of its parallel successors */
	LLVMValueRef *exit;	    /* per exit block: the exit probe is placed before this instruction */
	uint32_t resume_count;     /* calls that may return twice */
	LLVMValueRef *resume_call;
	bool *may_not_return; /* per block: a call in it is not known to return, or may return twice */
	bool some_block_may_not_return; /* some element of `may_not_return` is true */
	bool some_call_may_not_return; /* the result of the function of that name, which is more precise */
};

/* Whether a call may return for a second time, as one of setjmp. */
bool wm_returns_twice(LLVMValueRef call);

/* Why no function of this kind can be instrumented, as a clause; NULL: it can be. */
const char *wm_uninstrumentable(LLVMModuleRef module, LLVMValueRef ir);

/* Fills in function->file and function->line from debug information, if there is any. */
void wm_extract_definition(LLVMValueRef ir, struct wm_map_function *function, struct wm_files *files);

/*
 * Fills in function->graph, function->block and *anchors; if function->inlined is not NULL, also the marks of its origins
 * (plugin/llvm/inline_tags.h).  If `optimised`, a call with the attribute `tail` before a
 * return ends the path, as a musttail call does, because the frame no longer exists while the callee runs.
 * WM_BAD_GRAPH: the function cannot be instrumented; function->reason says why.
 */
enum wm_status wm_extract(LLVMValueRef ir, bool optimised, struct wm_map_function *function, struct wm_anchors *anchors,
	struct wm_files *files, struct wm_arena *arena);

#endif
