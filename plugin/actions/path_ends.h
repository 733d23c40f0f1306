/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ends of paths (core/probes/ends.h) → IR. */
#ifndef WM_PLUGIN_ACTIONS_PATH_ENDS_H
#define WM_PLUGIN_ACTIONS_PATH_ENDS_H

#include "plugin/actions/record.h"

/* The sum base + addend.  The addition is written only where it is needed, which a comparison with a constant does not.
 * `base` NULL: the sum is the constant `addend`. */
struct wm_total {
	LLVMValueRef base;
	int64_t addend;
};
LLVMValueRef wm_total_sum(struct wm_emission *e, struct wm_total total);

/*
 * Writes an end before the instruction `before`, and leaves the builder there.  `sum` is the total, in the type of
 * the path register; in a region it is the local index, in 64 bits.  Returns an instruction that is reached only if
 * the first action of the end does not stop it; NULL: there is none.
 */
LLVMValueRef wm_emit_end(
	struct wm_emission *e, uint32_t end, struct wm_total sum, LLVMValueRef amount, LLVMValueRef before);
/* The address of the function's hash table head; with update `thread`, that of this thread's. */
LLVMValueRef wm_head_address(struct wm_emission *e);
/* number(index) of core/probes/program.h.  `began` is a set of WM_CAME_IN and WM_INSIDE. */
struct wm_total wm_emit_number(struct wm_emission *e, uint32_t region, struct wm_total index, uint8_t began);

/* Paths that are named by pieces (core/scheme/pieces.h). */
LLVMTypeRef wm_pieces_type(const struct wm_emission *e);
void wm_begin_pieces(struct wm_emission *e);
void wm_push_piece(struct wm_emission *e, uint32_t loop, struct wm_total id);

#endif
