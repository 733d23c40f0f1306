/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The actions of wm_place_regions as IR.  The path register is not touched inside a
 * region: only l is.  Its values are small, and so are all partial sums, so l + value may be
 * compared as l is with a constant, with signs.
 *
 * A local path is settled if its index says all: it has a cell or, in a residual build, is
 * tested.  All others have their total made up and end as any path does.  To compare with
 * the likely path first, as ends outside do, does not pay: the comparison is all there is to spare.
 */
#include "plugin/emission.h"

/* The local paths that end at one place. */
struct ends {
	uint32_t settled; /* how many */
	uint32_t low, high; /* of these: the first and the last index */
	bool below, between, above; /* there are others: seen from these */
	bool entered, inside; /* there are others: where they began */
};

/* --- tables ---------------------------------------------------------------------- */

static LLVMValueRef sums_table(struct wm_emission *e)
{
	const struct wm_probe_program *program = e->program;
	LLVMValueRef *words = WM_NEW(e->arena, LLVMValueRef, e->counting->local_paths);
	uint32_t used = 0;
	for (uint32_t r = 0; words && r < program->region_count; r++)
		for (uint32_t i = 0; i < program->region[r].paths; i++)
			words[used++] = LLVMConstInt(e->word, program->region[r].sum[i], false);
	return words ? wm_constant_global(e, "__wm_sums.", LLVMConstArray2(e->word, words, used)) : NULL;
}

static LLVMValueRef settled_table(struct wm_emission *e)
{
	uint32_t count = e->counting->local_paths;
	LLVMValueRef *bytes = WM_NEW(e->arena, LLVMValueRef, count);
	for (uint32_t i = 0; bytes && i < count; i++)
		bytes[i] = LLVMConstInt(e->emitter->i8, e->counting->settled[i], false);
	return bytes ? wm_constant_global(e, "__wm_settled.", LLVMConstArray2(e->emitter->i8, bytes, count)) : NULL;
}

enum wm_status wm_local_tables(struct wm_emission *e)
{
	e->sums = e->counting->kind == WM_COUNT_HASH ? e->ids : sums_table(e);
	e->settled = e->counting->residual ? settled_table(e) : NULL;
	return e->sums && (e->settled || !e->counting->residual) ? WM_OK : WM_NO_MEMORY;
}

static void drop_unused(LLVMValueRef global)
{
	if (global && !LLVMGetFirstUse(global))
		LLVMDeleteGlobal(global);
}

void wm_drop_unused_local_tables(struct wm_emission *e)
{
	if (e->sums != e->ids)
		drop_unused(e->sums);
	drop_unused(e->settled);
}

/* --- totals ---------------------------------------------------------------------- */

static LLVMValueRef load_local(struct wm_emission *e)
{
	return LLVMBuildLoad2(e->builder, e->emitter->i64, e->local, "");
}

static LLVMValueRef load_outer(struct wm_emission *e)
{
	return LLVMBuildLoad2(e->builder, e->word, e->outer, "");
}

static LLVMValueRef index_plus(struct wm_emission *e, struct wm_total index, uint64_t value)
{
	LLVMValueRef addend = wm_constant(e->emitter, (uint64_t)index.addend + value);
	return index.base ? LLVMBuildAdd(e->builder, index.base, addend, "") : addend;
}

static LLVMValueRef at_index(
	struct wm_emission *e, LLVMValueRef table, LLVMTypeRef type, uint32_t region, struct wm_total index)
{
	LLVMValueRef at = index_plus(e, index, e->counting->region_index[region]);
	return LLVMBuildLoad2(e->builder, type, LLVMBuildGEP2(e->builder, type, table, &at, 1, ""), "");
}

static struct wm_total constant_number(struct wm_emission *e, const struct wm_region *region, uint32_t index)
{
	LLVMValueRef outer = index < region->entered ? load_outer(e) : NULL;
	return (struct wm_total){outer, (int64_t)region->sum[index]};
}

/* number(index), where paths that began outside are possible, or inside, or both. */
static struct wm_total number(struct wm_emission *e, uint32_t region, struct wm_total index, bool entered, bool inside)
{
	const struct wm_region *facts = &e->program->region[region];
	if (!index.base)
		return constant_number(e, facts, (uint32_t)index.addend);
	LLVMValueRef sum = at_index(e, e->sums, e->word, region, index);
	if (!entered)
		return (struct wm_total){sum, 0};
	LLVMValueRef outer = load_outer(e);
	if (inside) {
		LLVMValueRef most = wm_constant(e->emitter, facts->entered - (uint64_t)index.addend);
		LLVMValueRef came_in = LLVMBuildICmp(e->builder, LLVMIntSLT, index.base, most, "");
		outer = LLVMBuildSelect(e->builder, came_in, outer, LLVMConstNull(e->word), "");
	}
	return (struct wm_total){LLVMBuildAdd(e->builder, outer, sum, ""), 0};
}

/* --- ends ------------------------------------------------------------------------ */

static void add_settled(struct ends *ends, uint32_t index)
{
	if (!ends->settled++)
		ends->low = index;
	ends->high = index;
}

static void add_unsettled(struct ends *ends, uint32_t index, bool entered)
{
	ends->below |= index < ends->low;
	ends->above |= index > ends->high;
	ends->between |= index > ends->low && index < ends->high;
	ends->entered |= entered;
	ends->inside |= !entered;
}

