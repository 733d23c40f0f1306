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
#ifndef WM_CORE_PREFERENTIAL_CODING_H
#define WM_CORE_PREFERENTIAL_CODING_H

#include "core/preferential/preferential.h"

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

/*
 * The coder, forwards and backwards.  `preferential` is the published numbering of a set, whose paths
 * then have codes, under the model of their prefixes; NULL: all paths have, under the acyclic model.
 */

/* The range of an edge after a prefix whose acyclic values sum up to `prefix`: D_{v,q}.  Empty where no
 * path with a code goes.  O(paths of the set). */
struct wm_range wm_model_range(
	const struct wm_plan *plan, const struct wm_preferential *preferential, uint64_t prefix, uint32_t edge);

struct wm_interval {
	uint64_t low, high; /* [low, high) */
};
/* Line 7 of pathEncoder (figure 14). */
struct wm_interval wm_interval_narrow(struct wm_interval in, struct wm_range by);

struct wm_coding_step {
	uint32_t edge; /* the symbol */
	uint64_t prefix; /* the sum of the acyclic values before it */
	struct wm_range range; /* of the symbol in its context */
	struct wm_interval interval; /* what the range leaves of the interval before */
};
struct wm_coding {
	const struct wm_plan *plan;
	const struct wm_preferential *preferential;
	uint64_t size, id; /* the coder begins with [0, size) */
	uint32_t length;
	struct wm_coding_step *step; /* room for node_count steps; NULL: allocated */
};
/* pathEncoder: the id is the low end of the last interval.  WM_BAD_PATH: the path has no code. */
enum wm_status wm_coding_encode(struct wm_coding *coding, const struct wm_plan *plan,
	const struct wm_preferential *preferential, const struct wm_path *path, struct wm_arena *arena);
/* Its inverse: at each node, the symbol whose interval holds the id.  WM_BAD_PATH: none does. */
enum wm_status wm_coding_decode(struct wm_coding *coding, const struct wm_plan *plan,
	const struct wm_preferential *preferential, uint64_t id, struct wm_arena *arena);
/* The step that `edge` would be after those that `coding` has. */
struct wm_coding_step wm_coding_next(const struct wm_coding *coding, uint32_t edge);

#endif
