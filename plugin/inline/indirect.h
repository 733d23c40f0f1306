/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Indirect calls as chains of direct calls, for schemes whose paths cross calls (-fwaymark-indirect=targets), and for calls
 * that are inlined (plugin/inline/inline.h):
 *
 *     p(x)    becomes    p == f ? f(x) : p == g ? g(x) : p(x)
 *
 * A path can cross the direct calls; the indirect call that remains is stepped over.  The likely targets are functions
 * that the module defines or declares, whose address it takes, which have the type and the calling convention of the
 * call, and calls of which can be crossed.  A call has at most WM_INDIRECT_TARGETS of them.  Those that ran most often
 * in the profile of -fwaymark-weights are first; functions with equal counts are in the order of their linkage names.
 * If some of the targets ran in the profile, targets that did not run are left out.
 *
 * The chains are made before the graph is taken, so they are part of the graph and of its hash.
 */
#ifndef WM_PLUGIN_INLINE_INDIRECT_H
#define WM_PLUGIN_INLINE_INDIRECT_H

#include "core/base/arena.h"
#include "plugin/llvm/shim.h"
#include "policy/plugin_options.h"

#define WM_INDIRECT_TARGETS 3

struct wm_indirect_target {
	LLVMValueRef ir;
	const char *name;
	uint64_t activity; /* in the profile */
};
/* The functions of a module that indirect calls may call, the most likely first. */
struct wm_indirect_targets {
	size_t count;
	struct wm_indirect_target *target;
};

/* Finds the targets; without -fwaymark-indirect=targets there are none.  `scope` is that of local functions
 * (plugin/llvm/scope.h).  WM_NO_MEMORY. */
enum wm_status wm_indirect_find(struct wm_indirect_targets *targets, LLVMModuleRef module,
	const struct wm_options *options, const char *scope, struct wm_shim_analyses *analyses, struct wm_arena *arena);
/* Makes the chains in a function.  Calls stay as they are if they are musttail, have operand bundles, or lack the
 * source line that a direct call must have.  LLVM's cached analyses of the function are dropped.  WM_NO_MEMORY. */
enum wm_status wm_indirect_chain(const struct wm_indirect_targets *targets, LLVMValueRef ir,
	struct wm_shim_analyses *analyses, struct wm_arena *arena);

/* Puts one direct call before an indirect call, if the call may be replaced, as above, and the function has its type and
 * calling convention.  Returns the direct call, or NULL. */
LLVMValueRef wm_indirect_promote(LLVMValueRef call, LLVMValueRef target);

#endif
