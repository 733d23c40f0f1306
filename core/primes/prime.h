/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Prime paths (Ammann and Offutt, Introduction to Software Testing, 2.2; gcov --prime-paths).
 *
 * A path is a sequence of blocks along edges of the graph.  It is *simple* if no block occurs twice, except that the first may
 * be the last, too.  It is *prime* if it is simple and not a part of a longer simple path.  So every cycle without repeated
 * blocks is prime, once for each block at which it may begin; and so is every path without repeated blocks that no edge
 * extends, at either end, to another simple path.  Only blocks that the entry reaches are considered.
 *
 * A prime path is *covered* if it occurs in the walk of an activation: as consecutive blocks.  Its occurrences are counted in
 * sequences of blocks that are parts of walks, such as the paths of a profile.  A part that does not begin at the entry of the
 * function may begin inside an occurrence, whose beginning is then in another part.  Prime paths of which a part has the end in
 * this way are *open*: their count is a lower bound.  The counts of all others are exact.
 */
#ifndef WM_CORE_PRIMES_PRIME_H
#define WM_CORE_PRIMES_PRIME_H

#include "core/graph/graph.h"

struct wm_primes {
	const struct wm_graph *graph;
	bool too_many; /* there are more than the limit, or the search took too long: nothing is listed */
	uint32_t count;
	uint32_t *first; /* count + 1: path p has the blocks block[first[p]] … block[first[p + 1] - 1] */
	uint32_t *block;
};

/* Lists the prime paths in the order of their blocks.  A search that visits more than `effort` simple paths, or finds more than `limit`
 * prime paths, ends with too_many.  WM_NO_MEMORY.  O(effort · out-degree). */
enum wm_status wm_primes_find(struct wm_primes *primes, const struct wm_graph *graph, uint32_t limit, uint64_t effort,
	struct wm_arena *arena);

/* Counts occurrences. */
struct wm_prime_counter {
	const struct wm_primes *primes;
	uint64_t *count; /* per prime path; saturates at UINT64_MAX */
	bool *open; /* per prime path: it may have occurred more often */
	struct wm_prime_trie *trie;
};
enum wm_status wm_prime_counter_init(
	struct wm_prime_counter *counter, const struct wm_primes *primes, struct wm_arena *arena);

/* A part of a walk that was executed `count` times.  What ends before index `fresh` was in an earlier part, too.  */
struct wm_walk_part {
	const uint32_t *block;
	uint32_t length, fresh;
	bool whole; /* it begins with the activation */
	uint64_t count;
};
/* WM_BAD_PATH: the blocks are not along edges; nothing is counted from there on.  O(length + nodes of the trie of the prime paths
 * that lead to the first block). */
enum wm_status wm_prime_count(struct wm_prime_counter *counter, const struct wm_walk_part *part);

/* The same for a walk that is given block by block, from its beginning on: start from zeroes. */
struct wm_prime_walk {
	bool begun;
	uint32_t block; /* the last one */
	uint32_t node; /* of the trie */
};
/* Takes the next block, and counts the prime path that ends with it, if `counts`.  WM_BAD_PATH: no edge leads to the block; the walk
 * then begins anew with it. */
enum wm_status wm_prime_step(struct wm_prime_counter *counter, struct wm_prime_walk *walk, uint32_t block, bool counts);

#endif
