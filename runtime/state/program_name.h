/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The name of the program. */
#ifndef WM_RUNTIME_STATE_PROGRAM_NAME_H
#define WM_RUNTIME_STATE_PROGRAM_NAME_H

#include "abi/abi.h"

/* Zeros if the name is not known. */
void wm_program_name(char name[WM_PROGRAM_SIZE]);

#endif
