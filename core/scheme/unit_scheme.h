/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Paths across calls: Melski and Reps, "Interprocedural path profiling", TR 1382, sections 3 to 6 and 8.
 *
 * A call site is either *crossed* or *stepped over*.  If it is crossed, the caller's path continues in the callee and
 * returns with it.  If it is stepped over, the caller's path continues after the call as in an intraprocedural profile,
 * and the callee starts a path of its own.  If all sites are stepped over, the paths are the acyclic ones.
 *
 * Two schemes differ in what happens where a path ends at a back edge (or cut edge) and the next one begins:
 *   context    the next path begins with a context: the calls that are still open, and how each caller reached its
 *              call (section 5; unbalanced-left paths)
 *   piecewise  the next path begins at the loop head; it may later return into any caller of its function
 *              (section 6; unbalanced-right-left paths)
 *
 * A *completion* of a path is one of the ways in which the path can continue to its end.  Every function has the plan of
 * its acyclic paths, with linear functions (core/numbering/pair.h) instead of numbers: `node`, which counts completions, is ψ
 * of the document, and `value` is ρ.  A block with several calls stands for one vertex per call.
 *
 * Departures from the document:
 * - There is one edge to End per back edge, as in the acyclic scheme, instead of one per source of back edges.
 * - A *root* is a function that can be entered without being crossed into.  The ids of the paths of one root follow those
 *   of the root before it.
 * - In Algorithm 6.1, x is U of the function itself, instead of the ψ of the return vertex applied to U.
 * - An exit that does not return (a resume, or a noreturn call that is stepped over) ends the path.  A noreturn call that
 *   is crossed leads the path into the callee, which ends it; the exit of the caller is the only completion after the call,
 *   and no path has it unless the graph of the callee has a return.
 * - A landing pad of a crossed call starts a path, like a loop head; the edge from the call to the landing pad is then not
 *   part of any path.
 * - The edge from a call to End, with which pending paths end, has the last value instead of ⟨0, 0⟩, so that the values
 *   of all other edges are the same as without pending paths.  All calls that are stepped over have such an edge, not
 *   only recursive ones; blocks without such a call have none (section 9.2.1 has one from every vertex; doc/across.md says
 *   why they are not needed).
 */
#ifndef WM_CORE_SCHEME_UNIT_SCHEME_H
#define WM_CORE_SCHEME_UNIT_SCHEME_H

#include "core/graph/callgraph.h"
#include "core/numbering/pair.h"
#include "core/scheme/scheme.h"

/* Whether a call site is crossed, and if not, why. */
enum wm_crossing {
	WM_CROSSED,
	/* Stepped over: */
	WM_OVER_UNKNOWN, /* the callee is not a function of the unit, or not known */
	WM_OVER_OPAQUE, /* the compiler gave the call no probes (wm_call.opaque) */
	WM_OVER_RECURSIVE, /* the call is a retreating edge of the call graph */
	WM_OVER_LAST, /* a tail call: the path ends before it */
	WM_OVER_CHOSEN, /* the request says so */
	WM_OVER_MANY, /* ids would be too large */
	WM_OVER_LONG, /* paths would be longer than WM_MAX_STEPS */
	WM_OVER_UNREACHED, /* the entry of the caller does not reach the block */
};
/* A clause for reports: "the call is recursive". */
const char *wm_crossing_text(enum wm_crossing crossing);

/* The most DAG edges, calls and returns that a path may have.  The limit is necessary because few paths may be long: in a
 * chain of straight-line functions each of which calls the next one twice, every function has one path, and every function
 * doubles its length. */
#define WM_MAX_STEPS (1u << 20)

struct wm_site {
	enum wm_crossing crossing;
	/* ψ of the return vertex: the number of completions after the call.  Pending paths are the last completions from the
	 * call, so this is also the value of the edge from the call to End, and a call that returns adds nothing. */
	struct wm_pair behind;
	struct wm_pair
		start; /* if the call cuts the path: the value of the edge with which the next path begins after the call */
	/* piecewise, crossed: what a return to this site adds to a path that began in the callee or below it. */
	uint64_t edge_value;
};
struct wm_caller {
	uint32_t function, site;
};

struct wm_unit_plan;

