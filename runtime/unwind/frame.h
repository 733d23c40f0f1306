/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The machine registers of an activation, by their numbers in DWARF for x86-64. */
#ifndef WM_RUNTIME_UNWIND_FRAME_H
#define WM_RUNTIME_UNWIND_FRAME_H

#include <stdbool.h>
#include <stdint.h>

enum {
	WM_REGISTER_RBX = 3,
	WM_REGISTER_RBP = 6,
	WM_REGISTER_RSP = 7,
	WM_REGISTER_RIP = 16,
	WM_REGISTERS = 17,
};

/* Registers that a function leaves as they were: rbx, rbp, r12 to r15. */
#define WM_CALLEE_SAVED (1u << 3 | 1u << 6 | 15u << 12)

/* Where an activation stands.  After a call, rsp is what it is when the call returns. */
struct wm_frame {
	uint64_t reg[WM_REGISTERS];
	uint32_t known; /* one bit for each register */
	bool exact; /* rip is the next instruction; otherwise a return address, and the instruction is the call before it */
};

/* The activation that executes this. */
static inline __attribute__((always_inline)) void wm_frame_here(struct wm_frame *frame)
{
	frame->known = WM_CALLEE_SAVED | 1u << WM_REGISTER_RSP | 1u << WM_REGISTER_RIP;
	frame->exact = true;
	__asm__ volatile("movq %%rbx, 24(%0)\n\t"
			 "movq %%rbp, 48(%0)\n\t"
			 "movq %%rsp, 56(%0)\n\t"
			 "movq %%r12, 96(%0)\n\t"
			 "movq %%r13, 104(%0)\n\t"
			 "movq %%r14, 112(%0)\n\t"
			 "movq %%r15, 120(%0)\n\t"
			 "leaq (%%rip), %%rax\n\t"
			 "movq %%rax, 128(%0)"
		:
		: "r"(frame->reg)
		: "rax", "memory");
}

#endif
