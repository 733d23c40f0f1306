/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of functions: which of them the user means, and how lists print them. */
#ifndef WM_ANALYSIS_JOIN_NAMES_H
#define WM_ANALYSIS_JOIN_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a glob matches the demangled name of a function: whole, without parameters, or without its first namespaces and
 * classes, its template arguments and its ABI tags: `Scan` matches `int a::Scan<int>[abi:cxx11](b)`. */
bool wm_demangled_matches(const char *name, const char *glob);

/* The name of the template of which a demangled name is that of an instance, or of a member: without arguments, parameters and
 * return type, as in "std::vector<>::push_back"; heap.  NULL: it is no instance. */
char *wm_template_name(const char *name);

/* A demangled name for a list: template arguments of more than WM_LONGEST_ARGUMENTS characters lose the namespaces and classes
 * before their names, and if that is not enough, those that do not fit; heap. */
enum { WM_LONGEST_ARGUMENTS = 40 };
char *wm_name_shortened(const char *name);

#endif
