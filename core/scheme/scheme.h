/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Schemes and plans.  A scheme turns a control-flow graph into a DAG of observable paths; each scheme is one file,
 * and schemes.c lists them.  doc/adding-a-scheme.md explains how to add one.  A plan is the result of applying a
 * scheme to a graph.
 */
#ifndef WM_CORE_SCHEME_H
#define WM_CORE_SCHEME_H

#include "core/numbering/dag.h"

struct wm_plan;
struct wm_iterations;
struct wm_unit_function;
struct wm_pairs;

struct wm_scheme {
	const char *name;
	const char *parameter; /* the name of the parameter, written as "name=PARAMETER"; NULL: the scheme has none */
	const char *summary; /* one line for --help */
	uint8_t number; /* in profiles (profile/base/scheme_name.h): from 1 to 31, of no other scheme, and never changed */
	/* Capabilities.  Code that depends on the scheme tests these, never the name of the scheme. */
	bool iterates; /* a path may contain several iterations of a loop; the parameter is k */
	bool contexts; /* a path may begin with a context, the way to its loop (WM_EDGE_SURROGATE) */
	bool interesting; /* interesting paths have a second numbering; the user must name them */
	bool at_calls; /* paths also end before calls; the graph is that of parts of blocks (core/graph/parts.h) */
	/* Paths cross calls: the functions of a unit are numbered together (core/scheme/unit_scheme.h).  A function that is planned
	 * by itself has the paths that it has if all of its calls are stepped over. */
	bool crosses;
	/* Of schemes that cross calls: */
	bool pieces; /* a path that begins at a loop head has no context */
	/* A call that is stepped over cuts the path: the path ends before the call, and the next path begins after the call, so
	 * that no path waits for a call to return (TR 1382, section 9.2.1, the other Transformation 3). */
	bool cuts;
	/* A path may end in a call that is stepped over: such a *pending* path is counted if the call does not return
	 * (sections 9.2.1 and 9.2.2; core/probes/machine.h).  A call that throws ends the path, and its landing pad begins
	 * the next one. */
	bool pending;
	/* Makes plan->dag and plan->events_are_edges from plan->graph, ->dfs, ->choice and ->cut. */
	enum wm_status (*build)(struct wm_plan *plan, struct wm_arena *arena);
};

extern const struct wm_scheme wm_scheme_acyclic, wm_scheme_preferential, wm_scheme_kiter, wm_scheme_loopcontext,
	wm_scheme_subpath, wm_scheme_context, wm_scheme_context_cut, wm_scheme_context_pending, wm_scheme_piecewise,
	wm_scheme_piecewise_cut, wm_scheme_piecewise_pending;

/* Whether the scheme has none of the capabilities: its paths are the acyclic ones, and nothing else is known of them. */
bool wm_scheme_is_plain(const struct wm_scheme *scheme);

/* NULL-terminated, in the order --help shows them. */
extern const struct wm_scheme *const wm_schemes[];

/* A scheme with its parameters, parsed from a text such as "acyclic", "context=cut", "kiter=2" or
 * "kiter=2,7:4,sequences". */
struct wm_scheme_choice {
	const struct wm_scheme *scheme;
	uint32_t k; /* for loops that `loops` does not name; 1 for schemes without k */
	const char *loops; /* the rest of the text: ",HEAD:K" for each loop that has its own k */
	/* kiter: if there are too many paths, name them by their pieces (core/scheme/pieces.h) instead of reducing the
	 * number of iterations. */
	bool sequences;
};
/* Whether loops have a k of their own, so that the scheme and its k do not say everything. */
bool wm_scheme_has_loops(const struct wm_scheme_choice *choice);
/* The suffix of a text that sets `sequences`. */
#define WM_SEQUENCES ",sequences"
#define WM_MAX_K 1000
/* `choice` points into the text.  WM_UNKNOWN: there is no such scheme, or its parameters are missing, superfluous or
 * out of range. */
enum wm_status wm_scheme_parse(const char *text, struct wm_scheme_choice *choice);
/* The k that the choice gives to the loop with this head; 0: none. */
uint32_t wm_scheme_loop_k(const struct wm_scheme_choice *choice, uint32_t head);

/* More paths than a plan can number. */
#define WM_MAX_PATHS ((uint64_t)1 << 63)

