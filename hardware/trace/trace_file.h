/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A recorded trace (.wmtrace): a header, then frames of facts or words, each compressed and
 * checksummed, then a frame that says how the program ended.  doc/formats.md describes it.
 * A reader needs one frame in memory at a time.  Files are hostile.
 */
#ifndef WM_HARDWARE_TRACE_TRACE_FILE_H
#define WM_HARDWARE_TRACE_TRACE_FILE_H

#include "hardware/trace/traced_program.h"

#include <stdio.h>

#define WM_TRACE_MAGIC UINT64_C(0x0A0D435254574D89) /* bytes 89 'M' 'W' 'T' 'R' 'C' 0d 0a */
#define WM_TRACE_VERSION 3 /* version 2, which is read, too, has no WM_FACT_CODE and no flags at its end */
enum { WM_TRACE_HEADER_SIZE = 24, WM_TRACE_FRAME_SIZE = 32 };
/* The most a frame unpacks to; the writer stays below. */
enum { WM_TRACE_PAYLOAD_MAX = 1 << 24 };

enum wm_frame_kind { WM_FRAME_FACTS = 1, WM_FRAME_WORDS = 2, WM_FRAME_END = 3 };

struct wm_trace_header {
	uint32_t arch; /* enum wm_hw_arch */
	bool accesses; /* all memory accesses are there */
};

/* Writer.  All functions return false when the file could not be written; errno says why. */
struct wm_trace_writer;
struct wm_trace_writer *wm_trace_writer_new(FILE *file, const struct wm_trace_header *header);
bool wm_trace_write_facts(struct wm_trace_writer *writer, const uint8_t *data, size_t size);
bool wm_trace_write_words(struct wm_trace_writer *writer, uint32_t thread, const uint64_t *word, size_t count);
/* The wait status of the program, and whether words are missing that it executed before it ended.  Frees the writer in any
 * case; the file stays open. */
bool wm_trace_writer_end(struct wm_trace_writer *writer, int status, bool in_part);

struct wm_trace_frame {
	enum wm_frame_kind kind;
	uint32_t thread; /* of words */
	int status; /* of the end */
	bool in_part; /* of the end: the recording stopped before the program did; false in version 2 */
	const uint8_t *facts; /* the rest is valid until the next frame is read */
	size_t fact_size;
	const uint64_t *word;
	size_t word_count;
};

/* Reader.  WM_TRACE_FOREIGN, WM_TRACE_OTHER_VERSION, WM_TRACE_DAMAGED (inside the header), WM_TRACE_IO,
 * WM_TRACE_NO_MEMORY. */
struct wm_trace_reader;
enum wm_trace_status wm_trace_reader_new(struct wm_trace_reader **reader, FILE *file, struct wm_trace_header *header);
void wm_trace_reader_free(struct wm_trace_reader *reader);
/* The bytes that were read so far. */
size_t wm_trace_reader_position(const struct wm_trace_reader *reader);
/* WM_TRACE_END after the frame WM_FRAME_END; a file that stops before it is WM_TRACE_DAMAGED. */
enum wm_trace_status wm_trace_read(struct wm_trace_reader *reader, struct wm_trace_frame *frame);

#endif
