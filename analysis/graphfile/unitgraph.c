/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/graphfile/unitgraph.h"
#include "analysis/story/story.h"
#include "core/scheme/unit_plan.h"
#include "support/tool.h"
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

void wm_unit_graph_decode(const struct wm_unit_plan *plan, uint64_t id, struct wm_trail *trail, struct wm_arena *arena)
{
	if (wm_trail_decode(plan, id, trail, arena) != WM_OK)
		wm_bug("path %" PRIu64 " cannot be decoded", id);
}

static void put_block(const struct wm_cfg *cfg, uint32_t function, uint32_t block)
{
	printf("%s:%s", cfg->function[function].name, cfg->function[function].block_name[block]);
}

static void put_step(const struct wm_cfg *cfg, const struct wm_trail_step *step)
{
	if (step->kind != WM_TRAIL_BLOCK)
		putchar(step->kind == WM_TRAIL_CALL ? '(' : ')');
	else
		put_block(cfg, step->function, step->block);
}

/* The call before or in which the path ends. */
static void print_cut(const struct wm_cfg *cfg, const struct wm_unit_plan *plan, const struct wm_trail *trail)
{
	const struct wm_call *call = &plan->unit->function[trail->step[trail->last].function].call[trail->cut];
	printf("  (%s call %u of ", trail->end == WM_END_CALL ? "in" : "before", call->position);
	put_block(cfg, trail->step[trail->last].function, call->block);
	putchar(')');
}

static void print_end(const struct wm_cfg *cfg, const struct wm_unit_plan *plan, const struct wm_trail *trail)
{
	const struct wm_trail_step *last = &trail->step[trail->last];
	if (trail->cut != WM_NONE)
		print_cut(cfg, plan, trail);
	if (trail->cut != WM_NONE || (trail->end != WM_END_BACKEDGE && trail->end != WM_END_CUT))
		return;
	fputs(trail->end == WM_END_CUT ? "  (cut before " : "  (back to ", stdout);
	put_block(cfg, last->function, plan->function[last->function].plan.graph->edge_to[last->edge]);
	putchar(')');
}

void wm_print_unit_path(const struct wm_cfg *cfg, const struct wm_unit_plan *plan, const struct wm_trail *trail)
{
	for (uint32_t i = 0; i < trail->count; i++) {
		const struct wm_trail_step *step = &trail->step[i];
		fputs(i ? " " : "", stdout);
		fputs(i && step->restart ? "+" : "", stdout);
		put_step(cfg, step);
		if (step->lone)
			put_block(cfg, step->function, step->block);
	}
	print_end(cfg, plan, trail);
}

static void print_steps_json(
	const struct wm_cfg *cfg, const char *name, const struct wm_trail *trail, uint32_t first, uint32_t end)
{
	printf("\"%s\": [", name);
	for (uint32_t i = first; i < end; i++) {
		fputs(i > first ? ", \"" : "\"", stdout);
		put_step(cfg, &trail->step[i]);
		putchar('"');
	}
	putchar(']');
}

static void print_restarts_json(const struct wm_trail *trail)
{
	const char *before = "";
	fputs(", \"restarts\": [", stdout);
	for (uint32_t i = 0; i < trail->count; i++)
		if (trail->step[i].restart) {
			printf("%s%u", before, i);
			before = ", ";
		}
	putchar(']');
}

static void print_returns_json(const struct wm_cfg *cfg, const struct wm_unit_plan *plan, const struct wm_trail *trail)
{
	const char *before = "";
	fputs(", \"returns\": [", stdout);
	for (uint32_t i = 0; i < trail->count; i++) {
		const struct wm_trail_step *step = &trail->step[i];
		if (!step->lone)
			continue;
		printf("%s{\"index\": %u, \"block\": \"", before, i);
		put_block(cfg, step->function, step->block);
		printf("\", \"position\": %u}", plan->unit->function[step->function].call[step->site].position);
		before = ", ";
	}
	putchar(']');
}

void wm_print_unit_path_json(const struct wm_cfg *cfg, const struct wm_unit_plan *plan, const struct wm_trail *trail)
{
	bool pieces = plan->scheme->pieces;
	if (!pieces) {
		print_steps_json(cfg, "context", trail, 0, trail->fresh);
		fputs(", ", stdout);
	}
	print_steps_json(cfg, "path", trail, pieces ? 0 : trail->fresh, trail->count);
	printf(", \"start\": \"%s\", \"end\": \"%s\"", wm_start_text(trail->start), wm_end_text(trail->end));
	print_restarts_json(trail);
	if (pieces)
		print_returns_json(cfg, plan, trail);
}
