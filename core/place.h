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
	WM_ACTION_SET, /* r = value */
	WM_ACTION_ADD, /* r += value */
	WM_ACTION_COUNT, /* ++count[r + value] */
	WM_ACTION_COUNT_AT, /* ++count[value]: r is not read */
	/* Loops with one path, see wm_place_trips; `value` says which loop. */
	WM_ACTION_TRIP_BEGIN, /* trips = 0; before = r */
	WM_ACTION_TRIP, /* ++trips */
	WM_ACTION_TRIP_END, /* if (trips) { ++count[before + loop.first]; count[loop.again] += trips - 1; } */
	/* Loops with a numbering of their own, see wm_place_regions; `region` says which.
	 * There is one l and one `outer`, since regions do not nest.  i is a local index:
	 * number(i) = region.sum[i] + (i < region.entered ? outer : 0). */
	WM_ACTION_LOCAL_ENTER, /* outer = r */
	WM_ACTION_LOCAL_SET, /* l = value */
	WM_ACTION_LOCAL_ADD, /* l += value */
	WM_ACTION_LOCAL_COUNT, /* ++count[number(l + value)] */
	WM_ACTION_LOCAL_COUNT_AT, /* ++count[number(value)] */
	WM_ACTION_LOCAL_LEAVE, /* r = number(l + value) */
	WM_ACTION_LOCAL_LEAVE_AT, /* r = number(value) */
	/* Paths with a context; `value` says of which head. */
	WM_ACTION_SAVE, /* saved[value] = r */
	WM_ACTION_RESTORE, /* r = saved[value] */
	/* Paths over k iterations, see core/window.h; `value` is an index in program->step. */
	WM_ACTION_ENTER,
	WM_ACTION_PUSH,
	WM_ACTION_LEAVE,
	/* Paths named by their pieces, see core/sequence.h. */
	WM_ACTION_PIECE, /* the id r + value is a piece */
	WM_ACTION_PIECE_AT, /* value is: r is not read */
	/* Marked edges, see wm_place_sums. */
	WM_ACTION_MARK, /* r = ((r + value) | WM_MARK_BIT) - value */
};
#define WM_MARK_BIT ((uint64_t)1 << 63)
/* Packed: there are several per event, and most are empty. */
struct __attribute__((packed)) wm_action {
	uint8_t kind;
	uint16_t region; /* of the LOCAL_ kinds; else 0 */
	int64_t value; /* arithmetic is modulo 2^64 */
};

/* The actions of an event, in order:
 *     TRIP_END? (SET|ADD)? MARK? LEAVE? (COUNT|COUNT_AT|TRIP|PUSH)? (RESTORE ADD? | SET? | ADD?) (TRIP_BEGIN|SAVE|ENTER)?
 * of which no event needs more than four; between two regions, twice that. */
#define WM_PROBE_ACTIONS 8
struct wm_probe {
	uint8_t count;
	struct wm_action action[WM_PROBE_ACTIONS];
};
struct wm_trip_loop {
	int64_t first; /* what the first trip adds to r up to and with its count */
	int64_t again; /* id of the path that every later trip is */
	uint32_t back_edge; /* CFG edge */
	uint32_t region; /* WM_NONE; else r is l, and `again` is a local index */
};
struct wm_region {
	uint32_t entered; /* local indices below this: paths that began outside */
	uint32_t paths; /* local indices in all */
	uint64_t *sum; /* per local index */
	uint32_t *end; /* per local index: the CFG edge that ends the path, or WM_NONE: it goes on outside */
	double entering; /* how often the region is entered, by the weights */
};
struct wm_window_loop;
struct wm_window_step;
struct wm_probe_program {
	struct wm_probe entry; /* on function entry, before anything else */
	struct wm_probe *edge; /* per CFG edge */
	struct wm_probe *exit; /* per block: before its return, noreturn call or resume */
	uint32_t probe_count; /* events with at least one action */
	uint32_t trip_loop_count; /* loops that count their trips in a register */
	struct wm_trip_loop *trip_loop;
	uint32_t region_count;
	struct wm_region *region;
	uint32_t saved_count; /* heads whose context is kept in a register */
	uint32_t window_count, step_count;
	struct wm_window_loop *window;
	struct wm_window_step *step;
};

