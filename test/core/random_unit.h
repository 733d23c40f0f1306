/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random units for tests, the same for the same seed: 2 to 8 functions with recursion, shared callees, functions that never
 * return, several calls in a block, unknown callees, calls that unwind, calls and exits that do not return, and calls before such
 * exits. */
#ifndef WM_TEST_CORE_RANDOM_UNIT_H
#define WM_TEST_CORE_RANDOM_UNIT_H

#include "core/scheme/unit_plan.h"
#include "test/core/random_graph.h"

struct unit_sample {
	struct wm_arena arena;
	struct random random;
	struct wm_unit unit;
	bool *entry, *handler, **over; /* as in struct wm_unit_request */
};
void unit_sample_init(struct unit_sample *sample, uint64_t seed);
void unit_sample_release(struct unit_sample *sample);
/* False when there is no plan under this limit; 0: none. */
bool unit_sample_plan(struct unit_sample *sample, const char *scheme, uint64_t limit, struct wm_unit_plan *plan);

/* NULL-terminated. */
extern const struct wm_scheme *const crossing_schemes[];
const struct wm_scheme *unit_scheme(const char *name);
/* Per function: weights that make any spanning tree possible. */
struct wm_weights *random_weights(const struct wm_unit *unit, struct random *random, struct wm_arena *arena);

#endif
