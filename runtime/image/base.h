/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What had been counted before the fork or reset with which an image begins. */
#ifndef WM_RUNTIME_IMAGE_BASE_H
#define WM_RUNTIME_IMAGE_BASE_H

#include "runtime/image/packed_counts.h"

/* Base, main cells, and the cells of all threads or of this one. */
int wm_base_build(struct wm_base *base, enum wm_threads threads);
void wm_base_release(struct wm_base *base);

#endif
