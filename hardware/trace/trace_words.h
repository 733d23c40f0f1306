/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The dynamic part of a trace: one 64-bit word for each thing a thread did, in order.  The
 * top three bits are the kind.
 *
 *   WM_WORD_BLOCK    bits 0-31: the number of the block (trace_facts.h) that starts to run
 *   WM_WORD_ACCESS   a memory access of that block: bits 0-47 address, 48-50 log2 of the
 *                    size, 51 store, 52-60 index of the instruction
 *   WM_WORD_CONTROL  bits 0-31: enum wm_word_control
 *   WM_WORD_ENTRY    about the block that starts next: bits 0-47 the stack pointer, bit 48
 *                    the block is a signal handler's, and starts because a signal was delivered
 */
#ifndef WM_HARDWARE_TRACE_TRACE_WORDS_H
#define WM_HARDWARE_TRACE_TRACE_WORDS_H

#include <stdbool.h>
#include <stdint.h>

enum wm_word_kind { WM_WORD_BLOCK = 0, WM_WORD_ACCESS = 1, WM_WORD_CONTROL = 2, WM_WORD_ENTRY = 3 };

enum wm_word_control {
	WM_CONTROL_SIGRETURN = 1, /* the running block returns from a signal handler */
	WM_CONTROL_EXIT = 2, /* the thread ends */
	WM_CONTROL_EXEC = 3, /* the running block asks for another program; it may fail */
	WM_CONTROL_LOST = 4, /* words are missing here */
};

#define WM_WORD_KIND_SHIFT 61
#define WM_WORD_ADDRESS_MASK ((UINT64_C(1) << 48) - 1)
#define WM_WORD_INSN_MAX 511u
#define WM_WORD_DELIVERED (UINT64_C(1) << 48)

static inline enum wm_word_kind wm_word_kind(uint64_t word)
{
	return (enum wm_word_kind)(word >> WM_WORD_KIND_SHIFT);
}

static inline uint64_t wm_word_access(uint64_t address, unsigned size_shift, bool store, unsigned insn)
{
	return (uint64_t)WM_WORD_ACCESS << WM_WORD_KIND_SHIFT | (uint64_t)insn << 52 | (uint64_t)store << 51 |
	       (uint64_t)(size_shift & 7) << 48 | (address & WM_WORD_ADDRESS_MASK);
}

static inline uint64_t wm_word_control(enum wm_word_control control)
{
	return (uint64_t)WM_WORD_CONTROL << WM_WORD_KIND_SHIFT | (uint64_t)control;
}

static inline uint64_t wm_word_entry(uint64_t stack, bool delivered)
{
	return (uint64_t)WM_WORD_ENTRY << WM_WORD_KIND_SHIFT | (delivered ? WM_WORD_DELIVERED : 0) |
	       (stack & WM_WORD_ADDRESS_MASK);
}

#endif
