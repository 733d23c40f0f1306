/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef WM_SUPPORT_XALLOC_H
#define WM_SUPPORT_XALLOC_H

#include <stddef.h>

/* Allocation functions that end in wm_no_memory on failure. */
void *wm_xmalloc(size_t size);
void *wm_xrealloc(void *old, size_t count, size_t size);
/* WM_GROW of core/base/grow.h, which also ends in wm_no_memory on failure. */
#define WM_XGROW(array, count) wm_xgrow(&(array), (count), sizeof *(array))
void wm_xgrow(void *array, size_t count, size_t size);
char *wm_xstrdup(const char *text);
char *wm_xprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
