/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/core/unit_oracle.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool unit_oracle_stops(const struct unit_oracle *o, uint32_t function, uint32_t edge)
{
	const struct oracle *f = &o->function[function];
	return f->back[edge] || (f->cut && f->cut[edge]);
}

static bool is_crossed(const struct unit_oracle *o, uint32_t function, uint32_t site)
{
	return o->plan->function[function].pairs->site[site].crossing == WM_CROSSED;
}

static bool steps_over(const struct unit_oracle *o, uint32_t function, uint32_t site)
{
	const struct wm_unit_function *f = &o->plan->unit->function[function];
	uint32_t block = f->call[site].block;
	bool last = f->call[site].tail || (f->graph->end[block] == WM_END_NORETURN && !f->call[site].followed &&
						  (site + 1 == f->call_count || f->call[site + 1].block != block));
	return !is_crossed(o, function, site) && o->function[function].reached[block] && !last;
}

bool unit_oracle_cuts(const struct unit_oracle *o, uint32_t function, uint32_t site)
{
	return o->plan->scheme->cuts && steps_over(o, function, site);
}

bool unit_oracle_waits(const struct unit_oracle *o, uint32_t function, uint32_t site)
{
	return o->plan->scheme->pending && steps_over(o, function, site);
}

static bool matters(const struct unit_oracle *o, uint32_t function, uint32_t site)
{
	return is_crossed(o, function, site) || unit_oracle_cuts(o, function, site) ||
	       unit_oracle_waits(o, function, site);
}

bool unit_oracle_unwinds(const struct unit_oracle *o, uint32_t function, uint32_t edge)
{
	const struct wm_unit_function *f = &o->plan->unit->function[function];
	uint32_t block = f->graph->edge_from[edge];
	for (uint32_t i = 0; i < f->call_count; i++)
		if (f->call[i].block == block && f->call[i].unwinds && matters(o, function, i) &&
			edge + 1 == f->graph->first_edge[block + 1])
			return true;
	return false;
}

/* ---- Listing -------------------------------------------------------------------- */

static void put(struct unit_oracle *o, const char *format, uint32_t first, uint32_t second)
{
	int length = snprintf(o->text + o->used, sizeof o->text - o->used, format, first, second);
	o->used += (size_t)length;
	if (o->used + 64 > sizeof o->text) {
		o->full = true;
		o->used = 0;
	}
}

static void record(struct unit_oracle *o, const char *format, uint32_t block)
{
	size_t before = o->used;
	put(o, format, block, 0);
	if (o->count == o->limit)
		o->full = true;
	else
		o->path[o->count++] = strdup(o->text);
	o->used = before;
}

static void visit_calls(struct unit_oracle *o, uint32_t function, uint32_t block, uint32_t site);
static void visit_exit(struct unit_oracle *o, uint32_t function);

static void visit_block(struct unit_oracle *o, uint32_t function, uint32_t block)
{
	size_t before = o->used;
	put(o, "%u.%u ", function, block);
	visit_calls(o, function, block, 0);
	o->used = before;
}

static void visit_restart(struct unit_oracle *o, uint32_t function, uint32_t block)
{
	size_t before = o->used;
	put(o, "S%u.%u ", function, block);
	visit_block(o, function, block);
	o->used = before;
}

static void visit_restarts(struct unit_oracle *o, uint32_t function)
{
	for (uint32_t b = 0; b < o->plan->unit->function[function].graph->block_count; b++)
		if (o->restarts[function][b])
			visit_restart(o, function, b);
	for (uint32_t i = 0; i < o->plan->unit->function[function].call_count; i++) {
		size_t before = o->used;
		if (!unit_oracle_cuts(o, function, i))
			continue;
		put(o, "B%u.%u ", function, i);
		visit_calls(o, function, o->plan->unit->function[function].call[i].block, i + 1);
		o->used = before;
	}
}

static void visit_entry(struct unit_oracle *o, uint32_t function)
{
	visit_block(o, function, 0);
	if (!o->pieces)
		visit_restarts(o, function);
}