/* Of the event that an edge of the DAG stands for; NULL where there is none. */
struct wm_probe *wm_probe_of(
	struct wm_probe_program *program, const struct wm_dag *dag, const struct wm_dag_edge *edge);

/* Estimated executions of each CFG edge; the entry counts 1.0.  Only the order matters. */
struct wm_weights {
	double *edge; /* per CFG edge */
	double *block; /* per block: executions; the weight of exit events */
	double entry;
};
/* Of the event that an edge of the DAG stands for; 0 where there is none. */
double wm_weights_of(const struct wm_weights *weights, const struct wm_dag *dag, const struct wm_dag_edge *edge);
/* Loop nesting and equal branches, when nothing better is known. */
enum wm_status wm_weights_static(
	struct wm_weights *weights, const struct wm_graph *graph, const struct wm_dfs *dfs, struct wm_arena *arena);
/* The same for a caller that has the loops already. */
enum wm_status wm_weights_from_loops(struct wm_weights *weights, const struct wm_graph *graph, const struct wm_dfs *dfs,
	const struct wm_loops *loops, struct wm_arena *arena);

enum wm_placement { WM_PLACE_NAIVE, WM_PLACE_OPTIMAL };
/* Naive: every value on its own edge, r = 0 at every start.  Optimal needs weights.
 * Both give the same profile.  O(edges · log edges).  WM_BAD_GRAPH: not a DAG that the
 * actions above can follow. */
enum wm_status wm_place(const struct wm_plan *plan, enum wm_placement placement, const struct wm_weights *weights,
	struct wm_probe_program *program, struct wm_arena *arena);

/*
 * The same for any values: what is counted is the sum of `value` along the path,
 * modulo 2^64.  `first`, per DAG edge, names edges that a spanning tree takes before
 * all others, whatever their weights; if these connect all their nodes, as the edges
 * of a set of paths do, no value of another edge ever moves onto one of them.
 * NULL: none.  WM_BAD_GRAPH for a plan with iterated loops: only wm_place does those.
 */
enum wm_status wm_place_values(const struct wm_plan *plan, const int64_t *value, const bool *first,
	enum wm_placement placement, const struct wm_weights *weights, struct wm_probe_program *program,
	struct wm_arena *arena);

/*
 * The same with more to say.  With `marked`, WM_MARK_BIT is set in the total of a path that takes an edge it
 * names.  Once set it stays: no sum of ids reaches it, so it takes no more than one bit however many
 * paths and marks there are, where a value would be added again and again.  `value` must then be that
 * of the numbering, nothing is marked on edges to End, and wm_place_regions must not follow, since its sums
 * only add.
 */
struct wm_sums {
	const int64_t *value;
	const bool *first; /* as above */
	const bool *marked; /* per DAG edge, or NULL */
	const bool
		*adds; /* likewise: edges to End where what is added before the count is not free; NULL: it always is */
};
enum wm_status wm_place_sums(const struct wm_plan *plan, const struct wm_sums *sums, enum wm_placement placement,
	const struct wm_weights *weights, struct wm_probe_program *program, struct wm_arena *arena);

/*
 * Moves counts up: `counted`, per DAG edge, names one edge of every path, behind which there is one
 * way to End; it becomes the place of the count.  To be called after wm_place_regions and before
 * wm_place_trips.  Acyclic plans only; a path that ends at a back edge must be counted there if there
 * are regions.  WM_BAD_GRAPH: a path would have to be counted before it begins, or where it is the only one.
 * O(edges).
 */
