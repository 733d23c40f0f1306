/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The observable-path DAG, its numbering, and decoding.
 *
 * Every path from the node WM_DAG_START to the node WM_DAG_END is one observable path.  A scheme builds the DAG; the
 * functions below are shared by all schemes.
 *
 * Each edge of the DAG stands for an *event* of the program:
 *   WM_EDGE_ENTRY    Start → node of the entry block.  Event: the function is entered.
 *   WM_EDGE_RESTART  Start → node.  Event: a path begins here after a back edge or a cut edge (`start` says which).
 *   WM_EDGE_REAL     node → node.  Event: the control-flow edge `cfg_edge` is taken.
 *   WM_EDGE_EXIT     node → End.  Event: the exit block of the node ends.
 *   WM_EDGE_STOP     node → End.  Event: the control-flow edge `cfg_edge`, a back edge or a cut edge, is taken.  The
 *                    path ends, and the next path begins with the DAG edge `restart`.
 * A scheme whose paths carry their way to a loop head as context gives the head a second node without a block, which
 * precedes the node of the head:
 *   WM_EDGE_ARRIVE     second node → node of the head.  No event: it follows every edge into the second node.
 *   WM_EDGE_SURROGATE  the same nodes.  Event: a path begins at the head after a back edge and keeps its context.  It
 *                      is the `restart` of a STOP edge.
 * In the partial DAGs from which core/probes/iteration_window.c places the probes of unrolled loops:
 *   WM_EDGE_RESUME   Start → node.  Like RESTART, but the path register already has its value.
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
	uint32_t restart; /* STOP: the DAG edge with which the next path begins; else WM_NONE */
	uint8_t kind; /* enum wm_edge_kind */
	uint8_t start; /* ENTRY, RESTART: enum wm_start */
	uint8_t end; /* EXIT, STOP: enum wm_end */
};

struct wm_dag {
	uint32_t node_count, edge_count;
	uint32_t *node_block; /* basic block of a node; WM_NONE for Start, End and the second nodes of loop heads */
	uint32_t *first_edge; /* node_count + 1; out-edges in numbering order */
	struct wm_dag_edge *edge;
	uint32_t *order; /* nodes in a topological order: Start first, End last */
};

/* A numbering gives each edge a value.  The sum of the values along a path is its id; ids are 0 … path_count-1. */
struct wm_numbering {
	uint64_t path_count; /* below 2^63 */
	uint64_t *node_paths; /* per node: the number of paths from it to End */
	int64_t *value; /* per edge */
};

/* Counts paths bottom-up; the value of an out-edge is the number of paths over its earlier siblings.
 * WM_TOO_MANY: a count reaches 2^63.  O(edges). */
enum wm_status wm_dag_number(const struct wm_dag *dag, struct wm_numbering *numbering, struct wm_arena *arena);

/* The number of paths that take only edges e with edge[e].  count[] receives, per node, the number of such paths
 * from the node to End.  Cannot overflow if the DAG can be numbered.  O(edges). */
uint64_t wm_dag_paths_over(const struct wm_dag *dag, const bool *edge, uint64_t *count);

/* log10 of the number of paths that take only edges e with edge[e], in floating point, for graphs with too many paths to number.
 * `edge` NULL: of all paths.  −infinity: there is none.  NaN: out of memory. */
double wm_dag_log10_paths(const struct wm_dag *dag, const bool *edge, struct wm_arena *arena);

/* One step of decoding: the last out-edge of `node` whose value is at most `rest`. */
uint32_t wm_dag_choose(const struct wm_dag *dag, const struct wm_numbering *numbering, uint32_t node, uint64_t rest);

/* A path as a list of DAG edges.  The first leaves Start, the last enters End. */
struct wm_path {
	uint32_t length;
	uint32_t *edge;
};
/* Decodes an id.  `path->edge` must have room for node_count entries, or be NULL: then it is allocated.
 * WM_BAD_PATH: id >= path_count.  O(length · log out-degree). */
enum wm_status wm_dag_decode(const struct wm_dag *dag, const struct wm_numbering *numbering, uint64_t id,
	struct wm_path *path, struct wm_arena *arena);
/* Encodes a path: the inverse of decoding.  WM_BAD_PATH: the edges are not a path from Start to End. */
enum wm_status wm_dag_encode(
	const struct wm_dag *dag, const struct wm_numbering *numbering, const struct wm_path *path, uint64_t *id);

/*
 * The ids of all paths through a node, as ascending runs of consecutive ids.  WM_TOO_MANY: more than `most` runs
 * (at least 1) are needed for this node or for one that precedes it.  O(edges · most).
 */
struct wm_id_run {
	uint64_t first, count;
};
struct wm_id_runs {
	uint32_t count;
	struct wm_id_run *run; /* in the arena */
};
enum wm_status wm_dag_runs_through(const struct wm_dag *dag, const struct wm_numbering *numbering, uint32_t node,
	uint32_t most, struct wm_id_runs *runs, struct wm_arena *arena);

#endif
