/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Outcomes of decisions and source lines, ranked. */
#include "analysis/blame/blame.h"
#include "analysis/blame/cause_order.h"
#include "core/graph/dominators.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <stdlib.h>

struct ranking {
	struct wm_blame *blame;
	const struct wm_executed *executed;
	const struct wm_cause_order *order;
};

static size_t runs_of(const struct wm_blame *blame, int side)
{
	return blame->delta.side[side].suite.test_count;
}

/* Of something that `did` runs of each side did, of those `near` it. */
static struct wm_suspect suspect_of(
	const struct wm_blame *blame, const size_t did[WM_SIDES], const size_t near[WM_SIDES], uint64_t order)
{
	struct wm_suspect suspect = {.order = order,
		.spectrum = {.failed = runs_of(blame, WM_FAILED),
			.passed = runs_of(blame, WM_PASSED),
			.failed_with = did[WM_FAILED],
			.passed_with = did[WM_PASSED],
			.failed_near = near[WM_FAILED],
			.passed_near = near[WM_PASSED]}};
	suspect.score = wm_measure(blame->measure, &suspect.spectrum);
	return suspect;
}

/* ---- Outcomes ----------------------------------------------------------------------------------- */

static void list_outcome(struct ranking *r, size_t function, uint32_t edge)
{
	struct wm_blame *blame = r->blame;
	const struct wm_story_function *f = &r->executed->story->function[function];
	uint32_t block = f->map->graph.edge_from[edge];
	size_t own = wm_executed_edge(r->executed, function, edge);
	size_t near = wm_executed_block(r->executed, function, block);
	const size_t did[] = {r->executed->runs[WM_OLD][own], r->executed->runs[WM_NEW][own]};
	const size_t came[] = {r->executed->runs[WM_OLD][near], r->executed->runs[WM_NEW][near]};
	if (!did[WM_FAILED])
		return;
	WM_XGROW(blame->outcome, blame->outcome_count);
	blame->outcome[blame->outcome_count++] = (struct wm_blame_outcome){.function = f,
		.block = block,
		.edge = edge,
		.follows = WM_NONE,
		.suspect = suspect_of(blame, did, came, wm_cause_order_decision(r->order, function, block))};
}

/* Whether every run of both sides that takes one edge, which leads to the other, takes both. */
static bool same_runs(const struct wm_executed *x, size_t function, uint32_t a, uint32_t b)
{
	size_t first = wm_executed_edge(x, function, a), second = wm_executed_edge(x, function, b);
	return x->runs[WM_OLD][first] == x->runs[WM_OLD][second] && x->runs[WM_NEW][first] == x->runs[WM_NEW][second];
}

static bool decides(const struct wm_graph *graph, uint32_t block)
{
	return graph->first_edge[block + 1] - graph->first_edge[block] > 1;
}

/* All runs that take an outcome take the gates before it, so that equal numbers are those of the same runs. */
static void find_follows(struct ranking *r, size_t function, struct wm_blame_outcome *outcome, size_t count)
{
	const struct wm_graph *graph = &r->executed->story->function[function].map->graph;
	struct wm_arena arena;
	struct wm_dfs dfs;
	struct wm_dominators dominators;
	wm_arena_init(&arena);
	if (wm_dfs_run(&dfs, graph, &arena) != WM_OK || wm_dominators_run(&dominators, graph, &dfs, &arena) != WM_OK)
		wm_no_memory();
	for (size_t i = 0; i < count; i++)
		for (uint32_t b = outcome[i].block; b != WM_NONE; b = dominators.parent[b]) {
			uint32_t gate = dominators.gate[b];
			if (gate == WM_NONE || !decides(graph, graph->edge_from[gate]) ||
				!same_runs(r->executed, function, gate, outcome[i].edge))
				continue;
			outcome[i].follows = gate;
			break;
		}
	wm_arena_release(&arena);
}

