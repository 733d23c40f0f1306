/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The names of the kinds of checks (core/graph/checks.h) in options and messages: asserts, sanitizers, throws and noreturn. */
#ifndef WM_POLICY_CHECK_NAMES_H
#define WM_POLICY_CHECK_NAMES_H

#include "core/graph/checks.h"
#include <stddef.h>

/* The kind of this name, which need not end with a zero; 0: there is none. */
uint8_t wm_check_named(const char *name, size_t length);
/* The names in a set, as "asserts and throws"; "" of an empty set. */
enum { WM_CHECK_NAMES_SIZE = 64 };
const char *wm_check_names(uint8_t kinds, char text[WM_CHECK_NAMES_SIZE]);

#endif
