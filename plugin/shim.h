/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What LLVM's C interface lacks, forwarded one call at a time by shim.cpp.
 * Nothing here decides anything.
 */
#ifndef WM_PLUGIN_SHIM_H
#define WM_PLUGIN_SHIM_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Analyses of the functions of the module a pass was called on. */
struct wm_shim_analyses;

/* The two hooks; plugin.c implements this and returns whether it changed the module. */
enum wm_shim_hook { WM_HOOK_PIPELINE_START, WM_HOOK_OPTIMIZER_LAST };
bool wm_plugin_run(LLVMModuleRef module, enum wm_shim_hook hook, struct wm_shim_analyses *analyses);

/* Relative executions of a block (the entry is 1.0) and probability of the edges from → to. */
double wm_shim_block_frequency(struct wm_shim_analyses *analyses, LLVMBasicBlockRef block);
double wm_shim_edge_probability(struct wm_shim_analyses *analyses, LLVMBasicBlockRef from, LLVMBasicBlockRef to);
/* Whether LLVM knows this declaration as a function of the C library. */
bool wm_shim_is_library_function(struct wm_shim_analyses *analyses, LLVMValueRef function);

/* Makes every indirectbr name each of its targets once, in the order of first mention:
 * LLVM cannot split the edges to a target that is named twice. */
void wm_shim_fold_indirect_targets(LLVMValueRef function);
/* Gives every edge from an indirectbr to a block with other predecessors a block of its own. */
void wm_shim_split_indirect_edges(LLVMValueRef function);
/* A block that only this edge executes, splitting it when it is critical; parallel
 * edges go through the same block.  NULL when the edge cannot be split. */
LLVMBasicBlockRef wm_shim_edge_block(LLVMValueRef terminator, unsigned successor);
/* The first place in a block where ordinary code may stand. */
LLVMValueRef wm_shim_first_insertion(LLVMBasicBlockRef block);
/* if (condition) { HERE }, unlikely; returns the instruction before which HERE is. */
LLVMValueRef wm_shim_if_unlikely(LLVMValueRef condition, LLVMValueRef before);
/* if (condition) { *then } else { *otherwise }, the second unlikely. */
void wm_shim_if_likely_else(LLVMValueRef condition, LLVMValueRef before, LLVMValueRef *then, LLVMValueRef *otherwise);
/* Puts a block of its own between an invoke and where it returns to. */
void wm_shim_split_normal_edge(LLVMValueRef invoke);
/* Puts a value into memory, for all its uses; returns the alloca, or NULL: nobody uses it, and it is gone. */
LLVMValueRef wm_shim_demote(LLVMValueRef instruction);
LLVMValueRef wm_shim_demote_phi(LLVMValueRef phi);
/* Copies blocks that share no values but by memory; branches between them lead from copy to copy. */
void wm_shim_copy_blocks(LLVMValueRef function, LLVMBasicBlockRef *block, LLVMBasicBlockRef *copy, size_t count);
void wm_shim_drop_unreachable(LLVMValueRef function);
bool wm_shim_block_has_address_taken(LLVMBasicBlockRef block);
void wm_shim_promote(LLVMValueRef function, LLVMValueRef *allocas, size_t count);
void wm_shim_move_before(LLVMValueRef instruction, LLVMValueRef before);

/* "error: waymark: TEXT", and the compilation fails. */
void wm_shim_error(LLVMModuleRef module, const char *text);
/* A copy of a function, in no comdat, named after it.  Replaces instruction[count] by their copies. */
LLVMValueRef wm_shim_clone(LLVMValueRef function, const char *suffix, LLVMValueRef *instruction, uint32_t count);
/* Makes a definition a declaration. */
void wm_shim_delete_body(LLVMValueRef function);
/* Another definition may take its place, and do something else. */
bool wm_shim_is_interposable(LLVMValueRef function);
bool wm_shim_has_address_taken(LLVMValueRef function);
bool wm_shim_is_static_alloca(LLVMValueRef instruction);
/* Debug markers, lifetimes, assumptions: calls that are no calls. */
bool wm_shim_is_pseudo_call(LLVMValueRef call);
bool wm_shim_has(LLVMValueRef function, const char *attribute);
/* Attributes of the call site or of the callee it names. */
bool wm_shim_call_has(LLVMValueRef call, const char *attribute);
void wm_shim_retain(LLVMModuleRef module, LLVMValueRef *globals, size_t count);

#ifdef __cplusplus
}
#endif
#endif
