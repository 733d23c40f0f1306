/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The state of the emission of one function, shared by the files that write IR.  emission.c has small building
 * blocks; record.h creates the variables of the function; path_ends.h writes the ends of paths; iteration_actions.h writes the
 * actions of paths over k iterations; emit.h writes whole functions.
 */
#ifndef WM_PLUGIN_ACTIONS_EMISSION_H
#define WM_PLUGIN_ACTIONS_EMISSION_H

#include "core/probes/counting.h"
#include "core/probes/unit_program.h"
#include "plugin/extract/extract.h"

/* The state that all functions of a module share. */
struct wm_emitter {
	LLVMModuleRef module;
	LLVMContextRef context;
	LLVMBuilderRef builder;
	LLVMTypeRef i8, i32, i64, ptr;
	LLVMValueRef increment[2], add[2]; /* inline assembly; [1]: the address is relative to GS */
	LLVMTypeRef increment_type, add_type;
	bool promote; /* no later pass promotes allocas to registers */
	bool unchecked; /* the module has functions that are not instrumented and so do not check their thread */
};
void wm_emitter_init(struct wm_emitter *emitter, LLVMModuleRef module, bool promote);
void wm_emitter_release(struct wm_emitter *emitter);

/* The registers of a probe program: allocas, which the optimiser or wm_shim_promote turns into values.  NULL: unused. */
struct wm_registers {
	LLVMValueRef path; /* r */
	LLVMValueRef local, outer; /* l and outer: regions */
	LLVMValueRef *trips, *before; /* per trip loop */
	LLVMValueRef sum, window, done; /* iterated loops */
	LLVMValueRef *saved; /* per context */
	LLVMValueRef pieces; /* struct wm_pieces */
	LLVMValueRef frame; /* one byte, whose address identifies the activation in a recording */
	/* The second register of core/probes/prefix_sums.h, and its saved contexts. */
	LLVMValueRef second, *second_saved;
	LLVMValueRef delta; /* offset of this thread's cells from the global ones; update `delta` only */
};

/* The global variables of the function. */
struct wm_function_globals {
	LLVMValueRef cells;
	LLVMValueRef head; /* struct wm_hash_head of abi/abi.h; in a recording the index word; or NULL */
	LLVMValueRef record; /* struct wm_func */
	LLVMValueRef ids; /* the ids of the cells; or NULL */
	LLVMValueRef table, displacement; /* for lookups; or NULL */
	LLVMValueRef sums, settled; /* of local paths; or NULL */
	LLVMValueRef cold; /* a function: program->cold */
};

/* A function whose paths cross calls. */
struct wm_across_function {
	const struct wm_unit_program *program;
	const uint64_t *word; /* of its table */
	const LLVMValueRef *call; /* per call site */
	uint64_t graph_hash, source; /* of the unit */
	uint64_t layout; /* wm_unit_layout() */
	uint32_t link_flags; /* WM_LINK_… */
};
/* The registers of core/probes/machine.h, which are allocas of 64 bits. */
enum wm_across_register {
	WM_REGISTER_X,
	WM_REGISTER_A,
	WM_REGISTER_B,
	WM_REGISTER_ORIGIN,
	WM_REGISTER_RESTARTED, /* 0 or ~0 */
	WM_REGISTER_TOKEN, /* of the mailbox on entry: the function's own if it was crossed into; 0: nothing was saved */
	WM_REGISTER_SAVED_N,
	WM_REGISTER_SAVED_X,
	WM_REGISTER_WAITING, /* schemes with pending paths: how many paths waited on entry */
	WM_REGISTER_CROSSED, /* where messages are sent (mailbox.h) */
	WM_REGISTER_LOCAL, /* l */
	WM_ACROSS_REGISTERS
};
struct wm_across_emission {
	LLVMValueRef reg[WM_ACROSS_REGISTERS];
	LLVMValueRef table, link[2]; /* globals; the second link record is that of a copy, or NULL */
};

struct wm_emission {
	struct wm_emitter *emitter;
	LLVMBuilderRef builder;
	LLVMValueRef ir;
	const struct wm_plan *plan;
	const struct wm_counting *counting;
	const struct wm_probe_program *program;
	const struct wm_probe_program *second; /* of the second register; NULL: there is none */
	const struct wm_anchors *anchors;
	struct wm_map_function *function;
	enum wm_update update;
	LLVMTypeRef word; /* of the path register and of totals */
	uint32_t header_cells; /* cells before the path counters */
	struct wm_registers reg;
	struct wm_function_globals global;
	const struct wm_across_function *across; /* NULL: the paths of the function do not cross calls */
	struct wm_across_emission unit;
	struct wm_arena *arena;
};

LLVMValueRef wm_constant(const struct wm_emitter *emitter, uint64_t value);
/* A constant of the path register's type. */
LLVMValueRef wm_word(const struct wm_emission *e, int64_t value);
LLVMValueRef wm_load(struct wm_emission *e, LLVMTypeRef type, LLVMValueRef variable);
LLVMValueRef wm_new_alloca(struct wm_emission *e, LLVMTypeRef type, const char *name);
/* Calls a function of the runtime: hidden, cold, preserving registers. */
LLVMValueRef wm_call_runtime(
	struct wm_emission *e, const char *name, LLVMTypeRef result, LLVMValueRef *arguments, unsigned count);
void wm_call_attribute(struct wm_emitter *emitter, LLVMValueRef call, const char *name, uint64_t value);
/* With update `delta`: given the address of a global cell or head, that of this thread's. */
LLVMValueRef wm_own_address(struct wm_emission *e, LLVMValueRef address);
/* Each of these additions is one machine instruction, so that a signal handler that counts the same path loses nothing.
 * The first two add to a cell of this thread, the last one to any word. */
void wm_add_to_cell(struct wm_emission *e, LLVMValueRef index, LLVMValueRef amount);
void wm_increment_cell(struct wm_emission *e, LLVMValueRef index);
void wm_add_to_word(struct wm_emission *e, LLVMValueRef address, LLVMValueRef amount);
bool wm_is_one(LLVMValueRef amount);

#endif
