/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Data compressed by zlib, for files of which other programs read the format. */
#ifndef WM_VIEW_DOCUMENT_DEFLATED_H
#define WM_VIEW_DOCUMENT_DEFLATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wm_deflated_form { WM_DEFLATED_ZLIB, WM_DEFLATED_GZIP };

/* Compresses `size` bytes, which must be at most UINT32_MAX; heap.  Ends in wm_fail without memory. */
uint8_t *wm_deflated(const void *data, size_t size, enum wm_deflated_form form, size_t *compressed);

#endif
