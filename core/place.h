/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Placement and probe programs.
 *
 * Placement turns values on DAG edges into few, cold register updates: Ball's
 * event counting.  A maximum-weight spanning tree over the DAG closed by
 * End → Start; values only on its chords; the initialisation is pushed down into
 * the first update, the last update folded into the count (Ball and Larus 1996,
 * figure 8).
 *
 * A probe program is a list of actions per event of the control-flow graph.  The
 * emitter writes it as IR, the interpreter below runs it over a walk.
 */
#ifndef WM_CORE_PLACE_H
#define WM_CORE_PLACE_H

#include "core/scheme.h"

enum wm_action_kind {
	WM_ACTION_SET,       /* r = value */
	WM_ACTION_ADD,       /* r += value */
	WM_ACTION_COUNT,     /* ++count[r + value] */
	WM_ACTION_COUNT_AT,  /* ++count[value]: r is not read */
};
struct wm_action {
	uint8_t kind;
	int64_t value; /* arithmetic is modulo 2^64 */
};

/* At most three actions an event, in order: (SET|ADD)? (COUNT|COUNT_AT)? SET? */
struct wm_probe {
	uint8_t count;
	struct wm_action action[3];
};
struct wm_probe_program {
	struct wm_probe entry;     /* on function entry, before anything else */
	struct wm_probe *edge;     /* per CFG edge */
	struct wm_probe *exit;     /* per block: before its return, noreturn call or resume */
	uint32_t probe_count;      /* events with at least one action */
};

/* Estimated executions of each CFG edge; the entry counts 1.0.  Only the order matters. */
struct wm_weights {
	double *edge;  /* per CFG edge */
	double *block; /* per block: executions; the weight of exit events */
	double entry;
};
/* Loop nesting and equal branches, when nothing better is known. */
enum wm_status wm_weights_static(struct wm_weights *weights, const struct wm_graph *graph, const struct wm_dfs *dfs, struct wm_arena *arena);

enum wm_placement { WM_PLACE_NAIVE, WM_PLACE_OPTIMAL };
/* Naive: every value on its own edge, r = 0 at every start.  Optimal needs weights.
 * Both give the same profile.  O(edges · log edges). */
enum wm_status wm_place(const struct wm_plan *plan, enum wm_placement placement, const struct wm_weights *weights, struct wm_probe_program *program, struct wm_arena *arena);

/*
 * The interpreter: one activation of a function under a probe program.
 * `count` is called for every counted path.
 */
struct wm_machine {
	const struct wm_plan *plan;
	const struct wm_probe_program *program;
	uint64_t r;
	uint32_t block;
	void (*count)(void *closure, uint64_t id);
	void *closure;
};
void wm_machine_enter(struct wm_machine *machine);
/* WM_BAD_PATH when there is no such edge. */
enum wm_status wm_machine_step(struct wm_machine *machine, uint32_t next_block);
/* WM_BAD_PATH when the current block is no exit. */
enum wm_status wm_machine_leave(struct wm_machine *machine);

#endif
