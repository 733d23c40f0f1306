/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The state of a core, for core_timing.c (fetch), issue_window.c (dispatch, complete, commit) and issue.c
 * (issue, access) only.
 *
 * Operations in flight lie in one ring, by sequence number:
 *
 *   head … dispatched   the reorder buffer
 *   dispatched … fetched   the fetch queue
 *
 * Sequence numbers start at 1, and everything below `head` has committed.
 *
 * An operation that waits for others has one link in the list of consumers of each; the last
 * one that completes makes it ready.  Nothing is searched for.
 */
#ifndef WM_HARDWARE_PIPELINE_H
#define WM_HARDWARE_PIPELINE_H

#include "hardware/model/core_config.h"

/* Links of an operation: its sources first, those of the address before all others.  A load
 * has a last one for the store whose data it waits for; an operation that is no load has at
 * most WM_HW_SOURCES + PRODUCERS. */
#define LINKS 8
#define STORE_LINK (LINKS - 1)
#define PRODUCERS (LINKS - WM_HW_SOURCES)
#define NONE UINT32_MAX

enum role { ROLE_LOAD, ROLE_EXECUTE, ROLE_STORE };

enum state {
	STATE_WAITING, /* for sources, or for a unit */
	STATE_ADDRESSING, /* a load or store computes its address */
	STATE_ADDRESSED, /* it is known; a load waits for older stores or a port, a store for data */
	STATE_EXECUTING,
	STATE_DONE
};

#define FLAG_LAST 1u /* of its instruction */
#define FLAG_TAKEN 2u /* the instruction is a branch that was taken */
#define FLAG_MISPREDICTED 4u /* fetch waits until it completes */
#define FLAG_MISFETCHED 8u /* fetch waits until it is dispatched */
#define FLAG_WAITS 16u /* dispatches into an empty reorder buffer */
#define FLAG_BARRIER 32u /* nothing dispatches until it has committed */
#define FLAG_UPDATES 64u /* writes the address registers that its instruction updates */
#define FLAG_RESULT 128u /* writes its other destinations */

/* Two lists of consumers: of the address registers an operation updates, and of its result. */
enum { EARLY, LATE, LISTS };

/* Of 64 bytes, as an operation is touched by every stage. */
struct uop {
	const struct wm_hw_insn *insn;
	uint64_t address; /* of the access */
	uint64_t store_index; /* of a store in the store queue; of a load: the first younger store */
	uint32_t consumers[LISTS];
	uint32_t next_event;
	uint32_t energy, cycle_energy;
	uint8_t size; /* of the access */
	uint8_t role, state, flags;
	uint8_t source_first, source_end; /* among the sources of its instruction */
	uint8_t address_links, address_pending, data_pending;
	uint8_t producer[PRODUCERS]; /* operations of the same instruction it needs: so many before it; 0: none */
	uint8_t l1_misses, l2_misses;
};

/* The completions to come: list `cycle & mask` of operations that complete in `cycle`.  All
 * lie less than mask + 1 cycles ahead. */
struct wheel {
	uint32_t *first;
	uint64_t *occupied;
	uint64_t mask;
};

/* Stores between dispatch and commit, in order. */
struct store_entry {
	uint64_t address;
	uint32_t slot;
	uint8_t size;
};
struct store_queue {
	struct store_entry *entry;
	uint64_t mask;
	uint64_t head, known, tail; /* addresses of the stores below `known` are known */
};

struct fetch {
	uint64_t resume; /* no fetch before this cycle */
	uint64_t first; /* the first operation fetched in this cycle */
	uint64_t block; /* of the instruction cache, read last in this cycle */
	uint32_t count; /* operations fetched in this cycle; fetch_width: closed */
	uint32_t reads; /* of the instruction cache whose energy is not apportioned yet */
	uint64_t decided; /* cycle in which fetch can resume after the last branch that was not predicted */
	bool blocked; /* by a branch that was mispredicted or misfetched */
};

