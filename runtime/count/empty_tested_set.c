/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The empty set of tested paths (abi/unit_tables.h), for residual builds that `waymark cc` did not link.  It is weak, so that the
 * set in the object that `waymark cc` adds takes its place.  It is a file of its own, because its size here must not be
 * known to the code that searches the set.
 */
#include "abi/unit_tables.h"

extern const uint64_t wm_no_tested[WM_TESTED_SLOTS + 2] __asm__(WM_TESTED_SYMBOL);
__attribute__((weak)) const uint64_t wm_no_tested[WM_TESTED_SLOTS + 2] = {[WM_TESTED_SHIFT] = 63};
