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

/* The content of a struct wm_func of abi/abi.h. */
struct wm_record {
	uint64_t key, graph_hash, source;
	LLVMValueRef cells; /* global */
	uint64_t first; /* index of the first cell */
	uint32_t cell_count, flags;
	LLVMValueRef ids, name, head; /* globals, or NULL */
};
/* Writes an array of records. */
LLVMValueRef wm_emit_records(
	struct wm_emitter *emitter, const char *name, const struct wm_record *record, size_t count);
LLVMValueRef wm_emit_cells(struct wm_emitter *emitter, const char *name, uint32_t count);

/* A variable that refers to a symbol of the runtime, so that the linker takes the symbol's file out of the archive. */
LLVMValueRef wm_runtime_reference(const struct wm_emitter *emitter, const char *name);

#endif
