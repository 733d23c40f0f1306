/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tool/unitgraph.h"
#include "core/scheme/unit_plan.h"
#include "tool/story.h"
#include "tool/tool.h"
#include <inttypes.h>

void wm_unit_graph_plan(
	struct wm_unit_plan *plan, struct wm_graph_file *file, const struct wm_unit_scheme *scheme, uint64_t limit)
{
	bool *entry = WM_NEW(&file->arena, bool, file->cfg.function_count);
	if (!entry)
		wm_bug("out of memory");
	entry[0] = true;
	struct wm_unit_request request = {.unit = &file->cfg.unit, .scheme = scheme, .limit = limit, .entry = entry};
	enum wm_status status = wm_unit_plan_make(plan, &request, &file->arena);
	if (status == WM_TOO_MANY)
		wm_fail("the functions of %s have more paths than --max-paths allows however they are cut; allow more",
			file->path);
	if (status != WM_OK)
		wm_bug("%s: %s", file->path, wm_status_text(status));
}

void wm_unit_graph_place(
	const struct wm_unit_plan *plan, enum wm_placement placement, struct wm_unit_code *code, struct wm_arena *arena)
{
	uint32_t count = plan->unit->function_count;
	struct wm_weights *weights = WM_NEW(arena, struct wm_weights, count);
	enum wm_status status = weights ? WM_OK : WM_NO_MEMORY;
	for (uint32_t f = 0; f < count && status == WM_OK; f++) {
		const struct wm_plan *function = &plan->function[f].plan;
		status = wm_weights_static(&weights[f], function->graph, &function->dfs, arena);
	}
	if (status == WM_OK)
		status = wm_unit_code_make(plan, placement, weights, code, arena);
	if (status != WM_OK)
		wm_bug("cannot place probes: %s", wm_status_text(status));
}

uint64_t wm_unit_paths_of(const struct wm_unit_plan *plan, uint32_t function, uint64_t *first)
{
	const struct wm_function_plan *f = &plan->function[function];
	uint64_t from_entry = f->root ? wm_pair_at(f->entry, 1) : 0;
	*first = f->root ? f->first : f->first_piece;
	return from_entry + wm_pair_at(f->pieces, f->behind_exit);
}

void wm_unit_graph_decode(
	const struct wm_unit_plan *plan, uint64_t id, struct wm_unit_path *path, struct wm_arena *arena)
{
	if (wm_unit_path_decode(plan, id, path, arena) != WM_OK)
		wm_bug("path %" PRIu64 " cannot be decoded", id);
}

static const struct wm_dag_edge *edge_of(const struct wm_unit_plan *plan, const struct wm_step *step)
{
	return &plan->function[step->function].plan.dag.edge[step->index];
}

static uint32_t call_block(const struct wm_unit_plan *plan, const struct wm_step *step)
{
	return plan->unit->function[step->function].call[step->index].block;
}

/* The block that a step enters, or behind one of whose calls it begins; WM_NONE: neither. */
static uint32_t block_of(const struct wm_unit_plan *plan, const struct wm_step *step)
{
	if (step->kind == WM_STEP_BEHIND)
		return call_block(plan, step);
	if (step->kind != WM_STEP_EDGE)
		return WM_NONE;
	return plan->function[step->function].plan.dag.node_block[edge_of(plan, step)->to];
}

static bool is_call_or_return(const struct wm_step *step)
{
	return step->kind == WM_STEP_CALL || step->kind == WM_STEP_RETURN;
}

/* Whether the list of a path has an element for the step: exits and ends have none. */
static bool is_listed(const struct wm_unit_plan *plan, const struct wm_step *step)
{
	return is_call_or_return(step) || block_of(plan, step) != WM_NONE;
}

static bool is_restart(const struct wm_unit_plan *plan, const struct wm_step *step)
{
	return step->kind == WM_STEP_BEHIND ||
	       (step->kind == WM_STEP_EDGE && edge_of(plan, step)->kind == WM_EDGE_RESTART);
}

static void put_block(const struct wm_cfg *cfg, uint32_t function, uint32_t block)
{
	printf("%s:%s", cfg->function[function].name, cfg->function[function].block_name[block]);
}

