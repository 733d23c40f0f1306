/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A function under emission: what emit.c (where probes stand), record.c (its variables), count.c (what the end of
 * a path does) and local.c (the same inside a region) share.  Nobody else includes this. */
#ifndef WM_PLUGIN_EMISSION_H
#define WM_PLUGIN_EMISSION_H

#include "plugin/aside.h"
#include "plugin/emit.h"
#include "plugin/window.h"

struct wm_emission {
	struct wm_emitter *emitter;
	LLVMBuilderRef builder;
	LLVMValueRef ir;
	const struct wm_plan *plan;
	const struct wm_counting *counting;
	const struct wm_probe_program *program;
	const struct wm_anchors *anchors;
	const struct wm_weights *weights;
	double hottest; /* the greatest weight of an edge to End */
	struct wm_map_function *function;
	enum wm_update update;
	LLVMTypeRef word; /* of the path register and of totals */
	LLVMValueRef path;   /* alloca: the path register */
	LLVMValueRef *trips, *before; /* allocas, per trip loop */
	struct wm_window_ir windows;
	LLVMValueRef pieces; /* alloca: struct wm_pieces; plans with sequences only */
	uint32_t block; /* where the edge comes from whose probe is being written */
	LLVMValueRef local, outer; /* allocas: l (64 bits) and outer of wm_place_regions, if there are regions */
	LLVMValueRef delta;  /* alloca: distance of this thread's cells; `thread` only */
	LLVMValueRef cells;  /* global */
	LLVMValueRef record; /* global */
	LLVMValueRef ids; /* global: counting->ids, or NULL */
	LLVMValueRef table; /* global: counting->table, or NULL */
	LLVMValueRef displacement; /* global: of a perfect hash, or NULL */
	LLVMValueRef sums; /* global: those of all regions; or NULL */
	LLVMValueRef settled; /* global: bytes, counting->settled; residual only, or NULL */
	LLVMValueRef cold; /* function: count.c */
	uint32_t header_cells; /* before the store */
	uint32_t *edge_end, *block_end; /* per CFG edge and per block: the DAG edge whose event it is */
	uint32_t entry_edge; /* likewise: of the entry */
	struct wm_aside aside; /* counting->aside only */
	/* of the probe being built: */
	bool hot; /* whether a count in a hash is worth an inline probe here */
	uint32_t end; /* the DAG edge on which the path is counted */
	LLVMValueRef wrong; /* only where the guess was wrong is this instruction reached; or NULL */
	uint64_t guess; /* what the path register holds where it was right */
	LLVMValueRef unsettled; /* only where a local path was not settled is this instruction reached; or NULL */
	int64_t settled_local; /* what l holds where it was */
	struct wm_arena *arena;
};

/* The total of a path, not yet added up: what is compared with a constant never is.
 * `base` NULL: `addend` is all, known to the compiler. */
struct wm_total {
	LLVMValueRef base;
	int64_t addend;
};

LLVMValueRef wm_constant(const struct wm_emitter *emitter, uint64_t value);
LLVMValueRef wm_total_sum(struct wm_emission *e, struct wm_total total);
/* Calls a function of the runtime: hidden, cold, preserving registers. */
LLVMValueRef wm_call_runtime(
	struct wm_emission *e, const char *name, LLVMTypeRef result, LLVMValueRef *arguments, unsigned count);
void wm_call_attribute(struct wm_emitter *emitter, LLVMValueRef call, const char *name, uint64_t value);
/* Of this thread, where threads have cells of their own. */
LLVMValueRef wm_cell_address(struct wm_emission *e, LLVMValueRef index);
/* One machine instruction. */
void wm_build_add(struct wm_emission *e, LLVMValueRef cell, LLVMValueRef amount);
/* Names a variable or function of the module after the function, and makes it private. */
LLVMValueRef wm_named(struct wm_emission *e, const char *prefix, LLVMValueRef global);
LLVMValueRef wm_constant_global(struct wm_emission *e, const char *prefix, LLVMValueRef value);

/* record.c.  All of them, before the first probe. */
enum wm_status wm_create_globals(struct wm_emission *e);

/* Whether so many executions, as weights have them, are worth inline code. */
bool wm_is_hot(const struct wm_emission *e, double weight);

/* count.c.  Cells of the store; the records of the ABI name them `store`. */
uint32_t wm_count_cells(const struct wm_counting *counting, const struct wm_plan *plan);
/* The constant tables that counts look into. */
enum wm_status wm_count_tables(struct wm_emission *e);
/* What happens when a path ends with this total, `amount` times; leaves the builder before `before`. */
void wm_count_path(struct wm_emission *e, struct wm_total total, LLVMValueRef amount, LLVMValueRef before);
/* The cell at an index of counting->ids. */
void wm_count_at(struct wm_emission *e, LLVMValueRef index, LLVMValueRef amount);

/* The cell with the address of the newest hash table. */
LLVMValueRef wm_head_address(struct wm_emission *e);

/* pieces.c */
LLVMTypeRef wm_pieces_type(const struct wm_emission *e);
void wm_begin_pieces(struct wm_emission *e);
/* The path in flight is one piece so far. */
LLVMValueRef wm_has_no_piece(struct wm_emission *e);
void wm_push_piece(struct wm_emission *e, struct wm_total id);
void wm_end_pieces(struct wm_emission *e, struct wm_total id);

/* local.c.  The constant tables of regions, and away with those that no probe reads. */
enum wm_status wm_local_tables(struct wm_emission *e);
void wm_drop_unused_local_tables(struct wm_emission *e);
void wm_build_local(struct wm_emission *e, struct wm_action action, LLVMValueRef before);
/* What happens when a local path ends at e->end.  `index`: its base has 64 bits. */
void wm_count_local(
	struct wm_emission *e, uint32_t region, struct wm_total index, LLVMValueRef amount, LLVMValueRef before);

#endif
