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
 * struct wm_site_group, aligned to 8 bytes; the keys of the functions whose code is there, with calls that were inlined; and its
 * sites in the order of their return addresses.  Where calls were inlined, several sites have the same return address; the outermost
 * function is first.  A linker that removes or orders machine functions does the same with their groups (SHF_LINK_ORDER).
 *
 * A site is a few bytes.  Numbers are variable-length as in abi/counts.h; those with a sign are (2 * n) ^ (n < 0 ? -1 : 0).
 *     number   return address minus that of the site before it; of the first site 0
 *     byte     place | WM_SITE_WIDE | WM_SITE_WHOLE | key << WM_SITE_KEY_SHIFT
 *     number   the key, if the byte has WM_SITE_MORE_KEYS for it
 *     number   `site`, rotated to the left by WM_SITE_FLAGS bits
 *     byte     `bits`, unless WM_SITE_WHOLE
 *     byte     `base`, if the place is a register or on the stack
 *     number   `displacement`, with a sign, if the place is on the stack
 *     number   `missing`, with a sign, if S is known
 */
#ifndef WM_ABI_UNFINISHED_H
#define WM_ABI_UNFINISHED_H

#include "abi/counts.h"
#include "abi/crash.h" /* WM_SITES_SECTION, and the numbers of sites */

#include <stdint.h>

struct wm_site_group {
	int32_t start; /* the first return address of the group minus address of this field */
	uint32_t size; /* bytes of the group with this header and the padding after it, a multiple of 8 */
	uint32_t count; /* of sites */
	uint32_t keys; /* that follow, of 8 bytes each: wm_function_key() */
};

enum wm_site_place {
	WM_PLACE_CONSTANT, /* S is `missing` */
	WM_PLACE_REGISTER, /* the value is in the machine register `base` of the frame */
	WM_PLACE_STACK, /* the value is in memory, `displacement` bytes after the address in `base` */
	WM_PLACE_UNKNOWN, /* nobody knows S; after a crash the call is told without it */
};
#define WM_SITE_PLACE 3u
#define WM_SITE_FLAGS 3
#define WM_SITE_WIDE 4u /* `size` is 8; else 4 */
#define WM_SITE_WHOLE 8u /* `bits` is 64 */
#define WM_SITE_KEY_SHIFT 4
#define WM_SITE_MORE_KEYS 15u

struct wm_return_site {
	uint64_t key; /* of the function */
	uint64_t missing; /* S is the low `bits` bits of value + missing */
	uint64_t offset; /* return address minus the first one of the group */
	int64_t displacement;
	/* As in struct wm_crash_frame: the call site + 1, or WM_SITE_BLOCK | block; and WM_SITE_ENDED, WM_SITE_LANDS. */
	uint32_t site;
	uint8_t place; /* enum wm_site_place */
	uint8_t base; /* number of the register in DWARF */
	uint8_t size; /* bytes of the value: 4 or 8 */
	uint8_t bits; /* 1 to 64 */
};

_Static_assert(sizeof(struct wm_site_group) == 16, "the compiler emits these");

static inline uint64_t wm_with_sign(int64_t number)
{
	return (uint64_t)number << 1 ^ (number < 0 ? UINT64_MAX : 0);
}

static inline int64_t wm_without_sign(uint64_t number)
{
	return (int64_t)(number >> 1 ^ (number & 1 ? UINT64_MAX : 0));
}

/* The most bytes of a site without its first number. */
#define WM_SITE_MOST (3u + 4u * WM_VARIABLE_MOST)

/* Writes a site without its first number; returns the place after it. */
static inline uint8_t *wm_site_put(uint8_t *at, const struct wm_return_site *site, uint32_t key)
{
	uint32_t more = key < WM_SITE_MORE_KEYS ? key : WM_SITE_MORE_KEYS;
	*at++ = (uint8_t)(site->place | (site->size == 8 ? WM_SITE_WIDE : 0) | (site->bits == 64 ? WM_SITE_WHOLE : 0) |
			  more << WM_SITE_KEY_SHIFT);
	if (more == WM_SITE_MORE_KEYS)
		at = wm_put_variable(at, key);
	at = wm_put_variable(at, (uint32_t)(site->site << WM_SITE_FLAGS | site->site >> (32 - WM_SITE_FLAGS)));
	if (site->bits != 64)
		*at++ = site->bits;
	if (site->place == WM_PLACE_REGISTER || site->place == WM_PLACE_STACK)
		*at++ = site->base;
	if (site->place == WM_PLACE_STACK)
		at = wm_put_variable(at, wm_with_sign(site->displacement));
	return site->place == WM_PLACE_UNKNOWN ? at : wm_put_variable(at, wm_with_sign((int64_t)site->missing));
}

static inline const uint8_t *wm_site_byte(const uint8_t *at, const uint8_t *end, uint8_t *byte)
{
	*byte = at && at < end ? *at : 0;
	return at && at < end ? at + 1 : 0;
}

static inline const uint8_t *wm_site_number(const uint8_t *at, const uint8_t *end, uint64_t *number)
{
	*number = 0;
	return at ? wm_get_variable(at, end, number) : 0;
}

/* Reads the site after *site, which begins with zeros; NULL: it makes no sense. */
static inline const uint8_t *wm_site_get(
	const uint8_t *at, const uint8_t *end, const uint64_t *keys, uint32_t key_count, struct wm_return_site *site)
{
	uint64_t number, key;
	uint8_t head;
	at = wm_site_number(at, end, &number);
	site->offset += number;
	at = wm_site_byte(at, end, &head);
	key = head >> WM_SITE_KEY_SHIFT;
	if (key == WM_SITE_MORE_KEYS)
		at = wm_site_number(at, end, &key);
	at = wm_site_number(at, end, &number);
	site->site = (uint32_t)number >> WM_SITE_FLAGS | (uint32_t)number << (32 - WM_SITE_FLAGS);
	site->place = head & WM_SITE_PLACE;
	site->size = head & WM_SITE_WIDE ? 8 : 4;
	site->bits = 64;
	site->base = 0;
	if (!(head & WM_SITE_WHOLE))
		at = wm_site_byte(at, end, &site->bits);
	if (site->place == WM_PLACE_REGISTER || site->place == WM_PLACE_STACK)
		at = wm_site_byte(at, end, &site->base);
	number = 0;
	if (site->place == WM_PLACE_STACK)
		at = wm_site_number(at, end, &number);
	site->displacement = wm_without_sign(number);
	number = 0;
	if (site->place != WM_PLACE_UNKNOWN)
		at = wm_site_number(at, end, &number);
	site->missing = (uint64_t)wm_without_sign(number);
	site->key = at && key < key_count ? keys[key] : 0;
	return key < key_count ? at : 0;
}

/*
 * In a raw profile, WM_CHUNK_UNFINISHED has `used` bytes of these records after its header.  Records with function 0 are
 * unused.  The same path may occur several times: the sum counts.  In COUNTS chunks and pools (abi/counts.h) the same is
 *     WM_GROUP_UNFINISHED  func (count site sum)… 0
 */
struct wm_unfinished {
	uint32_t function; /* index in the function table + 1, written last; 0: unused */
	uint32_t site; /* struct wm_return_site */
	uint64_t sum; /* S */
	uint64_t count;
};

_Static_assert(sizeof(struct wm_unfinished) == 24, "a record of the file");

#endif