/* The numbers of a function of a unit. */
struct wm_pairs {
	const struct wm_unit_plan *unit;
	struct wm_pair *node; /* per DAG node: the number of completions from it, through the calls of its block */
	struct wm_pair *value; /* per DAG edge */
	bool *unused; /* per DAG edge: no path has it */
	uint32_t *first_call; /* per block: wm_unit_first_call() */
	uint32_t *start_edge; /* per block: the edge from Start with which paths restart there, or WM_NONE */
	struct wm_pair entry; /* completions from the entry; context: from restarts too */
	struct wm_pair pieces; /* piecewise: completions from restarts; else ⟨0, 0⟩ */
	uint32_t longest; /* the length of the longest path through this function and its crossed callees */
	struct wm_site *site; /* per call site */
	bool root; /* paths begin at its entry */
	uint64_t first; /* roots: the id of the first path that begins at the entry */
	uint64_t first_piece; /* piecewise: id of the first path that begins at one of its restarts */
	uint64_t
		behind_exit; /* piecewise: completions after its exit, for a path that began in it or below (U of the document) */
	uint64_t
		exit_value; /* piecewise: what such a path adds if it ends at the exit, which it can if the function is a root */
	uint32_t caller_count;
	struct wm_caller *caller; /* the crossed sites that call it, in function order, then block and position */
};

/* A range of consecutive ids, whose paths begin in the same way.  The range ends where the next one begins. */
struct wm_unit_start {
	uint64_t first;
	uint32_t function;
	bool piece; /* at a restart of piecewise paths; else at the entry, or in `context` at any start */
};

/* The plans of the functions of a unit, with the numbers that they share.  It must not be moved: its functions refer to it. */
struct wm_unit_plan {
	const struct wm_unit *unit;
	const struct wm_scheme *scheme;
	struct wm_callgraph callgraph;
	struct wm_plan *function;
	uint32_t start_count;
	struct wm_unit_start *start; /* by id */
	uint64_t path_count; /* every number below it is the id of a path */
	uint32_t crossed, site_count; /* sites in reached blocks, and how many of them are crossed */
};

/* Of the plan of a function of a unit: */
/* The DAG node of a reached block. */
uint32_t wm_plan_node(const struct wm_plan *plan, uint32_t block);
/* Whether some unit exists in which the site is crossed.  The answer depends only on the function itself.  Only such sites
 * have words in the function's table (abi/unit_tables.h). */
bool wm_plan_may_cross(const struct wm_plan *plan, uint32_t site);
/* Whether paths continue in the callee of this call. */
bool wm_plan_crosses(const struct wm_plan *plan, uint32_t site);
/* Whether paths end before this call and begin after it. */
bool wm_plan_cuts(const struct wm_plan *plan, uint32_t site);
/* Whether paths may end in this call, pending, because it has not returned. */
bool wm_plan_waits(const struct wm_plan *plan, uint32_t site);
/* Whether this edge leads to the landing pad of a call that is crossed, cuts the path or may end the path.  No path has
 * such an edge. */
bool wm_plan_unwinds(const struct wm_plan *plan, uint32_t cfg_edge);

/* Of any plan: */
/* The number of paths that begin in the function; *first receives the smallest of their ids, which are consecutive. */
uint64_t wm_plan_paths(const struct wm_plan *plan, uint64_t *first);
/* Every number below the result is the id of a path: of the function, or of any function of the unit if paths cross calls. */
uint64_t wm_plan_ids(const struct wm_plan *plan);

/* Numbers one function, given the `crossing` of its sites; its crossed callees must be numbered.  Sets node, value, unused,
 * entry, pieces and the numbers of its sites.  False: there are 2^63 completions or more.  O(edges + sites). */
bool wm_plan_number(const struct wm_plan *plan);
/* The same for a function of which only the first `count` nodes of dag->order have to be numbered again: those up to the
 * last block in which the crossing of a site has changed.  False also if some node has more than `most` completions when
 * x is 1; so has the whole function then. */
bool wm_plan_number_again(const struct wm_plan *plan, uint32_t count, uint64_t most);
/* Numbers a unit whose functions are numbered: sets roots, callers, starts and ids.  `entry`, per function or NULL: the
 * function is a root even if no call of the unit makes it one.  WM_TOO_MANY: there are 2^63 paths or more. */
enum wm_status wm_unit_number(struct wm_unit_plan *plan, const bool *entry, struct wm_arena *arena);

#endif
