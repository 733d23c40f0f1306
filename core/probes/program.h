/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A probe program: the actions of every event of a control-flow graph, and the ends of paths to which they refer.
 * The passes (passes.h) make it, the emitter (plugin/emit/emit.h) writes it as IR, and the interpreter (machine.h)
 * executes it along a walk of blocks.
 */
#ifndef WM_CORE_PROBES_PROGRAM_H
#define WM_CORE_PROBES_PROGRAM_H

#include "core/numbering/dag.h"
#include "core/probes/action.h"

/* A list of actions.  A copy of the struct shares the list.  Assign {0} to clear a probe. */
struct wm_probe {
	uint32_t count, capacity;
	struct wm_action *action;
};

/* A loop that counts its trips in a register: trips.h. */
struct wm_trip_loop {
	int64_t first; /* the first trip ends the path with total before + first */
	int64_t again; /* the id of the path that every later trip ends */
	uint32_t back_edge; /* control-flow edge */
	uint32_t region; /* of the loop; then l takes the place of r, and `again` is a local index.  WM_NONE: none */
	uint32_t first_end, again_end; /* indices in program->end */
};

/* A loop with a numbering of its own: regions.h.
 * number(i) = sum[i] + (i < entered ? outer : 0). */
struct wm_region {
	uint32_t entered; /* local indices below `entered` are of paths that began outside the region */
	uint32_t paths; /* the number of local indices */
	uint64_t *sum; /* per local index */
	uint32_t *end; /* per local index: the edge on which the path ends; WM_NONE: it leaves the region */
	double entering; /* the weight with which the region is entered */
};

/* The counters of a function that is not counted in an array (pass `cells`). */
struct wm_cells {
	uint32_t size; /* the number of cells: of the table, of local paths, of constants, in this order */
	uint64_t *ids; /* per cell: the id of its path; ~0: none */
	uint32_t local_paths; /* of all regions together */
	uint32_t *region_index; /* per region: its first local path */
	bool *settled; /* per local path: see cells.h */
	uint32_t constant_count;
	uint64_t *constant; /* hash tables only: ascending ids that are constants; they have the last cells */
};

struct wm_window_loop;
struct wm_window_step;
struct wm_probe_program {
	struct wm_arena *arena; /* of all lists */
	bool failed; /* an action could not be stored because memory was exhausted */
	struct wm_probe entry; /* on function entry */
	struct wm_probe *edge; /* per control-flow edge */
	struct wm_probe *exit; /* per block: before its return, noreturn call or resume */
	uint32_t probe_count; /* events with at least one action */
	uint32_t trip_loop_count;
	struct wm_trip_loop *trip_loop;
	uint32_t region_count;
	struct wm_region *region;
	uint32_t saved_count; /* loop heads whose context is saved */
	uint32_t window_count, step_count; /* iteration_window.h */
	struct wm_window_loop *window;
	struct wm_window_step *step;
	uint32_t end_count, end_capacity; /* 0 before the pass `ends` */
	struct wm_probe *end;
	struct wm_probe cold; /* the out-of-line end that the action COLD runs */
	struct wm_cells cells;
};
enum wm_status wm_probe_program_init(
	struct wm_probe_program *program, const struct wm_graph *graph, struct wm_arena *arena);
/* Both set program->failed when memory is exhausted. */
void wm_probe_append(struct wm_probe_program *program, struct wm_probe *probe, struct wm_action action);
void wm_probe_insert_first(struct wm_probe_program *program, struct wm_probe *probe, struct wm_action action);
/* An action without region, end or flags. */
struct wm_action wm_action(enum wm_action_kind kind, uint64_t value);
/* Appends an end and returns its index. */
uint32_t wm_program_add_end(struct wm_probe_program *program, struct wm_probe end);

/* The number of events with at least one action. */
uint32_t wm_probe_program_count(const struct wm_probe_program *program, const struct wm_graph *graph);
/* The probe of the event for which a DAG edge stands; NULL: it stands for none. */
struct wm_probe *wm_probe_of(
	struct wm_probe_program *program, const struct wm_dag *dag, const struct wm_dag_edge *edge);
/* Calls `visit` for the probe of every event: the entry, each edge, each exit. */
void wm_each_probe(struct wm_probe_program *program, const struct wm_graph *graph,
	void (*visit)(void *closure, struct wm_probe *probe), void *closure);
/* The registers that an action reads.  More precise than the table if they depend on the operands. */
uint16_t wm_action_reads(const struct wm_probe_program *program, const struct wm_action *action);

#endif
