/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Both sums of preferential profiling in one register.  Not in the papers, which use two registers.
 *
 *     packed value of an edge = (preferential value << shift) + acyclic value      modulo 2^width
 *
 * The acyclic sum of a whole path is below 2^acyclic_bits <= 2^shift, so it is in the low bits of the total.  The
 * bits from `shift` on are the preferential sum modulo size = 2^(width - shift), which is at least the span.  The
 * preferential id of an interesting path is below the span.  A path that is not interesting is recognised by its
 * acyclic id, whatever its high bits are.  So at the end of a path:
 *
 *     index = total >> shift;                  // unsigned; always below size
 *     if (table[index] == total)
 *         ++count[index];
 *     else
 *         count the path total & (2^acyclic_bits - 1) elsewhere
 *
 * table[i] is the packed total of the interesting path with preferential id i.  For an i without such a path,
 * table[i] is a value whose bits from `shift` on are not i, so that it never matches.  No bounds check is needed,
 * because the preferential sum is in the highest bits.
 *
 * Partial sums may have any value modulo 2^width, so placement may move values freely.  With width 32 every value
 * fits a 32-bit immediate operand.
 */
#ifndef WM_CORE_PREFERENTIAL_PACK_H
#define WM_CORE_PREFERENTIAL_PACK_H

#include "core/preferential/preferential.h"

struct wm_pack {
	unsigned acyclic_bits, shift, width; /* width is 32 or 64; shift == width: there is only one index */
	uint32_t size; /* of the table: a power of two */
	int64_t *value; /* per DAG edge, for wm_place_sums; sign-extended from `width` bits */
};
/* The table has at most `limit` entries, a power of two; interesting paths with larger preferential ids are treated as
 * not interesting.  WM_TOO_MANY: both sums do not fit 64 bits.  O(edges). */
enum wm_status wm_pack_make(struct wm_pack *pack, const struct wm_plan *plan,
	const struct wm_preferential *preferential, uint32_t limit, struct wm_arena *arena);
/* A sum modulo 2^width, sign-extended: the constant that a probe program adds to a register of `width` bits. */
int64_t wm_pack_reduce(const struct wm_pack *pack, uint64_t sum);

/* The total that the register holds for this sum. */
uint64_t wm_pack_total(const struct wm_pack *pack, uint64_t sum);
uint64_t wm_pack_index(const struct wm_pack *pack, uint64_t total);
/* Makes the table. */
enum wm_status wm_pack_table(const struct wm_pack *pack, const struct wm_preferential *preferential, uint64_t **table,
	struct wm_arena *arena);

#define WM_PACK_LIMIT ((uint32_t)1 << 31) /* no limit except that of the type */

#endif
