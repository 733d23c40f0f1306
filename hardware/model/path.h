/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Path descriptors (thesis, section 5.2) and the events that are counted along paths
 * (section 5.3).
 */
#ifndef WM_HARDWARE_PATH_H
#define WM_HARDWARE_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WM_HW_MAX_BRANCHES 32

/* What hardware/model functions return; outputs are untouched unless WM_HW_OK. */
enum wm_hw_status { WM_HW_OK = 0, WM_HW_NO_MEMORY, WM_HW_BAD_CONFIG };

/* A path: where it starts and the outcome of each branch along it.  Bit i of `outcomes` is
 * the i-th branch: 1 when it was taken or is unconditional.  Bits from `length` on are 0. */
struct wm_hw_path {
	uint64_t start;
	uint32_t outcomes;
	uint32_t length; /* branches, at most WM_HW_MAX_BRANCHES */
};

static inline bool wm_hw_path_equal(const struct wm_hw_path *a, const struct wm_hw_path *b)
{
	return a->start == b->start && a->outcomes == b->outcomes && a->length == b->length;
}

/* By start, length and outcomes. */
static inline int wm_hw_path_compare(const struct wm_hw_path *a, const struct wm_hw_path *b)
{
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	return a->outcomes < b->outcomes ? -1 : a->outcomes > b->outcomes;
}

/* The events a path may be associated with.  WM_HW_FREQUENCY counts executions of the path
 * itself, so no instruction causes it. */
enum wm_hw_metric {
	WM_HW_FREQUENCY,
	WM_HW_INSTRUCTIONS,
	WM_HW_L1_MISSES, /* instruction and data cache */
	WM_HW_L2_MISSES,
	WM_HW_MISPREDICTIONS,
	WM_HW_ENERGY, /* of the caches, by the analytical model (energy.h) */
	WM_HW_CYCLE_ENERGY, /* of the caches, by the cycle-level model */
	WM_HW_CYCLES, /* of the core, from one commit to the next */
	WM_HW_METRIC_COUNT
};

/* "frequency", "l2-misses", …; the names of options and of JSON members. */
const char *wm_hw_metric_name(enum wm_hw_metric metric);
/* WM_HW_METRIC_COUNT when there is no such name. */
enum wm_hw_metric wm_hw_metric_find(const char *name);

struct wm_hw_events {
	uint64_t count[WM_HW_METRIC_COUNT];
};

static inline void wm_hw_events_add(struct wm_hw_events *restrict sum, const struct wm_hw_events *restrict more)
{
	for (size_t i = 0; i < WM_HW_METRIC_COUNT; i++)
		sum->count[i] += more->count[i];
}

#endif
