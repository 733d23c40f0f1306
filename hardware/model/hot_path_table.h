/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The hot path table (thesis, section 5.4): a set-associative table of path descriptors,
 * each with a 32-bit accumulator of one metric.
 */
#ifndef WM_HARDWARE_MODEL_HOT_PATH_TABLE_H
#define WM_HARDWARE_MODEL_HOT_PATH_TABLE_H

#include "hardware/model/pathmap.h"

enum wm_hw_index {
	WM_HW_INDEX_ADDRESS, /* low bits of the start address */
	WM_HW_INDEX_XOR, /* low bits of start address, length and outcomes, folded to 8 bits' distance */
};
enum wm_hw_replacement { WM_HW_LFU, WM_HW_LRU };

struct wm_hw_table_config {
	uint32_t entries, ways; /* entries / ways is a power of two */
	enum wm_hw_index index;
	enum wm_hw_replacement replacement;
	enum wm_hw_metric metric;
	/* Width of the path event counter that feeds the table, 1 … 32 bits; it saturates. */
	uint32_t counter_bits;
};

/* 512 entries, 4 ways, xor, LFU, frequency, 8 bits. */
extern const struct wm_hw_table_config wm_hw_table_default;

struct wm_hw_table_entry {
	struct wm_hw_path path;
	uint64_t used; /* when it was last updated; 0: the entry is free */
	uint32_t sum;
};

struct wm_hw_table_stats {
	uint64_t updates, misses; /* a miss inserts, and may replace */
	uint64_t replaced;
	uint64_t saturated_paths, saturated_events; /* executions beyond the counter, events lost by it */
	uint64_t full_sums; /* updates that found the accumulator at its maximum */
};

struct wm_hw_table {
	struct wm_hw_table_config config;
	struct wm_hw_table_entry *entry; /* set by set; owned */
	uint64_t clock;
	struct wm_hw_table_stats stats;
};

/* WM_HW_BAD_CONFIG: a number out of its range. */
enum wm_hw_status wm_hw_table_init(struct wm_hw_table *table, const struct wm_hw_table_config *config);
void wm_hw_table_release(struct wm_hw_table *table);
/* Forgets all paths and keeps the statistics. */
void wm_hw_table_clear(struct wm_hw_table *table);

/* A path leaves the path stack.  A path without events of the table's metric is not looked
 * up: it would add nothing, and replace something.  *missed says whether the path was looked
 * up and was not in the table. */
void wm_hw_table_update(struct wm_hw_table *table, const struct wm_hw_finished *finished, bool *missed);

/* The sum of all accumulators. */
uint64_t wm_hw_table_total(const struct wm_hw_table *table);
/* Real estate: descriptors of `address_bits` + length + outcomes, and accumulators. */
uint64_t wm_hw_table_bytes(const struct wm_hw_table_config *config, uint32_t address_bits);

/* The overlap of the table with the complete profile, between 0 and 1: the sum over all
 * paths of the lesser of its shares in both.  1 when neither has any event. */
double wm_hw_table_overlap(const struct wm_hw_table *table, const struct wm_hw_pathmap *complete);
/* The same of two metrics of one complete profile. */
double wm_hw_metric_overlap(const struct wm_hw_pathmap *map, enum wm_hw_metric a, enum wm_hw_metric b);

#endif