enum wm_status wm_place_early(
	const struct wm_plan *plan, const bool *counted, struct wm_probe_program *program, struct wm_arena *arena);
/*
 * Where that saves instructions by the weights, `counted` for wm_place_early.  A count that reads r takes `count`
 * instructions, one that knows its id takes one.  `leaves` tells the blocks before which no path that goes through
 * them may be counted (NULL: none).  Acyclic plans without regions.  O(edges).
 */
enum wm_status wm_early_edges(const struct wm_plan *plan, const struct wm_weights *weights, const bool *leaves,
	double count, struct wm_probe_program *program, bool *counted, struct wm_arena *arena);
/*
 * Takes the counts at the DAG edges that `silent` names out of a program, and every
 * update that no count reads any more.  Where r is not read it may hold anything.
 * After wm_place_regions, which reads what all paths count off the program, and before
 * wm_place_trips.  O(edges · depth of loops).  Acyclic plans only: where several edges of
 * the DAG share an event, what one of them does not read another may.
 */
enum wm_status wm_place_silence(
	const struct wm_plan *plan, const bool *silent, struct wm_probe_program *program, struct wm_arena *arena);
/* Events with at least one action. */
uint32_t wm_probe_program_count(const struct wm_probe_program *program, const struct wm_graph *graph);

/*
 * Loops with one path (trips.c): an innermost natural loop whose body is a simple
 * cycle counts its trips in a register and adds them on the way out.  The first
 * trip ends the path that entered the loop; all others end the same one.
 * `leaves` tells the blocks from which control may vanish (NULL: none); a loop with
 * such a block keeps counting every trip, because its register might be lost.
 * Only loops that the weights expect to run are changed.  O(edges).
 */
enum wm_status wm_place_trips(const struct wm_plan *plan, const struct wm_loops *loops,
	const struct wm_weights *weights, const bool *leaves, struct wm_probe_program *program, struct wm_arena *arena);

/*
 * Loops with a numbering of their own (regions.c): for functions with so many paths
 * that their counters are no array.  A region is a natural loop, as large as can be, in
 * which few paths begin or come in and end or go out.  Inside, a path has a small dense
 * index; one that began inside has one id and so a counter of its own, and only paths that
 * came in from outside need r.
 * Changes nothing in what is counted, whatever values were placed.  To be called before
 * wm_place_silence and wm_place_trips, for the scheme `acyclic`.
 */
struct wm_region_limits {
	uint32_t paths; /* of one region */
	uint32_t all_paths; /* of all together */
	uint32_t ends; /* at least so many, by the weights, for every path that comes in; 0: take what never runs too */
};
enum wm_status wm_place_regions(const struct wm_plan *plan, const struct wm_loops *loops,
	const struct wm_weights *weights, const bool *leaves, struct wm_region_limits limits,
	struct wm_probe_program *program, struct wm_arena *arena);

/*
 * The interpreter: one activation of a function under a probe program.
 * `count` is called for every counted path.
 */
struct wm_sequence;
struct wm_machine {
	const struct wm_plan *plan;
	const struct wm_probe_program *program;
	uint64_t r;
	uint64_t l, outer;
	uint32_t block;
	void (*count)(void *closure, uint64_t id);
	void *closure;
	uint64_t *trips, *before; /* program->trip_loop_count each; may be NULL when that is 0 */
	uint64_t *saved; /* program->saved_count; may be NULL when that is 0 */
	uint64_t sum, window, done; /* core/window.h */
	struct wm_sequence *sequence; /* for plans with sequences: its count is called, not the one above */
};
void wm_machine_enter(struct wm_machine *machine);
/* WM_BAD_PATH when there is no such edge. */
enum wm_status wm_machine_step(struct wm_machine *machine, uint32_t next_block);
/* WM_BAD_PATH when the current block is no exit. */
enum wm_status wm_machine_leave(struct wm_machine *machine);

#endif
