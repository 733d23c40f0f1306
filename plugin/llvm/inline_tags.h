/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tags in the IR (plugin/inline/inline.h): calls of WM_TAG_NAME(kind, context, number, choice).
 *
 *     WM_TAG_BLOCK    at the beginning of a block; `number` is its index
 *     WM_TAG_PAD      the same for a landing pad
 *     WM_TAG_BEHIND   after a call that may be inlined; `number` is the index of the block
 *     WM_TAG_SITE     before a call site; `number` is its index; `choice` says what became of it
 *
 * The context of a tag in a body that has just been inlined is WM_NONE.
 */
#ifndef WM_PLUGIN_LLVM_INLINE_TAGS_H
#define WM_PLUGIN_LLVM_INLINE_TAGS_H

#include "plugin/llvm/shim.h"
#include <stdint.h>

enum wm_tag_kind { WM_TAG_BLOCK, WM_TAG_PAD, WM_TAG_BEHIND, WM_TAG_SITE };
enum wm_tag_operand { WM_TAG_KIND, WM_TAG_CONTEXT, WM_TAG_NUMBER, WM_TAG_CHOICE, WM_TAG_OPERANDS };

/* WM_TAG_NAME is in plugin/llvm/shim.h. */
bool wm_is_tag(LLVMValueRef instruction);
uint32_t wm_tag_get(LLVMValueRef tag, enum wm_tag_operand operand);
void wm_tag_set(LLVMValueRef tag, enum wm_tag_operand operand, uint32_t value);
/* The instruction before which the tag is put must not be a phi or a landing pad. */
LLVMValueRef wm_tag_put(LLVMValueRef before, enum wm_tag_kind kind, uint32_t number);
/* Removes all tags of the module. */
void wm_tags_remove(LLVMModuleRef module);

#endif
