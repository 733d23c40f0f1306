/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Paths across calls → IR: the actions of core/probes/unit_program.h, the table of a function and its link record
 * (abi/unit_tables.h).
 *
 * Numbers are loaded from the table, because the link step may change them; those that it never changes are immediate
 * operands.  mailbox.h has the accesses to the mailbox.
 */
#ifndef WM_PLUGIN_ACROSS_ACROSS_H
#define WM_PLUGIN_ACROSS_ACROSS_H

#include "plugin/actions/path_ends.h"

/* Creates the registers and link records of e->unit, after the table (across_table.h) and the record.  WM_NO_MEMORY. */
enum wm_status wm_across_create(struct wm_emission *e);
/* Writes an action of the third group of core/probes/action.h before an instruction. */
void wm_across_action(struct wm_emission *e, const struct wm_action *action, LLVMValueRef before);
/* After a call that may return twice: the mailbox is empty, the registers are those at the call.  `keep` makes it so for
 * one register. */
void wm_across_return_again(struct wm_emission *e, LLVMValueRef call,
	void (*keep)(struct wm_emission *e, LLVMValueRef call, LLVMValueRef variable, LLVMTypeRef type));
/* The edge on which an invoke returns, if there are actions after the call, else WM_NONE. */
uint32_t wm_across_return_edge(const struct wm_emission *e, uint32_t site);
/* The registers, for promotion; at most WM_ACROSS_REGISTERS.  Returns their number. */
size_t wm_across_registers(const struct wm_emission *e, LLVMValueRef *variable);

#endif
