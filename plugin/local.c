/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The actions of wm_place_regions as IR.  The path register is not touched inside a
 * region: only l is, and its values are small. */
#include "plugin/emission.h"

static LLVMValueRef load(struct wm_emission *e, LLVMValueRef variable)
{
	return LLVMBuildLoad2(e->builder, e->word, variable, "");
}

static struct wm_total local_plus(struct wm_emission *e, int64_t value)
{
	return (struct wm_total){load(e, e->local), value};
}

static LLVMValueRef sum_of(struct wm_emission *e, uint32_t region, LLVMValueRef index)
{
	LLVMValueRef first = wm_constant(e->emitter, e->counting->region_index[region]);
	LLVMValueRef at = LLVMBuildAdd(e->builder, index, first, "");
	LLVMValueRef address = LLVMBuildGEP2(e->builder, e->emitter->i64, e->ids, &at, 1, "");
	return LLVMBuildLoad2(e->builder, e->emitter->i64, address, "");
}

/* A path that came in from outside. */
static void count_entered(
	struct wm_emission *e, uint32_t region, LLVMValueRef index, LLVMValueRef amount, LLVMValueRef before)
{
	e->hot = wm_is_hot(e, e->program->region[region].entering);
	LLVMValueRef id = LLVMBuildAdd(e->builder, load(e, e->outer), sum_of(e, region, index), "");
	wm_count_path(e, (struct wm_total){id, 0}, amount, before);
}

static void count_inside(struct wm_emission *e, uint32_t region, LLVMValueRef index, LLVMValueRef amount)
{
	LLVMValueRef first = wm_constant(e->emitter, e->counting->region_index[region]);
	wm_count_at(e, LLVMBuildAdd(e->builder, index, first, ""), amount);
}

void wm_count_local(
	struct wm_emission *e, uint32_t region, struct wm_total total, LLVMValueRef amount, LLVMValueRef before)
{
	uint32_t entered = e->program->region[region].entered;
	LLVMValueRef index = wm_total_sum(e, total), then, otherwise;
	if (!total.base && (uint64_t)total.addend < entered) {
		count_entered(e, region, index, amount, before);
	} else if (!total.base) {
		count_inside(e, region, index, amount);
	} else {
		LLVMValueRef inside =
			LLVMBuildICmp(e->builder, LLVMIntUGE, index, wm_constant(e->emitter, entered), "");
		wm_shim_if_likely_else(inside, before, &then, &otherwise);
		LLVMPositionBuilderBefore(e->builder, then);
		count_inside(e, region, index, amount);
		LLVMPositionBuilderBefore(e->builder, otherwise);
		count_entered(e, region, index, amount, otherwise);
		LLVMPositionBuilderBefore(e->builder, before);
	}
}

static void leave(struct wm_emission *e, uint32_t region, struct wm_total total)
{
	LLVMValueRef index = wm_total_sum(e, total);
	LLVMValueRef entered = wm_constant(e->emitter, e->program->region[region].entered);
	LLVMValueRef came_in = LLVMBuildICmp(e->builder, LLVMIntULT, index, entered, "");
	LLVMValueRef none = wm_constant(e->emitter, 0);
	LLVMValueRef outer = LLVMBuildSelect(e->builder, came_in, load(e, e->outer), none, "");
	LLVMBuildStore(e->builder, LLVMBuildAdd(e->builder, outer, sum_of(e, region, index), ""), e->path);
}

void wm_build_local(struct wm_emission *e, struct wm_action action, LLVMValueRef before)
{
	struct wm_total constant = {NULL, action.value};
	LLVMValueRef one = wm_constant(e->emitter, 1);
	switch (action.kind) {
	case WM_ACTION_LOCAL_ENTER:
		LLVMBuildStore(e->builder, load(e, e->path), e->outer);
		break;
	case WM_ACTION_LOCAL_SET:
		LLVMBuildStore(e->builder, wm_total_sum(e, constant), e->local);
		break;
	case WM_ACTION_LOCAL_ADD:
		LLVMBuildStore(e->builder, wm_total_sum(e, local_plus(e, action.value)), e->local);
		break;
	case WM_ACTION_LOCAL_COUNT:
		wm_count_local(e, action.region, local_plus(e, action.value), one, before);
		break;
	case WM_ACTION_LOCAL_COUNT_AT:
		wm_count_local(e, action.region, constant, one, before);
		break;
	case WM_ACTION_LOCAL_LEAVE:
		leave(e, action.region, local_plus(e, action.value));
		break;
	default: /* WM_ACTION_LOCAL_LEAVE_AT */
		leave(e, action.region, constant);
		break;
	}
}
