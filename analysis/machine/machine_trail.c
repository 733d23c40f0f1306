/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/machine/machine_trail.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>

struct builder {
	struct wm_hw_procedures *procedures;
	struct wm_trail_step *step; /* heap */
	uint32_t count;
	uint32_t depth;
	/* Per depth: the step into the block in which control is, or WM_NONE where the next instruction begins a block. */
	uint32_t open[WM_HW_CALLS_MAX + 1];
	uint32_t last; /* the step into the block in which control was last */
	uint32_t cut; /* the call site that was visited last, if nothing was visited after it */
	bool restarts; /* the path goes on after a backward branch */
};

static struct wm_trail_step *push_step(struct builder *b, enum wm_trail_kind kind)
{
	WM_XGROW(b->step, b->count);
	struct wm_trail_step *step = &b->step[b->count++];
	*step = (struct wm_trail_step){.kind = kind, .site = WM_NONE, .edge = WM_NONE, .depth = b->depth};
	return step;
}

static void begin_block(struct builder *b, uint64_t address)
{
	struct wm_trail_step *step = push_step(b, WM_TRAIL_BLOCK);
	step->function = wm_hw_procedure_at(b->procedures, address);
	step->block = wm_hw_block_at(b->procedures, step->function, address);
	step->restart = b->restarts;
	b->open[b->depth] = b->count - 1;
	b->restarts = false;
}

/* A call or a return that is part of the path, at the call of the block that is open at the caller's depth. */
static void push_crossing(struct builder *b, enum wm_trail_kind kind, uint32_t caller, uint32_t site)
{
	const struct wm_trail_step at = b->step[b->open[caller]];
	struct wm_trail_step *step = push_step(b, kind);
	step->function = at.function;
	step->block = at.block;
	step->site = site;
}

static void enter_callee(struct builder *b)
{
	uint32_t site = b->cut;
	b->depth++;
	push_crossing(b, WM_TRAIL_CALL, b->depth - 1, site);
	b->open[b->depth] = WM_NONE;
	b->cut = WM_NONE;
}

/* The call site is that of the last call at the depth of the caller that has not returned. */
static void leave_callee(struct builder *b)
{
	uint32_t i = b->count - 1;
	while (b->step[i].kind != WM_TRAIL_CALL || b->step[i].depth != b->depth)
		i--;
	b->depth--;
	push_crossing(b, WM_TRAIL_RETURN, b->depth, b->step[i].site);
}

/* The path leaves its block by the branch at its end. */
static void leave_block(struct builder *b, const struct wm_hw_visit *visit)
{
	struct wm_trail_step *step = &b->step[b->open[b->depth]];
	bool conditional = visit->insn->branch == WM_HW_CONDITIONAL;
	if (!conditional || visit->branches)
		step->edge = 2 * step->block + (!conditional || visit->taken);
	b->restarts =
		visit->insn->target && visit->insn->target <= visit->insn->address && (!conditional || visit->taken);
	b->open[b->depth] = WM_NONE;
}

static void take_instruction(void *closure, const struct wm_hw_visit *visit)
{
	struct builder *b = closure;
	enum wm_hw_branch branch = (enum wm_hw_branch)visit->insn->branch;
	bool call = branch == WM_HW_CALL || branch == WM_HW_CALL_INDIRECT;
	if (b->open[b->depth] == WM_NONE)
		begin_block(b, visit->insn->address);
	const struct wm_trail_step *at = &b->step[b->open[b->depth]];
	b->last = b->open[b->depth];
	b->cut =
		call ? wm_hw_site_at(b->procedures->procedure[at->function], at->block, visit->insn->address) : WM_NONE;
	if (visit->crosses && call)
		enter_callee(b);
	else if (visit->crosses)
		leave_callee(b);
	else if (branch != WM_HW_NO_BRANCH && !call)
		leave_block(b, visit);
}

/* What the end is in terms of every trail; its own name tells more. */
static enum wm_end trail_end(enum wm_hw_end end)
{
	switch (end) {
	case WM_HW_END_RETURN:
		return WM_END_RETURN;
	case WM_HW_END_BACKWARD:
		return WM_END_BACKEDGE;
	case WM_HW_END_CALL:
		return WM_END_CALL;
	case WM_HW_END_INDIRECT:
	case WM_HW_END_FORWARD:
	case WM_HW_END_SPLIT:
	case WM_HW_END_UNKNOWN:
		break;
	}
	return WM_END_CUT;
}

/* A call into code that is not known is where the path ends. */
static void drop_last_call(struct builder *b)
{
	if (b->count && b->step[b->count - 1].kind == WM_TRAIL_CALL)
		b->cut = b->step[--b->count].site;
}

enum wm_hw_end wm_hw_trail(struct wm_hw_procedures *procedures, const struct wm_hw_path *path,
	const struct wm_hw_control *control, struct wm_trail *trail, struct wm_arena *arena)
{
	struct builder b = {.procedures = procedures, .open = {WM_NONE}, .cut = WM_NONE};
	enum wm_hw_end end = wm_hw_walk(procedures->code, path, control, take_instruction, &b);
	drop_last_call(&b);
	*trail = (struct wm_trail){.count = b.count,
		.step = WM_NEW(arena, struct wm_trail_step, b.count + 1),
		.start = WM_START_CUT,
		.end = (uint8_t)trail_end(end),
		.last = b.last,
		.cut = b.cut};
	if (!trail->step)
		wm_no_memory();
	if (b.count) {
		memcpy(trail->step, b.step, b.count * sizeof *b.step);
		if (procedures->procedure[b.step->function]->address == path->start)
			trail->start = WM_START_ENTRY;
	}
	free(b.step);
	return end;
}
