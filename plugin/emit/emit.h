/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Probe programs → IR.
 *
 * The path register is an alloca that the optimiser turns into a machine register; at the late hook it is promoted
 * here. Counters are incremented by one machine instruction, so that a signal handler that counts the same path loses
 * nothing.
 */
#ifndef WM_PLUGIN_EMIT_EMIT_H
#define WM_PLUGIN_EMIT_EMIT_H

#include "plugin/actions/record.h"

/* What was created for a function. */
struct wm_emitted {
	LLVMValueRef record; /* a global, to be retained */
	LLVMValueRef link[2]; /* likewise; NULL: none */
};
/*
 * Instruments one function and creates its cells and its wm_func record.  function->has_entries and
 * function->has_resumed say which cells precede the path counters.  WM_BAD_GRAPH: an edge that needs a probe cannot
 * be split; the behaviour of the function is then unchanged, and function->reason says why it is not instrumented.
 */
struct wm_emit_request {
	const struct wm_plan *plan;
	const struct wm_counting *counting;
	const struct wm_probe_program *program; /* with ends */
	const struct wm_anchors *anchors;
	struct wm_map_function *function;
	const struct wm_across_function *across; /* NULL: paths do not cross calls */
	bool unfinished; /* calls say where unfinished paths stand (plugin/sites/described_calls.h) */
	const uint32_t *origin; /* per block of the plan's graph: the block of the function; NULL: the same */
	/* For a register that unfinished paths may need (core/probes/prefix_sums.h); NULL: they get none. */
	const struct wm_weights *weights;
};
enum wm_status wm_emit(struct wm_emitter *emitter, LLVMValueRef ir, const struct wm_emit_request *request,
	struct wm_emitted *emitted, struct wm_arena *arena);

/* Removes memory attributes such as `pure`: an instrumented function writes memory, so its calls must not be merged. */
void wm_drop_memory_attributes(LLVMValueRef ir);

#endif
