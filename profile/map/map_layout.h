/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The layout that map_encode.c writes and map_decode.c reads.  doc/formats.md describes it. */
#ifndef WM_PROFILE_MAP_MAP_LAYOUT_H
#define WM_PROFILE_MAP_MAP_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

/* Not zero in its first byte: zeros between blobs are the linker's padding. */
#define WM_MAP_MAGIC 0x0A0D50414D4D57CDull /* bytes cd 'W' 'M' 'M' 'A' 'P' 0d 0a */
/* Version 1 has no extensions.  There are no versions 2 and 3. */
#define WM_MAP_VERSION 4

/* magic u64, version u32, flags u32, stored size u32, payload size u32, checksum u64 */
enum { WM_MAP_HEADER_SIZE = 32, WM_MAP_CHECKSUM_OFFSET = 24 };
#define WM_MAP_COMPRESSED 1u

/* Bits of the word that opens a function. */
enum {
	WM_MAP_STAGE_SHIFT = 0, /* 1 bit */
	WM_MAP_STATUS_SHIFT = 1, /* 2 bits */
	WM_MAP_UPDATE_SHIFT = 3, /* 2 bits */
	WM_MAP_ENTRIES = 1 << 5,
	WM_MAP_RESUMED = 1 << 6,
	WM_MAP_LOCAL = 1 << 7,
	WM_MAP_HAS_FILE = 1 << 8,
	WM_MAP_OWN_KEY = 1 << 9,	 /* the key is stored: it is not wm_function_key(name, source) */
	WM_MAP_OWN_HASH = 1 << 10, /* likewise the graph hash */
	WM_MAP_SAME_SCHEME = 1 << 11, /* as the function before */
	WM_MAP_FLAG_BITS = 12,
};

/* A block's word: terminator in bits 0-2, true edge in bit 3, successors above. */
enum { WM_MAP_TRUE_EDGE = 8, WM_MAP_SUCCESSOR_SHIFT = 4 };

/* A position's word: bit 0 says that a file follows, above it the line's delta (zigzag). */
enum wm_map_decision { WM_MAP_NO_DECISION, WM_MAP_DECISION_AT_LAST_LINE, WM_MAP_DECISION_FOLLOWS };

/* Kinds of extensions. */
enum wm_map_extension {
	WM_MAP_CALLS = 1,
	WM_MAP_UNIT = 2,
	WM_MAP_INLINED = 3,
	WM_MAP_ALIASES = 4,
	WM_MAP_UNSEEN = 5,
	WM_MAP_PADS = 6,
	WM_MAP_CRASH = 7,
	WM_MAP_CONDITIONS = 8,
	WM_MAP_CALL_LINES = 9,
	WM_MAP_DIRECTORY = 10,
	WM_MAP_CHECKSUMS = 12,
	WM_MAP_FACTS = 13,
	WM_MAP_VALUES = 14,
	WM_MAP_CODE = 16,
	WM_MAP_FAILURES = 17,
};

/* The word of a condition: kind, sides of both edges, and whether a name follows. */
enum { WM_MAP_SIDE_SHIFT = 3, WM_MAP_SIDE_BITS = 3, WM_MAP_NAMED = 1 << 9, WM_MAP_CONDITION_BITS = 10 };

/* The word of a fact: kind, bounds, and above them its block − the block of the fact before. */
enum { WM_MAP_BOUNDS_SHIFT = 2, WM_MAP_BOUNDS_BITS = 3, WM_MAP_FACT_BITS = WM_MAP_BOUNDS_SHIFT + WM_MAP_BOUNDS_BITS };
enum { WM_MAP_NO_LOW = 1, WM_MAP_NO_HIGH = 2, WM_MAP_ONE_VALUE = 4 };

/* The word of a truth value: kind, use, flags, and above them its block − the block of the value before. */
enum {
	WM_MAP_USE_SHIFT = 3,
	WM_MAP_DISJUNCTION = 1 << 5,
	WM_MAP_TRUTH = 1 << 6,
	WM_MAP_VALUE_NAMED = 1 << 7,
	WM_MAP_VALUE_SHIFT = 8,
};

/* The word of an edge that leads to a failure: kinds, and above them how many edges are between it and the one before. */
enum { WM_MAP_FAILURE_BITS = 4 };

/* A call site's word: bits 0 and 1, and above them its block − the block of the call site before.  The last call of a
 * block unwinds to a landing pad if the block has successors; if the block returns, it is a tail call, and if it neither
 * returns nor has successors, the call is followed by what ends the path (wm_call.followed). */
enum { WM_MAP_MAY_NOT_RETURN = 1, WM_MAP_ENDS_BLOCK = 2, WM_MAP_CALL_SHIFT = 2 };

/* Payload bytes a section may unfold to: a guard against decompression bombs that
 * the encoder keeps within by storing what compresses better than this. */
enum { WM_MAP_FREE_PAYLOAD = 16 << 20, WM_MAP_MAX_RATIO = 256 };
static inline uint64_t wm_map_payload_budget(uint64_t stored)
{
	return WM_MAP_FREE_PAYLOAD + WM_MAP_MAX_RATIO * stored;
}

/* Checksum of a blob: header without its checksum field, then the stored payload. */
uint64_t wm_map_blob_checksum(const uint8_t *blob, size_t stored_size);

#endif
