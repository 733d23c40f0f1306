/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * IR → core graph, and the places in the IR where events happen.
 *
 * Runs before anything is changed: block indices are positions in the function,
 * unreachable blocks included.  The anchors are instructions and raw successor
 * numbers, not blocks, because they survive the splitting of blocks and edges.
 */
#ifndef WM_PLUGIN_EXTRACT_H
#define WM_PLUGIN_EXTRACT_H

#include "plugin/shim.h"
#include "profile/map.h"

struct wm_anchors {
	LLVMBasicBlockRef *block;  /* per block; stale once edges are split */
	LLVMValueRef *terminator;  /* per block; NULL: the block is gone (plugin/clone.h) */
	uint32_t *edge_successor;  /* per CFG edge: number of the first of its parallel successors */
	LLVMValueRef *exit;	    /* per exit block: the exit probe stands before it */
	uint32_t resume_count;     /* calls that may return twice */
	LLVMValueRef *resume_call;
	bool *leaves;   /* per block: has a call from which control may not come back (wm_may_leave) */
	bool may_leave; /* any of them */
	bool may_not_return; /* wm_has_leaving_call */
};

/* The files a module's map names, each once. */
struct wm_files {
	uint32_t count;
	char **name;
};
void wm_files_release(struct wm_files *files);

/* Fills function->file and ->line: where the function is defined, if debug information says so. */
void wm_extract_definition(LLVMValueRef ir, struct wm_map_function *function, struct wm_files *files);

/*
 * Fills function->graph, ->block and *anchors.  `optimised`: a call
 * marked `tail` before a return ends the path as a musttail call does, because the
 * frame is gone when the callee runs.
 * WM_BAD_GRAPH: the function cannot be instrumented, function->reason says why.
 */
enum wm_status wm_extract(LLVMValueRef ir, bool optimised, struct wm_map_function *function, struct wm_anchors *anchors,
	struct wm_files *files, struct wm_arena *arena);

#endif
