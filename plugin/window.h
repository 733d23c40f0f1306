/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The actions of core/window.h, and those that keep a context, as IR. */
#ifndef WM_PLUGIN_WINDOW_H
#define WM_PLUGIN_WINDOW_H

#include "core/window.h"
#include <llvm-c/Core.h>

/* Registers are allocas of 64 bits; the optimiser, or promotion, makes values of them. */
struct wm_window_ir {
	LLVMModuleRef module;
	LLVMBuilderRef builder;
	LLVMTypeRef i64;
	const struct wm_probe_program *program;
	LLVMValueRef path; /* r */
	LLVMValueRef sum, window, done; /* NULL when no loop is iterated */
	LLVMValueRef *saved; /* program->saved_count */
	/* Adds to the count of `id`; the builder stands before the instruction `before` again
	 * afterwards. */
	void (*count)(void *closure, LLVMValueRef id, LLVMValueRef amount, LLVMValueRef before);
	void *closure;
};

/* How many registers there are besides r. */
uint32_t wm_window_ir_registers(const struct wm_probe_program *program);
/* Register i of them: where its alloca is kept. */
LLVMValueRef *wm_window_ir_register(struct wm_window_ir *ir, uint32_t i);
/* Writes one of the actions SAVE … LEAVE before an instruction, where the builder stands. */
void wm_window_ir_action(struct wm_window_ir *ir, struct wm_action action, LLVMValueRef before);

#endif
