/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The chunk of ids. */
#ifndef WM_RUNTIME_CHUNK_IDS_H
#define WM_RUNTIME_CHUNK_IDS_H

#include "runtime/state/state.h"

size_t wm_ids_size(void);
/* Writes the chunk of wm.object.ids_size bytes. */
void wm_ids_fill(char *to);

#endif
