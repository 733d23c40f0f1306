/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the reader of spool files (recording.c) and their writer (spool.c) share.  Private to profile/. */
#ifndef WM_PROFILE_SPOOL_H
#define WM_PROFILE_SPOOL_H

#include "abi/stream.h"

#include <stddef.h>

uint64_t wm_spool_checksum(const struct wm_spool_block *block, const uint8_t *frame);
static inline uint64_t wm_spool_padded(uint64_t stored)
{
	return (stored + 7) & ~UINT64_C(7);
}

#endif
