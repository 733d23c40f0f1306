/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/mcdc/mcdc.h"
#include "analysis/join/story_checks.h"
#include "analysis/mcdc/evaluations.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>

/* ---- What cannot be analysed ----------------------------------------------------------------- */

static const char *obstacle_of(const struct wm_story_function *function)
{
	if (function->map->stage != WM_CFG_SOURCE)
		return "it was compiled with -fwaymark-cfg=optimised, and the optimiser has merged conditions";
	if (!function->module->has_values)
		return "it was compiled by an older version of Waymark, which did not note how expressions end";
	if (wm_story_crosses_calls(function))
		return "its paths cross calls (-fwaymark-scheme)";
	if (wm_map_has_origins(function->map))
		return "calls were inlined into it (-fwaymark-segments)";
	return function->residual ? "only untested paths were counted (-fwaymark-residual)" : NULL;
}

/* A clause on the heap, or NULL. */
static char *reason_of(const struct wm_story_function *function)
{
	if (function->state == WM_STORY_SKIPPED || function->state == WM_STORY_REFUSED)
		return wm_xprintf("%s", wm_story_reason(function));
	const char *text = obstacle_of(function);
	return text ? wm_xstrdup(text) : NULL;
}

/* ---- Evaluations ------------------------------------------------------------------------------ */

struct counter {
	struct wm_mcdc_function *mcdc;
	const struct wm_story_path *path;
};

static void add_to(uint64_t *sum, uint64_t count)
{
	if (__builtin_add_overflow(*sum, count, sum))
		*sum = UINT64_MAX;
}

static struct wm_evaluation *find_evaluation(struct wm_mcdc_expression *e, const uint8_t *value)
{
	for (size_t i = 0; i < e->count; i++)
		if (!memcmp(e->evaluation[i].value, value, e->expression->count))
			return &e->evaluation[i];
	return NULL;
}

static struct wm_evaluation *new_evaluation(struct wm_mcdc_expression *e, const uint8_t *value, struct wm_arena *arena)
{
	WM_XGROW(e->evaluation, e->count);
	struct wm_evaluation *made = &e->evaluation[e->count++];
	*made = (struct wm_evaluation){.value = WM_NEW(arena, uint8_t, e->expression->count),
		.outcome = wm_diagram_outcome(&e->expression->diagram, value) == WM_OUTCOME_TRUE};
	if (!made->value)
		wm_no_memory();
	memcpy(made->value, value, e->expression->count);
	return made;
}

static void record(struct counter *counter, struct wm_mcdc_expression *e, const uint8_t *value)
{
	const struct wm_story_path *path = counter->path;
	struct wm_evaluation *found = find_evaluation(e, value);
	if (!found)
		found = new_evaluation(e, value, &counter->mcdc->arena);
	add_to(&found->count, path->count);
	add_to(&e->observed, path->count);
	if (path->count > found->path_count) {
		found->path = path->id;
		found->path_count = path->count;
	}
}

static void count(void *closure, enum wm_evaluation_event event, uint32_t expression, const uint8_t *value)
{
	struct counter *counter = closure;
	struct wm_mcdc_expression *e = &counter->mcdc->expression[expression];
	switch (event) {
	case WM_EVALUATION_BEGUN:
		add_to(&e->begun, counter->path->count);
		break;
	case WM_EVALUATION_ENDED:
		record(counter, e, value);
		break;
	case WM_EVALUATION_LOST:
		add_to(&e->unseen, counter->path->count);
		break;
	}
}

static void follow_paths(struct wm_mcdc_function *mcdc)
{
	const struct wm_story_function *function = mcdc->function;
	struct counter counter = {.mcdc = mcdc};
	struct wm_follower follower = {
		.expressions = &mcdc->expressions, .graph = &function->map->graph, .closure = &counter, .take = count};
	if (wm_follower_init(&follower, &mcdc->arena) != WM_OK)
		wm_no_memory();
	for (size_t i = 0; i < wm_story_taken_count(function); i++) {
		struct wm_arena arena;
		struct wm_trail trail;
		wm_arena_init(&arena);
		counter.path = wm_story_taken(function, i);
		wm_story_decode(function, counter.path->id, &trail, &arena);
		wm_follow(&follower, &trail);
		wm_arena_release(&arena);
	}
}

/* ---- Pairs ------------------------------------------------------------------------------------ */

/* Pairs of unique-cause MC/DC are searched among at most this many evaluations. */
enum { MOST_COMPARED = 1000 };

static int by_count(const void *left, const void *right)
{
	const struct wm_evaluation *a = left, *b = right;
	return a->count != b->count ? (a->count < b->count ? 1 : -1) : (a->path > b->path) - (a->path < b->path);
}

/* Per value of the condition and outcome: the first evaluation that the condition decides. */
static void find_masking_pair(struct wm_mcdc_expression *e, uint32_t c, uint8_t *work)
{
	size_t first[2][2] = {{WM_NO_EVALUATION, WM_NO_EVALUATION}, {WM_NO_EVALUATION, WM_NO_EVALUATION}};
	struct wm_independence *condition = &e->condition[c];
	for (size_t i = 0; i < e->count; i++) {
		const struct wm_evaluation *evaluation = &e->evaluation[i];
		if (evaluation->value[c] == WM_NOT_EVALUATED)
			continue;
		size_t *at = &first[evaluation->value[c]][evaluation->outcome];
		if (*at == WM_NO_EVALUATION && wm_diagram_decides(&e->expression->diagram, evaluation->value, c, work))
			*at = i;
	}
	for (unsigned outcome = 0; outcome < 2 && !condition->shown; outcome++) {
		condition->pair[0] = first[0][outcome];
		condition->pair[1] = first[1][!outcome];
		condition->shown = condition->pair[0] != WM_NO_EVALUATION && condition->pair[1] != WM_NO_EVALUATION;
	}
}

