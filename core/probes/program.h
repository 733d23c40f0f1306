/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A probe program: the actions of every event of a control-flow graph, and the ends of paths
 * that they run.  The passes (passes.h) make it, the emitter (plugin/emit.h) writes it as IR,
 * and the interpreter (machine.h) runs it over a walk.
 */
#ifndef WM_CORE_PROBES_PROGRAM_H
#define WM_CORE_PROBES_PROGRAM_H

#include "core/numbering/dag.h"
#include "core/probes/action.h"

/* A list of actions.  A copy of the struct shares the list: clear a probe by assigning {0}. */
struct wm_probe {
	uint32_t count, capacity;
	struct wm_action *action;
};

/* A loop that counts its trips in a register: trips.h. */
struct wm_trip_loop {
	int64_t first; /* what the first trip adds to r up to and with its count */
	int64_t again; /* id of the path that every later trip is */
	uint32_t back_edge; /* control-flow edge */
	uint32_t region; /* WM_NONE; else r is l, and `again` is a local index */
	uint32_t first_end, again_end; /* the ends of the two */
};

/* A loop with a numbering of its own: regions.h.
 * number(i) = sum[i] + (i < entered ? outer : 0). */
struct wm_region {
	uint32_t entered; /* local indices below this: paths that began outside */
	uint32_t paths; /* local indices in all */
	uint64_t *sum; /* per local index */
	uint32_t *end; /* per local index: the control-flow edge that ends the path; WM_NONE: it goes on outside */
	double entering; /* how often the region is entered, by the weights */
};

/* The counters of a function that is not counted in an array (pass `cells`). */
struct wm_cells {
	uint32_t size; /* cells with ids: those of the table, of local paths, of constants */
	uint64_t *ids; /* per cell: its path's id, ~0 for none */
	uint32_t local_paths; /* of all regions, one region after the other */
	uint32_t *region_index; /* per region: its first local path */
	bool *settled; /* per local path: its index says all, because it has a cell or, residual, is tested */
	uint32_t constant_count;
	uint64_t *constant; /* rising: paths of a hash that the compiler knows; they have the last cells */
};

struct wm_window_loop;
struct wm_window_step;
struct wm_probe_program {
	struct wm_arena *arena; /* of all lists */
	bool failed; /* an action could not be stored: there was no memory */
	struct wm_probe entry; /* on function entry, before anything else */
	struct wm_probe *edge; /* per control-flow edge */
	struct wm_probe *exit; /* per block: before its return, noreturn call or resume */
	uint32_t probe_count; /* events with at least one action */
	uint32_t trip_loop_count;
	struct wm_trip_loop *trip_loop;
	uint32_t region_count;
	struct wm_region *region;
	uint32_t saved_count; /* loop heads whose context is kept in a register */
	uint32_t window_count, step_count; /* window.h */
	struct wm_window_loop *window;
	struct wm_window_step *step;
	uint32_t end_count, end_capacity; /* 0 before the pass `ends` */
	struct wm_probe *end;
	struct wm_probe cold; /* what COLD runs */
	struct wm_cells cells;
};
enum wm_status wm_probe_program_init(
	struct wm_probe_program *program, const struct wm_graph *graph, struct wm_arena *arena);
/* Sets program->failed when there is no memory. */
void wm_probe_append(struct wm_probe_program *program, struct wm_probe *probe, struct wm_action action);
void wm_probe_insert_first(struct wm_probe_program *program, struct wm_probe *probe, struct wm_action action);
/* An action without region, end and flags. */
struct wm_action wm_action(enum wm_action_kind kind, uint64_t value);
/* Appends an end and returns its index. */
uint32_t wm_program_add_end(struct wm_probe_program *program, struct wm_probe end);

/* Events with at least one action. */
uint32_t wm_probe_program_count(const struct wm_probe_program *program, const struct wm_graph *graph);
/* The probe of the event that an edge of the DAG stands for; NULL where there is none. */
struct wm_probe *wm_probe_of(
	struct wm_probe_program *program, const struct wm_dag *dag, const struct wm_dag_edge *edge);
/* Calls for every probe of an event: the entry, every edge, every block. */
void wm_each_probe(struct wm_probe_program *program, const struct wm_graph *graph,
	void (*visit)(void *closure, struct wm_probe *probe), void *closure);
/* The registers that an action reads.  More exact than the table where operands decide. */
uint16_t wm_action_reads(const struct wm_probe_program *program, const struct wm_action *action);

#endif
