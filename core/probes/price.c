/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/probes/price.h"
#include <assert.h>

/* The cost of looking up a path that left the core: a mispredicted call, two multiplications and two loads. */
#define LEFT_CORE 16
/* The assumed share of wrong guesses.  A guess is right in more than half of the recorded executions. */
#define MISSES (1.0 / 4)

/* A constant that does not fit an immediate operand must be loaded first. */
static double with_constant(const struct wm_counting *counting, int64_t value)
{
	return counting->width == 64 && value != (int32_t)value ? 2 : 1;
}

/* The price of an end on tested paths.  Comparing with a guess saves the addition of `addend`. */
static double end_price(const struct wm_counting *counting, const struct wm_probe *end, int64_t addend)
{
	double sum = 0, share = 1, add = addend ? with_constant(counting, addend) : 0;
	for (uint32_t i = 0; i < end->count; i++) {
		const struct wm_action *action = &end->action[i];
		switch ((enum wm_action_kind)action->kind) {
		case WM_ACTION_GUESS:
			sum += share *
			       (1 + with_constant(counting, (int64_t)((uint64_t)action->value - (uint64_t)addend)));
			share *= MISSES;
			break;
		case WM_ACTION_SIGN:
			return sum + share * (2 + add);
		case WM_ACTION_LOOKUP:
		case WM_ACTION_MEMBER:
			return sum + share * (add + wm_counting_lookup_price(counting));
		case WM_ACTION_COLD:
		case WM_ACTION_CALL:
			return sum; /* tested paths do not reach this action */
		case WM_ACTION_CELL:
		case WM_ACTION_ARRAY:
		case WM_ACTION_HASH:
		case WM_ACTION_SEEN:
		case WM_ACTION_TESTED:
		case WM_ACTION_ALONE:
		case WM_ACTION_PIECES:
		case WM_ACTION_APPEND:
		case WM_ACTION_SETTLED:
		case WM_ACTION_NUMBER:
			sum += share * wm_action_rows[action->kind].price;
			break;
			WM_EVENT_ACTIONS(WM_CASE)
			WM_UNIT_ACTIONS(WM_CASE)
			assert(!"an action that no end has");
			break;
		}
	}
	return sum;
}

static double action_price(
	const struct wm_counting *counting, const struct wm_probe_program *program, const struct wm_action *action)
{
	if (action->kind == WM_ACTION_ADD)
		return with_constant(counting, action->value);
	if (action->kind == WM_ACTION_COUNT)
		return end_price(counting, &program->end[action->end], action->value);
	return wm_action_rows[action->kind].price;
}

static double probe_price(
	const struct wm_counting *counting, const struct wm_probe_program *program, const struct wm_probe *probe)
{
	double sum = 0;
	for (uint32_t i = 0; i < probe->count; i++) {
		sum += action_price(counting, program, &probe->action[i]);
		i += (probe->action[i].flags & WM_SPARES) != 0;
	}
	return sum;
}

double wm_price(const struct wm_counting *counting, const struct wm_plan *plan, const struct wm_weights *weights,
	const uint64_t *left_core, const struct wm_probe_program *program)
{
	const struct wm_dag *dag = &plan->dag;
	double sum = 0;
	for (uint32_t e = 0; e < dag->edge_count; e++) {
		const struct wm_probe *probe = wm_probe_of((struct wm_probe_program *)program, dag, &dag->edge[e]);
		if (left_core && counting->membership.member[e] == WM_MEMBER_CORE)
			sum += LEFT_CORE * (double)left_core[e];
		if (probe)
			sum += wm_weights_of(weights, dag, &dag->edge[e]) * probe_price(counting, program, probe);
	}
	return sum;
}
