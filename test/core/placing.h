/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Probe programs for tests, by the list of passes, and machines that report every path by its total. */
#ifndef WM_TEST_CORE_PLACING_H
#define WM_TEST_CORE_PLACING_H

#include "core/probes/machine.h"
#include "core/probes/passes.h"

/* Runs the list up to the pass `after`, for plain counting.  `weights` may be NULL for the naive placement. */
enum wm_status place_plain(const struct wm_plan *plan, enum wm_placement placement, const struct wm_weights *weights,
	const char *after, struct wm_probe_program *program, struct wm_arena *arena);

/* Calls `count` once for every execution of a path. */
struct each_path {
	void (*count)(void *closure, uint64_t total);
	void *closure;
};
struct wm_counters count_each_path(struct each_path *each);

#endif
