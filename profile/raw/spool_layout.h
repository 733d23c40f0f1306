/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The layout that spool_file.c writes and raw_recording.c reads.  abi/stream.h describes it. */
#ifndef WM_PROFILE_RAW_SPOOL_LAYOUT_H
#define WM_PROFILE_RAW_SPOOL_LAYOUT_H

#include "abi/stream.h"

#include <stddef.h>
#include <xxhash.h>

static inline uint64_t wm_spool_checksum(const struct wm_spool_block *block, const uint8_t *frame)
{
	uint64_t seed = XXH3_64bits(block, offsetof(struct wm_spool_block, checksum));
	return XXH3_64bits_withSeed(frame, block->stored, seed);
}

static inline uint64_t wm_spool_padded(uint64_t stored)
{
	return (stored + 7) & ~UINT64_C(7);
}

#endif
