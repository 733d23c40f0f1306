/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Rows of call frame information that were found before, if they are as simple as those of most functions: a jump, an exception and
 * a recursion meet the same addresses again and again.  Only rows of code that is never unloaded while this object is there are kept:
 * that of the object itself and of the executable.
 */
#ifndef WM_RUNTIME_UNWIND_ROW_CACHE_H
#define WM_RUNTIME_UNWIND_ROW_CACHE_H

#include "runtime/unwind/frame_rules.h"

#define WM_ROW_REGISTERS 7 /* rbx, rbp, r12 to r15, rip */

struct wm_row {
	uint64_t pc; /* 0: none */
	int32_t cfa; /* offset from `base` */
	uint8_t base; /* register */
	uint8_t saved; /* one bit for each register of wm_row_register: at CFA + offset */
	int32_t offset[WM_ROW_REGISTERS];
};

extern const uint8_t wm_row_register[WM_ROW_REGISTERS] __attribute__((visibility("hidden")));

/* NULL: the row was not kept. */
const struct wm_row *wm_row_find(uint64_t pc);
/* Keeps the row if that is possible. */
void wm_row_keep(uint64_t pc, const struct wm_unwind_object *object, const struct wm_rules *rules);

#endif
