/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/price.h"

/* A call that is foreseen badly, two multiplications and two loads. */
#define OUTSIDE 16
/* Where a loop is entered. */
#define WHICH_COPY 2

/* A constant that is no immediate operand has to be loaded first. */
static double with_constant(const struct wm_counting *counting, int64_t value)
{
	return counting->width == 64 && value != (int32_t)value ? 2 : 1;
}

static double lookup(const struct wm_counting *counting)
{
	if (counting->kind == WM_COUNT_PACKED)
		return 4;
	return counting->perfect.bucket_count ? 10 : 6;
}

/* Comparing with a guess spares the addition.  A guess that is no certainty is wrong up to half the time. */
static double end(const struct wm_counting *counting, uint32_t e, int64_t addend)
{
	enum wm_member member = (enum wm_member)counting->membership.end[e];
	bool marked = counting->kind != WM_COUNT_PACKED;
	double add = addend ? with_constant(counting, addend) : 0;
	if (member == WM_MEMBER_NONE || member == WM_MEMBER_ALL)
		return 0;
	if (member == WM_MEMBER_ONE)
		return 1 + with_constant(counting, (int64_t)counting->guess[e] - addend);
	if (marked && (member == WM_MEMBER_CLEAN || member == WM_MEMBER_CORE))
		return 2 + add;
	if (counting->guesses[e])
		return 1 + with_constant(counting, (int64_t)counting->guess[e] - addend) + (add + lookup(counting)) / 4;
	return add + lookup(counting);
}

static double action(const struct wm_counting *counting, uint32_t e, const struct wm_action *action)
{
	switch ((enum wm_action_kind)action->kind) {
	case WM_ACTION_ADD:
		return with_constant(counting, action->value);
	case WM_ACTION_COUNT:
		return counting->aside && counting->aside[e] ? 0 : end(counting, e, action->value);
	case WM_ACTION_COUNT_AT:
	case WM_ACTION_LOCAL_COUNT_AT:
		return 0;
	case WM_ACTION_LOCAL_COUNT:
		return 2;
	case WM_ACTION_LOCAL_LEAVE:
	case WM_ACTION_LOCAL_LEAVE_AT:
	case WM_ACTION_MARK:
		return 4;
	default:
		return 1;
	}
}

/* Where the guess is right the register often holds what the next path begins with (see build_set in emit.c). */
static bool is_spared(const struct wm_counting *counting, uint32_t e, const struct wm_probe *probe, uint8_t i)
{
	const struct wm_action *set = &probe->action[i], *count = set - 1;
	if (i == 0 || set->kind != WM_ACTION_SET || count->kind != WM_ACTION_COUNT || !counting->guesses[e] ||
		(counting->aside && counting->aside[e]))
		return false;
	uint64_t held = counting->guess[e] - (uint64_t)count->value, differs = held ^ (uint64_t)set->value;
	return counting->width == 64 ? !differs : !(uint32_t)differs;
}

/* Updates that no edge out of the core needs in this form are constants there. */
static bool is_constant(const struct wm_counting *counting, const struct wm_plan *plan, uint32_t e)
{
	const struct wm_dag_edge *edge = &plan->dag.edge[e];
	if (!counting->aside || (edge->kind != WM_EDGE_REAL && edge->kind != WM_EDGE_STOP) ||
		!wm_asides_within(&counting->asides, plan->graph, edge->cfg_edge))
		return false;
	return counting->single[edge->kind == WM_EDGE_STOP ? plan->dag.edge[edge->restart].to : edge->to];
}

double wm_price(const struct wm_counting *counting, const struct wm_plan *plan, const struct wm_weights *weights,
	const struct wm_probe_program *program)
{
	const struct wm_dag *dag = &plan->dag;
	double sum = counting->aside ? WHICH_COPY * counting->asides.entering : 0;
	for (uint32_t e = 0; e < dag->edge_count; e++) {
		if (counting->membership.end[e] == WM_MEMBER_CORE)
			sum += OUTSIDE * (double)counting->outside[e];
		else if (counting->aside && counting->aside[e])
			sum += lookup(counting) * (double)counting->outside[e];
		const struct wm_probe *probe = wm_probe_of((struct wm_probe_program *)program, dag, &dag->edge[e]);
		for (uint8_t i = 0; probe && i < probe->count; i++)
			if (!is_spared(counting, e, probe, i) &&
				!(probe->action[i].kind <= WM_ACTION_ADD && is_constant(counting, plan, e)))
				sum += wm_weights_of(weights, dag, &dag->edge[e]) *
				       action(counting, e, &probe->action[i]);
	}
	return sum;
}
