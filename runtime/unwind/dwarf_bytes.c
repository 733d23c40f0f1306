/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/unwind/dwarf_bytes.h"

static bool take_value(struct wm_bytes *bytes, uint8_t format, uint64_t *value)
{
	enum { ABSOLUTE, ULEB, UDATA2, UDATA4, UDATA8, SLEB = 9, SDATA2, SDATA4, SDATA8 };
	switch (format) {
	case ULEB:
		*value = wm_take_uleb(bytes);
		return true;
	case SLEB:
		*value = (uint64_t)wm_take_sleb(bytes);
		return true;
	case UDATA2:
	case UDATA4:
		*value = wm_take_fixed(bytes, format == UDATA2 ? 2 : 4);
		return true;
	case SDATA2:
	case SDATA4:
		*value = (uint64_t)wm_take_signed(bytes, format == SDATA2 ? 2 : 4);
		return true;
	case ABSOLUTE:
	case UDATA8:
	case SDATA8:
		*value = wm_take_fixed(bytes, 8);
		return true;
	}
	return false;
}

bool wm_take_address(struct wm_bytes *bytes, uint8_t encoding, uint64_t data, uint64_t *value)
{
	uint64_t place = (uintptr_t)bytes->at;
	uint8_t base = encoding & WM_ENCODED_BASE;
	if (encoding == WM_ENCODED_OMIT || !take_value(bytes, encoding & WM_ENCODED_VALUE, value))
		return false;
	if (base && base != WM_ENCODED_PC && base != WM_ENCODED_DATA)
		return false;
	if (*value && base)
		*value += base == WM_ENCODED_PC ? place : data;
	if (*value && encoding & WM_ENCODED_INDIRECT)
		*value = *(const uint64_t *)*value;
	return true;
}
