/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Paths across calls: Melski and Reps, "Interprocedural path profiling", TR 1382, sections 3 to 6 and 8.
 *
 * A call site is *crossed*, and the caller's path goes on into the callee and comes back with it; or it is
 * *stepped over*: the caller's path goes on behind the call as in an intraprocedural profile, and the callee
 * starts a path of its own.  If all sites are stepped over, the paths are the acyclic ones.
 *
 * Two schemes differ in what happens where a path ends at a back edge (or cut edge) and the next one begins:
 *   context    the next path has in front of it how its function was reached, the calls that are still open
 *              (section 5; unbalanced-left paths)
 *   piecewise  the next path begins at the loop head; it may later return into any caller of its function
 *              (section 6; unbalanced-right-left paths)
 *
 * Every function has the DAG of its acyclic paths (plan.dag), with linear functions (core/numbering/pair.h) instead of
 * numbers: `node` is ψ of the document, `value` is ρ.  A block with several calls stands for one vertex per call.
 *
 * Departures from the document:
 * - one edge to the end per back edge, as in the acyclic scheme, not one per source of back edges;
 * - ids of *roots* (functions that can be entered without being crossed into) are numbered one after the other;
 * - in Algorithm 6.1 x is U of the function itself, not the ψ of the return vertex applied to it;
 * - an exit that does not return (a noreturn call, a resume) ends the path.  A landing pad of a crossed call
 *   starts a path, like a loop head; the edge from the call to the pad is then not part of any path;
 * - the edge from a call to the end, with which pending paths end, has the last value instead of ⟨0, 0⟩, so that the
 *   values of all other edges are what they are without pending paths; all calls that are stepped over have such an
 *   edge, not only recursive ones; other blocks have none (section 9.2.1 has one from every vertex).
 */
#ifndef WM_CORE_SCHEME_INTERPROCEDURAL_H
#define WM_CORE_SCHEME_INTERPROCEDURAL_H

#include "core/graph/callgraph.h"
#include "core/numbering/pair.h"
#include "core/scheme/scheme.h"

struct wm_unit_scheme {
	const char *name;
	const char *summary; /* one line for --help */
	bool pieces; /* a path that begins at a loop head has no context */
	/* A call that is stepped over cuts the path: it ends before the call, and the next begins behind it, so that no path
	 * waits for a call to return (section 9.2.1, the other Transformation 3). */
	bool cuts;
	/* A path may end in a call that is stepped over: such a *pending* path is counted if the call does not return
	 * (sections 9.2.1 and 9.2.2).  A call that throws ends the path, and its landing pad begins the next one. */
	bool pending;
};
/* NULL-terminated: context and piecewise, each alone, with cuts, and with pending paths. */
extern const struct wm_unit_scheme *const wm_unit_schemes[];
/* By its name.  WM_UNKNOWN when there is none. */
enum wm_status wm_unit_scheme_find(const char *text, const struct wm_unit_scheme **scheme);

/* What becomes of a call site. */
enum wm_crossing {
	WM_CROSSED,
	/* Stepped over: */
	WM_OVER_UNKNOWN, /* the callee is not a function of the unit, or not known */
	WM_OVER_OPAQUE, /* the compiler gave the call no probes (wm_call.opaque) */
	WM_OVER_RECURSIVE, /* a retreating edge of the call graph */
	WM_OVER_LAST, /* the path ends before this call, which does not return to the function */
	WM_OVER_CHOSEN, /* the request says so */
	WM_OVER_MANY, /* ids would be too large */
	WM_OVER_LONG, /* paths would be longer than WM_MAX_STEPS */
	WM_OVER_UNREACHED, /* the entry of the caller does not reach the block */
};
/* A clause for reports: "the call is recursive". */
const char *wm_crossing_text(enum wm_crossing crossing);

/* The most DAG edges, calls and returns that a path may have.  Straight-line functions that call each other twice
 * have one path each, of a length that doubles with every call. */
#define WM_MAX_STEPS (1u << 20)

