/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What number and replay share: graph files, their options, paths in print. */
#ifndef WM_TOOL_GRAPHFILE_H
#define WM_TOOL_GRAPHFILE_H

#include "core/cfgtext.h"
#include "core/place.h"

struct wm_graph_file {
	const char *path;
	struct wm_arena arena;
	struct wm_cfg cfg;
};
/* wm_fail with file, line and column when the graph is wrong. */
void wm_graph_file_load(struct wm_graph_file *file, const char *path);
void wm_graph_file_release(struct wm_graph_file *file);

/* wm_fail, naming the valid ones, when there is no such scheme. */
struct wm_scheme_choice wm_scheme_option(const char *text);
/* For --help. */
void wm_print_schemes(void);
/* A decimal number; wm_fail names the option otherwise. */
uint64_t wm_count_option(const char *option, const char *text);
/* For '?' from getopt_long with opterr 0. */
_Noreturn void wm_bad_option(char **argv);

/* A plan under `limit`; wm_fail when the limit cannot be met. */
void wm_graph_plan(struct wm_plan *plan, const struct wm_cfg_function *function, const struct wm_scheme_choice *choice,
	uint64_t limit, struct wm_arena *arena);
void wm_graph_place(struct wm_probe_program *program, const struct wm_plan *plan, enum wm_placement placement,
	struct wm_arena *arena);

/* Room for the longest path of a plan; wm_bug when there is none. */
void wm_path_alloc(struct wm_block_path *path, const struct wm_plan *plan, struct wm_arena *arena);

/* Streamed: a list of paths may be larger than memory.
 * a-b-c, then how it goes on unless it returns.  " | " stands between iterations, a
 * context stands in brackets, with a + behind heads that it has in a later iteration. */
void wm_print_path(
	const struct wm_cfg_function *function, const struct wm_plan *plan, const struct wm_block_path *path);
/* "path": [...], "start": ..., "end": ...; where the scheme has them, the
 * indices at which "iterations" begin or heads stand "again", and "fresh" */
void wm_print_path_json(
	const struct wm_cfg_function *function, const struct wm_plan *plan, const struct wm_block_path *path);

#endif
