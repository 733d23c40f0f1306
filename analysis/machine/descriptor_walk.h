/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the instructions that a path descriptor stands for. */
#ifndef WM_ANALYSIS_MACHINE_DESCRIPTOR_WALK_H
#define WM_ANALYSIS_MACHINE_DESCRIPTOR_WALK_H

#include "elf/machine_code.h"
#include "hardware/model/control.h"

/* How a path ends. */
enum wm_hw_end {
	WM_HW_END_RETURN,
	WM_HW_END_BACKWARD,
	WM_HW_END_INDIRECT,
	WM_HW_END_CALL, /* in whole program paths */
	WM_HW_END_FORWARD, /* with a mapping that the user gave */
	WM_HW_END_SPLIT, /* the path reached the limit of branches */
	WM_HW_END_UNKNOWN, /* the code does not match the path: it has changed or is missing */
};
const char *wm_hw_end_name(enum wm_hw_end end);

struct wm_hw_visit {
	const struct wm_hw_insn *insn;
	bool branches; /* a conditional branch of the path */
	bool taken; /* its outcome */
	bool crosses; /* a call or a return that is part of the path, which goes on in the callee or the caller */
};

#define WM_HW_CALLS_MAX 64 /* that are part of a path and have not returned */

/* Decodes the instruction at an address; false: there is none. */
bool wm_hw_fetch(const struct wm_code *code, uint64_t address, struct wm_hw_insn *insn);

/* Visits the instructions of a path in order.  Without `code` nothing is visited.  `visit` may be NULL. */
enum wm_hw_end wm_hw_walk(const struct wm_code *code, const struct wm_hw_path *path,
	const struct wm_hw_control *control, void (*visit)(void *closure, const struct wm_hw_visit *visit),
	void *closure);

#endif
