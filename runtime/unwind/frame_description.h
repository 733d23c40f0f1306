/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The description (FDE with its CIE) of the machine code at an address, in the .eh_frame of its object.  It is found by the table
 * that the linker has sorted, in O(log n).  No lock is taken and no memory is allocated.
 *
 * glibc 2.35 or later tells the object of an address (_dl_find_object).  Otherwise only this object is known; in a static
 * program it is the only one.
 */
#ifndef WM_RUNTIME_UNWIND_FRAME_DESCRIPTION_H
#define WM_RUNTIME_UNWIND_FRAME_DESCRIPTION_H

#include "runtime/unwind/dwarf_bytes.h"

struct wm_description {
	uint64_t start, size; /* of the machine code */
	struct wm_bytes initial, rows; /* instructions of the CIE and of the FDE */
	uint64_t code_factor;
	int64_t data_factor;
	uint64_t return_column;
	uint64_t lsda; /* exception tables; 0: none */
	bool is_signal; /* the frame by which the kernel calls a signal handler */
};

/* An object, and the table of its descriptions. */
struct wm_unwind_object {
	uint64_t start, end;
	uint64_t table; /* .eh_frame_hdr; 0: no object */
};

/* Makes *object the one that contains `pc`, unless it is already.  False: no object is known to contain it. */
bool wm_unwind_object_at(struct wm_unwind_object *object, uint64_t pc);
/* False: the address has no description. */
bool wm_describe(const struct wm_unwind_object *object, uint64_t pc, struct wm_description *description);
/* Whether an exception may continue in this activation, at a landing pad for the call at `pc`. */
bool wm_has_landing_pad(const struct wm_description *description, uint64_t pc);

#endif
