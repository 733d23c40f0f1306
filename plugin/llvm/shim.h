/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions that LLVM's C interface lacks.  shim.cpp forwards each to LLVM's C++ interface; it makes no decisions.
 */
#ifndef WM_PLUGIN_LLVM_SHIM_H
#define WM_PLUGIN_LLVM_SHIM_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* LLVM's analyses of the module on which the pass was called. */
struct wm_shim_analyses;

/* The hooks: in the compiler, before optimisation, after inlining (in the linker, too) and after optimisation; in the linker, where full link-time optimisation begins.
 * plugin.c implements wm_plugin_run, which returns whether it changed the module. */
enum wm_shim_hook { WM_HOOK_PIPELINE_START, WM_HOOK_INLINED, WM_HOOK_OPTIMIZER_LAST, WM_HOOK_LINK_START };
bool wm_plugin_run(LLVMModuleRef module, enum wm_shim_hook hook, struct wm_shim_analyses *analyses);

/* The relative frequency of a block (the entry has 1.0), and the probability of the edges from → to. */
double wm_shim_block_frequency(struct wm_shim_analyses *analyses, LLVMBasicBlockRef block);
double wm_shim_edge_probability(struct wm_shim_analyses *analyses, LLVMBasicBlockRef from, LLVMBasicBlockRef to);
/* Whether LLVM recognises this declaration as a function of the C library. */
bool wm_shim_is_library_function(struct wm_shim_analyses *analyses, LLVMValueRef function);
/* Must be called when the blocks of a function have changed, before its frequencies are asked for. */
void wm_shim_drop_analyses(struct wm_shim_analyses *analyses, LLVMValueRef function);

/* Runs LLVM's InstCombine, JumpThreading and SimplifyCFG on a function, unless it must not be optimised. */
void wm_shim_simplify(struct wm_shim_analyses *analyses, LLVMValueRef function);

/* Makes every indirectbr name each of its targets once, in the order of first mention:
 * LLVM cannot split the edges to a target that is named twice. */
void wm_shim_fold_indirect_targets(LLVMValueRef function);
/* Gives every edge from an indirectbr to a block with other predecessors a block of its own. */
void wm_shim_split_indirect_edges(LLVMValueRef function);
/* Returns a block that only this edge executes; a critical edge is split.  Parallel edges share the block.  NULL: the
 * edge cannot be split. */
LLVMBasicBlockRef wm_shim_edge_block(LLVMValueRef terminator, unsigned successor);
/* The first position in a block where ordinary instructions may be inserted. */
LLVMValueRef wm_shim_first_insertion(LLVMBasicBlockRef block);
/* Writes if (condition) { HERE }, as unlikely.  Returns the instruction before which HERE is. */
LLVMValueRef wm_shim_if_unlikely(LLVMValueRef condition, LLVMValueRef before);
/* Writes if (condition) { *then } else { *otherwise }; the second branch is unlikely. */
void wm_shim_if_likely_else(LLVMValueRef condition, LLVMValueRef before, LLVMValueRef *then, LLVMValueRef *otherwise);
/* Splits a block: the instruction begins a new one. */
void wm_shim_split_before(LLVMValueRef instruction);
/* Inserts a block between an invoke and its normal destination. */
void wm_shim_split_normal_edge(LLVMValueRef invoke);
/* Stores a value in memory and replaces its uses by loads.  Returns the alloca; NULL: the value was unused and has been
 * removed. */
LLVMValueRef wm_shim_demote(LLVMValueRef instruction);
LLVMValueRef wm_shim_demote_phi(LLVMValueRef phi);
/* Copies blocks that share values only through memory.  Branches between copied blocks lead from copy to copy. */
void wm_shim_copy_blocks(LLVMValueRef function, LLVMBasicBlockRef *block, LLVMBasicBlockRef *copy, size_t count);
void wm_shim_drop_unreachable(LLVMValueRef function);
bool wm_shim_block_has_address_taken(LLVMBasicBlockRef block);
void wm_shim_promote(LLVMValueRef function, LLVMValueRef *allocas, size_t count);
void wm_shim_move_before(LLVMValueRef instruction, LLVMValueRef before);

