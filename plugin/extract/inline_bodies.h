/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Inline bodies: bodies of functions that another file or library defines (C's `inline`, GNU C89's `extern
 * inline`, C++'s `extern template`; LLVM's available_externally).
 *
 * A call of such a function may execute the inline body or the definition, so exact counts are the sum over both.  On the
 * graph `source`, each inline body therefore becomes a local function that all direct calls of the module execute, inlined
 * or not.  So no call needs the definition that would not need it without Waymark.  The local function counts under
 * the identity of the original function.  Only the module that contains the definition lists the function in its map;
 * if the definition is not instrumented, the function is not reported.
 *
 * Inline bodies and inline functions in system headers that are not instrumented stay as they are.
 */
#ifndef WM_PLUGIN_EXTRACT_INLINE_BODIES_H
#define WM_PLUGIN_EXTRACT_INLINE_BODIES_H

#include "plugin/extract/files.h"

/* Whether a function is an inline body that is not instrumented.  `always_inline` functions are not: every call executes
 * them, so they are functions of their module. */
bool wm_is_inline_body(LLVMValueRef ir);
/* Makes inline bodies local.  Those from the C++ standard library are not instrumented, because their definitions are not;
 * they become local, too, because they call instrumented functions: the definition of another module would call other ones. */
void wm_inline_bodies_make_local(LLVMModuleRef module, struct wm_files *files);
/* Makes inline bodies declarations, except those from the C++ standard library, which become local: where paths cross
 * calls, a function has one body. */
void wm_inline_bodies_delete(LLVMModuleRef module, struct wm_files *files);
/* Keeps inline functions that other objects can call (linkonce_odr) even if the module does not call them any more.  The
 * body of the program takes precedence over that of a shared object, so calls in a shared object would otherwise be
 * counted only if LLVM has not inlined all calls in the program. */
void wm_inline_functions_keep(LLVMModuleRef module, struct wm_files *files);
/* Whether wm_inline_bodies_make_local made this function local. */
bool wm_is_local_inline_body(LLVMValueRef ir);
/* The linkage name; for a local inline body, that of the original function. */
const char *wm_linkage_name(LLVMValueRef ir);

#endif
