/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers and addresses as DWARF and .eh_frame encode them.  They are constants of a loaded object, so their form is not checked. */
#ifndef WM_RUNTIME_UNWIND_DWARF_BYTES_H
#define WM_RUNTIME_UNWIND_DWARF_BYTES_H

#include <stdbool.h>
#include <stdint.h>

struct wm_bytes {
	const uint8_t *at, *end;
};

struct wm_word16 {
	uint16_t value;
} __attribute__((packed));
struct wm_word32 {
	uint32_t value;
} __attribute__((packed));
struct wm_word64 {
	uint64_t value;
} __attribute__((packed));

/* size: 1, 2, 4 or 8 */
static inline uint64_t wm_take_fixed(struct wm_bytes *bytes, unsigned size)
{
	const void *at = bytes->at;
	bytes->at += size;
	if (size == 4)
		return ((const struct wm_word32 *)at)->value;
	if (size == 8)
		return ((const struct wm_word64 *)at)->value;
	return size == 2 ? ((const struct wm_word16 *)at)->value : *(const uint8_t *)at;
}

static inline int64_t wm_take_signed(struct wm_bytes *bytes, unsigned size)
{
	unsigned unused = 64 - 8 * size;
	return (int64_t)(wm_take_fixed(bytes, size) << unused) >> unused;
}

static inline uint64_t wm_take_uleb(struct wm_bytes *bytes)
{
	uint64_t value = 0;
	uint8_t byte;
	unsigned shift = 0;
	do {
		byte = *bytes->at++;
		value |= shift < 64 ? (uint64_t)(byte & 127) << shift : 0;
		shift += 7;
	} while (byte & 128);
	return value;
}

static inline int64_t wm_take_sleb(struct wm_bytes *bytes)
{
	uint64_t value = 0;
	uint8_t byte;
	unsigned shift = 0;
	do {
		byte = *bytes->at++;
		value |= shift < 64 ? (uint64_t)(byte & 127) << shift : 0;
		shift += 7;
	} while (byte & 128);
	return (int64_t)(byte & 64 && shift < 64 ? value | ~UINT64_C(0) << shift : value);
}

/* DW_EH_PE: how an address is encoded. */
enum {
	WM_ENCODED_VALUE = 0x0F,
	WM_ENCODED_BASE = 0x70,
	WM_ENCODED_PC = 0x10,
	WM_ENCODED_DATA = 0x30,
	WM_ENCODED_INDIRECT = 0x80,
	WM_ENCODED_OMIT = 0xFF,
};

/* An address in this encoding; `data` is what DATA is relative to.  False: the encoding is not known.  An encoding without
 * a base is a plain number; the null address stays null. */
bool wm_take_address(struct wm_bytes *bytes, uint8_t encoding, uint64_t data, uint64_t *value);

#endif
