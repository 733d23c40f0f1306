/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/preferential/pack.h"

static unsigned bits_for(uint64_t count)
{
	return count <= 1 ? 0 : 64 - (unsigned)__builtin_clzll(count - 1);
}

/* A shift by all 64 bits is not defined. */
static uint64_t shifted(const struct wm_pack *pack, uint64_t index)
{
	return pack->shift < 64 ? index << pack->shift : 0;
}

int64_t wm_pack_reduce(const struct wm_pack *pack, uint64_t value)
{
	return pack->width == 32 ? (int32_t)(uint32_t)value : (int64_t)value;
}

enum wm_status wm_pack_make(struct wm_pack *pack, const struct wm_plan *plan,
	const struct wm_preferential *preferential, uint32_t limit, struct wm_arena *arena)
{
	uint64_t span = preferential->span < limit ? preferential->span : limit;
	struct wm_pack made = {.acyclic_bits = bits_for(plan->numbering.path_count)};
	/* Without paths there is a hole: see wm_pack_table. */
	unsigned index_bits = span ? bits_for(span) : 1, bits = made.acyclic_bits + index_bits;
	if (bits > 64)
		return WM_TOO_MANY;
	made.width = bits > 32 ? 64 : 32;
	made.shift = made.width - index_bits;
	made.size = (uint32_t)1 << index_bits;
	made.value = WM_NEW(arena, int64_t, plan->dag.edge_count);
	if (!made.value)
		return WM_NO_MEMORY;
	for (uint32_t e = 0; e < plan->dag.edge_count; e++)
		made.value[e] = wm_pack_reduce(
			&made, shifted(&made, (uint64_t)preferential->value[e]) + (uint64_t)plan->numbering.value[e]);
	*pack = made;
	return WM_OK;
}

uint64_t wm_pack_total(const struct wm_pack *pack, uint64_t sum)
{
	return pack->width == 32 ? (uint32_t)sum : sum;
}

uint64_t wm_pack_index(const struct wm_pack *pack, uint64_t total)
{
	return pack->shift < pack->width ? wm_pack_total(pack, total) >> pack->shift : 0;
}

enum wm_status wm_pack_table(const struct wm_pack *pack, const struct wm_preferential *preferential, uint64_t **table,
	struct wm_arena *arena)
{
	uint64_t *made = WM_NEW(arena, uint64_t, pack->size);
	if (!made)
		return WM_NO_MEMORY;
	/* A neighbour's index: where there is a hole there are two at least. */
	for (uint64_t index = 0; index < pack->size; index++)
		made[index] = wm_pack_total(pack, shifted(pack, index ^ 1));
	for (uint32_t i = 0; i < preferential->set->count; i++)
		if (preferential->id[i] < pack->size)
			made[preferential->id[i]] =
				wm_pack_total(pack, shifted(pack, preferential->id[i])) + preferential->set->id[i];
	*table = made;
	return WM_OK;
}
