/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads of a stack that may be damaged.  Memory is read only where it is known that it can be.
 *
 * The stack of the main thread needs no system call: the kernel keeps 128 MiB below its end free of other mappings, and the end is
 * where the kernel has put the name of the program.  Every other page is asked for once.
 */
#ifndef WM_RUNTIME_UNWIND_STACK_MEMORY_H
#define WM_RUNTIME_UNWIND_STACK_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

struct wm_stack {
	uint64_t low, high; /* what can be read */
};

/* The stack to which `sp` points. */
struct wm_stack wm_stack_at(uint64_t sp);
/* Reads 8 bytes; false: `at` is not a multiple of 8, or cannot be read. */
bool wm_stack_read(struct wm_stack *stack, uint64_t at, uint64_t *value);

#endif
