/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Unfinished paths: what an activation had done on its present path when it was left inside a call.
 *
 * In the numbering of a function, the completions of a prefix that ends in block b have the ids S … S + n - 1, where S is the
 * sum of the values along the prefix and n is the number of paths from b to End.  So S and b determine the prefix
 * (core/probes/pending.h).  The activation stands in a call of b, which `site` names.
 *
 * Compiled code keeps nothing for that.  The section WM_SITES_SECTION, which is loaded and read-only, says for each return
 * address in instrumented code where S is: in a constant, in a callee-saved machine register or on the stack.  When an
 * activation is left, the runtime unwinds the stack and looks up the return address of each frame (runtime/unwind).
 *
 * The section is a sequence of groups, one for each machine function, or for each part of one that has a section of its own: a
 * struct wm_site_group, aligned to 8 bytes, and its sites in ascending order of `offset`.  Where calls were inlined, several sites have the same offset; the outermost function
 * is first.  A linker that removes or orders machine functions does the same with their groups (SHF_LINK_ORDER).
 */
#ifndef WM_ABI_UNFINISHED_H
#define WM_ABI_UNFINISHED_H

#include "abi/crash.h" /* WM_SITES_SECTION, and the numbers of sites */

#include <stdint.h>

struct wm_site_group {
	int32_t start; /* the first return address of the group minus address of this field */
	uint32_t size; /* bytes of the group with this header, a multiple of 8 */
	uint32_t count; /* of sites */
	uint32_t zero;
};

enum wm_site_place {
	WM_PLACE_CONSTANT, /* S is `missing` */
	WM_PLACE_REGISTER, /* the value is in the machine register `base` of the frame */
	WM_PLACE_STACK, /* the value is in memory, `displacement` bytes after the address in `base` */
	WM_PLACE_UNKNOWN, /* nobody knows S; after a crash the call is told without it */
};

struct wm_site {
	uint64_t key; /* wm_function_key() */
	uint64_t missing; /* S is the low `bits` bits of value + missing */
	uint32_t offset; /* return address minus the first one of the group */
	uint32_t site; /* as in struct wm_crash_frame: the call site + 1, or WM_SITE_BLOCK | block; and WM_SITE_ENDED */
	int32_t displacement;
	uint8_t place; /* enum wm_site_place */
	uint8_t base; /* number of the register in DWARF */
	uint8_t size; /* bytes of the value: 4 or 8 */
	uint8_t bits; /* 1 to 64 */
};

_Static_assert(sizeof(struct wm_site_group) == 16 && sizeof(struct wm_site) == 32, "the compiler emits these");

/*
 * In a raw profile, WM_CHUNK_UNFINISHED has `used` bytes of these records after its header.  Records with function 0 are
 * unused.  The same path may occur several times: the sum counts.  In COUNTS chunks and pools (abi/counts.h) the same is
 *     WM_GROUP_UNFINISHED  func (count site sum)… 0
 */
struct wm_unfinished {
	uint32_t function; /* index in the function table + 1, written last; 0: unused */
	uint32_t site; /* struct wm_site */
	uint64_t sum; /* S */
	uint64_t count;
};

_Static_assert(sizeof(struct wm_unfinished) == 24, "a record of the file");

#endif
