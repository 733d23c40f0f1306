/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/probes/cells.h"
#include "core/probes/iteration_window.h"

/* ---- Local paths of regions ------------------------------------------------ */

static bool is_settled(const struct wm_counting *counting, const struct wm_region *region, uint32_t index)
{
	return index >= region->entered && region->end[index] != WM_NONE &&
	       (!counting->residual ||
		       wm_path_set_find(&counting->set, wm_counting_id(counting, region->sum[index])) != WM_NONE);
}

static enum wm_status settle(
	const struct wm_counting *counting, struct wm_probe_program *program, struct wm_arena *arena)
{
	struct wm_cells *cells = &program->cells;
	cells->region_index = WM_NEW(arena, uint32_t, program->region_count);
	if (!cells->region_index)
		return WM_NO_MEMORY;
	for (uint32_t i = 0; i < program->region_count; i++) {
		cells->region_index[i] = cells->local_paths;
		cells->local_paths += program->region[i].paths;
	}
	cells->settled = WM_NEW(arena, bool, cells->local_paths);
	for (uint32_t i = 0; i < program->region_count && cells->settled; i++)
		for (uint32_t k = 0; k < program->region[i].paths; k++)
			cells->settled[cells->region_index[i] + k] = is_settled(counting, &program->region[i], k);
	return cells->settled ? WM_OK : WM_NO_MEMORY;
}

/* ---- Paths of a hash that the compiler knows --------------------------------- */

struct constants {
	uint64_t *id;
	size_t count, most;
};

static void visit_constants(void *closure, struct wm_probe *probe)
{
	struct constants *c = closure;
	for (uint32_t i = 0; i < probe->count; i++) {
		if (probe->action[i].kind != WM_ACTION_COUNT_AT)
			continue;
		if (c->id)
			c->id[c->count++] = (uint64_t)probe->action[i].value;
		else
			c->most++;
	}
}

static void collect_constants(struct wm_probe_program *program, const struct wm_graph *graph, struct constants *c)
{
	wm_each_probe(program, graph, visit_constants, c);
	for (uint32_t i = 0; i < program->trip_loop_count; i++)
		if (program->trip_loop[i].region == WM_NONE)
			c->id[c->count++] = (uint64_t)program->trip_loop[i].again;
	for (uint32_t i = 0; i < program->window_count; i++)
		if (program->window[i].trips)
			c->id[c->count++] = program->window[i].base + program->window[i].only_last;
}

static enum wm_status find_constants(
	const struct wm_plan *plan, struct wm_probe_program *program, struct wm_arena *arena)
{
	struct constants c = {.most = (size_t)program->trip_loop_count + program->window_count};
	struct wm_path_set set;
	wm_each_probe(program, plan->graph, visit_constants, &c);
	c.id = WM_NEW(arena, uint64_t, c.most);
	if (!c.id)
		return WM_NO_MEMORY;
	collect_constants(program, plan->graph, &c);
	enum wm_status status = wm_path_set_make(&set, plan, c.id, c.count, arena);
	if (status == WM_OK) {
		program->cells.constant_count = set.count;
		program->cells.constant = set.id;
	}
	return status;
}

/* ---- Cells --------------------------------------------------------------------- */

/* The ids contain all sums of a region, because compiled code with a hash table reads the sums there.  Only the sums of
 * settled paths are ids, and only the cells of settled paths count. */
static enum wm_status give_ids(
	const struct wm_counting *counting, struct wm_probe_program *program, struct wm_arena *arena)
{
	struct wm_cells *cells = &program->cells;
	uint32_t used = 0;
	cells->size = counting->table_size + cells->local_paths + cells->constant_count;
	cells->ids = WM_NEW(arena, uint64_t, cells->size);
	if (!cells->ids)
		return WM_NO_MEMORY;
	while (used < counting->table_size) {
		cells->ids[used] = counting->table_ids[used];
		used++;
	}
	for (uint32_t i = 0; i < program->region_count; i++)
		for (uint32_t k = 0; k < program->region[i].paths; k++)
			cells->ids[used++] = wm_counting_id(counting, program->region[i].sum[k]);
	for (uint32_t i = 0; i < cells->constant_count; i++)
		cells->ids[used++] = cells->constant[i];
	return WM_OK;
}

enum wm_status wm_cells_make(const struct wm_counting *counting, const struct wm_plan *plan,
	struct wm_probe_program *program, struct wm_arena *arena)
{
	enum wm_status status = settle(counting, program, arena);
	if (status == WM_OK && counting->store == WM_COUNT_HASH && !wm_plan_has_pieces(plan))
		status = find_constants(plan, program, arena);
	return status == WM_OK && !counting->residual ? give_ids(counting, program, arena) : status;
}
