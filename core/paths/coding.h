/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Path numbering as arithmetic coding: popl07 section 4, thesis07 chapter 4.
 *
 * A model gives every symbol a range of [0, 1), here low/whole … high/whole; the
 * coder narrows an interval symbol by symbol.  With edges as symbols and the node as
 * context, computeBLModel's model and pathEncoder give the acyclic ids; with the
 * prefix as context, they give the preferential ids of figure 10.
 *
 * Table 3 and the text beside it do not agree: for prefix sac, the table gives the
 * edges out of c 1/3 and 2/3, from which pathEncoder would return 0 for sact; the
 * text narrows [0, 2) to [1, 2), which are halves.  The table's numbers are the
 * *joined* model D_c, one for all prefixes; the text uses the model of the prefix
 * itself.  Both are here.
 */
#ifndef WM_CORE_CODING_H
#define WM_CORE_CODING_H

#include "core/paths/preferential.h"

/* The numbers of a range share `whole`, which need not be the smallest. */
struct wm_range {
	uint64_t low, high, whole; /* low == high: the empty range */
};
struct wm_fraction {
	uint64_t top, bottom;
};
/* P(symbol), reduced. */
struct wm_fraction wm_range_probability(struct wm_range range);
/* H in bits, of ranges that together are [0, 1). */
double wm_entropy(const struct wm_range *range, uint32_t count);

/* An interval [low, high) / whole of the coder over [0, 1), exactly.  WM_TOO_MANY when
 * the numbers outgrow 64 bits. */
enum wm_status wm_range_narrow(struct wm_range *interval, struct wm_range by);

/* computeBLModel (figure 12): the range of every DAG edge among its siblings. */
enum wm_status wm_model_acyclic(const struct wm_plan *plan, struct wm_range **range, struct wm_arena *arena);
/* H of the paths that a model of edges induces, in bits: the sum over nodes of the
 * chance to come there times the entropy there.  log2(paths) for the acyclic model.  O(edges). */
enum wm_status wm_model_entropy(
	const struct wm_dag *dag, const struct wm_range *range, double *bits, struct wm_arena *arena);
/* D_v of table 3: per DAG edge, what the intervals of all prefixes through it have of
 * all through its source; empty where no interesting path goes.  `preferential` must be
 * the published numbering of the set.  O(groups). */
enum wm_status wm_model_joined(const struct wm_plan *plan, const struct wm_preferential *preferential,
	struct wm_range **range, struct wm_arena *arena);
/* D_{v,q} along one interesting path: its ranges, one per edge of the path.  O(length · paths). */
enum wm_status wm_model_prefixes(const struct wm_plan *plan, const struct wm_preferential *preferential, uint32_t index,
	struct wm_path *path, struct wm_range **range, struct wm_arena *arena);

/* pathEncoder (figure 14): [0, size) narrowed by each range in turn.  interval[i] is what
 * range i leaves, for 0 <= i < length; the id is the low end of the last. */
struct wm_interval {
	uint64_t low, high;
};
uint64_t wm_path_encoder(
	uint64_t size, const struct wm_range *const *range, uint32_t length, struct wm_interval *interval);

#endif
