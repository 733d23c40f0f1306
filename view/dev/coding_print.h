/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * `waymark number --coding`: prints path numbering as the arithmetic coder of popl07, section 4
 * (core/preferential/coding.h).  A symbol is an edge.  The edges that are added at Start and End are printed
 * only if there are several to choose from, as in functions with loops.
 */
#ifndef WM_VIEW_DEV_CODING_PRINT_H
#define WM_VIEW_DEV_CODING_PRINT_H

#include "core/graph/cfgtext.h"
#include "core/preferential/coding.h"

struct wm_coded {
	const struct wm_cfg_function *function;
	const struct wm_plan *plan;
	const struct wm_preferential *preferential; /* published; NULL: the acyclic numbering is coded */
};

/* The range and the probability of every edge. */
void wm_print_model(const struct wm_coded *coded);
/* "model": [...], "entropy": ... */
void wm_print_model_json(const struct wm_coded *coded);

/* Encodes the path with this acyclic id, decodes the resulting number, and prints the steps.  The path must have a
 * code. */
void wm_print_coding(const struct wm_coded *coded, uint64_t id);
/* "encode": [...], "decode": [...] */
void wm_print_coding_json(const struct wm_coded *coded, uint64_t id);

#endif