static void list_function(struct ranking *r, size_t function)
{
	const struct wm_graph *graph = &r->executed->story->function[function].map->graph;
	size_t before = r->blame->outcome_count;
	for (uint32_t e = 0; e < graph->edge_count; e++)
		if (decides(graph, graph->edge_from[e]))
			list_outcome(r, function, e);
	if (r->blame->outcome_count > before)
		find_follows(r, function, &r->blame->outcome[before], r->blame->outcome_count - before);
}

/* ---- Folding ------------------------------------------------------------------------------------ */

/* An outcome, and the place in the ranking of the one that stands for it. */
struct folding {
	const struct wm_blame_outcome *outcome;
	size_t rank, stands;
};

static const struct wm_map_line *decision_of(const struct wm_blame_outcome *outcome)
{
	return &outcome->function->map->block[outcome->block].decision;
}

/* Operands of a condition of one line; cases of a switch are no operands. */
static int by_condition(const struct wm_blame_outcome *a, const struct wm_blame_outcome *b)
{
	const struct wm_map_line *x = decision_of(a), *y = decision_of(b);
	const struct wm_spectrum *s = &a->suspect.spectrum, *t = &b->suspect.spectrum;
	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (s->failed_with != t->failed_with)
		return s->failed_with < t->failed_with ? -1 : 1;
	return (s->passed_with > t->passed_with) - (s->passed_with < t->passed_with);
}

static int by_condition_and_rank(const void *left, const void *right)
{
	const struct folding *a = left, *b = right;
	int order = by_condition(a->outcome, b->outcome);
	return order ? order : (a->rank > b->rank) - (a->rank < b->rank);
}

static bool is_operand(const struct wm_blame_outcome *outcome)
{
	return outcome->function->map->block[outcome->block].terminator == WM_TERM_BRANCH && decision_of(outcome)->line;
}

/* Per outcome of the ranking: the first operand of its condition that goes as well with failing; or itself. */
static size_t *find_operands(const struct wm_blame *blame)
{
	size_t count = 0, *first = wm_xrealloc(NULL, blame->outcome_count + 1, sizeof *first);
	struct folding *list = wm_xrealloc(NULL, blame->outcome_count + 1, sizeof *list);
	for (size_t i = 0; i < blame->outcome_count; i++) {
		first[i] = i;
		if (is_operand(&blame->outcome[i]))
			list[count++] = (struct folding){&blame->outcome[i], i, i};
	}
	if (count)
		qsort(list, count, sizeof *list, by_condition_and_rank);
	for (size_t i = 1; i < count; i++) {
		if (by_condition(list[i - 1].outcome, list[i].outcome) == 0)
			list[i].stands = list[i - 1].stands;
		first[list[i].rank] = list[i].stands;
	}
	free(list);
	return first;
}

/* An outcome has the rank of those that follow from it, and comes before them. */
static void fold(struct ranking *r)
{
	struct wm_blame *blame = r->blame;
	size_t *at = wm_xrealloc(NULL, r->executed->item_count + 1, sizeof *at);
	size_t *stands = find_operands(blame);
	for (size_t i = 0; i < blame->outcome_count; i++) {
		struct wm_blame_outcome *o = &blame->outcome[i];
		size_t function = (size_t)(o->function - r->executed->story->function);
		at[wm_executed_edge(r->executed, function, o->edge)] = i;
		if (o->follows != WM_NONE)
			stands[i] = at[wm_executed_edge(r->executed, function, o->follows)];
		if (stands[i] == i)
			continue;
		stands[i] = stands[stands[i]];
		o->folded = true;
		blame->outcome[stands[i]].like++;
	}
	free(stands);
	free(at);
}

/* ---- Lines -------------------------------------------------------------------------------------- */

