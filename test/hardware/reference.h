/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Brute force for the detector and the table.  The reference detector descends recursively
 * where the detector keeps a stack, and the reference table scans all its entries; they
 * share descriptors and configurations with the models, and no code.
 */
#ifndef WM_TEST_HARDWARE_REFERENCE_H
#define WM_TEST_HARDWARE_REFERENCE_H

#include "hardware/model/hot_path_table.h"

struct trace {
	struct wm_hw_committed *branch;
	size_t count;
};

struct paths {
	struct wm_hw_finished *path; /* in the order in which they finish */
	size_t count, capacity;
};

uint32_t random_next(uint64_t *state);

/* Random branches of a small program: addresses and targets repeat.  Returns may leave the
 * procedure the trace starts in.  Without frame addresses. */
void trace_random(struct trace *trace, uint64_t *state, size_t count);
void trace_release(struct trace *trace);

/* The paths of a thread that starts at address 0; unbounded stack, nesting control. */
void reference_paths(struct paths *paths, const struct trace *trace, const struct wm_hw_control *control);
/* The paths the detector finds. */
void detector_paths(struct paths *paths, const struct trace *trace, const struct wm_hw_detector_config *config);
void paths_release(struct paths *paths);

#endif
