/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One register for both sums of preferential profiling: not in the papers, which use two.
 *
 *     packed value of an edge = (preferential value << shift) + acyclic value
 *
 * modulo 2^width.  The acyclic sum of a whole path is not negative and below
 * 2^acyclic_bits <= 2^shift, so it is the low bits of the total; the bits above `shift` are the
 * preferential sum modulo `size` = 2^(width - shift), which is at least the span.  That is
 * enough: the id of an interesting path fits them, and a path that is not
 * interesting is told by its acyclic id whatever they hold.  So at the end of a path
 *
 *     index = total >> shift;                  // unsigned, `width` bits; always below size
 *     if (table[index] == total)
 *         ++count[index];
 *     else
 *         count the path total & (2^acyclic_bits - 1) elsewhere
 *
 * where table[id] is the packed total of the interesting path with that id, and for a
 * hole something whose bits above `shift` are not its own index.  The preferential sum
 * sits in the highest bits, so no bound needs to be checked.
 *
 * Partial sums may be anything modulo 2^width: placement may move values as it likes.
 * With width 32 every value fits a 32-bit immediate.
 */
#ifndef WM_CORE_PACK_H
#define WM_CORE_PACK_H

#include "core/paths/preferential.h"

struct wm_pack {
	unsigned acyclic_bits, shift, width; /* width 32 or 64; shift == width: one index only */
	uint32_t size; /* of the table: a power of two */
	int64_t *value; /* per DAG edge, for wm_place_sums; sign-extended from `width` bits */
};
/* `limit`, a power of two: at most so many ids have an index; interesting paths with
 * larger ones are told apart as if they were not interesting.
 * WM_TOO_MANY when both sums do not fit 64 bits: use two registers.  O(edges). */
enum wm_status wm_pack_make(struct wm_pack *pack, const struct wm_plan *plan,
	const struct wm_preferential *preferential, uint32_t limit, struct wm_arena *arena);
/* A sum modulo 2^width, sign-extended: what a probe program adds in a register of `width` bits. */
int64_t wm_pack_reduce(const struct wm_pack *pack, uint64_t sum);

/* The total as the register holds it. */
uint64_t wm_pack_total(const struct wm_pack *pack, uint64_t sum);
uint64_t wm_pack_index(const struct wm_pack *pack, uint64_t total);
/* table[index], for every index below size. */
enum wm_status wm_pack_table(const struct wm_pack *pack, const struct wm_preferential *preferential, uint64_t **table,
	struct wm_arena *arena);

#define WM_PACK_LIMIT ((uint32_t)1 << 31) /* no limit but that of the type */

#endif
