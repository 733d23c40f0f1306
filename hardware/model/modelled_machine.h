/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The machine one thread runs on: any of caches, branch predictor and out-of-order core.  It
 * turns steps into retired branches, each with the events since the branch before it.
 */
#ifndef WM_HARDWARE_MODEL_MODELLED_MACHINE_H
#define WM_HARDWARE_MODEL_MODELLED_MACHINE_H

#include "hardware/model/core_timing.h"
#include "hardware/model/detector.h"

struct wm_hw_machine_config {
	bool caches, predictor, core; /* a core includes both */
	struct wm_hw_memory_config memory_config;
	struct wm_hw_predictor_config predictor_config;
	struct wm_hw_core_config core_config;
	uint32_t queue; /* entries of the branch queue; with a core */
};

/* Table 5.3, and nothing switched on.  The branch queue is unbounded. */
struct wm_hw_machine_config wm_hw_machine_table_5_3(void);
/* After a change of caches: energies by the analytical model. */
void wm_hw_machine_set_energy(struct wm_hw_machine_config *config);

struct wm_hw_machine_sink {
	/* Called for every branch in order; returns what the path profiler needs for it, in
	 * cycles, which only a core asks for. */
	uint32_t (*branch)(void *closure, const struct wm_hw_committed *branch);
	void *closure;
};

struct wm_hw_machine;
enum wm_hw_status wm_hw_machine_new(struct wm_hw_machine **machine, const struct wm_hw_machine_config *config,
	const struct wm_hw_machine_sink *sink);
void wm_hw_machine_free(struct wm_hw_machine *machine);
/* Executes one step.  The blocks must live until wm_hw_machine_finish. */
void wm_hw_machine_step(struct wm_hw_machine *machine, const struct wm_hw_step *step);
/* The events since the last branch, which starts anew; only after a diverted step. */
struct wm_hw_events wm_hw_machine_take(struct wm_hw_machine *machine);
void wm_hw_machine_finish(struct wm_hw_machine *machine);
/* Zeroes without a core. */
struct wm_hw_core_stats wm_hw_machine_stats(const struct wm_hw_machine *machine);

#endif
