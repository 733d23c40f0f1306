/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What LLVM says, after it has chosen machine registers, of the values that calls name in an operand bundle "deopt".
 *
 * LLVM would put this into the section .llvm_stackmaps, which is loaded and has absolute relocations, so that programs would have
 * relocations in read-only memory.  A garbage collection strategy may print a table of its own instead, so the functions with
 * such calls have the strategy WM_STRATEGY_NAME, which has no other effect.  The program that makes machine code of the
 * module must have loaded the plugin.
 *
 * stack_maps.cpp forwards to LLVM's C++ interface; it makes no decisions.
 */
#ifndef WM_PLUGIN_LLVM_STACK_MAPS_H
#define WM_PLUGIN_LLVM_STACK_MAPS_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WM_STRATEGY_NAME "waymark"

/* Replaces a call by a copy with a bundle of these values; returns the copy. */
LLVMValueRef wm_shim_add_deopt(LLVMValueRef call, LLVMValueRef *value, size_t count);
/* Of the whole compiler: whether values of bundles may be in callee-saved registers; otherwise each call is preceded by a store.
 * Without optimisation LLVM would put them in registers that the callee may change. */
void wm_shim_keep_deopt_in_registers(bool keep);

/* Puts a call with these values before a `resume` instruction, which has no bundle itself, and does nothing. */
#define WM_RESUME_NAME "__wm_resume"
void wm_shim_describe_resume(LLVMValueRef resume, LLVMValueRef *value, size_t count);
/* When nothing is inlined any more: an instruction that still follows such a call becomes a call of _Unwind_Resume with the values, as
 * LLVM would make it one without.  Returns whether the module had any. */
bool wm_shim_lower_resumes(LLVMModuleRef module);

enum wm_shim_place {
	WM_SHIM_CONSTANT, /* displacement */
	WM_SHIM_REGISTER,
	WM_SHIM_MEMORY, /* at displacement bytes after the address in the register */
	WM_SHIM_ELSEWHERE,
};
struct wm_shim_value {
	enum wm_shim_place place;
	uint16_t size, dwarf_register;
	int64_t displacement;
};
/* A return address, and the values of its call in their order.  Where calls were inlined, those of the outer call come first. */
struct wm_shim_return {
	size_t count;
	const struct wm_shim_value *value;
	size_t index; /* for wm_shim_table_distance */
};
struct wm_shim_table;

/* plugin/sites/site_table.c: writes the table of return addresses in ascending order, of one section of code. */
void wm_plugin_print_sites(struct wm_shim_table *table, const struct wm_shim_return *site, size_t count);
/* Write to the table: bytes; the first return address minus the address of what is written, and the size of the whole table (4 bytes
 * each); a return address minus another, as a number of variable length. */
void wm_shim_table_bytes(struct wm_shim_table *table, const void *bytes, size_t size);
void wm_shim_table_start(struct wm_shim_table *table);
void wm_shim_table_distance(struct wm_shim_table *table, size_t from, size_t to);

#ifdef __cplusplus
}
#endif
#endif
