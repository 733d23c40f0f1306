/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a program executed, in the terms of the hardware models: static instructions and
 * blocks, and the dynamic part of one execution of a block.  A classifier (hardware/decode)
 * makes the static part from machine code, a trace (hardware/trace) gives the dynamic part,
 * and the detector, the caches, the predictor and the core of this directory consume both.
 */
#ifndef WM_HARDWARE_INSN_H
#define WM_HARDWARE_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The functional unit that executes an instruction, apart from its memory accesses: an
 * addition with a memory operand is WM_HW_INT_ALU with WM_HW_LOADS.  A plain load or store
 * is WM_HW_LOAD or WM_HW_STORE and needs no unit beside its access. */
enum wm_hw_class {
	WM_HW_NOP,
	WM_HW_INT_ALU,
	WM_HW_INT_MUL,
	WM_HW_INT_DIV,
	WM_HW_FP_ADD, /* every floating-point or vector operation that is none of the next two */
	WM_HW_FP_MUL,
	WM_HW_FP_DIV, /* square roots included */
	WM_HW_LOAD,
	WM_HW_STORE,
	WM_HW_BRANCH,
	WM_HW_SERIAL, /* system calls, cpuid, fences: wait for everything older, delay everything younger */
	WM_HW_CLASS_COUNT
};

/* What an instruction does to control flow; anything but WM_HW_NO_BRANCH ends a block. */
enum wm_hw_branch {
	WM_HW_NO_BRANCH,
	WM_HW_CALL,
	WM_HW_CALL_INDIRECT,
	WM_HW_RETURN,
	WM_HW_CONDITIONAL,
	WM_HW_JUMP,
	WM_HW_JUMP_INDIRECT,
	WM_HW_BRANCH_COUNT
};

#define WM_HW_LOADS 1u    /* reads memory */
#define WM_HW_STORES 2u /* writes memory */
#define WM_HW_REPEATS 4u /* may run any number of times before its successor (rep) */

/* Registers are numbers below WM_HW_REGISTERS; equal numbers are equal registers, whatever
 * part of them an instruction uses.  Integer registers, vector registers and flags have
 * numbers of their own.  Registers that always read as zero are not listed. */
#define WM_HW_REGISTERS 96
#define WM_HW_SOURCES 6
#define WM_HW_DESTINATIONS 4

struct wm_hw_insn {
	uint64_t address;
	uint64_t target; /* of a direct branch; 0 otherwise */
	uint8_t size;    /* bytes */
	uint8_t class;   /* enum wm_hw_class */
	uint8_t branch; /* enum wm_hw_branch */
	uint8_t flags;   /* WM_HW_LOADS | … */
	/* The first `address_count` sources form the address of the memory operand and are not
	 * needed for anything else; a register needed for both stands twice. */
	uint8_t source_count, address_count, destination_count;
	/* The last `updated_count` destinations are address registers that the instruction steps by itself
	 * (the stack pointer in push, pop, call and return; a base register with write-back).  They are
	 * ready once the address is, not when the memory access is done. */
	uint8_t updated_count;
	uint8_t source[WM_HW_SOURCES];
	uint8_t destination[WM_HW_DESTINATIONS];
};

/* A straight run of instructions; only the last may be a branch.  A block without a branch
 * at its end continues at `end`: translators cut long runs and pages apart. */
struct wm_hw_block {
	uint64_t start, end; /* end: the address after the last instruction */
	uint32_t insn_count; /* at least 1 */
	const struct wm_hw_insn *insn;
};

static inline const struct wm_hw_insn *wm_hw_block_last(const struct wm_hw_block *block)
{
	return &block->insn[block->insn_count - 1];
}

/* One memory access of an executed block, in program order. */
struct wm_hw_access {
	uint64_t address;
	uint16_t insn; /* index in the block */
	uint8_t size;  /* bytes */
	bool store;
};

/* One execution of a block, or of a part of it: instructions `first` … `end` - 1 ran.  `access`
 * is empty when the trace was recorded without memory accesses.  `next` is where execution
 * continued; `taken` says whether a branch at the end was taken, and is true for every
 * unconditional one.
 *
 * The branch of a diverted step did not retire: the program left the block before its end,
 * or a signal arrived before the outcome of the branch was seen.  In the latter case another
 * step of the same block follows when the handler has returned, and only that one has
 * instructions. */
struct wm_hw_step {
	const struct wm_hw_block *block;
	uint32_t first, end;
	uint32_t thread;
	bool taken, diverted;
	bool signalled; /* with diverted: a signal handler starts at `next` */
	bool returned; /* before this step, the handler of a signal returned to the code that the signal interrupted */
	bool ended; /* the thread ended in this block */
	uint64_t next;
	uint64_t frame; /* of a call or return that retired: detector.h; 0: not known */
	const struct wm_hw_access *access;
	size_t access_count;
};

static inline bool wm_hw_step_retires_branch(const struct wm_hw_step *step)
{
	return !step->diverted && wm_hw_block_last(step->block)->branch != WM_HW_NO_BRANCH;
}

/* The end of the instructions of a step that retired: the branch of a diverted step did not. */
static inline uint32_t wm_hw_step_end(const struct wm_hw_step *step)
{
	bool lost = step->diverted && step->end == step->block->insn_count &&
		    wm_hw_block_last(step->block)->branch != WM_HW_NO_BRANCH;
	return step->end - (lost && step->end > step->first);
}

#endif
