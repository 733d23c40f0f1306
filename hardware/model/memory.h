/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Two level 1 caches, a unified level 2 cache, and memory.  The caches do not block: any
 * number of misses may be outstanding, and an access to a block that is still on its way
 * waits for it, and is no miss.
 *
 * Latencies add up: a miss in level 1 takes l1_latency + l2_latency, a miss in both takes
 * memory_latency more.  A dirty block that leaves level 1 is written to level 2, and one that
 * leaves level 2 is written to memory; both go through buffers that delay nobody.  Level 2
 * includes neither level 1 cache: a block written back to it may have to be fetched from
 * memory first.
 *
 * An access that crosses a block boundary accesses both blocks and takes as long as the
 * slower of them.
 */
#ifndef WM_HARDWARE_MEMORY_H
#define WM_HARDWARE_MEMORY_H

#include "hardware/model/energy.h"
#include "hardware/model/insn.h"
#include "hardware/model/path.h"

struct wm_hw_memory_config {
	struct wm_hw_cache_config l1i, l1d, l2;
	uint32_t l1_latency, l2_latency, memory_latency; /* in cycles */
	struct wm_hw_energy energy;
};

/* Table 5.3.  The table does not give the blocks of level 2; 64 bytes are what SimpleScalar,
 * its simulator, uses by default. */
struct wm_hw_memory_config wm_hw_memory_table_5_3(void);
/* The energy for the caches of `config`, by WM_HW_TECHNOLOGY, with two ports of the data cache.
 * Table 5.3 has it with scale 1; the cycle-level model, which divides it, needs a scale of
 * 60 or more to lose little by rounding. */
struct wm_hw_energy wm_hw_memory_energy(const struct wm_hw_memory_config *config, uint32_t scale);

struct wm_hw_memory {
	struct wm_hw_memory_config config;
	struct wm_hw_cache l1i, l1d, l2;
	uint64_t fetched; /* block of l1i that was fetched last; all ones: none */
};

/* The result of one access. */
struct wm_hw_memory_use {
	uint32_t latency; /* in cycles, at least l1_latency */
	uint32_t blocks; /* of level 1 that were accessed */
	uint32_t l1_misses; /* among them */
	uint32_t l2_misses;
	uint32_t l1_energy; /* of the accesses to level 1 */
	uint32_t lower_energy; /* of refills, write-backs, level 2 and memory */
};

/* WM_HW_BAD_CONFIG when a cache is invalid, or a block of level 1 is larger than one of level 2 or
 * smaller than 8 bytes; WM_HW_NO_MEMORY. */
enum wm_hw_status wm_hw_memory_init(
	struct wm_hw_memory *memory, const struct wm_hw_memory_config *config, struct wm_arena *arena);

/* Reads `size` > 0 bytes of code, and reads or writes `size` > 0 bytes of data, in cycle
 * `now`, which may decrease from call to call only if nobody reads `latency`. */
struct wm_hw_memory_use wm_hw_memory_fetch(struct wm_hw_memory *memory, uint64_t address, uint32_t size, uint64_t now);
struct wm_hw_memory_use wm_hw_memory_data(struct wm_hw_memory *memory, const struct wm_hw_access *access, uint64_t now);

/* Adds to `events` what one execution of a block causes without a core: instructions, misses
 * and energy, all accesses in program order. */
void wm_hw_memory_step(struct wm_hw_memory *memory, const struct wm_hw_step *step, struct wm_hw_events *events);

#endif
