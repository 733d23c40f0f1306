/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where the registers of the caller are, at one address of a function: a row of its table. */
#ifndef WM_RUNTIME_UNWIND_FRAME_RULES_H
#define WM_RUNTIME_UNWIND_FRAME_RULES_H

#include "runtime/unwind/frame.h"
#include "runtime/unwind/frame_description.h"

enum wm_rule_kind {
	WM_RULE_NONE, /* as in the callee, if that leaves the register as it was */
	WM_RULE_UNDEFINED,
	WM_RULE_SAME,
	WM_RULE_SAVED, /* at CFA + value */
	WM_RULE_OFFSET, /* is CFA + value */
	WM_RULE_REGISTER, /* in register `value` */
	WM_RULE_SAVED_EXPRESSION, /* at the address that an expression computes; `value` is the place of the expression */
	WM_RULE_EXPRESSION, /* is what it computes */
};

struct wm_rules {
	uint8_t kind[WM_REGISTERS]; /* enum wm_rule_kind */
	bool cfa_is_expression;
	uint64_t cfa_register;
	int64_t cfa; /* offset from the register, or place of the expression */
	int64_t value[WM_REGISTERS];
};

#define WM_REMEMBERED 8 /* rows that a description may remember at a time */

/* What finding a row needs; too large for the stack of a signal handler. */
struct wm_rules_memory {
	struct wm_rules initial, remembered[WM_REMEMBERED];
};

/* Finds the row for the address.  False: an instruction is not known. */
bool wm_rules_find(
	struct wm_rules *rules, const struct wm_description *description, uint64_t pc, struct wm_rules_memory *memory);

#endif
