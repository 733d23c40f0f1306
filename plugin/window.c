/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/window.h"
#include "plugin/shim.h"

enum { LOOP_REGISTERS = 3 };

uint32_t wm_window_ir_registers(const struct wm_probe_program *program)
{
	return program->saved_count + (program->window_count ? LOOP_REGISTERS : 0);
}

LLVMValueRef *wm_window_ir_register(struct wm_window_ir *ir, uint32_t i)
{
	if (i < ir->program->saved_count)
		return &ir->saved[i];
	LLVMValueRef *const of_loops[LOOP_REGISTERS] = {&ir->sum, &ir->window, &ir->done};
	return of_loops[i - ir->program->saved_count];
}

static LLVMValueRef constant(const struct wm_window_ir *ir, uint64_t value)
{
	return LLVMConstInt(ir->i64, value, false);
}

static LLVMValueRef load(const struct wm_window_ir *ir, LLVMValueRef variable)
{
	return LLVMBuildLoad2(ir->builder, ir->i64, variable, "");
}

static LLVMValueRef add(const struct wm_window_ir *ir, LLVMValueRef a, LLVMValueRef b)
{
	return LLVMBuildAdd(ir->builder, a, b, "");
}

static LLVMValueRef multiply(const struct wm_window_ir *ir, LLVMValueRef value, uint64_t factor)
{
	return LLVMBuildMul(ir->builder, value, constant(ir, factor), "");
}

/* r with what the step adds to it first. */
static LLVMValueRef before_step(const struct wm_window_ir *ir, const struct wm_window_step *step)
{
	LLVMValueRef before = constant(ir, (uint64_t)step->before);
	return step->known ? before : add(ir, load(ir, ir->path), before);
}

/* wm_window_split, in IR. */
struct fields {
	LLVMValueRef rank, last, left;
};

static LLVMValueRef bits(const struct wm_window_ir *ir, LLVMValueRef r, unsigned from, unsigned to)
{
	if (from == to)
		return constant(ir, 0);
	LLVMValueRef low = LLVMBuildLShr(ir->builder, r, constant(ir, from), "");
	return to == 64 ? low : LLVMBuildAnd(ir->builder, low, constant(ir, ((uint64_t)1 << (to - from)) - 1), "");
}

static struct fields split(const struct wm_window_ir *ir, const struct wm_window_step *step)
{
	const struct wm_window_loop *loop = &ir->program->window[step->loop];
	LLVMValueRef r = before_step(ir, step);
	struct fields fields = {
		.rank = bits(ir, r, loop->rank_shift, 64),
		.last = bits(ir, r, 0, loop->skip_shift),
	};
	LLVMValueRef skips = bits(ir, r, loop->skip_shift, loop->rank_shift);
	fields.left = LLVMBuildSub(ir->builder, fields.last, fields.rank, "");
	fields.left = add(ir, add(ir, fields.left, skips), constant(ir, (uint64_t)step->left));
	return fields;
}

/* A constant table for k > 2; one entry more, so that `done` is always an index. */
static LLVMValueRef paths_table(const struct wm_window_ir *ir, const struct wm_window_loop *loop)
{
	LLVMValueRef entries[WM_MAX_K];
	for (uint32_t i = 0; i < loop->k; i++)
		entries[i] = constant(ir, i + 1 < loop->k ? loop->paths[i] : 0);
	LLVMValueRef table = LLVMAddGlobal(ir->module, LLVMArrayType2(ir->i64, loop->k), "__wm_paths");
	LLVMSetInitializer(table, LLVMConstArray2(ir->i64, entries, loop->k));
	LLVMSetGlobalConstant(table, true);
	LLVMSetLinkage(table, LLVMPrivateLinkage);
	LLVMSetUnnamedAddress(table, LLVMGlobalUnnamedAddr);
	return table;
}

static LLVMValueRef is_early(
	const struct wm_window_ir *ir, const struct wm_window_loop *loop, LLVMIntPredicate predicate)
{
	return LLVMBuildICmp(ir->builder, predicate, load(ir, ir->done), constant(ir, loop->k - 1), "");
}

/* What the current iteration adds to `sum` in a version below k. */
static LLVMValueRef early_value(
	const struct wm_window_ir *ir, const struct wm_window_loop *loop, const struct fields *fields)
{
	LLVMValueRef paths = constant(ir, loop->paths[0]);
	if (loop->k > 2) {
		LLVMValueRef done = load(ir, ir->done);
		LLVMValueRef last = constant(ir, loop->k - 1);
		if (loop->trips)
			done = LLVMBuildSelect(ir->builder, is_early(ir, loop, LLVMIntULT), done, last, "");
		paths = load(ir, LLVMBuildGEP2(ir->builder, ir->i64, paths_table(ir, loop), &done, 1, ""));
	}
	return add(ir, LLVMBuildMul(ir->builder, fields->rank, paths, ""), fields->left);
}

/* The digits with one more behind them. */
static LLVMValueRef shifted_window(
	const struct wm_window_ir *ir, const struct wm_window_loop *loop, const struct fields *fields)
{
	if (loop->k == 2 || loop->iterations == 1)
		return fields->rank;
	return add(ir, multiply(ir, load(ir, ir->window), loop->iterations), fields->rank);
}