static void put_step(const struct wm_cfg *cfg, const struct wm_unit_plan *plan, const struct wm_step *step)
{
	if (is_call_or_return(step))
		putchar(step->kind == WM_STEP_CALL ? '(' : ')');
	else
		put_block(cfg, step->function, block_of(plan, step));
}

/* How many calls are open behind a step. */
static uint32_t open_behind(uint32_t open, const struct wm_step *step)
{
	return step->kind == WM_STEP_CALL ? open + 1 : open - (step->kind == WM_STEP_RETURN && open);
}

static void print_end(const struct wm_cfg *cfg, const struct wm_unit_plan *plan, const struct wm_step *last)
{
	if (last->kind == WM_STEP_CUT) {
		printf("  (before call %u of ", plan->unit->function[last->function].call[last->index].position);
		put_block(cfg, last->function, call_block(plan, last));
		putchar(')');
		return;
	}
	const struct wm_dag_edge *edge = edge_of(plan, last);
	if (edge->cfg_edge == WM_NONE)
		return;
	fputs(edge->end == WM_END_CUT ? "  (cut before " : "  (back to ", stdout);
	put_block(cfg, last->function, plan->function[last->function].plan.graph->edge_to[edge->cfg_edge]);
	putchar(')');
}

void wm_print_unit_path(const struct wm_cfg *cfg, const struct wm_unit_plan *plan, const struct wm_unit_path *path)
{
	for (uint32_t i = 0, open = 0; i < path->length; i++) {
		const struct wm_step *step = &path->step[i];
		if (!is_listed(plan, step))
			continue;
		fputs(i ? " " : "", stdout);
		fputs(i && is_restart(plan, step) ? "+" : "", stdout);
		put_step(cfg, plan, step);
		if (step->kind == WM_STEP_RETURN && open == 0)
			put_block(cfg, step->function, call_block(plan, step));
		open = open_behind(open, step);
	}
	print_end(cfg, plan, &path->step[path->length - 1]);
}

static void print_blocks_json(
	const struct wm_cfg *cfg, const struct wm_unit_plan *plan, const struct wm_unit_path *path)
{
	fputs("\"path\": [", stdout);
	for (uint32_t i = 0; i < path->length; i++) {
		if (!is_listed(plan, &path->step[i]))
			continue;
		fputs(i ? ", \"" : "\"", stdout);
		put_step(cfg, plan, &path->step[i]);
		putchar('"');
	}
	putchar(']');
}

static void print_restarts_json(const struct wm_unit_plan *plan, const struct wm_unit_path *path)
{
	const char *before = "";
	fputs(", \"restarts\": [", stdout);
	for (uint32_t i = 0, index = 0; i < path->length; i++) {
		const struct wm_step *step = &path->step[i];
		if (is_restart(plan, step)) {
			printf("%s%u", before, index);
			before = ", ";
		}
		index += is_listed(plan, step);
	}
	putchar(']');
}

static void print_returns_json(
	const struct wm_cfg *cfg, const struct wm_unit_plan *plan, const struct wm_unit_path *path)
{
	const char *before = "";
	uint32_t open = 0;
	fputs(", \"returns\": [", stdout);
	for (uint32_t i = 0, index = 0; i < path->length; i++) {
		const struct wm_step *step = &path->step[i];
		if (step->kind == WM_STEP_RETURN && open == 0) {
			printf("%s{\"index\": %u, \"block\": \"", before, index);
			put_block(cfg, step->function, call_block(plan, step));
			printf("\", \"position\": %u}",
				plan->unit->function[step->function].call[step->index].position);
			before = ", ";
		}
		open = open_behind(open, step);
		index += is_listed(plan, step);
	}
	putchar(']');
}

void wm_print_unit_path_json(const struct wm_cfg *cfg, const struct wm_unit_plan *plan, const struct wm_unit_path *path)
{
	const struct wm_step *first = &path->step[0], *last = &path->step[path->length - 1];
	print_blocks_json(cfg, plan, path);
	printf(", \"start\": \"%s\", \"end\": \"%s\"",
		wm_start_text(first->kind == WM_STEP_BEHIND ? WM_START_CUT : edge_of(plan, first)->start),
		wm_end_text(last->kind == WM_STEP_CUT ? WM_END_CUT : edge_of(plan, last)->end));
	print_restarts_json(plan, path);
	if (plan->scheme->pieces)
		print_returns_json(cfg, plan, path);
}
