/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The procedures of a binary and their blocks, in the form of functions with a map, so that their paths are told as those of every
 * function: its symbols, and one procedure for all code without a symbol.  A block is what is executed from an address to which
 * control comes up to the next branch that is not a call; blocks may overlap.  Procedures and blocks are found as paths lead
 * through them.  Edge 2b leaves block b for the code after it, edge 2b + 1 for the target of its branch; edge_to of the graph is not
 * known.  Lines are those of the debug information; a conditional branch is "taken" or "not taken".
 */
#ifndef WM_ANALYSIS_MACHINE_PROCEDURES_H
#define WM_ANALYSIS_MACHINE_PROCEDURES_H

#include "analysis/join/story.h"
#include "elf/elf_object.h"
#include "elf/machine_code.h"

/* An index by address. */
struct wm_hw_place {
	uint64_t address;
	uint32_t index;
};

struct wm_hw_procedure {
	struct wm_story_function told;
	struct wm_map_function map;
	uint64_t address; /* UINT64_MAX: all code without a symbol */
	struct wm_hw_place *place; /* of its blocks; ascending addresses */
	uint64_t *branch, **line; /* told.machine */
	uint64_t *site; /* per call of the map: its address */
};

struct wm_hw_procedures {
	const struct wm_code *code;
	struct wm_object object; /* only its path */
	struct wm_map_module module; /* only its files */
	uint32_t count;
	struct wm_hw_procedure **procedure;
	const struct wm_story_function **body; /* the same, as others see them */
	struct wm_hw_place *place; /* of the procedures; ascending addresses */
};

/* Of a binary, which must stay open. */
struct wm_hw_procedures *wm_hw_procedures_new(const struct wm_code *code);
void wm_hw_procedures_free(struct wm_hw_procedures *procedures);
/* The functions of trails, by index.  Valid until another procedure is found. */
const struct wm_story_function *const *wm_hw_procedures_bodies(const struct wm_hw_procedures *procedures);

/* The procedure that contains an address, and the block that begins there, with its lines and calls.  The code is known. */
uint32_t wm_hw_procedure_at(struct wm_hw_procedures *procedures, uint64_t address);
uint32_t wm_hw_block_at(struct wm_hw_procedures *procedures, uint32_t procedure, uint64_t address);
/* The call site at an address of the block; WM_NONE: there is none. */
uint32_t wm_hw_site_at(const struct wm_hw_procedure *procedure, uint32_t block, uint64_t address);

#endif
