/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The linker takes this file if some module refers to it (abi/thread.h).  The name must be that of WM_UNCHECKED_SYMBOL. */
__attribute__((visibility("hidden"))) extern const char __wm_unchecked;
const char __wm_unchecked = 1;
