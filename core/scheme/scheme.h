/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Schemes: each turns a control-flow graph into a DAG of observable paths.
 * A scheme is one file; schemes.c lists them.  doc/adding-a-scheme.md walks through it.
 */
#ifndef WM_CORE_SCHEME_H
#define WM_CORE_SCHEME_H

#include "core/numbering/dag.h"

struct wm_plan;
struct wm_iterations;

struct wm_scheme {
	const char *name;
	const char *parameter; /* what stands behind "name="; NULL: nothing does */
	const char *summary; /* one line for --help */
	/* What the scheme can do.  Code that depends on a scheme asks for these, never for its name. */
	bool iterates; /* a path may have several iterations of a loop, chosen by k */
	bool contexts; /* a path may begin with the way to its loop, the context (WM_EDGE_SURROGATE) */
	bool interesting; /* a second numbering is given to interesting paths; they must be named */
	/* Makes plan->dag from its graph, dfs, choice and `cut`: edges that end a path
	 * although they are not back edges; NULL: none. */
	enum wm_status (*build)(struct wm_plan *plan, struct wm_arena *arena);
};

extern const struct wm_scheme wm_scheme_acyclic, wm_scheme_preferential, wm_scheme_kiter, wm_scheme_loopcontext;

/* NULL-terminated, in the order --help shows them. */
extern const struct wm_scheme *const wm_schemes[];

/* A scheme with its parameters, as a text says: "acyclic", "kiter=2", "kiter=2,7:4,sequences". */
struct wm_scheme_choice {
	const struct wm_scheme *scheme;
	uint32_t k; /* of loops that `loops` does not name; 1 for other schemes */
	const char *loops; /* the rest of the text: ",HEAD:K" for each loop with a k of its own */
	/* kiter: above the limit, name paths by their pieces (core/probes/sequence.h) instead of
	 * looking at fewer iterations. */
	bool sequences;
};
/* At the end of a text: sequences. */
#define WM_SEQUENCES ",sequences"
#define WM_MAX_K 1000
/* `choice` points into the text.  WM_UNKNOWN: no such scheme, or its parameters are
 * missing, superfluous or out of range. */
enum wm_status wm_scheme_parse(const char *text, struct wm_scheme_choice *choice);
/* The k that the choice names for the loop of this head, or 0. */
uint32_t wm_scheme_loop_k(const struct wm_scheme_choice *choice, uint32_t head);

/*
 * A graph made ready for profiling: the scheme's DAG, numbered, and cut where
 * needed so that every id is below `limit` (at most 2^63; 0 means 2^63).
 * Deterministic in (graph, choice, limit): the tool recomputes from the map what
 * the compiler computed.  `cut_count` 0: status `exact`; else `split`.
 */
struct wm_plan {
	const struct wm_graph *graph;
	const struct wm_scheme *scheme;
	struct wm_scheme_choice choice;
	struct wm_iterations *iterations; /* kiter only: core/scheme/kiter.h */
	bool sequences; /* dag and numbering are those of acyclic pieces: core/probes/sequence.h */
	uint32_t most_iterations; /* more would be too many paths, so no loop has more; 0: as chosen */
	struct wm_dfs dfs;
	bool *cut; /* per CFG edge, or NULL */
	uint32_t cut_count;
	double log10_paths; /* of the uncut graph; exact plans: log10(path_count) */
	struct wm_dag dag;
	struct wm_numbering numbering;
	/* Every event (function entry, control-flow edge, exit) is one edge of the DAG, and paths are acyclic: what
	 * regions, trips, early counts and marks need.  Each scheme's `build` says so. */
	bool events_are_edges;
};
enum wm_status wm_plan_choose(struct wm_plan *plan, const struct wm_graph *graph, const struct wm_scheme_choice *choice,
	uint64_t limit, struct wm_arena *arena);
/* For a scheme without parameters. */
enum wm_status wm_plan_make(struct wm_plan *plan, const struct wm_graph *graph, const struct wm_scheme *scheme,
	uint64_t limit, struct wm_arena *arena);

/* Whether acyclic paths end on this control-flow edge: a back edge or a cut. */
bool wm_plan_stops(const struct wm_plan *plan, uint32_t edge);

/* The blocks of a path, its start and end.  blocks must hold dag.node_count entries or be NULL. */
struct wm_block_path {
	uint32_t length;
	uint32_t *block;
	enum wm_start start;
	enum wm_end end;
	uint32_t last_edge; /* CFG edge that ended it (BACKEDGE, CUT) or WM_NONE */
	/* Blocks before this one were part of an earlier path of the same activation: the
	 * iterations behind which a k-iteration path looks back, or a context.  Added up
	 * from here, paths count every block and edge as often as it ran. */
	uint32_t fresh;
	/* NULL, or room for as many: whether the block is a loop head that the path has in
	 * a later iteration than the first, with what led to it as the context. */
	bool *again;
};
enum wm_status wm_plan_decode(
	const struct wm_plan *plan, uint64_t id, struct wm_block_path *path, struct wm_arena *arena);
/* Whether another iteration of an iterated loop begins with block i of a path. */
bool wm_path_begins_iteration(const struct wm_plan *plan, const struct wm_block_path *path, uint32_t i);

#endif