/* Prefers pairs that are also of unique-cause MC/DC. */
static void find_unique_pairs(struct wm_mcdc_expression *e)
{
	for (uint32_t c = 0; c < e->expression->count; c++)
		e->condition[c].searched = e->count <= MOST_COMPARED;
	for (size_t i = 0; i < e->count && e->count <= MOST_COMPARED; i++)
		for (size_t j = 0; j < i; j++) {
			uint32_t c = wm_diagram_unique_pair(
				&e->expression->diagram, e->evaluation[i].value, e->evaluation[j].value);
			if (wm_is_outcome(c) || e->condition[c].unique)
				continue;
			bool value = e->evaluation[i].value[c];
			e->condition[c] = (struct wm_independence){.shown = true, .searched = true, .unique = true};
			e->condition[c].pair[value] = i;
			e->condition[c].pair[!value] = j;
		}
}

bool wm_mcdc_can_show(const struct wm_operand *operand)
{
	return operand->kind == WM_OPERAND_BRANCH || operand->kind == WM_OPERAND_TOLD;
}

static void find_pairs(struct wm_mcdc_expression *e)
{
	uint8_t *work = wm_xmalloc(e->expression->count);
	if (e->count)
		qsort(e->evaluation, e->count, sizeof *e->evaluation, by_count);
	find_unique_pairs(e);
	for (uint32_t c = 0; c < e->expression->count; c++)
		if (!e->condition[c].shown)
			find_masking_pair(e, c, work);
	free(work);
}

/* ---- Checks ----------------------------------------------------------------------------------- */

/* Whether an outcome of the condition fails a check. */
static bool fails(const struct wm_story_function *function, const struct wm_operand *operand)
{
	const struct wm_graph *graph = &function->map->graph;
	uint32_t block = operand->kind == WM_OPERAND_TOLD ? operand->teller : operand->block;
	bool fails = false;
	for (uint32_t e = graph->first_edge[block]; e < graph->first_edge[block + 1]; e++)
		fails |= !wm_story_remains(function, e);
	return fails && wm_mcdc_can_show(operand);
}

static bool is_left_out(const struct wm_story_function *function, const struct wm_mcdc_expression *e)
{
	bool of_check = false, outcome[2] = {false, false};
	for (uint32_t c = 0; c < e->expression->count && function->remainder; c++)
		of_check |= fails(function, &e->expression->operand[c]);
	for (size_t i = 0; i < e->count; i++)
		outcome[e->evaluation[i].outcome] = true;
	return of_check && !(outcome[0] && outcome[1]);
}

/* ---- Functions -------------------------------------------------------------------------------- */

static void prepare(struct wm_mcdc_function *mcdc)
{
	uint32_t count = mcdc->expressions.count;
	mcdc->expression = WM_NEW(&mcdc->arena, struct wm_mcdc_expression, count);
	for (uint32_t i = 0; mcdc->expression && i < count; i++) {
		struct wm_mcdc_expression *e = &mcdc->expression[i];
		e->expression = &mcdc->expressions.expression[i];
		e->condition = WM_NEW(&mcdc->arena, struct wm_independence, e->expression->count);
		if (!e->condition)
			wm_no_memory();
	}
	if (!mcdc->expression)
		wm_no_memory();
}

void wm_mcdc_analyse(struct wm_mcdc_function *mcdc, struct wm_story_function *function)
{
	*mcdc = (struct wm_mcdc_function){.function = function, .reason = reason_of(function)};
	wm_arena_init(&mcdc->arena);
	if (mcdc->reason)
		return;
	if (wm_expressions_find(&mcdc->expressions, function->map, &mcdc->arena) != WM_OK)
		wm_no_memory();
	prepare(mcdc);
	if (function->state == WM_STORY_RAN)
		follow_paths(mcdc);
	for (uint32_t i = 0; i < mcdc->expressions.count; i++) {
		mcdc->expression[i].left_out = is_left_out(function, &mcdc->expression[i]);
		if (!mcdc->expressions.expression[i].obstacle)
			find_pairs(&mcdc->expression[i]);
	}
}

void wm_mcdc_release(struct wm_mcdc_function *mcdc)
{
	for (uint32_t i = 0; mcdc->expression && i < mcdc->expressions.count; i++)
		free(mcdc->expression[i].evaluation);
	wm_arena_release(&mcdc->arena);
	free(mcdc->reason);
}

static void add_expression(struct wm_mcdc_totals *totals, const struct wm_mcdc_expression *e)
{
	totals->of_checks += e->left_out;
	if (e->left_out)
		return;
	totals->expressions++;
	totals->obstructed += e->expression->obstacle != NULL;
	for (uint32_t c = 0; c < e->expression->count; c++) {
		totals->conditions++;
		totals->shown += e->condition[c].shown;
		totals->constant += e->expression->operand[c].kind == WM_OPERAND_CONSTANT;
		totals->unseen += e->expression->operand[c].kind == WM_OPERAND_UNSEEN;
	}
}

void wm_mcdc_add(struct wm_mcdc_totals *totals, const struct wm_mcdc_function *mcdc)
{
	totals->functions += !mcdc->reason;
	totals->left_out += mcdc->reason != NULL;
	for (uint32_t i = 0; !mcdc->reason && i < mcdc->expressions.count; i++)
		add_expression(totals, &mcdc->expression[i]);
}
