/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/probes/program.h"
#include <string.h>

const struct wm_action_row wm_action_rows[] = {
#define WM_ROW(NAME, text, operands, reads, writes, price) {text, operands, reads, writes, price},
	WM_ACTIONS(WM_ROW)
#undef WM_ROW
};

enum wm_status wm_probe_program_init(
	struct wm_probe_program *program, const struct wm_graph *graph, struct wm_arena *arena)
{
	*program = (struct wm_probe_program){
		.arena = arena,
		.edge = WM_NEW(arena, struct wm_probe, graph->edge_count),
		.exit = WM_NEW(arena, struct wm_probe, graph->block_count),
	};
	return program->edge && program->exit ? WM_OK : WM_NO_MEMORY;
}

static bool has_room(struct wm_probe_program *program, struct wm_probe *probe)
{
	struct wm_action *grown =
		wm_arena_grow(program->arena, probe->action, &probe->capacity, probe->count, sizeof *grown);
	if (grown)
		probe->action = grown;
	else
		program->failed = true;
	return grown;
}

void wm_probe_append(struct wm_probe_program *program, struct wm_probe *probe, struct wm_action action)
{
	if (has_room(program, probe))
		probe->action[probe->count++] = action;
}

void wm_probe_insert_first(struct wm_probe_program *program, struct wm_probe *probe, struct wm_action action)
{
	if (!has_room(program, probe))
		return;
	memmove(probe->action + 1, probe->action, probe->count * sizeof action);
	probe->action[0] = action;
	probe->count++;
}

struct wm_action wm_action(enum wm_action_kind kind, uint64_t value)
{
	return (struct wm_action){.kind = (uint8_t)kind, .end = WM_NONE, .value = (int64_t)value};
}

uint32_t wm_program_add_end(struct wm_probe_program *program, struct wm_probe end)
{
	struct wm_probe *grown =
		wm_arena_grow(program->arena, program->end, &program->end_capacity, program->end_count, sizeof *grown);
	if (!grown) {
		program->failed = true;
		return WM_NONE;
	}
	program->end = grown;
	program->end[program->end_count] = end;
	return program->end_count++;
}

uint32_t wm_probe_program_count(const struct wm_probe_program *program, const struct wm_graph *graph)
{
	uint32_t sum = program->entry.count > 0;
	for (uint32_t e = 0; e < graph->edge_count; e++)
		sum += program->edge[e].count > 0;
	for (uint32_t b = 0; b < graph->block_count; b++)
		sum += program->exit[b].count > 0;
	return sum;
}

struct wm_probe *wm_probe_of(struct wm_probe_program *program, const struct wm_dag *dag, const struct wm_dag_edge *edge)
{
	switch ((enum wm_edge_kind)edge->kind) {
	case WM_EDGE_ENTRY:
		return &program->entry;
	case WM_EDGE_EXIT:
		return &program->exit[dag->node_block[edge->from]];
	case WM_EDGE_REAL:
	case WM_EDGE_STOP:
		return &program->edge[edge->cfg_edge];
	case WM_EDGE_RESTART:
	case WM_EDGE_ARRIVE:
	case WM_EDGE_SURROGATE:
	case WM_EDGE_RESUME:
		return NULL;
	}
	return NULL;
}

void wm_each_probe(struct wm_probe_program *program, const struct wm_graph *graph,
	void (*visit)(void *closure, struct wm_probe *probe), void *closure)
{
	visit(closure, &program->entry);
	for (uint32_t e = 0; e < graph->edge_count; e++)
		visit(closure, &program->edge[e]);
	for (uint32_t b = 0; b < graph->block_count; b++)
		visit(closure, &program->exit[b]);
}

static uint16_t reads_of_trips(const struct wm_trip_loop *loop, uint16_t reads)
{
	return loop->region == WM_NONE ? reads & (uint16_t)~(WM_REG_L | WM_REG_OUTER) : reads & (uint16_t)~WM_REG_R;
}

uint16_t wm_action_reads(const struct wm_probe_program *program, const struct wm_action *action)
{
	const struct wm_action_row *row = &wm_action_rows[action->kind];
	bool constant_index = action->kind == WM_ACTION_LOCAL_COUNT_AT || action->kind == WM_ACTION_LOCAL_LEAVE_AT;
	if (row->operands & WM_HAS_TRIP)
		return reads_of_trips(&program->trip_loop[action->value], row->reads);
	if (constant_index && (uint64_t)action->value >= program->region[action->region].entered)
		return row->reads & (uint16_t)~WM_REG_OUTER;
	return row->reads;
}
