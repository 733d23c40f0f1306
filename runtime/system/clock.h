/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The time in files. */
#ifndef WM_RUNTIME_SYSTEM_CLOCK_H
#define WM_RUNTIME_SYSTEM_CLOCK_H

#include "runtime/system/sys.h"

void wm_clock_start(void);
/* Microseconds since 1970; never 0. */
uint64_t wm_microseconds(void);

#endif
