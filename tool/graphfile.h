/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What `number` and `replay` share: graph files, options, and the printing of paths. */
#ifndef WM_TOOL_GRAPHFILE_H
#define WM_TOOL_GRAPHFILE_H

#include "core/graph/cfgtext.h"
#include "core/graph/parts.h"
#include "core/probes/passes.h"
#include "core/scheme/interprocedural.h"

struct wm_graph_file {
	const char *path;
	struct wm_arena arena;
	struct wm_cfg cfg;
};
/* Ends in wm_fail with file, line and column if the graph is wrong. */
void wm_graph_file_load(struct wm_graph_file *file, const char *path);
void wm_graph_file_release(struct wm_graph_file *file);

/* Either a choice, or a scheme of paths across calls; *unit is NULL for a choice, and *choice
 * is that of the acyclic scheme otherwise.  wm_fail, naming the valid ones, when
 * there is no such scheme. */
void wm_scheme_option(const char *text, struct wm_scheme_choice *choice, const struct wm_unit_scheme **unit);
/* What --help says about them. */
void wm_print_schemes(void);
void wm_print_passes(void);
/* For schemes whose paths end at calls: the function with the graph of its parts (core/graph/parts.h).  The part behind
 * the n-th call of a block has the name of the block with +n. */
void wm_graph_divide(struct wm_cfg_function *divided, struct wm_parts *parts, const struct wm_cfg_function *function,
	const struct wm_unit_function *in_unit, struct wm_arena *arena);
/* Makes a plan whose ids are below `limit`; wm_fail when that is not possible. */
void wm_graph_plan(struct wm_plan *plan, const struct wm_cfg_function *function, const struct wm_scheme_choice *choice,
	uint64_t limit, struct wm_arena *arena);

/* A probe program, and the way of counting to which its ends refer. */
struct wm_graph_probes {
	struct wm_counting counting; /* filled in before wm_graph_place */
	struct wm_probe_program program;
};
/* Up to this many paths, counters are an array. */
#define WM_GRAPH_ARRAY_PATHS 65536
struct wm_graph_placing {
	const struct wm_parts *parts; /* for schemes whose paths end at calls */
	enum wm_placement placement;
	bool abandons; /* a walk may end anywhere, so trips must not be kept in a register */
	const char *after; /* the last pass to run; NULL: all; wm_fail when there is no such pass */
};
void wm_graph_place(struct wm_graph_probes *probes, const struct wm_plan *plan, const struct wm_graph_placing *how,
	struct wm_arena *arena);
/* "guesses, values, ..." */
char *wm_pass_names(void);

/* Allocates room for the longest path of a plan; wm_bug when memory is exhausted. */
void wm_path_alloc(struct wm_block_path *path, const struct wm_plan *plan, struct wm_arena *arena);

/* Prints a path as a-b-c, followed by how it ends unless it returns.  " | " separates iterations; a context is in
 * brackets, with + after loop heads in a later iteration.  Printed at once, because a list of paths may be larger
 * than
 * memory. */
void wm_print_path(
	const struct wm_cfg_function *function, const struct wm_plan *plan, const struct wm_block_path *path);
/* "path": [...], "start": ..., "end": ...; where the scheme has them, the
 * indices at which "iterations" begin or heads stand "again", and "fresh" */
void wm_print_path_json(
	const struct wm_cfg_function *function, const struct wm_plan *plan, const struct wm_block_path *path);

#endif
