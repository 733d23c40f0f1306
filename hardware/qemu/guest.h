/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The program that QEMU runs, as the plugin sees it: registers, memory, and the signal handlers
 * that it has installed.  All functions may be called by any thread. */
#ifndef WM_HARDWARE_QEMU_GUEST_H
#define WM_HARDWARE_QEMU_GUEST_H

#include "hardware/decode/decode_code.h"

/* False: this QEMU lacks a function that is needed. */
bool wm_guest_open(enum wm_hw_arch arch);

/* The stack pointer of a thread.  Valid only while a block starts: in the middle of a block,
 * QEMU has registers elsewhere. */
uint64_t wm_guest_stack_pointer(unsigned vcpu);
/* Whether the procedure that starts would return to the code that ends the handling of a signal.
 * Valid only while a block starts. */
bool wm_guest_is_delivery(unsigned vcpu, uint64_t stack_pointer);

/* Reads memory of the program; false: it is not there. */
bool wm_guest_read(uint64_t address, void *to, size_t size);

/* `action` is the address of a struct sigaction that the program installs.  Code that was
 * translated before its handler was known is translated again. */
void wm_guest_add_handler(unsigned vcpu, uint64_t action);
bool wm_guest_is_handler(uint64_t address);
/* Around fork. */
void wm_guest_lock(void);
void wm_guest_unlock(void);

#endif
