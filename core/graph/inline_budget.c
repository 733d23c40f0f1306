/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/graph/inline_budget.h"
#include <string.h>

/* Rounding must not leave heat to a function whose calls are all inlined. */
#define NOTHING 1e-9

static double heat(
	const struct wm_inlining *inlining, const struct wm_origins *origins, uint32_t context, uint32_t site)
{
	const struct wm_inline_budget *b = inlining->budget;
	double product = (double)b->count[origins->context[context].function][site] * b->own;
	for (uint32_t c = context; origins->context[c].parent != WM_NONE; c = origins->context[c].parent) {
		const struct wm_context *call = &origins->context[c];
		uint32_t caller = origins->context[call->parent].function;
		uint32_t at = wm_unit_first_call(&inlining->unit->function[caller], call->block) + call->position;
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
	const struct wm_inlining *inlining, const struct wm_origins *origins, uint32_t context, uint32_t site)
{
	uint32_t function = origins->context[context].function;
	return inlining->budget->size[inlining->unit->function[function].call[site].callee];
}

bool wm_inline_budget_allows(
	const struct wm_inlining *inlining, const struct wm_origins *origins, uint32_t context, uint32_t site)
{
	const struct wm_inline_budget *b = inlining->budget;
	double own = heat(inlining, origins, context, site);
	uint32_t size = size_of_callee(inlining, origins, context, site);
	if (b->spent > b->room || size > b->room - b->spent)
		return false;
	return own >= b->least || (own >= b->next && size <= b->next_room);
}

void wm_inline_budget_spend(
	const struct wm_inlining *inlining, const struct wm_origins *origins, uint32_t context, uint32_t site)
{
	struct wm_inline_budget *b = inlining->budget;
	uint32_t caller = origins->context[context].function, size = size_of_callee(inlining, origins, context, site);
	double own = heat(inlining, origins, context, site);
	b->inlined[inlining->unit->function[caller].call[site].callee] += own;
	b->spent += size;
	if (own < b->least)
		b->next_room -= size;
}

/* ---- The threshold -------------------------------------------------------------------- */

static double from_bits(uint64_t bits)
{
	double number;
	memcpy(&number, &bits, sizeof number);
	return number;
}

/* Chooses all calls that are at least as hot; `spent` is then what they add, or a part of it that is above the room. */
static enum wm_status try_threshold(const struct wm_inlining *inlining, const uint32_t *order, double least)
{
	struct wm_inline_budget *b = inlining->budget;
	uint32_t count = inlining->unit->function_count;
	uint64_t room = b->room;
	enum wm_status status = WM_OK;
	memset(b->inlined, 0, count * sizeof *b->inlined);
	b->least = b->next = least;
	b->spent = b->next_room = 0;
	b->room = UINT64_MAX;
	for (uint32_t i = 0; i < count && status == WM_OK && b->spent <= room; i++) {
		struct wm_supergraph unused;
		struct wm_arena arena;
		wm_arena_init(&arena);
		status = wm_supergraph_choose(&unused, inlining, order[i], &arena);
		wm_arena_release(&arena);
	}
	b->room = room;
	return status;
}

static enum wm_status find_threshold(const struct wm_inlining *inlining, const uint32_t *order)
{
	struct wm_inline_budget *b = inlining->budget;
	uint64_t low = 0, high; /* the bits of a heat that is too small, and of one that is not; they are in the order of the heats */
	const double most = 1e300;
	memcpy(&high, &most, sizeof high);
	enum wm_status status = try_threshold(inlining, order, 0);
	bool all = status == WM_OK && b->spent <= b->room;
	while (!all && high - low > 1 && status == WM_OK) {
		uint64_t middle = low + (high - low) / 2;
		status = try_threshold(inlining, order, from_bits(middle));
		*(b->spent <= b->room ? &high : &low) = middle;
	}
	if (!all && status == WM_OK)
		status = try_threshold(inlining, order, from_bits(high));
	b->next = all ? 0 : from_bits(low);
	b->next_room = b->room - b->spent;
	return status;
}

static void sum_entries(const struct wm_inlining *inlining)
{
	struct wm_inline_budget *b = inlining->budget;
	for (uint32_t f = 0; f < inlining->unit->function_count; f++) {
		const struct wm_unit_function *function = &inlining->unit->function[f];
		for (uint32_t i = 0; i < function->call_count; i++)
			if (function->call[i].callee != WM_NONE)
				b->entries[function->call[i].callee] += (double)b->count[f][i];
	}
}

enum wm_status wm_inline_budget_init(
	const struct wm_inlining *inlining, const uint32_t *order, struct wm_arena *arena)
{
	struct wm_inline_budget *b = inlining->budget;
	uint32_t count = inlining->unit->function_count;
	b->entries = WM_NEW(arena, double, count);
	b->inlined = WM_NEW(arena, double, count);
	if (!b->entries || !b->inlined)
		return WM_NO_MEMORY;
	sum_entries(inlining);
	enum wm_status status = find_threshold(inlining, order);
	memset(b->inlined, 0, count * sizeof *b->inlined);
	b->spent = 0;
	return status;
}
