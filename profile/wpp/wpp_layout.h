/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The layout that wpp_write.c writes and wpp_read.c reads.  doc/formats.md describes it. */
#ifndef WM_PROFILE_WPP_WPP_LAYOUT_H
#define WM_PROFILE_WPP_WPP_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#define WM_WPP_MAGIC 0x0A0D5050574D5789ull /* bytes 89 'W' 'M' 'W' 'P' 'P' 0d 0a */
/* Version 2 lacks the endings of processes. */
#define WM_WPP_VERSION 3u

/* magic u64, version u32, 0 u32 */
enum { WM_WPP_HEADER_SIZE = 16 };
/* kind u32, stream u32, stored size u64, payload size u64, checksum u64 of the 24 bytes before it and of the stored
 * bytes; then these: the payload, compressed by zstd */
enum { WM_WPP_SECTION_SIZE = 32, WM_WPP_CHECKSUM_OFFSET = 24 };
/* `header` is that of the section. */
uint64_t wm_wpp_checksum(const uint8_t *header, const uint8_t *stored, size_t size);
/* The kind of the table tells that of the recording: WM_WPP_SUBPATHS or WM_WPP_BRANCHES. */
enum wm_wpp_section { WM_WPP_CHUNK = 1, WM_WPP_TABLE = 2, WM_WPP_TABLE_BRANCHES = 3 };

/* In a table of branches, the words of a function are the start of the paths and their control register, with the number of
 * branches in the highest bits. */
#define WM_WPP_LENGTH_SHIFT 48

/* Payload bytes to which a file may unfold, against decompression bombs.  A grammar has no repetitions left that zstd
 * could find, so that chunks stay far below the ratio. */
#define WM_WPP_FREE_PAYLOAD (UINT64_C(64) << 20)
#define WM_WPP_MAX_RATIO UINT64_C(256)

/* The least bytes of the records, for counts that are read. */
enum {
	WM_WPP_LEAST_OBJECT = 2,
	WM_WPP_LEAST_FUNCTION = 17,
	WM_WPP_LEAST_PROCESS = 16,
	WM_WPP_LEAST_STREAM = 19,
};

#endif
