/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The observable-path DAG, its numbering, and decoding.
 *
 * Every path from node WM_DAG_START to node WM_DAG_END is one observable path.
 * Schemes build the DAG; everything below is written once for all of them.
 *
 * An edge knows which event of the real program it stands for:
 *   WM_EDGE_ENTRY    Start → node of the entry block; event: function entry
 *   WM_EDGE_RESTART  Start → node; event: the path restarts here after a back
 *                    edge or cut (`start` says which)
 *   WM_EDGE_REAL     node → node; event: control-flow edge `cfg_edge`
 *   WM_EDGE_EXIT     node → End; event: the end of exit block `block of node`
 *   WM_EDGE_STOP     node → End; event: control-flow edge `cfg_edge`, which is a
 *                    back edge or a cut edge; the path ends and the next one
 *                    begins with `restart`, a WM_EDGE_RESTART edge
 * Where a path keeps the way to a loop head as its context, the head has a second
 * node before its own, without a block:
 *   WM_EDGE_ARRIVE   that node → the head's; no event: follows arriving there
 *   WM_EDGE_SURROGATE  the same nodes; event: the path restarts here after a back
 *                    edge, with what led to the head in front: the `restart` of a STOP
 * In the pieces that placement makes of an unrolled DAG (core/probes/window.c):
 *   WM_EDGE_RESUME   Start → node; as RESTART, but the register is set already
 */
#ifndef WM_CORE_DAG_H
#define WM_CORE_DAG_H

#include "core/graph/graph.h"

enum { WM_DAG_START = 0, WM_DAG_END = 1 };
enum wm_edge_kind {
	WM_EDGE_ENTRY,
	WM_EDGE_RESTART,
	WM_EDGE_REAL,
	WM_EDGE_EXIT,
	WM_EDGE_STOP,
	WM_EDGE_ARRIVE,
	WM_EDGE_SURROGATE,
	WM_EDGE_RESUME,
};

struct wm_dag_edge {
	uint32_t from, to;
	uint32_t cfg_edge; /* REAL, STOP; else WM_NONE */
	uint32_t restart; /* STOP: DAG edge the next path begins with; else WM_NONE */
	uint8_t kind; /* enum wm_edge_kind */
	uint8_t start; /* ENTRY, RESTART: enum wm_start */
	uint8_t end; /* EXIT, STOP: enum wm_end */
};

struct wm_dag {
	uint32_t node_count, edge_count;
	uint32_t *node_block; /* CFG block of a node; WM_NONE for Start, End and nodes before a head */
	uint32_t *first_edge; /* node_count + 1; out-edges in numbering order */
	struct wm_dag_edge *edge;
	uint32_t *order; /* nodes in a topological order: Start first, End last */
};

/* Values on edges: the sum along a path is its id, dense in 0 … path_count-1. */
struct wm_numbering {
	uint64_t path_count; /* below 2^63 */
	uint64_t *node_paths; /* paths from node to End */
	int64_t *value; /* per edge */
};

/* Counts bottom-up and gives each out-edge the sum of its earlier siblings.
 * WM_TOO_MANY when a count reaches 2^63.  O(edges). */
enum wm_status wm_dag_number(const struct wm_dag *dag, struct wm_numbering *numbering, struct wm_arena *arena);

/* How many paths take only edges that `edge`, per edge, names.  Per node, into count[]: paths to End.  At most
 * all paths, so that nothing overflows if the DAG can be numbered.  O(edges). */
uint64_t wm_dag_paths_over(const struct wm_dag *dag, const bool *edge, uint64_t *count);

/* log10 of the number of paths, in floating point: for graphs too large to number. */
double wm_dag_log10_paths(const struct wm_dag *dag, struct wm_arena *arena);

/* The out-edge of `node` whose range of ids holds `rest`: the last whose value is at most that. */
uint32_t wm_dag_choose(const struct wm_dag *dag, const struct wm_numbering *numbering, uint32_t node, uint64_t rest);

/* A path as DAG edges, the first leaving Start, the last entering End. */
struct wm_path {
	uint32_t length;
	uint32_t *edge;
};
/* The path with this id.  `path->edge` must hold node_count entries or be NULL,
 * in which case it is allocated.  WM_BAD_PATH if id >= path_count. O(path · log out-degree). */
enum wm_status wm_dag_decode(const struct wm_dag *dag, const struct wm_numbering *numbering, uint64_t id,
	struct wm_path *path, struct wm_arena *arena);
/* Its inverse: the sum of the values, WM_BAD_PATH if this is no path Start … End. */
enum wm_status wm_dag_encode(
	const struct wm_dag *dag, const struct wm_numbering *numbering, const struct wm_path *path, uint64_t *id);

/*
 * The ids of all paths through a node, as runs of neighbours, ascending.  WM_TOO_MANY when this,
 * or the same of some node before it, takes more than `most` runs, at least one.  O(edges · most).
 */
struct wm_id_run {
	uint64_t first, count;
};
enum wm_status wm_dag_runs_through(const struct wm_dag *dag, const struct wm_numbering *numbering, uint32_t node,
	struct wm_id_run *run, uint32_t most, uint32_t *count, struct wm_arena *arena);

#endif
