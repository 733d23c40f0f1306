/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Paths that are named by the acyclic pieces they consist of, because there are too
 * many for an id (core/probes/pieces_probes.h): the window of pieces, and how names are kept in
 * the hash tables of a function.
 *
 * A path of one piece needs no name: its id is that of the piece and WM_ALONE_BIT.  The
 * id of any other is a hash of its pieces below WM_ALONE_BIT, or the next number that no
 * other path has; so is that of one piece with a number of WM_ALONE_BIT or more.  Beside its count the table holds its name: under
 * wm_name_key(id, 0) the number of pieces, under wm_name_key(id, i) piece i - 1, each
 * plus one.  Names are not added up: all tables that have one have the same.
 */
#ifndef WM_ABI_SEQUENCE_H
#define WM_ABI_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

#define WM_NAME_BIT (1ull << 63)
#define WM_ALONE_BIT (1ull << 62)
#define WM_NO_LOOP UINT64_MAX

/* The pieces of a path in flight: as many as the iterations of all loops, and one. */
struct wm_pieces {
	uint64_t length;
	uint64_t loop, iterations; /* how many of the last pieces are iterations of which loop */
	uint64_t piece[];
};

static inline void wm_pieces_begin(struct wm_pieces *pieces)
{
	pieces->length = pieces->iterations = 0;
	pieces->loop = WM_NO_LOOP;
}

/*
 * At the back edge of a loop.  True: the path is complete; count it, then slide.
 * A piece that begins at the head of a loop and ends at its back edge has not left it:
 * no way leads back but over the back edge of a loop around it, where paths end.
 */
static inline bool wm_pieces_push(struct wm_pieces *pieces, uint64_t loop, uint64_t k, uint64_t piece)
{
	pieces->piece[pieces->length++] = piece;
	pieces->iterations = pieces->loop == loop ? pieces->iterations + 1 : 1;
	pieces->loop = loop;
	return pieces->iterations == k;
}

/* Goes on with the last k - 1 pieces. */
static inline void wm_pieces_slide(struct wm_pieces *pieces, uint64_t k)
{
	uint64_t first = pieces->length - (k - 1);
	for (uint64_t i = 0; i < k - 1; i++)
		pieces->piece[i] = pieces->piece[first + i];
	pieces->length = pieces->iterations = k - 1;
}

static inline uint64_t wm_name_mix(uint64_t number)
{
	number = (number ^ number >> 32) * 0x9E3779B97F4A7C15ull;
	number = (number ^ number >> 29) * 0xBF58476D1CE4E5B9ull;
	return number ^ number >> 32;
}

static inline uint64_t wm_name_hash(const struct wm_pieces *pieces)
{
	uint64_t sum = pieces->length;
	for (uint64_t i = 0; i < pieces->length; i++)
		sum = wm_name_mix(sum + 0x94D049BB133111EBull * (pieces->piece[i] + 1));
	return sum & (WM_ALONE_BIT - 1);
}

/* Even: the largest key of a table cannot be stored. */
static inline uint64_t wm_name_key(uint64_t id, uint64_t index)
{
	return WM_NAME_BIT | (wm_name_mix(wm_name_mix(id) + index) << 1);
}

#endif
