/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The layout that indexed.c writes and reads.  doc/formats.md describes it. */
#ifndef WM_PROFILE_INDEXED_INDEXED_LAYOUT_H
#define WM_PROFILE_INDEXED_INDEXED_LAYOUT_H

#include <stdint.h>

#define WM_INDEXED_MAGIC 0x0A0D464F52505789ull /* bytes 89 'W' 'P' 'R' 'O' 'F' 0d 0a */
/* Version 2 has residual functions, and times; version 3 has names of programs and
 * counts that are kept apart; version 4 has records that are not of functions with a map; version 5 has
 * the sources of functions; version 6 has paths of machine code as records of their own; version 7 has the ids of runs;
 * version 8 has the names of schemes; version 9 has unfinished paths.  The writer uses the oldest version that can hold the profile, so that an older tool reads everything it can
 * understand. */
#define WM_INDEXED_VERSION 9

/* magic u64, version u32, sections u32, checksum u64 of all bytes but its own */
enum { WM_INDEXED_HEADER_SIZE = 24, WM_INDEXED_CHECKSUM_OFFSET = 16 };

/* kind u32, flags u32, stored size u64, payload size u64; then the payload */
enum { WM_SECTION_HEADER_SIZE = 24 };
enum wm_section_kind { WM_SECTION_SUMMARY = 1, WM_SECTION_OBJECT = 2 };
#define WM_SECTION_COMPRESSED 1u

/* Bits of the word that precedes a function's numbers: what follows is not zero. */
enum {
	WM_INDEXED_DOUBT = 1,
	WM_INDEXED_ENTRIES = 2,
	WM_INDEXED_RESUMED = 4,
	WM_INDEXED_BASE_ENTRIES = 8,
	WM_INDEXED_BASE_RESUMED = 16,
	WM_INDEXED_LOST = 32,
	WM_INDEXED_BASE_PATHS = 64, /* every path carries a base count */
	WM_INDEXED_TIMES = 128, /* every path carries a time and, if that is not 0, a pid */
	WM_INDEXED_UNFINISHED = 256, /* unfinished paths follow the paths */
	WM_INDEXED_PRESENT_BITS = 9,
	WM_INDEXED_PRESENT_BITS_2 = 8, /* of versions 2 to 8 */
	WM_INDEXED_PRESENT_BITS_1 = 7, /* of version 1 */
};

/* Flags of the summary, from version 3 on. */
#define WM_INDEXED_ANY_PROGRAM 1u

/* Payload bytes a file may unfold to, against decompression bombs; the writer
 * stores a section plainly rather than exceed it. */
#define WM_INDEXED_FREE_PAYLOAD (UINT64_C(64) << 20)
#define WM_INDEXED_MAX_RATIO UINT64_C(256)

#endif
