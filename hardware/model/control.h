/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The path profiler control register (thesis, section 5.2): which operations on the path
 * stack each type of branch causes, and how far paths extend.
 */
#ifndef WM_HARDWARE_CONTROL_H
#define WM_HARDWARE_CONTROL_H

#include "hardware/model/insn.h"
#include "hardware/model/path.h"

/* A branch is backward when execution continues at or below the branch's own address: a
 * conditional branch to a lower address that is not taken goes forward.  Indirect calls are
 * calls; a tail call is the jump it is compiled to. */
enum wm_hw_type {
	WM_HW_TYPE_CALL,
	WM_HW_TYPE_RETURN,
	WM_HW_TYPE_FORWARD,
	WM_HW_TYPE_BACKWARD,
	WM_HW_TYPE_INDIRECT,
	WM_HW_TYPE_COUNT
};

/* The type of the branch at `address` after which execution continues at `next`. */
static inline enum wm_hw_type wm_hw_type_at(enum wm_hw_branch branch, uint64_t address, uint64_t next)
{
	switch (branch) {
	case WM_HW_CALL:
	case WM_HW_CALL_INDIRECT:
		return WM_HW_TYPE_CALL;
	case WM_HW_RETURN:
		return WM_HW_TYPE_RETURN;
	case WM_HW_JUMP_INDIRECT:
		return WM_HW_TYPE_INDIRECT;
	case WM_HW_CONDITIONAL:
	case WM_HW_JUMP:
	case WM_HW_NO_BRANCH:
	case WM_HW_BRANCH_COUNT:
		break;
	}
	return next <= address ? WM_HW_TYPE_BACKWARD : WM_HW_TYPE_FORWARD;
}

static inline enum wm_hw_type wm_hw_branch_type(const struct wm_hw_insn *branch, uint64_t next)
{
	return wm_hw_type_at((enum wm_hw_branch)branch->branch, branch->address, next);
}

/* Operations, performed in this order whatever the control register says. */
enum wm_hw_stack_operation {
	WM_HW_UPDATE = 1,	  /* record the outcome and add the events */
	WM_HW_UPDATE_COUNT = 2, /* add the events only; excludes WM_HW_UPDATE */
	WM_HW_POP = 4,
	WM_HW_PUSH = 8,
};

enum wm_hw_extension { WM_HW_EXTEND_NOTHING, WM_HW_EXTEND_LOOPS, WM_HW_EXTEND_CALLS };

struct wm_hw_control {
	uint8_t operations[WM_HW_TYPE_COUNT]; /* enum wm_hw_stack_operation bits */
	/* How many backward branches or calls a path may span; 0 with WM_HW_EXTEND_NOTHING. */
	enum wm_hw_extension extension;
	uint32_t extension_max;
	uint32_t max_branches; /* 1 … WM_HW_MAX_BRANCHES; a longer path is split */
};

/* Table 5.1: acyclic intraprocedural paths.  Table 5.2: the paths of a whole program path. */
extern const struct wm_hw_control wm_hw_ball_larus, wm_hw_whole_program;

/* WM_HW_BAD_CONFIG: update and update_count together, or a number out of its range. */
enum wm_hw_status wm_hw_control_check(const struct wm_hw_control *control);

/* Whether the stack has one entry for each active procedure: calls push and returns pop.
 * Only then can the stack be repaired by comparing frames (detector.h). */
bool wm_hw_control_nests(const struct wm_hw_control *control);

/* All of a control register in one number, which profiles carry so that only paths of the
 * same kind are added; and back.  Unpacking gives WM_HW_BAD_CONFIG for numbers that
 * wm_hw_control_pack never returns. */
uint64_t wm_hw_control_pack(const struct wm_hw_control *control);
enum wm_hw_status wm_hw_control_unpack(struct wm_hw_control *control, uint64_t packed);

/* A mapping as text: for each type in the order of enum wm_hw_type the letters u (update),
 * c (update_count), o (pop), p (push) or -, separated by commas; or "acyclic" for that of table 5.1,
 * which is "cp,co,u,uop,uop", or "wpp" for that of table 5.2.  WM_HW_BAD_CONFIG leaves the operations
 * untouched. */
enum wm_hw_status wm_hw_control_parse(struct wm_hw_control *control, const char *text);
/* Whether the operations are those of table 5.2, with which every path ends where the next one starts: the
 * sequence of paths is then the whole program path. */
bool wm_hw_control_is_whole(const struct wm_hw_control *control);

#endif
