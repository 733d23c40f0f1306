/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The complete profile: an unbounded table of paths with exact sums of all their events,
 * against which the bounded table is judged.
 */
#ifndef WM_HARDWARE_PATHMAP_H
#define WM_HARDWARE_PATHMAP_H

#include "hardware/model/detector.h"

struct wm_hw_pathmap {
	struct wm_hw_finished *path; /* in the order of their first execution; owned */
	size_t count, capacity;
	uint32_t *slot; /* index + 1 into `path`; 0: free */
	uint32_t slot_bits;
	bool plain; /* set it when only frequency and instructions are ever added, which saves time */
};

enum wm_hw_status wm_hw_pathmap_init(struct wm_hw_pathmap *map);
void wm_hw_pathmap_release(struct wm_hw_pathmap *map);
/* Forgets all paths and keeps the memory. */
void wm_hw_pathmap_clear(struct wm_hw_pathmap *map);
/* Adds to the path's events, or adds the path.  Expected constant time. */
enum wm_hw_status wm_hw_pathmap_add(struct wm_hw_pathmap *map, const struct wm_hw_finished *finished);
/* The sum over all paths. */
uint64_t wm_hw_pathmap_total(const struct wm_hw_pathmap *map, enum wm_hw_metric metric);
/* NULL: never executed. */
const struct wm_hw_finished *wm_hw_pathmap_find(const struct wm_hw_pathmap *map, const struct wm_hw_path *path);
/* The indices of all paths, most events of `metric` first, equal ones by descriptor:
 * malloc'd, NULL when there is no memory.  A map without paths gives a valid pointer. */
uint32_t *wm_hw_pathmap_order(const struct wm_hw_pathmap *map, enum wm_hw_metric metric);

#endif
