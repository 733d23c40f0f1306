/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The code of a function, by which it is known when its file has changed (profile/map/identity.h). */
#ifndef WM_PLUGIN_EXTRACT_FUNCTION_CODE_H
#define WM_PLUGIN_EXTRACT_FUNCTION_CODE_H

#include <llvm-c/Core.h>
#include <stdint.h>

/*
 * A hash of what the function does, and of the base name of its file; 0: not known.  Equal if the same text was compiled with the
 * same macros and types: constants, the contents of strings, and the names of functions and variables count.  Lines, names of
 * local values and debug information do not.  In a call with the name of the file (__FILE__), the name counts without its
 * directory, and numbers of lines (__LINE__) count from the line of the call.
 *
 * The function must not have been changed.  O(instructions, and constants in them).
 */
uint32_t wm_code_sum(LLVMValueRef ir, const char *file);

#endif