/*
 * A plan: the numbered DAG of a function under a scheme.  Where there are too many paths, the graph is cut so that every
 * id is below `limit` (at most 2^63; 0 means 2^63).  A plan is a function of (graph, choice, limit): the tool
 * recomputes from the map what the compiler computed.  The status of the function is `exact` if cut_count is 0, else
 * `split`.
 *
 * The edges of the DAG have numbers (`numbering`), or, in a unit whose paths cross calls, pairs (`pairs`).
 */
struct wm_plan {
	const struct wm_graph *graph;
	const struct wm_unit_function *in_unit; /* the function with its calls; NULL: it was planned by itself */
	uint32_t index; /* of the function in its unit; trails have it */
	const struct wm_scheme *scheme;
	struct wm_scheme_choice choice;
	struct wm_iterations *iterations; /* kiter only: core/scheme/kiter.h */
	bool sequences; /* paths are sequences of pieces; dag and numbering describe pieces: core/scheme/pieces.h */
	uint32_t most_iterations; /* of any loop, because more would be too many paths; 0: no such limit */
	struct wm_dfs dfs;
	bool *cut; /* per control-flow edge: paths end on it although it is not a back edge; NULL: on none */
	uint32_t cut_count;
	/* Per block, or NULL: a path may start there even if no edge into the block ends one. */
	const bool *also_starts;
	double log10_paths; /* log10 of the number of paths of the uncut graph */
	struct wm_dag dag;
	struct wm_numbering numbering;
	struct wm_pairs
		*pairs; /* core/scheme/unit_scheme.h; `numbering` is then invalid.  NULL: no path crosses calls */
	/* Every event (function entry, control-flow edge, exit) is one edge of the DAG, and paths are acyclic.  Regions,
	 * trips and marks require it. */
	bool events_are_edges;
};
/* To be incremented when paths of the same graph and scheme get other ids.  It is a part of graph hashes (profile/map/map.h), so
 * profiles with the former ids are refused. */
#define WM_NUMBERING 1
enum wm_status wm_plan_choose(struct wm_plan *plan, const struct wm_graph *graph, const struct wm_scheme_choice *choice,
	uint64_t limit, struct wm_arena *arena);
/* The same, for a scheme without parameters. */
enum wm_status wm_plan_make(struct wm_plan *plan, const struct wm_graph *graph, const struct wm_scheme *scheme,
	uint64_t limit, struct wm_arena *arena);

/* Capabilities of a plan.  Code that depends on them asks these, never the fields. */
/* Paths are named by their pieces (core/scheme/pieces.h), and have no ids. */
bool wm_plan_has_pieces(const struct wm_plan *plan);
/* Paths cross calls: ids are those of a unit (core/scheme/unit_scheme.h). */
bool wm_plan_crosses_calls(const struct wm_plan *plan);

/* Whether acyclic paths end on this control-flow edge: it is a back edge, a cut edge, or one on which the scheme ends
 * paths. */
bool wm_plan_stops(const struct wm_plan *plan, uint32_t edge);
/* Whether the scheme itself ends paths on this edge, because a call happens on it. */
bool wm_plan_ends_at(const struct wm_plan *plan, uint32_t edge);

/* A decoded path.  `block` must have room for dag.node_count entries, or be NULL: then it is allocated. */
struct wm_block_path {
	uint32_t length;
	uint32_t *block;
	enum wm_start start;
	enum wm_end end;
	uint32_t last_edge; /* the control-flow edge on which it ended (BACKEDGE, CUT), or WM_NONE */
	/* Blocks before index `fresh` were already part of an earlier path of the same activation: the overlap of
	 * k-iteration paths, or a context.  If only the blocks from `fresh` on are counted, every block and edge is
	 * counted as often as it ran. */
	uint32_t fresh;
	/* NULL, or an array like `block`: the block is a loop head in its second or a later iteration, reached by a
	 * surrogate edge. */
	bool *again;
};
enum wm_status wm_plan_decode(
	const struct wm_plan *plan, uint64_t id, struct wm_block_path *path, struct wm_arena *arena);
/* The blocks to which the edges lead, without the last edge; `block` replaces the list of edges in its memory.  Sets all
 * fields of the path but `end` and `last_edge`. */
void wm_plan_list_blocks(const struct wm_plan *plan, const struct wm_path *edges, struct wm_block_path *path);

#endif