/* The place of the line that failed runs came to first; NULL: they did not execute it. */
static const struct wm_executed_place *first_place(const struct ranking *r, size_t line, uint64_t *order)
{
	const struct wm_executed_place *found = NULL;
	for (size_t i = r->executed->first_place[line]; i < r->executed->first_place[line + 1]; i++) {
		uint64_t at = wm_cause_order_line(r->order, &r->executed->place[i]);
		if (!at || (found && at >= *order))
			continue;
		found = &r->executed->place[i];
		*order = at;
	}
	return found;
}

static void list_line(struct ranking *r, size_t line)
{
	struct wm_blame *blame = r->blame;
	uint64_t order = 0;
	const struct wm_executed_place *place = first_place(r, line, &order);
	if (!place)
		return;
	const size_t did[] = {r->executed->line_runs[WM_OLD][line], r->executed->line_runs[WM_NEW][line]};
	size_t entry = wm_executed_block(r->executed, place->function, 0);
	const size_t came[] = {r->executed->runs[WM_OLD][entry], r->executed->runs[WM_NEW][entry]};
	WM_XGROW(blame->line, blame->line_count);
	blame->line[blame->line_count++] =
		(struct wm_blame_line){.function = &r->executed->story->function[place->function],
			.place = *wm_executed_line(r->executed, place),
			.suspect = suspect_of(blame, did, came, order)};
}

/* ---- All of it ---------------------------------------------------------------------------------- */

void wm_blame_find_suspects(struct wm_blame *blame, const struct wm_function_filter *filter)
{
	struct wm_executed executed;
	struct wm_cause_order order;
	wm_executed_count(&executed, &blame->delta, filter, WM_FAILED);
	wm_cause_order_find(&order, &executed, WM_FAILED);
	struct ranking r = {blame, &executed, &order};
	for (size_t f = 0; f < executed.story->function_count; f++)
		if (executed.first[f] != SIZE_MAX)
			list_function(&r, f);
	for (size_t l = 0; l < executed.line_count; l++)
		list_line(&r, l);
	wm_suspects_rank(blame->outcome, blame->outcome_count, sizeof *blame->outcome);
	wm_suspects_rank(blame->line, blame->line_count, sizeof *blame->line);
	fold(&r);
	blame->abandoned = executed.abandoned;
	wm_cause_order_release(&order);
	wm_executed_release(&executed);
}

size_t wm_blame_leads_to(
	const struct wm_blame_outcome *outcome, const struct wm_map_line ***line, struct wm_arena *arena)
{
	const struct wm_map_function *map = outcome->function->map;
	const struct wm_graph *graph = &map->graph;
	size_t count = 0, most = 0;
	bool *seen = WM_NEW(arena, bool, graph->block_count);
	uint32_t *block = WM_NEW(arena, uint32_t, graph->block_count), blocks = 0;
	if (!seen || !block)
		wm_no_memory();
	/* A block without a decision has one out-edge or none. */
	for (uint32_t b = graph->edge_to[outcome->edge]; b != WM_NONE && !seen[b];) {
		seen[b] = true;
		block[blocks++] = b;
		most += map->block[b].line_count + (size_t)1;
		b = graph->first_edge[b + 1] - graph->first_edge[b] == 1 ? graph->edge_to[graph->first_edge[b]]
									 : WM_NONE;
	}
	if (!(*line = WM_NEW(arena, const struct wm_map_line *, most)))
		wm_no_memory();
	for (uint32_t i = 0; i < blocks; i++)
		for (uint32_t l = 0; l <= map->block[block[i]].line_count; l++) {
			const struct wm_map_block *info = &map->block[block[i]];
			const struct wm_map_line *at = l < info->line_count ? &info->line[l] : &info->decision;
			bool known = !at->line || at->file >= outcome->function->module->file_count;
			for (size_t k = 0; k < count && !known; k++)
				known = (*line)[k]->line == at->line && (*line)[k]->file == at->file;
			if (!known)
				(*line)[count++] = at;
		}
	return count;
}