/* The weights of the successors of a branch, as LLVM's own profiles have them. */
void wm_shim_set_weights(LLVMValueRef terminator, const uint32_t *weight, size_t count);
/* How often the head of an irreducible loop was executed; `terminator` is that of its block. */
void wm_shim_set_header_weight(LLVMValueRef terminator, uint64_t count);
void wm_shim_set_entry_count(LLVMValueRef function, uint64_t count);
/* Gives the module the summary of a profile of instrumentation with these counts, and makes LLVM's analyses know it.  The counts of
 * function f begin at first[f], with the largest, and end before first[f + 1]. */
void wm_shim_set_summary(struct wm_shim_analyses *analyses, LLVMModuleRef module, const uint64_t *count,
	const size_t *first, size_t functions);
/* Whether the count is hot or cold by the summary of the module. */
bool wm_shim_is_hot(struct wm_shim_analyses *analyses, LLVMModuleRef module, uint64_t count);
bool wm_shim_is_cold(struct wm_shim_analyses *analyses, LLVMModuleRef module, uint64_t count);
/* Removes the expectations of a function (__builtin_expect), which LLVM would prefer to weights.  The expectation of a branch
 * without weights stays. */
void wm_shim_drop_expectations(LLVMValueRef function);
/* A remark of the pass `waymark`, for -Rpass or -Rpass-missed, at an instruction.  `name` identifies its kind. */
void wm_shim_remark(LLVMValueRef instruction, bool missed, const char *name, const char *text);

/* Reports "error: waymark: TEXT", so that the compilation fails. */
void wm_shim_error(LLVMModuleRef module, const char *text);
/* A copy of a function, in no comdat, named after it. */
LLVMValueRef wm_shim_clone(LLVMValueRef function, const char *suffix);
/* A local copy of a function, with the debug information of the function itself.  The copy must be deleted after it has
 * been inlined. */
LLVMValueRef wm_shim_copy_for_inlining(LLVMValueRef function, const char *suffix);
/* Whether LLVM can inline a function into another one. */
bool wm_shim_may_inline(struct wm_shim_analyses *analyses, LLVMValueRef caller, LLVMValueRef callee);
/* Inlines `body` instead of the callee of a call.  false: LLVM cannot, and nothing has changed. */
bool wm_shim_inline(LLVMValueRef call, LLVMValueRef body);
/* Whether an instruction may write memory, and whether, by LLVM's alias analysis, what this load reads. */
bool wm_shim_writes_memory(LLVMValueRef instruction);
bool wm_shim_may_write(struct wm_shim_analyses *analyses, LLVMValueRef instruction, LLVMValueRef load);
/* Whether a call is a tag (plugin/llvm/inline_tags.h). */
#define WM_TAG_NAME "__wm_tag"
bool wm_shim_is_tag(LLVMValueRef call);
/* Makes a definition a declaration. */
void wm_shim_delete_body(LLVMValueRef function);
/* Whether the callee of a call is a value that is known only when the program runs. */
bool wm_shim_is_indirect_call(LLVMValueRef call);
/* Whether an indirect call may be made a direct call of the function. */
bool wm_shim_can_promote_call(LLVMValueRef call, LLVMValueRef function);
/* Writes if (callee == function) { direct call } else { `call` }.  Returns the direct call. */
LLVMValueRef wm_shim_promote_call(LLVMValueRef call, LLVMValueRef function);
/* Whether another definition with other behaviour may replace this function or alias. */
bool wm_shim_is_interposable(LLVMValueRef global);
bool wm_shim_has_address_taken(LLVMValueRef function);
bool wm_shim_is_static_alloca(LLVMValueRef instruction);
/* Whether a call is a tag, a debug marker, a lifetime marker or an assumption, which execute nothing. */
bool wm_shim_is_pseudo_call(LLVMValueRef call);
bool wm_shim_has(LLVMValueRef function, const char *attribute);
/* Whether the call site, or the callee that it names, has an attribute. */
bool wm_shim_call_has(LLVMValueRef call, const char *attribute);
/* The checksum of a file in debug information, in hexadecimal; its length is 0 if there is none. */
const char *wm_shim_file_checksum(LLVMMetadataRef file, size_t *length);
/* The elements of an array or vector of numbers, as they are in memory. */
const char *wm_shim_data(LLVMValueRef constant, size_t *size);
enum { WM_SHIM_MD5_SIZE = 16 };
void wm_shim_md5(const void *data, size_t size, uint8_t *sum);
void wm_shim_retain(LLVMModuleRef module, LLVMValueRef *globals, size_t count);

#ifdef __cplusplus
}
#endif
#endif
