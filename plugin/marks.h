/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Marks in the IR (plugin/inline.h): calls of WM_MARK_NAME(kind, context, number, choice).
 *
 *     WM_MARK_BLOCK    at the beginning of a block; `number` is its index
 *     WM_MARK_BEHIND   behind a call that may be inlined; `number` is the index of the block
 *     WM_MARK_SITE     before a call site; `number` is its index; `choice` says what became of it
 *
 * The context of a mark in a body that has just been inlined is WM_NONE.
 */
#ifndef WM_PLUGIN_MARKS_H
#define WM_PLUGIN_MARKS_H

#include "plugin/shim.h"
#include <stdint.h>

enum wm_mark_kind { WM_MARK_BLOCK, WM_MARK_BEHIND, WM_MARK_SITE };
enum wm_mark_operand { WM_MARK_KIND, WM_MARK_CONTEXT, WM_MARK_NUMBER, WM_MARK_CHOICE, WM_MARK_OPERANDS };

/* WM_MARK_NAME is in plugin/shim.h. */
bool wm_is_mark(LLVMValueRef instruction);
uint32_t wm_mark_get(LLVMValueRef mark, enum wm_mark_operand operand);
void wm_mark_set(LLVMValueRef mark, enum wm_mark_operand operand, uint32_t value);
/* The instruction before which the mark is put must not be a phi or a landing pad. */
LLVMValueRef wm_mark_put(LLVMValueRef before, enum wm_mark_kind kind, uint32_t number);
/* Removes all marks of the module. */
void wm_marks_remove(LLVMModuleRef module);

#endif
