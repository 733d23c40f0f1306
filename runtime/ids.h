/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The chunk of ids. */
#ifndef WM_RUNTIME_IDS_H
#define WM_RUNTIME_IDS_H

#include "runtime/state.h"

size_t wm_ids_size(void);
/* Writes the chunk of wm.object.ids_size bytes. */
void wm_ids_fill(char *to);

#endif
