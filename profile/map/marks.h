/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Marks: where the blocks of the graph `source` are in the machine code of a build with -fwaymark-marks.
 *
 * A mark is a pseudo probe of LLVM, which is no instruction: it moves with the code around it and is copied, merged and removed
 * with this code, and LLVM lists the addresses in the section .pseudo_probe, which is not loaded.  Its function is the key of the
 * function in the map, and its index is the block plus one.  (clang's basic-block address map has the blocks of the machine
 * code, but does not say of which source blocks these were made.)
 */
#ifndef WM_PROFILE_MAP_MARKS_H
#define WM_PROFILE_MAP_MARKS_H

#include "core/base/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WM_MARKS_SECTION ".pseudo_probe"

struct wm_block_mark {
	uint64_t address; /* as linked: the block begins before the instruction at this address is executed */
	uint64_t key; /* of the function */
	uint32_t block;
};

struct wm_block_marks {
	size_t count;
	struct wm_block_mark
		*mark; /* heap; ascending addresses, and at one address those of a function in the order of execution */
};

/* The addresses of functions in the section are relative to one whose linkage name has an MD5 that begins with `name`, as a
 * little-endian number.  *address receives its address; false: there is none, or there are several. */
struct wm_mark_names {
	bool (*find)(void *closure, uint64_t name, uint64_t *address);
	void *closure;
};
/* Reads the section, without the marks of functions that are not found.  Hostile input: WM_UNKNOWN if it is damaged, and
 * WM_NO_MEMORY; *marks is empty then. */
enum wm_status wm_marks_read(
	struct wm_block_marks *marks, const uint8_t *data, size_t size, const struct wm_mark_names *names);
void wm_marks_release(struct wm_block_marks *marks);
/* The marks at an address, and how many these are. */
const struct wm_block_mark *wm_marks_at(const struct wm_block_marks *marks, uint64_t address, size_t *count);

#endif
