/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a compiled function would leave: counters of cells, and paths that the hash table or the runtime has. */
#ifndef WM_TEST_POLICY_COUNTERS_H
#define WM_TEST_POLICY_COUNTERS_H

#include "core/probes/machine.h"
#include "policy/counting_choice.h"

struct counters {
	const struct wm_store_choice *choice;
	uint32_t paths, cells;
	uint64_t *cell; /* per cell */
	uint64_t *called; /* per path id */
	uint64_t calls; /* of the runtime */
	struct wm_probed probed;
	struct wm_arena arena; /* of machines */
};
/* The choice must outlive it. */
void counters_init(struct counters *counters, const struct wm_store_choice *choice);
void counters_release(struct counters *counters);
/* Adds what was counted of every path to found[paths]. */
void counters_add_to(const struct counters *counters, uint64_t *found);

/* A machine that counts there. */
struct wm_machine counters_machine(struct counters *counters);

#endif
