/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Not in the papers.  A residual build that tells paths by their core (core/closed.h) asks at every end whether the
 * path has left it.  Where it has, it took an edge that is known: so the question need not be asked if from that edge
 * on the path runs *aside*, in a copy.  What stays in the core meets no probes but those that name the way to an edge
 * out of it.
 *
 * Functions are copied, or loops of large ones (core/aside.h).  The copy is the code as it was emitted, questions
 * included; the original loses them.  So all that has to be true is that a path in the original has not left the core:
 * every edge there that leaves it leads to the copy, who comes in from elsewhere goes to the one or the other, and the
 * copy leads back only where the next round of its loop begins a path that has not left.
 */
#ifndef WM_PLUGIN_ASIDE_H
#define WM_PLUGIN_ASIDE_H

#include "plugin/shim.h"
#include <stdint.h>

/* Whether the blocks of a function can be copied. */
bool wm_may_go_aside(LLVMValueRef ir);

/* A place between two instructions; what stands there is removed in the end. */
struct wm_aside_mark {
	LLVMValueRef at;
	uint32_t back_to; /* on a back edge of this part; else ~0 */
	bool leaves; /* from here on a path is outside the core; else a path begins that is not */
};
struct wm_aside {
	uint32_t part_count, mark_count, question_count;
	LLVMBasicBlockRef *head; /* per part: of its loop; NULL: the part is the whole function */
	struct wm_aside_mark *mark;
	LLVMValueRef *question; /* conditions that are false inside the core, wherever their blocks are copied */
	LLVMValueRef outside; /* alloca of a bit: whether the path is outside the core; NULL without loops */
};
void wm_aside_mark(struct wm_aside *aside, LLVMModuleRef module, LLVMBuilderRef builder, bool leaves, uint32_t back_to);
/* To be called when all probes of a function are written.  Removes the marks.  `registers`, allocas, are promoted.
 * Without memory nothing is copied, and all is asked. */
void wm_aside_split(LLVMValueRef ir, const struct wm_aside *aside, LLVMValueRef *registers, size_t register_count);

#endif
