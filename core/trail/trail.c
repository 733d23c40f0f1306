/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/trail/trail.h"

bool wm_trail_calls_next(const struct wm_trail *trail, uint32_t step)
{
	return step + 1 < trail->count && trail->step[step + 1].kind == WM_TRAIL_CALL;
}

bool wm_trail_is_entry(const struct wm_trail *trail, uint32_t step)
{
	const struct wm_trail_step *entered = &trail->step[step];
	return entered->kind == WM_TRAIL_BLOCK && entered->block == 0 && !entered->restart &&
	       (step == 0 || entered[-1].kind == WM_TRAIL_CALL);
}

bool wm_trail_same_step(const struct wm_trail_step *a, const struct wm_trail_step *b)
{
	return a->kind == b->kind && a->function == b->function && a->block == b->block && a->site == b->site;
}

uint32_t wm_trail_common(const struct wm_trail *a, const struct wm_trail *b)
{
	uint32_t common = 0;
	while (common < a->count && common < b->count && wm_trail_same_step(&a->step[common], &b->step[common]))
		common++;
	return common;
}
