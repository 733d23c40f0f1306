/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What an architecture gives to decode_code.c. */
#ifndef WM_HARDWARE_ISA_H
#define WM_HARDWARE_ISA_H

#include "hardware/model/insn.h"

#include <capstone/capstone.h>

enum { WM_HW_NO_REGISTER = 0xff, WM_HW_CAPSTONE_REGISTERS = 512 };

struct wm_hw_isa {
	const char *target; /* QEMU's name */
	cs_arch arch;
	cs_mode mode;
	bool stacks_returns;
	/* The number of a capstone register from its name; WM_HW_NO_REGISTER: not modelled. */
	uint8_t (*register_number)(const char *name);
	/* Fills in everything but address, size, sources and destinations. */
	void (*classify)(const cs_insn *raw, struct wm_hw_insn *insn);
	/* The registers of memory operand `i` (counted from 0), base and index; false: there is
	 * no such operand. */
	bool (*memory)(const cs_insn *raw, size_t i, unsigned registers[2]);
	/* The address register that the instruction steps by itself; 0: none. */
	unsigned (*stepped)(const cs_insn *raw);
	/* For an instruction that capstone does not know, in at most `size` bytes: its length, 0 if that is not known
	 * either; fills in its class and branch. */
	size_t (*unknown)(const uint8_t *code, size_t size, struct wm_hw_insn *insn);
};

/* x86_length.c */
size_t wm_hw_x86_unknown(const uint8_t *code, size_t size, struct wm_hw_insn *insn);

extern const struct wm_hw_isa wm_hw_isa_x86, wm_hw_isa_aarch64;

#endif
