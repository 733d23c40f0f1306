/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls in which an activation may be left (abi/unfinished.h): each names, in an operand bundle "deopt", its function, its site, and
 * the register from which the sum of the unfinished path follows (core/probes/prefix_sums.h).  LLVM keeps the register where it
 * is and says where that is (plugin/llvm/stack_maps.h).  Where calls are inlined, LLVM puts the bundle of the outer call before
 * that of the inner one.
 *
 * Where the sum does not follow from r, a second register is computed only for calls that may not return by what is known of their
 * callees.  In others the activation is left only if the process dies there, and then its sum is not known.
 *
 * These calls have no bundle: calls that are known to return, calls that must be tail calls, calls that return twice, assembly and
 * intrinsics, and, because LLVM could not describe them, calls with other bundles, with a calling convention that preserves other
 * registers than the C convention does, and through the thunk of an indirect branch.  Coroutines have none either, because LLVM
 * divides them into other functions.
 *
 * Where a call is inlined, LLVM keeps its bundle only in those inner calls that have a bundle too.  So calls of functions without
 * probes have one, with the site 0, and so have the calls in which a residual build knows that the path is tested.  The site of a
 * call before which the path has ended (the last call of a block that does not go on) has WM_SITE_ENDED.  A `resume` instruction has
 * no bundle; a call before it stands for it (wm_shim_describe_resume).
 */
#ifndef WM_PLUGIN_SITES_DESCRIBED_CALLS_H
#define WM_PLUGIN_SITES_DESCRIBED_CALLS_H

#include "core/probes/prefix_sums.h"
#include "plugin/actions/emission.h"

struct wm_left_call {
	LLVMValueRef call;
	uint32_t block; /* of the plan's graph */
	uint32_t site; /* struct wm_return_site; 0: nothing stands there */
};
struct wm_sites {
	size_t count;
	struct wm_left_call *item;
	struct wm_prefix_sums sums;
};

/* Before any probe of the function is written.  `origin`, per block of the plan's graph, is the block of the function;
 * NULL: the same.  `weights` as in wm_prefix_sums_find.  WM_NO_MEMORY. */
enum wm_status wm_sites_find(
	struct wm_sites *sites, const struct wm_emission *e, const uint32_t *origin, const struct wm_weights *weights);
/* After all probes, while the registers are variables.  `second` is the variable of the second register, or NULL. */
void wm_sites_attach(struct wm_emission *e, const struct wm_sites *sites, LLVMValueRef second);
/* The same for a function without probes, which may be inlined. */
void wm_sites_attach_none(struct wm_emitter *emitter, LLVMValueRef ir);

#endif
