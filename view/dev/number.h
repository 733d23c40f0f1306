/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A function that `waymark number` numbers (cmd/cmd_number.c) and prints (number_print.c). */
#ifndef WM_VIEW_DEV_NUMBER_H
#define WM_VIEW_DEV_NUMBER_H

#include "analysis/graphfile/inlined.h"
#include "analysis/graphfile/interesting.h"
#include "core/preferential/pack.h"
#include "view/dev/coding_print.h"

enum wm_numbering_choice { WM_NUMBER_BY_DEFAULT = -1, WM_NUMBER_PUBLISHED, WM_NUMBER_LINEAR };

struct wm_number_options {
	struct wm_scheme_choice choice;
	const char *scheme; /* its text */
	int numbering; /* enum wm_numbering_choice */
	const char *interesting_path;
	struct wm_interesting interesting;
	bool list, json, probes, coding;
	const char *after; /* the last pass of --probes, or NULL */
	uint64_t inline_copies; /* 0: calls are not inlined */
	uint64_t limit, max_paths; /* limit 0: LIST_DEFAULT, and an error above */
};

/* One function, ready to print. */
struct wm_numbered {
	const struct wm_cfg_function *function;
	const struct wm_number_options *options;
	const struct wm_inlined *inlined; /* NULL: calls are not inlined */
	uint32_t index; /* of the function */
	struct wm_arena arena;
	struct wm_plan plan;
	const struct wm_parts
		*parts; /* schemes whose paths end at calls: of which the graph of the plan is; else NULL */
	struct wm_loops loops;
	struct wm_graph_probes probes;
	uint32_t probe_count; /* events that update the register or count */
	uint32_t back_edges, irreducible;
	uint32_t *dag_edge; /* per CFG edge */
	uint64_t listed, position; /* the number of listed paths, and the index of the path that is being printed */
	const int64_t *value; /* per DAG edge: the value in the numbering that is printed */
	/* The preferential scheme only: */
	bool preferential, one_register;
	struct wm_path_set set;
	struct wm_preferential numbering;
	struct wm_pack pack;
	struct wm_coded coded; /* --coding */
};

void wm_number_print_text(struct wm_numbered *n);
/* One element of the array `functions`. */
void wm_number_print_json(struct wm_numbered *n);

#endif
