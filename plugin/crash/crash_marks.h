/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A function while -fwaymark-crash instruments it (crash_emit.h), and the marks from which the block of an instruction is found. */
#ifndef WM_PLUGIN_CRASH_CRASH_MARKS_H
#define WM_PLUGIN_CRASH_CRASH_MARKS_H

#include "abi/crash.h"
#include "core/probes/pending.h"
#include "plugin/actions/emission.h"
#include "plugin/extract/calls.h"

struct wm_crash_request {
	const struct wm_graph *graph;
	const struct wm_plan *plan; /* as in wm_pending_make */
	struct wm_anchors *anchors; /* exit probes are placed before the mark of a trap */
	const struct wm_call_anchors *calls;
	const struct wm_weights *weights; /* of the graph; NULL: not known */
	uint32_t call_count;
	uint64_t key; /* of the function */
	bool paths; /* keep the last finished paths */
};

/* Instructions of a block, without calls between them, that may fault. */
struct wm_fault_run {
	uint32_t block;
	LLVMValueRef first, last;
	struct wm_crash_lines lines;
};

struct wm_crash_function {
	struct wm_emission e; /* only emitter, builder, ir and arena are used */
	const struct wm_crash_request *request;
	struct wm_pending pending;
	bool *held; /* per block: the activation has its frame there */
	bool never; /* no block has the frame */
	uint32_t run_count, memory_count;
	struct wm_fault_run *run;
	struct wm_fault_run *memory; /* calls of memcpy and the like, which the map does not list */
	LLVMValueRef frame; /* a variable: the address of the frame where it is held */
	/* A variable that stays in memory: the register; after it, in words of 8 bytes, the earlier pieces of the pending path
	 * and then the saved contexts (pending.program.saved_count). */
	LLVMValueRef slot;
	LLVMTypeRef void_type;
	LLVMValueRef only; /* some call that was written here */
	uint32_t own_calls;
};

/* Of a single instruction; own and least are 0 if it has no line. */
struct wm_crash_lines wm_crash_lines_of(LLVMValueRef i);
/* Finds all instructions that may fault.  WM_NO_MEMORY. */
enum wm_status wm_crash_find_runs(struct wm_crash_function *c);
/* Writes marks around them. */
void wm_crash_mark_runs(struct wm_crash_function *c);
/* Whether the pending path of a block is not known without the register. */
bool wm_crash_depends(const struct wm_crash_function *c, uint32_t block);
/* Says that an argument of assembly is a memory operand.  The address does not escape, so LLVM knows all accesses. */
void wm_crash_memory_operand(struct wm_crash_function *c, LLVMValueRef call, unsigned argument);
/* Makes a call that was written here free for the inliner. */
void wm_crash_call_is_free(struct wm_crash_function *c, LLVMValueRef call);

#endif
