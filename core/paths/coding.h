/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Path numbering as arithmetic coding: popl07 section 4, thesis07 chapter 4.
 *
 * A model assigns to every symbol a subrange of [0, 1), written here as low/whole … high/whole.  The coder narrows an
 * interval symbol by symbol.  With edges as symbols and the node as context, the model of computeBLModel and
 * pathEncoder yield the acyclic ids.  With the prefix as context they yield the preferential ids of figure 10.
 *
 * Table 3 of the paper and the text beside it do not agree.  For the prefix sac, the table gives the edges out of c
 * the probabilities 1/3 and 2/3, with which pathEncoder would return 0 for sact; the text narrows [0, 2) to [1, 2),
 * that is, by halves.  The numbers of the table belong to the *joined* model D_c, which is the same for all prefixes;
 * the text uses the model of the prefix.  This header has both.
 */
#ifndef WM_CORE_CODING_H
#define WM_CORE_CODING_H

#include "core/paths/preferential.h"

/* The range [low, high) / whole.  The fraction need not be reduced. */
struct wm_range {
	uint64_t low, high, whole; /* low == high: the empty range */
};
struct wm_fraction {
	uint64_t top, bottom;
};
/* The probability of the symbol, as a reduced fraction. */
struct wm_fraction wm_range_probability(struct wm_range range);
/* The entropy, in bits, of ranges that together cover [0, 1). */
double wm_entropy(const struct wm_range *range, uint32_t count);

/* Narrows an interval of the coder by a range, exactly.  WM_TOO_MANY: the numbers exceed 64 bits. */
enum wm_status wm_range_narrow(struct wm_range *interval, struct wm_range by);

/* computeBLModel (figure 12): the range of every DAG edge among its siblings. */
enum wm_status wm_model_acyclic(const struct wm_plan *plan, struct wm_range **range, struct wm_arena *arena);
/* The entropy, in bits, of the distribution of paths that a model of edges induces: the sum over nodes of the
 * probability of reaching the node times the entropy of its out-edges.  For the acyclic model it is log2(paths).
 * O(edges). */
enum wm_status wm_model_entropy(
	const struct wm_dag *dag, const struct wm_range *range, double *bits, struct wm_arena *arena);
/* The joined model D_v of table 3.  The range of an edge is the share that the intervals of all prefixes through it
 * have of those through its source; it is empty if no interesting path takes the edge.  `preferential` must be the
 * published numbering of the set.  O(groups). */
enum wm_status wm_model_joined(const struct wm_plan *plan, const struct wm_preferential *preferential,
	struct wm_range **range, struct wm_arena *arena);
/* The model D_{v,q} along one interesting path: one range per edge of the path.  O(length · paths). */
enum wm_status wm_model_prefixes(const struct wm_plan *plan, const struct wm_preferential *preferential, uint32_t index,
	struct wm_path *path, struct wm_range **range, struct wm_arena *arena);

/* pathEncoder (figure 14): narrows [0, size) by each range in turn.  interval[i] receives the interval after range i.
 * The id is the low end of the last interval. */
struct wm_interval {
	uint64_t low, high;
};
uint64_t wm_path_encoder(
	uint64_t size, const struct wm_range *const *range, uint32_t length, struct wm_interval *interval);

#endif
