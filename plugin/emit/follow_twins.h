/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Extracts the facts by which policy/followers.h decides, and emits what it decides: twins of small functions, the calls that
 * go to them, block cells and records.  A twin is a copy of a function without probes.
 */
#ifndef WM_PLUGIN_EMIT_FOLLOW_TWINS_H
#define WM_PLUGIN_EMIT_FOLLOW_TWINS_H

#include "plugin/emit/emit.h"
#include "plugin/extract/calls.h"
#include "policy/followers.h"

/* A function of the unit, as far as it is emitted. */
struct wm_follow_emission {
	const struct wm_map_function *function;
	const LLVMValueRef *call; /* per call site */
	LLVMValueRef twin;
	LLVMValueRef *inner; /* choice->inner, in the twin */
	LLVMValueRef cells, block_cells; /* globals; `cells` NULL: the function has no probes */
	uint32_t header_cells; /* before the caller's array */
};
struct wm_followers {
	const struct wm_unit *unit;
	struct wm_follow_function *fact; /* per function of the unit */
	struct wm_follow_choice *choice; /* per function of the unit; NULL: no function follows */
	struct wm_follow_emission *emission; /* per function of the unit */
};

/* For a module in which functions may follow. */
enum wm_status wm_follow_init(struct wm_followers *followers, const struct wm_unit *unit, struct wm_arena *arena);
/* All that policy/followers.h must know about one function besides its plan, counting and weights; before the
 * function is changed and after wm_returns_find. */
enum wm_status wm_follow_extract(struct wm_followers *followers, uint32_t function, LLVMValueRef ir,
	const struct wm_anchors *anchors, const struct wm_call_anchors *calls, struct wm_arena *arena);
/* Decides.  Without memory nothing follows. */
void wm_follow_decide(struct wm_followers *followers, double least, struct wm_arena *arena);

/* For every function: makes its twin, if it has one.  To be called before wm_clone_shape and wm_emit, and after what else changes
 * the function. */
void wm_follow_twin(
	struct wm_followers *followers, uint32_t function, LLVMValueRef ir, const struct wm_map_function *map);
bool wm_is_twin(LLVMValueRef ir);
/* For every function that got its probes. */
void wm_follow_emit(struct wm_followers *followers, uint32_t function, struct wm_emitter *emitter,
	const struct wm_emitted *emitted);
/* In the end: twins are called, and records made: an array of them, to be retained.  NULL: there are none. */
LLVMValueRef wm_follow_finish(struct wm_followers *followers, struct wm_emitter *emitter);

#endif