struct wm_site {
	enum wm_crossing crossing;
	/* Of the return vertex: how a path can go on behind the call.  Pending paths come last among the ways to go on from
	 * the call, so this is also the value of the edge from the call to the end, and a call that returns adds nothing. */
	struct wm_pair behind;
	struct wm_pair
		start; /* where the call cuts the path: value of the edge with which the next path begins behind it */
	/* piecewise, crossed: what returning here adds to a path that began below. */
	uint64_t edge_value;
};
struct wm_caller {
	uint32_t function, site;
};

struct wm_function_plan {
	struct wm_plan plan; /* of the acyclic scheme: search, cuts and DAG; its numbering is not that of the DAG */
	struct wm_pair *node; /* per DAG node: how a path can go on from there, the calls of the block included */
	struct wm_pair *value; /* per DAG edge */
	bool *unused; /* per DAG edge: no path has it */
	uint32_t *first_call; /* per block: wm_unit_first_call() */
	uint32_t *start_edge; /* per block: the edge from Start with which paths restart there, or WM_NONE */
	struct wm_pair entry; /* ways from the entry; context: and from restarts */
	struct wm_pair pieces; /* piecewise: ways from restarts; else ⟨0, 0⟩ */
	uint32_t longest; /* path through this function, its crossed callees included */
	struct wm_site *site; /* per call site */
	bool root; /* paths begin at its entry */
	uint64_t first; /* roots: id of the first of these paths */
	uint64_t first_piece; /* piecewise: id of the first path that begins at one of its restarts */
	uint64_t
		behind_exit; /* piecewise: ways to go on behind its exit when the path began below (U of the document) */
	uint64_t exit_value; /* piecewise: what ending at the exit of a root adds to such a path */
	uint32_t caller_count;
	struct wm_caller *caller; /* the crossed sites that call it, in function order, then block and position */
};

/* Consecutive ids that begin in the same way. */
struct wm_unit_start {
	uint64_t first;
	uint32_t function;
	bool piece; /* at a restart of piecewise paths; else at the entry, or in `context` at any start */
};

struct wm_unit_plan {
	const struct wm_unit *unit;
	const struct wm_unit_scheme *scheme;
	struct wm_callgraph callgraph;
	struct wm_function_plan *function;
	uint32_t start_count;
	struct wm_unit_start *start; /* by id */
	uint64_t path_count; /* ids are dense below it */
	uint32_t crossed, site_count; /* sites in reached blocks, and how many of them are crossed */
};

/* The DAG node of a reached block. */
uint32_t wm_function_node(const struct wm_function_plan *function, uint32_t block);
/* Whether the site can be crossed, whatever else the unit consists of.  Only such sites have words in the function's
 * table (abi/unit.h).  It depends on nothing but the function itself. */
bool wm_unit_may_cross(const struct wm_unit_function *in_unit, const struct wm_function_plan *function, uint32_t site);
/* Whether paths end before this call and begin behind it. */
bool wm_unit_cuts(const struct wm_unit_plan *plan, uint32_t function, uint32_t site);
/* Whether paths may end in this call, pending, because it has not returned. */
bool wm_unit_waits(const struct wm_unit_plan *plan, uint32_t function, uint32_t site);
/* Whether this edge leads from a call that is crossed, cuts the path or may end it to its landing pad: then no path has
 * it. */
bool wm_unit_unwinds(const struct wm_unit_plan *plan, uint32_t function, uint32_t cfg_edge);

/* Numbers one function whose crossed callees are numbered, by the `crossing` of its sites: node, value, unused, entry,
 * pieces and what is behind its sites.  False when there are 2^63 ways or more.  O(edges + sites). */
bool wm_function_number(const struct wm_unit_plan *plan, uint32_t function);
/* Numbers a unit whose functions are numbered: roots, callers, starts and ids.  `entry`, per function or NULL: a root
 * for other reasons than the calls of the unit.  WM_TOO_MANY when there are 2^63 paths or more. */
enum wm_status wm_unit_number(struct wm_unit_plan *plan, const bool *entry, struct wm_arena *arena);

#endif
