/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/probes/counting.h"

bool wm_counting_checks(const struct wm_counting *counting)
{
	switch (counting->store) {
	case WM_COUNT_PACKED:
	case WM_COUNT_PERFECT:
	case WM_COUNT_SIGN:
		return counting->residual;
	case WM_COUNT_ARRAY:
	case WM_COUNT_HASH:
	case WM_COUNT_CALL:
	case WM_COUNT_STREAM:
		return false;
	}
	return false;
}

uint64_t wm_counting_total(const struct wm_counting *counting, uint64_t sum)
{
	return counting->width < 64 ? sum & (((uint64_t)1 << counting->width) - 1) : sum;
}

uint64_t wm_counting_id(const struct wm_counting *counting, uint64_t total)
{
	return total & counting->id_mask;
}

uint64_t wm_counting_key(const struct wm_counting *counting, uint64_t total)
{
	return counting->sums.sticky ? wm_counting_id(counting, total) : total;
}

uint32_t wm_counting_slot(const struct wm_counting *counting, uint64_t key)
{
	return counting->store == WM_COUNT_PACKED ? (uint32_t)wm_pack_index(&counting->pack, key)
						  : wm_perfect_slot(&counting->perfect, key);
}

double wm_counting_lookup_price(const struct wm_counting *counting)
{
	if (counting->store == WM_COUNT_PACKED)
		return 4;
	return counting->perfect.bucket_count ? 10 : 6;
}

void wm_counting_plain(struct wm_counting *counting, const struct wm_plan *plan, uint64_t array_paths)
{
	bool array = !wm_plan_has_pieces(plan) && plan->numbering.path_count <= array_paths;
	*counting = (struct wm_counting){.store = array ? WM_COUNT_ARRAY : WM_COUNT_HASH,
		.sums = {.value = plan->numbering.value},
		.width = 64,
		.id_mask = UINT64_MAX};
}

void wm_counting_stream(struct wm_counting *counting, const struct wm_plan *plan)
{
	*counting = (struct wm_counting){
		.store = WM_COUNT_STREAM, .sums = {.value = plan->numbering.value}, .width = 64, .id_mask = UINT64_MAX};
}

const struct wm_counting wm_counting_across = {.store = WM_COUNT_HASH, .width = 64, .id_mask = UINT64_MAX};

static enum wm_status alloc_table_ids(struct wm_counting *counting, struct wm_arena *arena)
{
	counting->table_ids = WM_NEW(arena, uint64_t, counting->table_size);
	for (uint32_t i = 0; counting->table_ids && i < counting->table_size; i++)
		counting->table_ids[i] = UINT64_MAX;
	return counting->table_ids ? WM_OK : WM_NO_MEMORY;
}

enum wm_status wm_counting_use_packed(struct wm_counting *counting, const struct wm_plan *plan,
	const struct wm_preferential *preferential, uint32_t limit, struct wm_arena *arena)
{
	struct wm_pack pack;
	uint64_t *table;
	enum wm_status status =
		preferential->span > limit ? WM_TOO_MANY : wm_pack_make(&pack, plan, preferential, limit, arena);
	if (status == WM_OK)
		status = wm_pack_table(&pack, preferential, &table, arena);
	if (status != WM_OK)
		return status;
	counting->store = WM_COUNT_PACKED;
	counting->pack = pack;
	counting->sums = (struct wm_sums){.value = pack.value};
	counting->width = pack.width;
	counting->id_mask = ((uint64_t)1 << pack.acyclic_bits) - 1;
	counting->table = table;
	counting->table_size = pack.size;
	status = alloc_table_ids(counting, arena);
	for (uint32_t i = 0; i < preferential->set->count && status == WM_OK; i++)
		counting->table_ids[preferential->id[i]] = preferential->set->id[i];
	return status;
}

enum wm_status wm_counting_use_perfect(
	struct wm_counting *counting, const struct wm_path_set *set, uint32_t limit, struct wm_arena *arena)
{
	struct wm_perfect perfect;
	enum wm_status status = wm_perfect_make(&perfect, set, arena);
	if (status == WM_OK && perfect.size > limit)
		status = WM_TOO_MANY;
	if (status != WM_OK)
		return status;
	counting->store = WM_COUNT_PERFECT;
	counting->perfect = perfect;
	counting->table = perfect.table;
	counting->table_size = perfect.size;
	status = alloc_table_ids(counting, arena);
	for (uint32_t i = 0; i < set->count && status == WM_OK; i++)
		counting->table_ids[perfect.slot[i]] = set->id[i];
	return status;
}
