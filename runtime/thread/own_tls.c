/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The linker takes this file if some code accesses the variable: code that can only be part of an executable.  All code of the
 * executable then uses the variable. */
#include "runtime/thread/own.h"

extern __thread struct wm_own __wm_thread __attribute__((tls_model("initial-exec"), visibility("hidden")));
__thread struct wm_own __wm_thread = WM_OWN_BEGIN;

__attribute__((preserve_most)) struct wm_own *__wm_own(void)
{
	return &__wm_thread;
}
