/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/mcdc/evaluations.h"
#include "support/progress.h"
#include <string.h>

/* An expression while a path is followed. */
struct wm_progress {
	bool open;
	uint32_t expected; /* the next condition */
	uint32_t asked; /* the condition of which a branch is about to tell the value; WM_NONE: none */
	uint8_t *value;
};

enum wm_status wm_follower_init(struct wm_follower *f, struct wm_arena *arena)
{
	f->progress = WM_NEW(arena, struct wm_progress, f->expressions->count);
	for (uint32_t i = 0; f->progress && i < f->expressions->count; i++)
		if (!(f->progress[i].value = WM_NEW(arena, uint8_t, f->expressions->expression[i].count)))
			return WM_NO_MEMORY;
	return f->progress ? WM_OK : WM_NO_MEMORY;
}

static void tell(struct wm_follower *f, enum wm_evaluation_event event, uint32_t expression)
{
	if (f->active)
		f->take(f->closure, event, expression, f->progress[expression].value);
}

/* Condition `c` had this value. */
static void take_value(struct wm_follower *f, uint32_t expression, uint32_t c, bool value)
{
	struct wm_progress *p = &f->progress[expression];
	p->value[c] = value;
	p->asked = WM_NONE;
	p->expected = f->expressions->expression[expression].diagram.next[c][value];
	if (!wm_is_outcome(p->expected))
		return;
	tell(f, WM_EVALUATION_ENDED, expression);
	p->open = false;
}

static void begin(struct wm_follower *f, uint32_t expression)
{
	struct wm_progress *p = &f->progress[expression];
	p->open = true;
	p->expected = 0;
	memset(p->value, WM_NOT_EVALUATED, f->expressions->expression[expression].count);
	tell(f, WM_EVALUATION_BEGUN, expression);
}

static void lose(struct wm_follower *f, uint32_t expression)
{
	tell(f, WM_EVALUATION_LOST, expression);
	f->progress[expression].open = false;
}

/* The block ends with a condition; `ordinal` is that of the edge by which the path leaves, or WM_NONE. */
static void take_condition(struct wm_follower *f, struct wm_expression_place at, uint32_t ordinal)
{
	const struct wm_expression *expression = &f->expressions->expression[at.expression];
	const struct wm_operand *operand = &expression->operand[at.operand];
	struct wm_progress *p = &f->progress[at.expression];
	if (expression->obstacle || ordinal == WM_NONE)
		return;
	if (at.operand == 0)
		begin(f, at.expression);
	if (!p->open || p->expected != at.operand)
		return;
	switch (operand->kind) {
	case WM_OPERAND_BRANCH:
		take_value(f, at.expression, at.operand, ordinal == operand->true_edge);
		break;
	case WM_OPERAND_CONSTANT:
		take_value(f, at.expression, at.operand, operand->truth);
		break;
	case WM_OPERAND_TOLD:
		p->asked = at.operand;
		break;
	case WM_OPERAND_UNSEEN:
		lose(f, at.expression);
		break;
	}
}

/* The block ends with a branch that tells the value of a condition before it. */
static void take_told(struct wm_follower *f, uint32_t block, uint32_t ordinal)
{
	for (uint32_t i = 0; i < f->expressions->count && ordinal != WM_NONE; i++) {
		struct wm_progress *p = &f->progress[i];
		const struct wm_operand *asked =
			p->open && p->asked != WM_NONE ? &f->expressions->expression[i].operand[p->asked] : NULL;
		if (asked && asked->teller == block)
			take_value(f, i, p->asked, ordinal == asked->true_edge);
	}
}

/* The block computes conditions of ?: without a branch. */
static void lose_choices(struct wm_follower *f, uint32_t block, uint32_t first)
{
	const struct wm_expressions *all = f->expressions;
	for (uint32_t i = first; i < all->count && all->expression[i].operand[0].block == block; i++) {
		begin(f, i);
		lose(f, i);
	}
}

void wm_follow(struct wm_follower *f, const struct wm_trail *trail)
{
	const struct wm_graph *graph = f->graph;
	for (uint32_t i = 0; i < f->expressions->count; i++)
		f->progress[i].open = false, f->progress[i].asked = WM_NONE;
	for (uint32_t i = 0; i < trail->count; i++) {
		const struct wm_trail_step *step = &trail->step[i];
		uint32_t ordinal = step->edge == WM_NONE ? WM_NONE : step->edge - graph->first_edge[step->block];
		struct wm_expression_place at = f->expressions->at[step->block];
		f->active = i >= trail->fresh;
		if (graph->first_edge[step->block + 1] - graph->first_edge[step->block] > 1)
			take_told(f, step->block, ordinal);
		if (at.choice != WM_NONE)
			lose_choices(f, step->block, at.choice);
		if (at.expression != WM_NONE)
			take_condition(f, at, ordinal);
	}
}