static void enter(const struct wm_window_ir *ir, const struct wm_window_step *step)
{
	LLVMBuildStore(ir->builder, before_step(ir, step), ir->sum);
	LLVMBuildStore(ir->builder, constant(ir, 0), ir->window);
	LLVMBuildStore(ir->builder, constant(ir, 0), ir->done);
	LLVMBuildStore(ir->builder, constant(ir, (uint64_t)step->after), ir->path);
}

static void count_up(const struct wm_window_ir *ir)
{
	LLVMBuildStore(ir->builder, add(ir, load(ir, ir->done), constant(ir, 1)), ir->done);
}

static void push_late(const struct wm_window_ir *ir, const struct wm_window_loop *loop, const struct fields *fields,
	LLVMValueRef before)
{
	LLVMPositionBuilderBefore(ir->builder, before);
	ir->count(ir->closure, add(ir, load(ir, ir->sum), fields->last), constant(ir, 1), before);
	LLVMValueRef window = shifted_window(ir, loop, fields);
	if (loop->k > 2 && loop->iterations > 1)
		window = LLVMBuildURem(ir->builder, window, constant(ir, loop->modulus), "");
	LLVMBuildStore(ir->builder, window, ir->window);
	LLVMValueRef sum = add(ir, multiply(ir, window, loop->last_paths), constant(ir, loop->base));
	LLVMBuildStore(ir->builder, sum, ir->sum);
}

static void push_early(const struct wm_window_ir *ir, const struct wm_window_loop *loop, const struct fields *fields,
	LLVMValueRef before)
{
	LLVMPositionBuilderBefore(ir->builder, before);
	LLVMBuildStore(ir->builder, add(ir, load(ir, ir->sum), early_value(ir, loop, fields)), ir->sum);
	LLVMBuildStore(ir->builder, shifted_window(ir, loop, fields), ir->window);
	count_up(ir);
}

static void push(const struct wm_window_ir *ir, const struct wm_window_step *step, LLVMValueRef before)
{
	const struct wm_window_loop *loop = &ir->program->window[step->loop];
	if (loop->trips) {
		count_up(ir);
		return;
	}
	struct fields fields = split(ir, step);
	LLVMValueRef late, early;
	/* The only one there is. */
	if (loop->iterations == 1)
		fields.rank = constant(ir, 0);
	wm_shim_if_likely_else(is_early(ir, loop, LLVMIntEQ), before, &late, &early);
	push_late(ir, loop, &fields, late);
	push_early(ir, loop, &fields, early);
	LLVMPositionBuilderBefore(ir->builder, before);
	LLVMBuildStore(ir->builder, constant(ir, (uint64_t)step->after), ir->path);
}

/* The trips of a loop that did not count them; `sum` is then that of the current one. */
static void count_trips(const struct wm_window_ir *ir, const struct wm_window_loop *loop, LLVMValueRef before)
{
	LLVMValueRef done = load(ir, ir->done), sum = load(ir, ir->sum), many, few;
	LLVMValueRef k = constant(ir, loop->k), again = constant(ir, loop->base + loop->only_last);
	wm_shim_if_likely_else(LLVMBuildICmp(ir->builder, LLVMIntUGE, done, k, ""), before, &many, &few);
	LLVMPositionBuilderBefore(ir->builder, few);
	LLVMBuildStore(ir->builder, add(ir, sum, multiply(ir, done, loop->only_left)), ir->sum);
	LLVMPositionBuilderBefore(ir->builder, many);
	uint64_t first = (loop->k - 1) * loop->only_left + loop->only_last;
	ir->count(ir->closure, add(ir, sum, constant(ir, first)), constant(ir, 1), many);
	ir->count(ir->closure, again, LLVMBuildSub(ir->builder, done, k, ""), many);
	LLVMBuildStore(ir->builder, constant(ir, loop->base), ir->sum);
	LLVMPositionBuilderBefore(ir->builder, before);
}

static void leave(const struct wm_window_ir *ir, const struct wm_window_step *step, LLVMValueRef before)
{
	const struct wm_window_loop *loop = &ir->program->window[step->loop];
	if (loop->trips)
		count_trips(ir, loop, before);
	struct fields fields = split(ir, step);
	LLVMValueRef early = early_value(ir, loop, &fields);
	LLVMValueRef value = LLVMBuildSelect(ir->builder, is_early(ir, loop, LLVMIntULT), early, fields.last, "");
	value = add(ir, add(ir, load(ir, ir->sum), value), constant(ir, (uint64_t)step->after));
	LLVMBuildStore(ir->builder, value, ir->path);
}

void wm_window_ir_action(struct wm_window_ir *ir, struct wm_action action, LLVMValueRef before)
{
	switch (action.kind) {
	case WM_ACTION_SAVE:
		LLVMBuildStore(ir->builder, load(ir, ir->path), ir->saved[action.value]);
		break;
	case WM_ACTION_RESTORE:
		LLVMBuildStore(ir->builder, load(ir, ir->saved[action.value]), ir->path);
		break;
	case WM_ACTION_ENTER:
		enter(ir, &ir->program->step[action.value]);
		break;
	case WM_ACTION_PUSH:
		push(ir, &ir->program->step[action.value], before);
		break;
	case WM_ACTION_LEAVE:
		leave(ir, &ir->program->step[action.value], before);
		break;
	}
}