static struct ends ends_here(const struct wm_emission *e, uint32_t region)
{
	const struct wm_region *facts = &e->program->region[region];
	const bool *settled = e->counting->settled + e->counting->region_index[region];
	uint32_t edge = e->plan->dag.edge[e->end].cfg_edge;
	struct ends ends = {0};
	for (uint32_t i = 0; i < facts->paths; i++)
		if (facts->end[i] == edge && settled[i])
			add_settled(&ends, i);
	for (uint32_t i = 0; i < facts->paths; i++)
		if (facts->end[i] == edge && !settled[i])
			add_unsettled(&ends, i, i < facts->entered);
	return ends;
}

static LLVMValueRef compare(struct wm_emission *e, LLVMIntPredicate predicate, struct wm_total index, uint32_t with)
{
	LLVMValueRef constant = wm_constant(e->emitter, with - (uint64_t)index.addend);
	return LLVMBuildICmp(e->builder, predicate, index.base, constant, "");
}

static LLVMValueRef is_settled(struct wm_emission *e, uint32_t region, struct wm_total index, const struct ends *ends)
{
	if (ends->between)
		return LLVMBuildIsNotNull(e->builder, at_index(e, e->settled, e->emitter->i8, region, index), "");
	if (!ends->above)
		return compare(e, LLVMIntSGE, index, ends->low);
	if (!ends->below)
		return compare(e, LLVMIntSLE, index, ends->high);
	LLVMValueRef above = index_plus(e, index, 0 - (uint64_t)ends->low);
	return LLVMBuildICmp(e->builder, LLVMIntULE, above, wm_constant(e->emitter, ends->high - ends->low), "");
}

static void count_settled(struct wm_emission *e, uint32_t region, struct wm_total index, LLVMValueRef amount)
{
	uint64_t first = (uint64_t)e->counting->table_size + e->counting->region_index[region];
	if (!e->counting->residual)
		wm_count_at(e, index_plus(e, index, first), amount);
}

static void count_unsettled(struct wm_emission *e, uint32_t region, struct wm_total index, const struct ends *ends,
	LLVMValueRef amount, LLVMValueRef before)
{
	e->hot = wm_is_hot(e, e->program->region[region].entering);
	wm_count_path(e, number(e, region, index, ends->entered, ends->inside), amount, before);
	e->wrong = NULL; /* the guess was not of the path register */
}

/* Leaves the builder before the instruction returned: where no settled path comes. */
static LLVMValueRef part(struct wm_emission *e, uint32_t region, struct wm_total index, const struct ends *ends,
	LLVMValueRef amount, LLVMValueRef before)
{
	LLVMValueRef settled = is_settled(e, region, index, ends), then, otherwise;
	if (e->counting->residual) {
		otherwise = wm_shim_if_unlikely(LLVMBuildNot(e->builder, settled, ""), before);
	} else {
		wm_shim_if_likely_else(settled, before, &then, &otherwise);
		LLVMPositionBuilderBefore(e->builder, then);
		count_settled(e, region, index, amount);
	}
	LLVMPositionBuilderBefore(e->builder, otherwise);
	e->unsettled = ends->settled == 1 ? otherwise : NULL;
	e->settled_local = ends->low - index.addend;
	return otherwise;
}

void wm_count_local(
	struct wm_emission *e, uint32_t region, struct wm_total index, LLVMValueRef amount, LLVMValueRef before)
{
	struct ends ends = ends_here(e, region);
	const bool *settled = e->counting->settled + e->counting->region_index[region];
	bool none = index.base ? !ends.settled : !settled[index.addend];
	bool all = index.base ? !ends.entered && !ends.inside : settled[index.addend];
	if (all) {
		count_settled(e, region, index, amount);
		return;
	}
	LLVMValueRef at = none ? before : part(e, region, index, &ends, amount, before);
	count_unsettled(e, region, index, &ends, amount, at);
	LLVMPositionBuilderBefore(e->builder, before);
}

/* --- actions --------------------------------------------------------------------- */

static void leave(struct wm_emission *e, uint32_t region, struct wm_total index)
{
	LLVMBuildStore(e->builder, wm_total_sum(e, number(e, region, index, true, true)), e->path);
}

/* A settled path often ends with what the next one begins with. */
static void set_local(struct wm_emission *e, int64_t value)
{
	if (e->unsettled && e->settled_local == value)
		LLVMPositionBuilderBefore(e->builder, e->unsettled);
	LLVMBuildStore(e->builder, wm_constant(e->emitter, (uint64_t)value), e->local);
	e->unsettled = NULL;
}

void wm_build_local(struct wm_emission *e, struct wm_action action, LLVMValueRef before)
{
	struct wm_total constant = {NULL, action.value};
	LLVMValueRef one = wm_constant(e->emitter, 1);
	switch (action.kind) {
	case WM_ACTION_LOCAL_ENTER:
		LLVMBuildStore(e->builder, LLVMBuildLoad2(e->builder, e->word, e->path, ""), e->outer);
		break;
	case WM_ACTION_LOCAL_SET:
		set_local(e, action.value);
		break;
	case WM_ACTION_LOCAL_ADD:
		LLVMBuildStore(e->builder, index_plus(e, (struct wm_total){load_local(e), action.value}, 0), e->local);
		break;
	case WM_ACTION_LOCAL_COUNT:
		wm_count_local(e, action.region, (struct wm_total){load_local(e), action.value}, one, before);
		break;
	case WM_ACTION_LOCAL_COUNT_AT:
		wm_count_local(e, action.region, constant, one, before);
		break;
	case WM_ACTION_LOCAL_LEAVE:
		leave(e, action.region, (struct wm_total){load_local(e), action.value});
		break;
	default: /* WM_ACTION_LOCAL_LEAVE_AT */
		leave(e, action.region, constant);
		break;
	}
}
