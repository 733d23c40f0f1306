/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/graph/inline_budget.h"

/* Rounding must not leave heat to a function whose calls are all inlined. */
#define NOTHING 1e-9

static double heat(const struct wm_inline_budget *b, const struct wm_origins *origins, uint32_t context, uint32_t site)
{
	double product = (double)b->count[origins->context[context].function][site] * b->own;
	for (uint32_t c = context; origins->context[c].parent != WM_NONE; c = origins->context[c].parent) {
		const struct wm_context *call = &origins->context[c];
		uint32_t caller = origins->context[call->parent].function;
		uint32_t at =
			wm_unit_find_call(&b->unit->function[caller], call->block, call->position, call->function);
		double entries = b->entries[call->function];
		product = entries > 0 ? product * (double)b->count[caller][at] / entries : 0;
	}
	return product;
}

void wm_inline_budget_begin(struct wm_inline_budget *budget, uint32_t root)
{
	double entries = budget->entries[root];
	budget->own = entries > 0 ? 1 - budget->inlined[root] / entries : 1;
	if (budget->own < NOTHING)
		budget->own = 0;
}

static uint32_t size_of_callee(
	const struct wm_inline_budget *b, const struct wm_origins *origins, uint32_t context, uint32_t site)
{
	uint32_t function = origins->context[context].function;
	return b->size[b->unit->function[function].call[site].callee];
}

bool wm_inline_budget_allows(
	const struct wm_inline_budget *b, const struct wm_origins *origins, uint32_t context, uint32_t site)
{
	double own = heat(b, origins, context, site);
	uint32_t size = size_of_callee(b, origins, context, site);
	if (b->spent > b->room || size > b->room - b->spent)
		return false;
	return own >= b->least || (own >= b->next && size <= b->next_room);
}

void wm_inline_budget_spend(
	struct wm_inline_budget *b, const struct wm_origins *origins, uint32_t context, uint32_t site)
{
	uint32_t caller = origins->context[context].function, size = size_of_callee(b, origins, context, site);
	double own = heat(b, origins, context, site);
	b->inlined[b->unit->function[caller].call[site].callee] += own;
	b->spent += size;
	if (own < b->least)
		b->next_room -= size;
}
