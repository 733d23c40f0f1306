/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Random runs of a unit: the machine counts by the probes, and beside it every path is written down by its
 * definition (unit_oracle.h).  Calls return, unwind, jump back to an earlier setjmp, or turn out not to be instrumented; functions that are not
 * crossed into run as callbacks of unknown callees and as signal handlers between any two actions.
 */
#ifndef WM_TEST_CORE_UNIT_RUN_H
#define WM_TEST_CORE_UNIT_RUN_H

#include "core/probes/machine.h"
#include "test/core/random_graph.h"
#include "test/core/unit_oracle.h"

struct unit_run {
	const struct unit_oracle *oracle;
	struct random *random;
	struct wm_machine machine;
	const struct wm_path_set *tested; /* of a residual build, which does not count them; else NULL */
	uint32_t handler_count;
	uint32_t *handler; /* functions that may run at any time */
	uint32_t entry_count;
	uint32_t *entry; /* functions that unknown callees may call */
	bool vanishes; /* crossed calls may turn out not to be instrumented */
	uint64_t *counted, *expected; /* per id */
	uint64_t abandoned; /* as the definition has it */
	uint64_t resumed; /* likewise: paths that begin at landing pads, except after a call that cuts paths */
	bool cut_short; /* a run was ended by its driver, perhaps inside a handler, which loses the mailbox */
	uint32_t interrupts, caught, poisoned, jumps, pending, held, inlined; /* how often it happened */
	uint32_t last_crossed, last_over; /* calls that do not return */
	/* State. */
	uint32_t steps, depth;
	bool stopped;
};

/* One activation of a root. */
void unit_run(struct unit_run *run, uint32_t function);
/* The counters and the interrupt of run->machine. */
struct wm_counters unit_run_counters(struct unit_run *run);
void unit_run_interrupt(void *closure);

#endif
