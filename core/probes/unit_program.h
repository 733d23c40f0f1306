/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The probe program of one function that profiles paths across calls (core/scheme/unit_scheme.h), and the table of
 * numbers that the program refers to (abi/unit_tables.h).  Besides the entry, edges and exits it has probes before and after
 * calls.
 *
 * The program depends on nothing but the function itself, its scheme and a spanning tree: not on which of its calls
 * are crossed.  It is made when the function is compiled; the table is filled whenever the unit is numbered.
 *
 * Edges only add pairs ⟨a, b⟩.  The program multiplies only where it needs the number of a path: at a crossed call, at
 * the end of a path, and at a reply.  With a spanning tree (unit_tree.h), only chords have pairs.  The sum of these pairs equals the sum
 * of the values at the end of a path, but not at a call, which is in the middle of one: there the program adds the
 * potential φ of the block of the call, which is the difference.
 */
#ifndef WM_CORE_PROBES_UNIT_PROGRAM_H
#define WM_CORE_PROBES_UNIT_PROGRAM_H

#include "abi/unit_tables.h"
#include "core/probes/counting.h"
#include "core/probes/place.h"
#include "core/probes/unit_regions.h"
#include "core/probes/unit_tree.h"
#include "core/scheme/unit_scheme.h"

struct wm_call_probes {
	struct wm_probe before, after;
};
/* What a pair of the table is. */
enum wm_unit_pair_kind {
	WM_PAIR_INCREMENT, /* of a DAG edge */
	WM_PAIR_RESTART, /* of a DAG edge with which paths begin again: with pieces, the id of the first piece is added */
	WM_PAIR_POTENTIAL, /* of the block of a call site */
	WM_PAIR_PENDING, /* of a call site in which paths may end: the potential plus the value of the edge to End */
	WM_PAIR_HELD, /* of a tail call: ⟨WM_HELD, 0⟩ if it calls a function of the unit, else ⟨0, 0⟩ */
	WM_PAIR_LOCAL, /* of a local path: the indices of one region follow those of another */
	WM_PAIR_START, /* of a call site that cuts the path: the value with which the next path begins, minus the potential */
};
struct wm_unit_pair {
	enum wm_unit_pair_kind kind;
	uint32_t index; /* of the DAG edge, call site or local path */
};
struct wm_unit_program {
	struct wm_probe_program events; /* entry, edges, exits */
	struct wm_call_probes *call; /* per call site */
	uint32_t *site; /* per call site: its first word in the table, or WM_NONE */
	/* Per call site, in schemes with pending paths: the pair that is added to get the number of the path that ends in the
	 * call, if the call is stepped over; else WM_NONE. */
	uint32_t *pending;
	const struct wm_scheme *scheme;
	const bool *tree; /* per DAG edge, or NULL: as given to wm_unit_place */
	uint32_t first_pair; /* first word of the pairs */
	uint32_t pair_count, pair_capacity;
	struct wm_unit_pair *pair;
	struct wm_unit_regions regions;
	uint32_t first_id; /* first word of the ids of the cells of all regions; UINT64_MAX: no path has this cell */
	uint32_t word_count; /* of the table */
};

/* The words of a call site in a table. */
static inline uint32_t wm_unit_site_words(const struct wm_scheme *scheme)
{
	return scheme->cuts ? WM_SITE_CUT_WORDS : WM_SITE_WORDS;
}

/* Whether a word of the table is the same in every numbering of the unit, so that code may have it as a constant. */
bool wm_unit_word_is_fixed(const struct wm_unit_program *program, uint32_t index);

/* Makes the program.  The numbers of the plan are not read.  `tree`: the edges of a spanning tree, which the program keeps;
 * NULL or no edge at all: naive placement.  O(edges + sites). */
enum wm_status wm_unit_place(
	struct wm_unit_program *program, const struct wm_plan *plan, const bool *tree, struct wm_arena *arena);
/* Fills the table of a function, program->word_count words.  `token`: per function of the unit.  O(edges + sites). */
enum wm_status wm_unit_table_fill(const struct wm_plan *plan, const struct wm_unit_program *program,
	const uint64_t *token, uint64_t *word, struct wm_arena *arena);

/* The ends of paths: the actions that count have none of their own. */
enum wm_unit_end {
	WM_UNIT_END,
	WM_UNIT_COLD_END, /* the same out of line, where paths seldom end */
};
/* All paths that have no cell are counted in a hash table; in a residual build all paths that are not tested are counted by
 * the runtime.  Sets program->events.failed when memory is exhausted. */
void wm_unit_ends_make(struct wm_unit_program *program, bool residual);

/* A function with its probes, as the interpreter runs it (machine.h). */
struct wm_probed {
	const struct wm_plan *plan;
	const struct wm_probe_program *program;
	const struct wm_counting *counting; /* for programs with ends */
	/* If paths cross calls; else NULL. */
	const struct wm_unit_program *unit; /* `program` is its events */
	const uint64_t *table;
};
/* The id of the path that a cell of the function counts. */
uint64_t wm_probed_cell(const struct wm_probed *probed, uint32_t cell);
/* All functions of a plan, in the order of the unit; tokens count from 1.  `weights`, per function: for the optimal
 * placement; NULL: naive placement.  `counting`: residual, or NULL.  O(edges + sites). */
enum wm_status wm_unit_probes_make(const struct wm_unit_plan *plan, const struct wm_weights *weights,
	const struct wm_counting *counting, struct wm_probed **probed, struct wm_arena *arena);

#endif
