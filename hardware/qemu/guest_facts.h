/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes the log of facts (hardware/trace/trace_facts.h) from within QEMU.  One log for each process; all
 * functions may be called by any thread. */
#ifndef WM_HARDWARE_QEMU_GUEST_FACTS_H
#define WM_HARDWARE_QEMU_GUEST_FACTS_H

#include "hardware/decode/decode_code.h"
#include "hardware/trace/shared.h"

void wm_facts_open(struct wm_shared *shared);
/* Around fork.  The child continues with a copy of the log, as it was when it was locked, in
 * `shared`. */
void wm_facts_lock(void);
void wm_facts_unlock(void);
void wm_facts_move(struct wm_shared *shared);
/* The number of a block; equal blocks have equal numbers.  UINT64_MAX: the log is full. */
uint64_t wm_facts_block(const struct wm_hw_code *code);
/* Mappings have changed: they are read again when the next block is written. */
void wm_facts_forget_mappings(void);

#endif
