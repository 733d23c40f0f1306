/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Paths that wait for calls (core/probes/machine.h, runtime/count/waiting_paths.c) → IR. */
#ifndef WM_PLUGIN_ACROSS_WAITING_CALLS_H
#define WM_PLUGIN_ACROSS_WAITING_CALLS_H

#include "plugin/actions/emission.h"

/* At the entry of a function: reads how many paths wait. */
void wm_waiting_enter(struct wm_emission *e);
/* Notes the path `id` as waiting; forgets it; counts it with all that were left in the call. */
void wm_waiting_wait(struct wm_emission *e, LLVMValueRef id);
void wm_waiting_waited(struct wm_emission *e);
void wm_waiting_left(struct wm_emission *e);
/* Whether the callee is a function of the C library that ends the program or the thread, without destructors of the program
 * or exceptions that the caller sees. */
bool wm_ends_thread(LLVMValueRef callee);
/* If the instruction is a call of such a function: counts all paths that wait. */
void wm_waiting_end(struct wm_emission *e, LLVMValueRef call);

#endif
