/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Branch prediction: a direction predictor for conditional branches, a branch target buffer
 * and a return address stack.
 *
 * The predictor is trained with the outcome of a branch before the next branch is predicted,
 * so that a program has the same mispredictions with and without a core.  It never sees
 * branches of a wrong path.
 */
#ifndef WM_HARDWARE_PREDICTOR_H
#define WM_HARDWARE_PREDICTOR_H

#include "hardware/model/cache.h"
#include "hardware/model/insn.h"
#include "hardware/model/path.h"

enum wm_hw_direction {
	WM_HW_PERFECT, /* every branch, whatever its kind, is predicted */
	WM_HW_BIMODAL, /* 2-bit counters, selected by the address */
	WM_HW_TWO_LEVEL, /* 2-bit counters, selected by recent outcomes and the address */
	WM_HW_HYBRID     /* both, and 2-bit counters, selected by the address, that choose between them */
};

struct wm_hw_predictor_config {
	enum wm_hw_direction direction;
	uint32_t bimodal_entries;
	uint32_t two_level_entries;
	uint32_t history_registers; /* selected by the address; 1: a global history */
	uint32_t history_bits; /* outcomes in each history, at most 32 */
	bool xor_address; /* history ^ address (gshare); otherwise address << history_bits | history */
	uint32_t meta_entries;
	uint32_t btb_entries, btb_ways;
	uint32_t return_entries;
	uint32_t address_shift; /* low bits of an address that tell no two instructions apart: 0 on x86, 2 on AArch64 */
};

/* Table 5.3: gshare of 8K with 12 bits of history, bimodal of 8K, meta of 1K, BTB of 2K in 4
 * ways, return stack of 32. */
struct wm_hw_predictor_config wm_hw_predictor_table_5_3(void);
/* Table 5.4: a two-level predictor of 2K, or a hybrid of a bimodal one of 8K, a two-level one
 * of 2K, and meta of 8K.  The thesis does not give the history: it is global, of 8 bits, and
 * not combined by exclusive or, SimpleScalar's default.  The rest is as in table 5.3. */
struct wm_hw_predictor_config wm_hw_predictor_table_5_4_low(void);
struct wm_hw_predictor_config wm_hw_predictor_table_5_4_high(void);

struct wm_hw_predictor {
	struct wm_hw_predictor_config config;
	uint8_t *bimodal, *two_level, *meta; /* counters 0…3; 2 and 3: taken, or the two-level prediction */
	uint32_t *history;
	struct wm_hw_cache btb;
	uint64_t *returns; /* a ring: calls deeper than it overwrite the oldest */
	uint32_t return_top, return_count;
	uint64_t branches, mispredictions, misfetches;
};

enum wm_hw_prediction {
	WM_HW_PREDICTED,
	WM_HW_MISFETCHED, /* a direct branch went the predicted way, but its target was unknown before it was decoded */
	WM_HW_MISPREDICTED, /* wrong direction, or wrong target of an indirect branch or return */
};

/* WM_HW_BAD_CONFIG when a table that is used has no power of two as its number of entries, the BTB
 * has no such number of sets, there is no return entry, or there are more than 32 bits of
 * history; WM_HW_NO_MEMORY.  Counters start at 2, weakly taken; histories at 0. */
enum wm_hw_status wm_hw_predictor_init(
	struct wm_hw_predictor *predictor, const struct wm_hw_predictor_config *config, struct wm_arena *arena);

/* Predicts `branch`, which went to `next`, and learns from it. */
enum wm_hw_prediction wm_hw_predictor_branch(
	struct wm_hw_predictor *predictor, const struct wm_hw_insn *branch, uint64_t next, bool taken);

/* Predicts the branch that retired in a step, if any, and adds the misprediction to `events`. */
void wm_hw_predictor_step(
	struct wm_hw_predictor *predictor, const struct wm_hw_step *step, struct wm_hw_events *events);

#endif
