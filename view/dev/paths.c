/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "view/dev/paths.h"
#include "analysis/join/story.h"
#include <stdio.h>

/* With inlined calls: the trail of the original functions, in the arena.  Otherwise the trail itself. */
static struct wm_trail printed_trail(
	const struct wm_path_graphs *graphs, const struct wm_trail *trail, struct wm_arena *arena)
{
	struct wm_trail original;
	wm_arena_init(arena);
	if (!graphs->inlined)
		return *trail;
	wm_inlined_original(graphs->inlined, trail, &original, arena);
	return original;
}

/* Whether paths lead through several functions, also inlined ones. */
static bool has_calls(const struct wm_path_graphs *graphs)
{
	return wm_plan_crosses_calls(graphs->plan) || graphs->inlined;
}

static const struct wm_call *call_at(
	const struct wm_path_graphs *graphs, const struct wm_trail_step *step, uint32_t site)
{
	return &graphs->plan->pairs->unit->unit->function[step->function].call[site];
}

/* Names consist of letters, digits and _ . $, so nothing has to be escaped in JSON. */
static void put_name(const struct wm_path_graphs *graphs, const struct wm_cfg_function *function, uint32_t block)
{
	if (has_calls(graphs)) {
		fputs(function->name, stdout);
		putchar(':');
	}
	fputs(function->block_name[block], stdout);
}

static void put_block(
	const struct wm_path_graphs *graphs, const struct wm_trail *trail, const struct wm_trail_step *step)
{
	put_name(graphs,
		trail->frame ? wm_inlined_function(graphs->inlined, &trail->frame[step->frame])
			     : &graphs->function[step->function],
		step->block);
}

static void put_step(
	const struct wm_path_graphs *graphs, const struct wm_trail *trail, const struct wm_trail_step *step)
{
	if (step->kind == WM_TRAIL_BLOCK)
		put_block(graphs, trail, step);
	else
		putchar(step->kind == WM_TRAIL_CALL ? '(' : ')');
}

/* ---- Text ------------------------------------------------------------------------------ */

/* The number of steps that are printed in brackets. */
static uint32_t bracketed(const struct wm_path_graphs *graphs, const struct wm_trail *trail)
{
	return graphs->plan->scheme->contexts ? trail->fresh : 0;
}

static const char *text_before(const struct wm_path_graphs *graphs, const struct wm_trail *trail, uint32_t i)
{
	uint32_t context = bracketed(graphs, trail);
	if (!i)
		return context ? "[" : "";
	if (has_calls(graphs))
		return trail->step[i].restart ? " +" : " ";
	return i == context ? "] " : graphs->plan->iterations && trail->step[i].again ? " | " : "-";
}

static void print_steps(const struct wm_path_graphs *graphs, const struct wm_trail *trail)
{
	for (uint32_t i = 0; i < trail->count; i++) {
		const struct wm_trail_step *step = &trail->step[i];
		fputs(text_before(graphs, trail, i), stdout);
		put_step(graphs, trail, step);
		if (step->lone)
			put_block(graphs, trail, step);
		if (i < bracketed(graphs, trail) && step->again)
			putchar('+');
	}
}

/* The block to which an edge leads. */
static void put_target(const struct wm_path_graphs *graphs, uint32_t function, uint32_t edge)
{
	uint32_t block = graphs->function[function].graph.edge_to[edge];
	if (!graphs->inlined) {
		put_name(graphs, &graphs->function[function], block);
		return;
	}
	const struct wm_origins *origins = &graphs->inlined->supergraph[function].origins;
	const struct wm_mark *mark = &origins->mark[origins->first_mark[block]];
	const struct wm_trail_frame frame = {.function = function, .context = mark->context};
	put_name(graphs, wm_inlined_function(graphs->inlined, &frame), mark->block);
}