/* Accesses to the data cache in this cycle, whose energy is apportioned at its end. */
struct accesses {
	uint32_t blocks, count;
	struct {
		uint32_t slot, blocks;
	} access[WM_HW_UNITS_MAX];
};

struct window {
	struct uop *uop;
	uint32_t (*link)[LINKS]; /* of each slot, for lists of consumers */
	uint64_t *next; /* of each slot that ends a branch: where it went */
	uint64_t mask; /* of sequence numbers, to slots of `uop` */
	uint64_t head, dispatched, fetched;
	uint64_t barrier; /* nothing dispatches while head is below it */
	uint64_t *ready; /* a bit per slot: can issue */
	uint64_t *loads; /* a bit per slot: has an address and waits for access */
	uint32_t queued; /* entries of the load/store queue in use */
};

/* Which operation writes what: sequence number · LISTS + list. */
struct renaming {
	uint64_t writer[WM_HW_REGISTERS]; /* each register last */
	uint64_t result, update; /* the destinations of the instruction that is being dispatched */
};

struct commit {
	struct wm_hw_branch_queue queue;
	struct wm_hw_events events; /* since the last branch, without cycles */
	uint64_t counted; /* cycles that were reported */
	bool stalled; /* the queue refused a branch … */
	uint64_t stalled_at; /* … in this cycle, and has since */
	struct wm_hw_core_stats stats;
};

struct wm_hw_core {
	struct wm_hw_core_config config;
	struct wm_hw_core_parts parts;
	uint64_t now;
	bool acted; /* something happened in this cycle */
	struct window window;
	struct renaming renaming;
	uint64_t free_at[WM_HW_UNIT_COUNT][WM_HW_UNITS_MAX]; /* cycle in which a unit takes operations again */
	struct wheel wheel;
	struct store_queue stores;
	struct fetch fetch;
	struct accesses accesses;
	struct commit commit;
};

static inline uint32_t slot_of(const struct window *window, uint64_t sequence)
{
	return (uint32_t)(sequence & window->mask);
}

static inline void bit_set(uint64_t *bits, uint64_t index)
{
	bits[index / 64] |= UINT64_C(1) << index % 64;
}

static inline void bit_clear(uint64_t *bits, uint64_t index)
{
	bits[index / 64] &= ~(UINT64_C(1) << index % 64);
}

/* The first number from `from` on, below `end`, whose bit is set in a ring of mask + 1 bits,
 * a multiple of 64; or `end`. */
static inline uint64_t bit_next(const uint64_t *bits, uint64_t mask, uint64_t from, uint64_t end)
{
	while (from < end) {
		uint64_t index = from & mask, word = bits[index / 64] >> index % 64;
		if (word) {
			from += (uint64_t)__builtin_ctzll(word);
			return from < end ? from : end;
		}
		from += 64 - index % 64;
	}
	return end;
}

/* Runs the stages from commit to dispatch in the next cycle in which something can happen. */
void wm_hw_pipeline_cycle(struct wm_hw_core *core);
/* Lets the operation in `slot` complete, or have its address, `latency` cycles from now. */
void wm_hw_pipeline_schedule(struct wm_hw_core *core, uint32_t slot, uint64_t latency);
/* Makes source `link` of the operation in `consumer` wait for a list of the operation in `producer`. */
void wm_hw_pipeline_consume(struct window *window, uint32_t producer, int list, uint32_t consumer, uint32_t link);

void wm_hw_pipeline_issue(struct wm_hw_core *core);
void wm_hw_pipeline_access_loads(struct wm_hw_core *core);
/* A unit that is free in this cycle, to be set to the cycle in which it is free again; NULL: none is. */
uint64_t *wm_hw_pipeline_free_unit(struct wm_hw_core *core, enum wm_hw_unit unit);
/* Reads or writes the data cache for the operation in `slot`; returns the latency. */
uint32_t wm_hw_pipeline_access_cache(struct wm_hw_core *core, uint32_t slot);
/* Gives the energy of this cycle's accesses to the data cache to the operations that made them. */
void wm_hw_pipeline_apportion(struct wm_hw_core *core);

#endif
