/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Machine code as the hardware models see it (hardware/model/insn.h), by capstone.  The rest of the
 * profiler knows no instruction set: an architecture is one file that fills in struct
 * wm_hw_isa.
 */
#ifndef WM_HARDWARE_DECODE_DECODE_CODE_H
#define WM_HARDWARE_DECODE_DECODE_CODE_H

#include "hardware/model/insn.h"

enum wm_hw_arch { WM_HW_X86_64 = 1, WM_HW_AARCH64 = 2 };

struct wm_hw_decoder;

/* NULL when there is no memory, or capstone was built without the architecture. */
struct wm_hw_decoder *wm_hw_decoder_new(enum wm_hw_arch arch);
void wm_hw_decoder_free(struct wm_hw_decoder *decoder);
enum wm_hw_arch wm_hw_decoder_arch(const struct wm_hw_decoder *decoder);

/* One instruction from at most `size` bytes.  An instruction that capstone does not know, but whose length is known, is a
 * WM_HW_INT_ALU without registers, or a branch.  False: they begin no known instruction; *insn is then untouched. */
bool wm_hw_decode(
	struct wm_hw_decoder *decoder, const uint8_t *bytes, size_t size, uint64_t address, struct wm_hw_insn *insn);

/* A block of exactly `count` instructions. */
struct wm_hw_code {
	const uint8_t *bytes;
	size_t size;
	const uint8_t *insn_size; /* of each instruction; their sum is `size`.  NULL: not known */
	size_t count;
	uint64_t address;
};
/* An instruction that is not known is a WM_HW_INT_ALU of its size.  Without insn_size it takes the rest of the bytes, and
 * the instructions after it have size 0.  Returns how many instructions are known. */
size_t wm_hw_decode_block(struct wm_hw_decoder *decoder, const struct wm_hw_code *code, struct wm_hw_insn *insn);

/* The architecture of QEMU's target name ("x86_64"); 0 when it is not supported. */
enum wm_hw_arch wm_hw_arch_find(const char *target);
/* Whether calls store the return address on the stack and returns load it from there: these
 * accesses are frame addresses (hardware/model/detector.h).  Where calls keep it in a register, the frame
 * address is the stack pointer where execution continues after a call or return. */
bool wm_hw_arch_stacks_returns(enum wm_hw_arch arch);

#endif
