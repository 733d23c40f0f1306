/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef WM_PLUGIN_LLVM_SCOPE_H
#define WM_PLUGIN_LLVM_SCOPE_H

#include "core/base/arena.h"
#include <llvm-c/Core.h>
#include <stdbool.h>

/* Whether other files cannot name the function. */
bool wm_is_local(LLVMValueRef ir);

/*
 * The scope that distinguishes local functions of this file from those of other files.  The name of the file is not
 * sufficient, because makefiles run the compiler in every directory.  Its directory would tie a profile to the place of
 * the build.  So the scope is a symbol that only one file of a program can define; a file without such a symbol is
 * identified by its whole path.  NULL: out of memory.
 */
const char *wm_local_scope(LLVMModuleRef module, struct wm_arena *arena);

#endif
