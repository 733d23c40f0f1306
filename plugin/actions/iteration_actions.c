/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/actions/iteration_actions.h"
#include "core/probes/iteration_window.h"

static LLVMValueRef constant(const struct wm_emission *e, uint64_t value)
{
	return wm_constant(e->emitter, value);
}

static LLVMValueRef load_variable(struct wm_emission *e, LLVMValueRef variable)
{
	return wm_load(e, e->emitter->i64, variable);
}

static LLVMValueRef build_sum(struct wm_emission *e, LLVMValueRef a, LLVMValueRef b)
{
	return LLVMBuildAdd(e->builder, a, b, "");
}

static LLVMValueRef build_product(struct wm_emission *e, LLVMValueRef value, uint64_t factor)
{
	return LLVMBuildMul(e->builder, value, constant(e, factor), "");
}

static void count_id(struct wm_emission *e, uint32_t end, LLVMValueRef id, LLVMValueRef amount, LLVMValueRef before)
{
	struct wm_total total = {id, 0};
	if (LLVMIsAConstantInt(id))
		total = (struct wm_total){NULL, (int64_t)LLVMConstIntGetZExtValue(id)};
	wm_emit_end(e, end, total, amount, before);
}

/* r after `before` of the step has been added. */
static LLVMValueRef before_step(struct wm_emission *e, const struct wm_window_step *step)
{
	LLVMValueRef before = constant(e, (uint64_t)step->before);
	return step->known ? before : build_sum(e, load_variable(e, e->reg.path), before);
}

/* wm_window_split, in IR. */
struct fields {
	LLVMValueRef rank, last, left;
};

static LLVMValueRef bits(struct wm_emission *e, LLVMValueRef r, unsigned from, unsigned to)
{
	if (from == to)
		return constant(e, 0);
	LLVMValueRef low = LLVMBuildLShr(e->builder, r, constant(e, from), "");
	return to == 64 ? low : LLVMBuildAnd(e->builder, low, constant(e, ((uint64_t)1 << (to - from)) - 1), "");
}

static struct fields split_fields(struct wm_emission *e, const struct wm_window_step *step)
{
	const struct wm_window_loop *loop = &e->program->window[step->loop];
	LLVMValueRef r = before_step(e, step);
	struct fields fields = {
		.rank = bits(e, r, loop->rank_shift, 64),
		.last = bits(e, r, 0, loop->skip_shift),
	};
	LLVMValueRef skips = bits(e, r, loop->skip_shift, loop->rank_shift);
	fields.left = LLVMBuildSub(e->builder, fields.last, fields.rank, "");
	fields.left = build_sum(e, build_sum(e, fields.left, skips), constant(e, (uint64_t)step->left));
	return fields;
}

/* A constant table, for k > 2.  It has one more entry, so that `done` is always a valid index. */
static LLVMValueRef paths_table(struct wm_emission *e, const struct wm_window_loop *loop)
{
	LLVMValueRef entries[WM_MAX_K];
	for (uint32_t i = 0; i < loop->k; i++)
		entries[i] = constant(e, i + 1 < loop->k ? loop->paths[i] : 0);
	LLVMValueRef table = LLVMAddGlobal(e->emitter->module, LLVMArrayType2(e->emitter->i64, loop->k), "__wm_paths");
	LLVMSetInitializer(table, LLVMConstArray2(e->emitter->i64, entries, loop->k));
	LLVMSetGlobalConstant(table, true);
	LLVMSetLinkage(table, LLVMPrivateLinkage);
	LLVMSetUnnamedAddress(table, LLVMGlobalUnnamedAddr);
	return table;
}

static LLVMValueRef is_early(struct wm_emission *e, const struct wm_window_loop *loop, LLVMIntPredicate predicate)
{
	return LLVMBuildICmp(e->builder, predicate, load_variable(e, e->reg.done), constant(e, loop->k - 1), "");
}

/* The value of the current iteration in a version below k. */
static LLVMValueRef early_value(struct wm_emission *e, const struct wm_window_loop *loop, const struct fields *fields)
{
	LLVMValueRef paths = constant(e, loop->paths[0]);
	if (loop->k > 2) {
		LLVMValueRef done = load_variable(e, e->reg.done);
		LLVMValueRef last = constant(e, loop->k - 1);
		if (loop->trips)
			done = LLVMBuildSelect(e->builder, is_early(e, loop, LLVMIntULT), done, last, "");
		paths = load_variable(
			e, LLVMBuildGEP2(e->builder, e->emitter->i64, paths_table(e, loop), &done, 1, ""));
	}
	return build_sum(e, LLVMBuildMul(e->builder, fields->rank, paths, ""), fields->left);
}

/* The number `window` with one more digit. */
static LLVMValueRef shifted_window(
	struct wm_emission *e, const struct wm_window_loop *loop, const struct fields *fields)
{
	if (loop->k == 2 || loop->iterations == 1)
		return fields->rank;
	return build_sum(e, build_product(e, load_variable(e, e->reg.window), loop->iterations), fields->rank);
}

