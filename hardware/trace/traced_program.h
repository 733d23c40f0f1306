/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The traced program as the facts of a trace describe it.  Facts are hostile: a trace may
 * come from a file.
 */
#ifndef WM_HARDWARE_TRACE_TRACED_PROGRAM_H
#define WM_HARDWARE_TRACE_TRACED_PROGRAM_H

#include "hardware/decode/decode_code.h"

enum wm_trace_status {
	WM_TRACE_OK = 0,
	WM_TRACE_DAMAGED, /* cut short or changed; everything before is valid */
	WM_TRACE_FOREIGN, /* not a trace, or of an architecture we do not know */
	WM_TRACE_OTHER_VERSION, /* a trace that is too new or too old */
	WM_TRACE_NO_MEMORY,
	WM_TRACE_IO, /* errno says */
	WM_TRACE_END, /* there is no more */
};

/* A block and what following execution needs of it at once. */
struct wm_trace_block {
	struct wm_hw_block block;
	uint64_t target; /* of a direct branch; UINT64_MAX: nowhere */
	uint64_t fall; /* where execution continues without a taken branch; UINT64_MAX: nowhere */
	uint64_t last; /* address of the last instruction */
	uint8_t branch; /* enum wm_hw_branch */
	uint8_t flags; /* of the last instruction */
	/* The type of the branch if it goes forward; WM_HW_TYPE_COUNT: there is none.  A conditional branch or a jump is
	 * WM_HW_TYPE_FORWARD. */
	uint8_t type;
	uint32_t mapping; /* index + 1; 0: code that is in no file */
};

struct wm_trace_mapping {
	uint64_t start, size, offset;
	char *path;
};

struct wm_trace_program {
	enum wm_hw_arch arch;
	struct wm_hw_decoder *decoder;
	struct wm_trace_block **chunk; /* of BLOCKS_PER_CHUNK blocks: a block never moves */
	size_t block_count;
	struct wm_trace_mapping *mapping; /* in the order of the facts */
	size_t mapping_count;
	size_t unknown_insns; /* that could not be decoded */
};

enum { WM_BLOCKS_PER_CHUNK = 1024 };

/* WM_TRACE_FOREIGN: no such architecture. */
enum wm_trace_status wm_trace_program_init(struct wm_trace_program *program, uint32_t arch);
void wm_trace_program_release(struct wm_trace_program *program);

/* Learns the whole facts of a part of the log.  *used says how many bytes these are; the rest
 * begins a fact that is not complete.  WM_TRACE_DAMAGED: makes no sense. */
enum wm_trace_status wm_trace_program_learn(
	struct wm_trace_program *program, const uint8_t *data, size_t size, size_t *used);

static inline const struct wm_trace_block *wm_trace_program_block(const struct wm_trace_program *program, size_t i)
{
	return &program->chunk[i / WM_BLOCKS_PER_CHUNK][i % WM_BLOCKS_PER_CHUNK];
}

/* The latest mapping that contains the address; NULL: none. */
const struct wm_trace_mapping *wm_trace_program_mapping(const struct wm_trace_program *program, uint64_t address);

#endif