static void visit_edges(struct unit_oracle *o, uint32_t function, uint32_t block)
{
	const struct wm_graph *graph = o->plan->unit->function[function].graph;
	for (int stops = 0; stops <= 1; stops++) {
		for (uint32_t e = graph->first_edge[block]; e < graph->first_edge[block + 1]; e++) {
			if (unit_oracle_stops(o, function, e) != stops || unit_oracle_unwinds(o, function, e))
				continue;
			if (stops)
				record(o, "g%u", graph->edge_to[e]);
			else
				visit_block(o, function, graph->edge_to[e]);
		}
	}
	if (graph->end[block] == WM_END_RETURN)
		visit_exit(o, function);
	else if (graph->end[block] != WM_END_NONE)
		record(o, "n", 0);
}

static void visit_calls(struct unit_oracle *o, uint32_t function, uint32_t block, uint32_t site)
{
	const struct wm_unit_function *f = &o->plan->unit->function[function];
	while (site < f->call_count && (f->call[site].block != block || !matters(o, function, site)))
		site++;
	if (o->full)
		return;
	if (site == f->call_count) {
		visit_edges(o, function, block);
		return;
	}
	if (unit_oracle_cuts(o, function, site)) {
		record(o, "c%u", site);
		return;
	}
	if (unit_oracle_waits(o, function, site)) {
		visit_calls(o, function, block, site + 1);
		record(o, "p%u", site);
		return;
	}
	size_t before = o->used;
	put(o, "( ", 0, 0);
	o->open[o->depth++] = (struct wm_caller){function, site};
	visit_entry(o, f->call[site].callee);
	o->depth--;
	o->used = before;
}

static void visit_return(struct unit_oracle *o, uint32_t function, uint32_t site)
{
	size_t before = o->used;
	put(o, ")%u.%u ", function, site);
	visit_calls(o, function, o->plan->unit->function[function].call[site].block, site + 1);
	o->used = before;
}

/* Into any caller. */
static void visit_callers(struct unit_oracle *o, uint32_t function)
{
	const struct wm_unit *unit = o->plan->unit;
	for (uint32_t i = 0; i < unit->function_count; i++) {
		uint32_t caller = o->plan->callgraph.order[i];
		for (uint32_t s = 0; s < unit->function[caller].call_count; s++)
			if (unit->function[caller].call[s].callee == function && is_crossed(o, caller, s))
				visit_return(o, caller, s);
	}
	if (o->root[function])
		record(o, "x", 0);
}

static void visit_exit(struct unit_oracle *o, uint32_t function)
{
	if (o->depth == 0) {
		visit_callers(o, function);
		return;
	}
	struct wm_caller open = o->open[--o->depth];
	if (open.function == WM_NONE)
		record(o, "x", 0);
	else
		visit_return(o, open.function, open.site);
	o->open[o->depth++] = open;
}

static void list_function(struct unit_oracle *o, uint32_t function)
{
	if (o->root[function]) {
		o->open[o->depth++] = (struct wm_caller){WM_NONE, 0};
		put(o, "E%u ", function, 0);
		visit_entry(o, function);
		o->used = 0;
		o->depth--;
	}
	if (o->pieces)
		visit_restarts(o, function);
}

/* ---- Setting up -------------------------------------------------------------------- */

static void find_roots(struct unit_oracle *o, const bool *entry)
{
	const struct wm_unit *unit = o->plan->unit;
	bool *crossed = calloc(unit->function_count, 1);
	for (uint32_t f = 0; f < unit->function_count; f++) {
		o->root[f] |= entry && entry[f];
		for (uint32_t i = 0; i < unit->function[f].call_count; i++) {
			const struct wm_call *call = &unit->function[f].call[i];
			if (call->callee == WM_NONE || !o->function[f].reached[call->block])
				continue;
			*(is_crossed(o, f, i) ? &crossed[call->callee] : &o->root[call->callee]) = true;
		}
	}
	for (uint32_t f = 0; f < unit->function_count; f++)
		o->root[f] |= !crossed[f];
	free(crossed);
}

static void find_restarts(struct unit_oracle *o, uint32_t function)
{
	const struct wm_graph *graph = o->plan->unit->function[function].graph;
	o->restarts[function] = calloc(graph->block_count, 1);
	for (uint32_t e = 0; e < graph->edge_count; e++)
		if (o->function[function].reached[graph->edge_from[e]] &&
			(unit_oracle_stops(o, function, e) || unit_oracle_unwinds(o, function, e)))
			o->restarts[function][graph->edge_to[e]] = true;
}