void wm_emit_enter(struct wm_emission *e, int64_t index)
{
	const struct wm_window_step *step = &e->program->step[index];
	LLVMBuildStore(e->builder, before_step(e, step), e->reg.sum);
	LLVMBuildStore(e->builder, constant(e, 0), e->reg.window);
	LLVMBuildStore(e->builder, constant(e, 0), e->reg.done);
	LLVMBuildStore(e->builder, constant(e, (uint64_t)step->after), e->reg.path);
}

static void count_up(struct wm_emission *e)
{
	LLVMBuildStore(e->builder, build_sum(e, load_variable(e, e->reg.done), constant(e, 1)), e->reg.done);
}

static void push_late(
	struct wm_emission *e, const struct wm_window_loop *loop, const struct fields *fields, LLVMValueRef before)
{
	LLVMPositionBuilderBefore(e->builder, before);
	count_id(e, loop->end, build_sum(e, load_variable(e, e->reg.sum), fields->last), constant(e, 1), before);
	LLVMValueRef window = shifted_window(e, loop, fields);
	if (loop->k > 2 && loop->iterations > 1)
		window = LLVMBuildURem(e->builder, window, constant(e, loop->modulus), "");
	LLVMBuildStore(e->builder, window, e->reg.window);
	LLVMValueRef sum = build_sum(e, build_product(e, window, loop->last_paths), constant(e, loop->base));
	LLVMBuildStore(e->builder, sum, e->reg.sum);
}

static void push_early(
	struct wm_emission *e, const struct wm_window_loop *loop, const struct fields *fields, LLVMValueRef before)
{
	LLVMPositionBuilderBefore(e->builder, before);
	LLVMBuildStore(
		e->builder, build_sum(e, load_variable(e, e->reg.sum), early_value(e, loop, fields)), e->reg.sum);
	LLVMBuildStore(e->builder, shifted_window(e, loop, fields), e->reg.window);
	count_up(e);
}

void wm_emit_push(struct wm_emission *e, int64_t index, LLVMValueRef before)
{
	const struct wm_window_step *step = &e->program->step[index];
	const struct wm_window_loop *loop = &e->program->window[step->loop];
	if (loop->trips) {
		count_up(e);
		return;
	}
	struct fields fields = split_fields(e, step);
	LLVMValueRef late, early;
	/* The only one there is. */
	if (loop->iterations == 1)
		fields.rank = constant(e, 0);
	wm_shim_if_likely_else(is_early(e, loop, LLVMIntEQ), before, &late, &early);
	push_late(e, loop, &fields, late);
	push_early(e, loop, &fields, early);
	LLVMPositionBuilderBefore(e->builder, before);
	LLVMBuildStore(e->builder, constant(e, (uint64_t)step->after), e->reg.path);
}

/* The trips of a loop that does not count them; `sum` is then that of the current iteration. */
static void count_trips(struct wm_emission *e, const struct wm_window_loop *loop, LLVMValueRef before)
{
	LLVMValueRef done = load_variable(e, e->reg.done), sum = load_variable(e, e->reg.sum), many, few;
	LLVMValueRef k = constant(e, loop->k), again = constant(e, loop->base + loop->only_last);
	wm_shim_if_likely_else(LLVMBuildICmp(e->builder, LLVMIntUGE, done, k, ""), before, &many, &few);
	LLVMPositionBuilderBefore(e->builder, few);
	LLVMBuildStore(e->builder, build_sum(e, sum, build_product(e, done, loop->only_left)), e->reg.sum);
	LLVMPositionBuilderBefore(e->builder, many);
	uint64_t first = (loop->k - 1) * loop->only_left + loop->only_last;
	count_id(e, loop->end, build_sum(e, sum, constant(e, first)), constant(e, 1), many);
	count_id(e, loop->again_end, again, LLVMBuildSub(e->builder, done, k, ""), many);
	LLVMBuildStore(e->builder, constant(e, loop->base), e->reg.sum);
	LLVMPositionBuilderBefore(e->builder, before);
}

void wm_emit_leave(struct wm_emission *e, int64_t index, LLVMValueRef before)
{
	const struct wm_window_step *step = &e->program->step[index];
	const struct wm_window_loop *loop = &e->program->window[step->loop];
	if (loop->trips)
		count_trips(e, loop, before);
	struct fields fields = split_fields(e, step);
	LLVMValueRef early = early_value(e, loop, &fields);
	LLVMValueRef value = LLVMBuildSelect(e->builder, is_early(e, loop, LLVMIntULT), early, fields.last, "");
	value = build_sum(e, build_sum(e, load_variable(e, e->reg.sum), value), constant(e, (uint64_t)step->after));
	LLVMBuildStore(e->builder, value, e->reg.path);
}
