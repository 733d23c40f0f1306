/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/graph/inline_threshold.h"
#include <string.h>

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
	uint64_t
		low = 0,
		high; /* the bits of a heat that is too small, and of one that is not; they are in the order of the heats */
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

enum wm_status wm_inline_threshold_find(
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
