/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * WM_CHUNK_COUNTS: cells and hash tables without their zeros.
 *
 * The body, `used` bytes after the chunk header, is a sequence of groups.  `sequence` is the checksum of the body, with zeros up
 * to a multiple of eight bytes.  All numbers are variable-length: seven bits
 * per byte, the lowest first, and the highest bit of every byte but the last is set.
 *     WM_GROUP_CELLS  (gap value)… 0         the cells at index previous - gap; the first gap counts from the number of cells
 *     WM_GROUP_TABLE  func (count id)… 0     of the function with this index in the function table
 *     WM_GROUP_TIMED  func (count id time)… 0
 *     WM_GROUP_UNFINISHED  func (count site sum)… 0   unfinished paths (abi/unfinished.h)
 * The same cell or id may occur in several groups: the sum counts.  Tables are written before cells and cells from the last to
 * the first, so that completed paths are read before the entries that they belong to.
 *
 * Two kinds of such chunks exist:
 *     with WM_COUNTS_BASE in the field `thread`, what had been counted before the fork or reset (like WM_CHUNK_BASE);
 *     without it, what the process had counted when it ended.  Such a chunk counts only if the header's field
 *     `condensed` is its offset.  From then on, everything before it counts only if WM_RAW_CLEARED is set: the runtime
 *     writes the chunk, sets `condensed`, clears what it has replaced, and then sets the flag, so that a process that is
 *     killed in between leaves every count once.
 */
#ifndef WM_ABI_COUNTS_H
#define WM_ABI_COUNTS_H

#include <stdint.h>

enum wm_group { WM_GROUP_CELLS = 1, WM_GROUP_TABLE = 2, WM_GROUP_TIMED = 3, WM_GROUP_UNFINISHED = 4 };

#define WM_COUNTS_BASE 1u

#define WM_VARIABLE_MOST 10u /* bytes of a variable-length number */

/* Returns the place after the number; `at` has room for WM_VARIABLE_MOST bytes. */
static inline uint8_t *wm_put_variable(uint8_t *at, uint64_t value)
{
	for (; value >= 128; value >>= 7)
		*at++ = (uint8_t)(value | 128);
	*at++ = (uint8_t)value;
	return at;
}

/* Returns the place after the number, or NULL if none ends before `end` or it has more than 64 bits. */
static inline const uint8_t *wm_get_variable(const uint8_t *at, const uint8_t *end, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; at < end && shift < 64; shift += 7) {
		uint8_t byte = *at++;
		if (shift == 63 && byte > 1)
			return 0;
		*value |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			return at;
	}
	return 0;
}

#endif
