/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Schemes: each turns a control-flow graph into a DAG of observable paths.
 * A scheme is one file; schemes.c lists them.  doc/adding-a-scheme.md walks through it.
 */
#ifndef WM_CORE_SCHEME_H
#define WM_CORE_SCHEME_H

#include "core/dag.h"

struct wm_scheme {
	const char *name;
	const char *summary; /* one line for --help */
	/* `cut` marks edges that end a path although they are not back edges; NULL: none. */
	enum wm_status (*build)(const struct wm_graph *graph, const struct wm_dfs *dfs, const bool *cut,
		struct wm_dag *dag, struct wm_arena *arena);
};

extern const struct wm_scheme wm_scheme_acyclic, wm_scheme_preferential;

/* NULL-terminated, in the order --help shows them. */
extern const struct wm_scheme *const wm_schemes[];
/* WM_UNKNOWN when there is none of that name. */
enum wm_status wm_scheme_find(const char *text, const struct wm_scheme **scheme);

/*
 * A graph made ready for profiling: the scheme's DAG, numbered, and cut where
 * needed so that every id is below `limit` (at most 2^63; 0 means 2^63).
 * Deterministic in (graph, scheme, limit): the tool recomputes from the map what
 * the compiler computed.  `cut_count` 0: status `exact`; else `split`.
 */
struct wm_plan {
	const struct wm_graph *graph;
	const struct wm_scheme *scheme;
	struct wm_dfs dfs;
	bool *cut; /* per CFG edge, or NULL */
	uint32_t cut_count;
	double log10_paths; /* of the uncut graph; exact plans: log10(path_count) */
	struct wm_dag dag;
	struct wm_numbering numbering;
};
enum wm_status wm_plan_make(struct wm_plan *plan, const struct wm_graph *graph, const struct wm_scheme *scheme,
	uint64_t limit, struct wm_arena *arena);

/* The blocks of a path, its start and end.  blocks must hold dag.node_count entries or be NULL. */
struct wm_block_path {
	uint32_t length;
	uint32_t *block;
	enum wm_start start;
	enum wm_end end;
	uint32_t last_edge; /* CFG edge that ended it (BACKEDGE, CUT) or WM_NONE */
};
enum wm_status wm_plan_decode(
	const struct wm_plan *plan, uint64_t id, struct wm_block_path *path, struct wm_arena *arena);

#endif
