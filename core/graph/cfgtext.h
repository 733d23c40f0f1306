/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The parser of the graph text (.cfg):
 *
 *     # comment
 *     function NAME
 *     block [call CALLEE] [call CALLEE] … -> successor successor …
 *     block
 *
 * Names consist of letters, digits and _ . $.  The first block is the entry.  A block without successors is an exit
 * that returns.  A successor that is listed twice counts once.  The calls of a block run in the
 * order in which they are listed.  A callee need not be defined.  An undefined
 * successor, a duplicate block or function, and an unreachable block are errors, which are reported with line,
 * column and one sentence.
 */
#ifndef WM_CORE_CFGTEXT_H
#define WM_CORE_CFGTEXT_H

#include "core/graph/unit.h"

struct wm_cfg_function {
	char *name;
	struct wm_graph graph;
	char **block_name;
	char **callee; /* per call site, also where the unit does not have that function */
	uint64_t *table; /* hash table of block names, for wm_cfg_find_block */
	uint32_t table_mask;
};
struct wm_cfg {
	uint32_t function_count;
	struct wm_cfg_function *function;
	struct wm_unit unit; /* the same functions with their call sites */
};
struct wm_cfg_error {
	uint32_t line, column;
	char text[160];
};
/* On WM_BAD_GRAPH, *error is filled in.  All memory is in the arena.  O(size). */
enum wm_status wm_cfg_parse(
	struct wm_cfg *cfg, const char *text, size_t size, struct wm_cfg_error *error, struct wm_arena *arena);
/* The index of the block of this name, or WM_NONE.  O(length) expected. */
uint32_t wm_cfg_find_block(const struct wm_cfg_function *function, const char *name, size_t length);
/* Makes function->table of the block names of a function that was not parsed; the names differ. */
enum wm_status wm_cfg_index_blocks(struct wm_cfg_function *function, struct wm_arena *arena);

#endif
