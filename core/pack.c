/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/pack.h"

static unsigned bits_for(uint64_t count)
{
	return count <= 1 ? 0 : 64 - (unsigned)__builtin_clzll(count - 1);
}

static int64_t reduce(const struct wm_pack *pack, uint64_t value)
{
	return pack->width == 32 ? (int32_t)(uint32_t)value : (int64_t)value;
}

enum wm_status wm_pack_make(struct wm_pack *pack, const struct wm_plan *plan,
	const struct wm_preferential *preferential, struct wm_arena *arena)
{
	struct wm_pack made = {.shift = bits_for(plan->numbering.path_count)};
	/* One id more than there are: a hole's entry must be able to differ from every index. */
	unsigned bits = made.shift + bits_for(preferential->span + 1);
	if (bits > 64)
		return WM_TOO_MANY;
	made.width = bits > 32 || made.shift == 32 ? 64 : 32;
	made.value = WM_NEW(arena, int64_t, plan->dag.edge_count);
	if (!made.value)
		return WM_NO_MEMORY;
	for (uint32_t e = 0; e < plan->dag.edge_count; e++)
		made.value[e] = reduce(
			&made, ((uint64_t)preferential->value[e] << made.shift) + (uint64_t)plan->numbering.value[e]);
	*pack = made;
	return WM_OK;
}

static void reduce_probe(const struct wm_pack *pack, struct wm_probe *probe)
{
	for (uint8_t i = 0; i < probe->count; i++)
		if (probe->action[i].kind <= WM_ACTION_COUNT_AT)
			probe->action[i].value = reduce(pack, (uint64_t)probe->action[i].value);
}

void wm_pack_program(const struct wm_pack *pack, const struct wm_graph *graph, struct wm_probe_program *program)
{
	reduce_probe(pack, &program->entry);
	for (uint32_t e = 0; e < graph->edge_count; e++)
		reduce_probe(pack, &program->edge[e]);
	for (uint32_t b = 0; b < graph->block_count; b++)
		reduce_probe(pack, &program->exit[b]);
	for (uint32_t i = 0; i < program->trip_loop_count; i++) {
		program->trip_loop[i].first = reduce(pack, (uint64_t)program->trip_loop[i].first);
		program->trip_loop[i].again = reduce(pack, (uint64_t)program->trip_loop[i].again);
	}
}

uint64_t wm_pack_total(const struct wm_pack *pack, uint64_t sum)
{
	return pack->width == 32 ? (uint32_t)sum : sum;
}

uint64_t wm_pack_index(const struct wm_pack *pack, uint64_t total)
{
	return wm_pack_total(pack, total) >> pack->shift;
}

uint64_t wm_pack_acyclic(const struct wm_pack *pack, uint64_t total)
{
	return total & (((uint64_t)1 << pack->shift) - 1);
}

enum wm_status wm_pack_table(const struct wm_pack *pack, const struct wm_preferential *preferential, uint64_t **table,
	struct wm_arena *arena)
{
	uint64_t *made = WM_NEW(arena, uint64_t, preferential->span);
	if (!made)
		return WM_NO_MEMORY;
	/* The one index that no path of the set can have. */
	for (uint64_t id = 0; id < preferential->span; id++)
		made[id] = preferential->span << pack->shift;
	for (uint32_t i = 0; i < preferential->set->count; i++)
		made[preferential->id[i]] = (preferential->id[i] << pack->shift) + preferential->set->id[i];
	*table = made;
	return WM_OK;
}
