/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The expressions of call frame information: of PLT entries, signal frames, and functions that align their stack. */
#ifndef WM_RUNTIME_UNWIND_DWARF_EXPRESSION_H
#define WM_RUNTIME_UNWIND_DWARF_EXPRESSION_H

#include "runtime/unwind/frame.h"
#include "runtime/unwind/stack_memory.h"

/* Evaluates the block at `block`, with `first` on the stack if it is not NULL.  False: an operation is not known, or memory cannot be
 * read. */
bool wm_expression(const uint8_t *block, const struct wm_frame *frame, const uint64_t *first, struct wm_stack *memory,
	uint64_t *result);

#endif
