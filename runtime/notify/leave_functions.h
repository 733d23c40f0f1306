/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What replaced functions that leave activations call first (runtime/process/leaving.c).  Not defined if no function of the executable is
 * instrumented. */
#ifndef WM_RUNTIME_NOTIFY_LEAVE_FUNCTIONS_H
#define WM_RUNTIME_NOTIFY_LEAVE_FUNCTIONS_H

#include "runtime/notify/announce.h"

__attribute__((weak, visibility("hidden"))) void __wm_leave_process(void);
__attribute__((weak, visibility("hidden"))) void __wm_leave_thread(void);
/* Up to the activation that had this stack pointer when it called setjmp. */
__attribute__((weak, visibility("hidden"))) void __wm_leave_to(uint64_t stack_pointer);
/* The activations inside the one with this stack pointer. */
__attribute__((weak, visibility("hidden"))) void __wm_leave_below(uint64_t stack_pointer);

/* A sanitizer that is linked into the executable has its own function, which calls that of the C library. */
#define WM_SANITIZED(result, name, ...) __attribute__((weak)) result ___interceptor_##name(__VA_ARGS__);
#define WM_BEYOND(name) (___interceptor_##name ? ___interceptor_##name : WM_REAL(name))

#endif
