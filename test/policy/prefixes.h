/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks core/probes/prefix_sums.h along a walk: in every block, the prefix that the registers stand for is what was walked since
 * the path began. */
#ifndef WM_TEST_POLICY_PREFIXES_H
#define WM_TEST_POLICY_PREFIXES_H

#include "core/probes/machine.h"
#include "core/probes/prefix_sums.h"
#include "policy/counting_choice.h"

struct prefixes {
	const struct wm_store_choice *choice;
	const struct wm_plan *plan;
	struct wm_prefix_sums sums;
	uint64_t second, saved; /* the second register */
	uint32_t *path; /* instances of blocks since the path began */
	uint32_t length;
	struct wm_arena arena;
};
/* How often S was known, by its place. */
extern uint32_t prefixes_seen[WM_PREFIX_SECOND + 1];

/* `plan`: of the function, without a shape.  `second`: there may be a second register. */
void prefixes_init(struct prefixes *p, const struct wm_plan *plan, const struct wm_store_choice *choice, bool second);
/* The machine has entered its function. */
void prefixes_enter(struct prefixes *p, const struct wm_machine *machine);
/* The machine has taken an edge from `from`. */
void prefixes_step(struct prefixes *p, const struct wm_machine *machine, uint32_t from);
void prefixes_release(struct prefixes *p);

#endif