static const struct unit_oracle *sorting;

static int by_text(const void *a, const void *b)
{
	return strcmp(sorting->path[*(const uint32_t *)a], sorting->path[*(const uint32_t *)b]);
}

bool unit_oracle_init(struct unit_oracle *o, const struct wm_unit_plan *plan, const bool *entry, uint32_t limit)
{
	uint32_t count = plan->unit->function_count;
	*o = (struct unit_oracle){.plan = plan, .pieces = plan->scheme->pieces, .limit = limit};
	o->function = calloc(count, sizeof *o->function);
	o->restarts = calloc(count, sizeof *o->restarts);
	o->root = calloc(count, 1);
	o->path = calloc(limit, sizeof *o->path);
	o->sorted = calloc(limit, sizeof *o->sorted);
	for (uint32_t f = 0; f < count; f++) {
		oracle_init(&o->function[f], plan->unit->function[f].graph, plan->function[f].cut, 1);
		find_restarts(o, f);
	}
	find_roots(o, entry);
	for (uint32_t i = 0; i < count && !o->full; i++)
		list_function(o, plan->callgraph.order[i]);
	for (uint32_t i = 0; i < o->count; i++)
		o->sorted[i] = i;
	sorting = o;
	qsort(o->sorted, o->count, sizeof *o->sorted, by_text);
	return !o->full;
}

void unit_oracle_release(struct unit_oracle *o)
{
	for (uint32_t f = 0; f < o->plan->unit->function_count; f++) {
		oracle_release(&o->function[f]);
		free(o->restarts[f]);
	}
	for (uint32_t i = 0; i < o->count; i++)
		free(o->path[i]);
	free(o->function);
	free(o->restarts);
	free(o->root);
	free(o->path);
	free(o->sorted);
}

uint32_t unit_oracle_find(const struct unit_oracle *o, const char *text)
{
	uint32_t low = 0, high = o->count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int order = strcmp(o->path[o->sorted[middle]], text);
		if (order == 0)
			return o->sorted[middle];
		*(order < 0 ? &low : &high) = order < 0 ? middle + 1 : middle;
	}
	return WM_NONE;
}

/* ---- Decoded paths ------------------------------------------------------------------ */

static int step_text(
	const struct wm_unit_plan *plan, const struct wm_trail_step *step, bool first, char *text, size_t room)
{
	uint32_t function = step->function, block = step->block;
	if (step->kind == WM_TRAIL_CALL)
		return snprintf(text, room, "( ");
	if (step->kind == WM_TRAIL_RETURN)
		return snprintf(text, room, ")%u.%u ", function, step->site);
	bool root = first && (!step->restart || !plan->scheme->pieces);
	int used = root ? snprintf(text, room, "E%u ", function) : 0;
	text += used;
	room -= (size_t)used;
	if (step->site != WM_NONE)
		return used + snprintf(text, room, "B%u.%u ", function, step->site);
	if (step->restart)
		used += snprintf(text, room, "S%u.%u %u.%u ", function, block, function, block);
	else
		used += snprintf(text, room, "%u.%u ", function, block);
	return used;
}

static void end_text(const struct wm_unit_plan *plan, const struct wm_trail *trail, char *text, size_t room)
{
	const struct wm_trail_step *last = &trail->step[trail->last];
	if (trail->cut != WM_NONE)
		snprintf(text, room, "%c%u", trail->end == WM_END_CUT ? 'c' : 'p', trail->cut);
	else if (trail->end == WM_END_BACKEDGE || trail->end == WM_END_CUT)
		snprintf(text, room, "g%u", plan->function[last->function].graph->edge_to[last->edge]);
	else
		snprintf(text, room, "%c", trail->end == WM_END_RETURN ? 'x' : 'n');
}

void unit_path_text(const struct wm_unit_plan *plan, const struct wm_trail *trail, char *text, size_t room)
{
	size_t used = 0;
	for (uint32_t i = 0; i < trail->count && used + 64 < room; i++)
		used += (size_t)step_text(plan, &trail->step[i], i == 0, text + used, room - used);
	end_text(plan, trail, text + used, room - used);
}