static void print_end(const struct wm_path_graphs *graphs, const struct wm_trail *trail)
{
	const struct wm_trail_step *last = &trail->step[trail->last];
	bool cut = trail->end == WM_END_CUT, call = trail->end == WM_END_CALL;
	if (trail->cut != WM_NONE) {
		const struct wm_call *site = call_at(graphs, last, trail->cut);
		printf("  (%s call %u of ", call ? "in" : "before", site->position);
		put_name(graphs, &graphs->function[last->function], site->block);
	} else if (last->edge != WM_NONE) {
		fputs(cut ? "  (cut before " : call ? "  (call before " : "  (back to ", stdout);
		put_target(graphs, last->function, last->edge);
	} else {
		return;
	}
	putchar(')');
}

void wm_print_path(const struct wm_path_graphs *graphs, const struct wm_trail *trail)
{
	struct wm_arena arena;
	const struct wm_trail printed = printed_trail(graphs, trail, &arena);
	print_steps(graphs, &printed);
	wm_arena_release(&arena);
	print_end(graphs, trail);
}

/* ---- JSON ------------------------------------------------------------------------------ */

static void print_steps_json(const struct wm_path_graphs *graphs, const char *name, const struct wm_trail *trail,
	uint32_t first, uint32_t end)
{
	printf("\"%s\": [", name);
	for (uint32_t i = first; i < end; i++) {
		fputs(i > first ? ", \"" : "\"", stdout);
		put_step(graphs, trail, &trail->step[i]);
		putchar('"');
	}
	putchar(']');
}

/* "name": [the indices of the steps where a path has gone on, or else where a further iteration begins] */
static void print_indices(const char *name, const struct wm_trail *trail, bool restarts)
{
	const char *before = "";
	printf(", \"%s\": [", name);
	for (uint32_t i = 0; i < trail->count; i++)
		if (restarts ? trail->step[i].restart : trail->step[i].again) {
			printf("%s%u", before, i);
			before = ", ";
		}
	putchar(']');
}

static void print_returns_json(const struct wm_path_graphs *graphs, const struct wm_trail *trail)
{
	const char *before = "";
	fputs(", \"returns\": [", stdout);
	for (uint32_t i = 0; i < trail->count; i++) {
		const struct wm_trail_step *step = &trail->step[i];
		if (!step->lone)
			continue;
		printf("%s{\"index\": %u, \"block\": \"", before, i);
		put_block(graphs, trail, step);
		printf("\", \"position\": %u}", call_at(graphs, step, step->site)->position);
		before = ", ";
	}
	putchar(']');
}

static void print_parts_json(const struct wm_plan *plan, const struct wm_trail *trail)
{
	bool contexts = plan->scheme->contexts;
	if (!plan->iterations && !contexts)
		return;
	print_indices(contexts ? "again" : "iterations", trail, false);
	printf(", \"fresh\": %u", trail->fresh);
}

void wm_print_path_json(const struct wm_path_graphs *graphs, const struct wm_trail *trail)
{
	struct wm_arena arena;
	const struct wm_trail printed = printed_trail(graphs, trail, &arena);
	const struct wm_plan *plan = graphs->plan;
	bool context = wm_plan_crosses_calls(plan) && !plan->scheme->pieces;
	if (context) {
		print_steps_json(graphs, "context", &printed, 0, printed.fresh);
		fputs(", ", stdout);
	}
	print_steps_json(graphs, "path", &printed, context ? printed.fresh : 0, printed.count);
	wm_arena_release(&arena);
	printf(", \"start\": \"%s\", \"end\": \"%s\"", wm_start_text(trail->start), wm_end_text(trail->end));
	if (wm_plan_crosses_calls(plan))
		print_indices("restarts", trail, true);
	else
		print_parts_json(plan, trail);
	if (wm_plan_crosses_calls(plan) && plan->scheme->pieces)
		print_returns_json(graphs, trail);
}

/* ---- Schemes --------------------------------------------------------------------------- */

static void print_scheme(const struct wm_scheme *scheme)
{
	const char *parameter = scheme->parameter;
	int used = printf("  %s%s%s", scheme->name, parameter ? "=" : "", parameter ? parameter : "");
	printf("%*s %s\n", used < 20 ? 20 - used : 0, "", scheme->summary);
}

void wm_print_schemes(void)
{
	puts("\nschemes:");
	for (const struct wm_scheme *const *s = wm_schemes; *s; s++)
		print_scheme(*s);
}
