/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The global variables of an instrumented function: its cells, its tables and its wm_func record (abi/abi.h). */
#ifndef WM_PLUGIN_ACTIONS_RECORD_H
#define WM_PLUGIN_ACTIONS_RECORD_H

#include "plugin/actions/emission.h"

/* Creates all variables, before the first probe is written.  Fills in e->global and e->header_cells. */
enum wm_status wm_create_globals(struct wm_emission *e);
/* Deletes tables that no probe reads, after all probes have been written. */
void wm_drop_unused_tables(struct wm_emission *e);
/* Names a global after the function and gives it private linkage.  NULL: out of memory. */
LLVMValueRef wm_named(struct wm_emission *e, const char *prefix, LLVMValueRef global);

/* A constant global with these words, named after the function.  NULL: out of memory. */
LLVMValueRef wm_word_table(
	struct wm_emission *e, const char *prefix, LLVMTypeRef type, const uint64_t *value, uint32_t count);
/* The address `to` minus the address `from`, a constant that needs no relocation at run time; 0 if `to` is NULL. */
LLVMValueRef wm_distance(const struct wm_emitter *emitter, LLVMValueRef from, LLVMValueRef to);

/* A variable that refers to a symbol of the runtime, so that the linker takes the symbol's file out of the archive. */
LLVMValueRef wm_runtime_reference(const struct wm_emitter *emitter, const char *name);

#endif
