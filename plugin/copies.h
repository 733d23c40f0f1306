/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Copies for inlining: bodies of functions that another file or library defines (C's `inline`,
 * GNU C89's `extern inline`, C++'s `extern template`; LLVM's available_externally).
 *
 * A call of such a function may run the copy or the definition, so the counts of the function are
 * exact only as the sum over both.  On the graph `source`, each copy therefore becomes a local
 * function, which all direct calls of the module run, inlined or not: no call needs the definition
 * that did not need it without Waymark.  The local function counts under the identity of the
 * function, and only the module of the definition lists the function in its map: where the definition is
 * not instrumented, nothing is reported.
 */
#ifndef WM_PLUGIN_COPIES_H
#define WM_PLUGIN_COPIES_H

#include "plugin/shim.h"

/* Not so `always_inline` ones, which no call can miss: they are functions of their module. */
bool wm_is_copy(LLVMValueRef ir);
/* Not so copies of the C++ standard library, whose definitions are never instrumented: they stay. */
void wm_copies_make_local(LLVMModuleRef module);
/* Made by wm_copies_make_local. */
bool wm_is_local_copy(LLVMValueRef ir);
/* The name of the function that a local copy stands for; of any other function its own. */
const char *wm_linkage_name(LLVMValueRef ir);

#endif
