/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs for cores, written one instruction at a time; each instruction is a step of its own. */
#ifndef WM_TEST_HARDWARE_PROGRAM_H
#define WM_TEST_HARDWARE_PROGRAM_H

#include "hardware/model/core_timing.h"

enum { PROGRAM_MAX = 4096, PROGRAM_ACCESSES = 3 };

struct program {
	struct line {
		struct wm_hw_insn insn;
		struct wm_hw_block block;
		struct wm_hw_access access[PROGRAM_ACCESSES];
		struct wm_hw_step step;
	} line[PROGRAM_MAX];
	uint32_t count;
	uint64_t address; /* of the next instruction */
};

struct program *program_new(void);

/* Appends an instruction of 4 bytes and returns it, for what the arguments do not say.  A
 * destination or source of 0 is none. */
struct line *program_add(struct program *program, enum wm_hw_class class, uint8_t destination, uint8_t source);
/* Adds an access to an instruction; `base` is the register of its address, 0 for none, and is
 * given with the first access only. */
void program_access(struct line *line, bool store, uint64_t address, uint8_t size, uint8_t base);
struct line *program_load(struct program *program, uint8_t destination, uint8_t base, uint64_t address);
struct line *program_store(struct program *program, uint8_t data, uint8_t base, uint64_t address);
/* A branch; taken ones go 64 bytes further. */
struct line *program_branch(struct program *program, enum wm_hw_branch branch, bool taken);

#endif
