/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/mcdc/missing.h"
#include "analysis/mcdc/evaluations.h"
#include "core/paths/neighbours.h"
#include "support/attempt.h"
#include "support/fail.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* How many edges a search may look at. */
enum { EFFORT = 200000 };

struct search {
	struct wm_mcdc_function *mcdc;
	uint32_t expression, condition;
	const struct wm_mcdc_expression *e;
	size_t partner
		[2]
		[2]; /* per value and outcome: an executed evaluation that the condition decides, or WM_NO_EVALUATION */
	bool half; /* none was: any evaluation that the condition decides is sought */
	struct wm_follower follower;
	uint8_t *work;
	/* of the path that is judged */
	bool found;
	uint8_t *value;
	size_t with;
	struct wm_arena arena;
};

static void find_partners(struct search *s)
{
	s->half = true;
	for (unsigned i = 0; i < 4; i++)
		s->partner[i / 2][i % 2] = WM_NO_EVALUATION;
	for (size_t i = s->e->count; i-- > 0;) {
		const struct wm_evaluation *evaluation = &s->e->evaluation[i];
		if (!wm_diagram_decides(&s->e->expression->diagram, evaluation->value, s->condition, s->work))
			continue;
		s->partner[evaluation->value[s->condition]][evaluation->outcome] = i;
		s->half = false;
	}
}

/* Notes the first evaluation of the path that would help. */
static void look(void *closure, enum wm_evaluation_event event, uint32_t expression, const uint8_t *value)
{
	struct search *s = closure;
	const struct wm_diagram *diagram = &s->e->expression->diagram;
	if (s->found || event != WM_EVALUATION_ENDED || expression != s->expression ||
		!wm_diagram_decides(diagram, value, s->condition, s->work))
		return;
	bool outcome = wm_diagram_outcome(diagram, value) == WM_OUTCOME_TRUE;
	s->with = s->partner[!value[s->condition]][!outcome];
	s->found = s->half || s->with != WM_NO_EVALUATION;
	if (s->found)
		memcpy(s->value, value, s->e->expression->count);
}

static bool helps(struct search *s, uint64_t id, bool *infeasible)
{
	struct wm_arena arena;
	struct wm_trail trail;
	wm_arena_init(&arena);
	wm_story_decode(s->mcdc->function, id, &trail, &arena);
	s->found = false;
	wm_follow(&s->follower, &trail);
	*infeasible = s->found && wm_story_contradiction(s->mcdc->function, &trail, &arena).later != WM_NONE;
	wm_arena_release(&arena);
	return s->found;
}

static enum wm_verdict judge(void *closure, uint64_t id)
{
	bool infeasible;
	if (!helps(closure, id, &infeasible))
		return WM_VERDICT_SKIP;
	return infeasible ? WM_VERDICT_DEMOTE : WM_VERDICT_KEEP;
}

/* The edges that are taken when the condition has a value that helps. */
static bool *wanted_edges(struct search *s, const struct wm_dag *dag)
{
	const struct wm_operand *operand = &s->e->expression->operand[s->condition];
	const struct wm_graph *graph = &s->mcdc->function->map->graph;
	uint32_t block = operand->kind == WM_OPERAND_TOLD ? operand->teller : operand->block;
	bool *wanted = WM_NEW(&s->arena, bool, dag->edge_count);
	for (uint32_t e = 0; wanted && e < dag->edge_count; e++) {
		uint32_t edge = dag->edge[e].cfg_edge;
		if (edge == WM_NONE || graph->edge_from[edge] != block)
			continue;
		bool value = edge - graph->first_edge[block] == operand->true_edge;
		wanted[e] = s->half || s->partner[!value][0] != WM_NO_EVALUATION ||
			    s->partner[!value][1] != WM_NO_EVALUATION;
	}
	return wanted;
}

static int by_id(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return (a > b) - (a < b);
}

/* The executed paths with the highest counts, ascending. */
static uint64_t *near_paths(struct search *s, size_t *count)
{
	const struct wm_story_function *function = s->mcdc->function;
	*count = function->ran_count < WM_MISSING_NEAR ? function->ran_count : WM_MISSING_NEAR;
	uint64_t *id = WM_NEW(&s->arena, uint64_t, *count);
	for (size_t i = 0; id && i < *count; i++)
		id[i] = function->path[i].id;
	if (id)
		qsort(id, *count, sizeof *id, by_id);
	return id;
}

/* Takes the first path that is not demoted; if there is none, the first. */
static void take(struct search *s, const struct wm_neighbours *n, struct wm_missing *missing)
{
	const struct wm_neighbour *best = NULL;
	for (size_t i = 0; i < n->count; i++)
		if (!best || (best->demoted && !n->path[i].demoted))
			best = &n->path[i];
	if (!best || !helps(s, best->id, &missing->infeasible))
		return;
	missing->found = true;
	missing->path = best->id;
	missing->nearest = best->nearest;
	missing->distance = best->distance;
	missing->partner = s->with;
	missing->value = s->value;
}

static void run(struct search *s, struct wm_missing *missing)
{
	const struct wm_story_function *function = s->mcdc->function;
	struct wm_neighbours n = {
		.plan = wm_story_plan(function), .most = 1, .effort = EFFORT, .judge = judge, .closure = s};
	n.set = near_paths(s, &n.set_count);
	n.wanted = wanted_edges(s, &wm_story_plan(function)->dag);
	if (!n.set || !n.wanted)
		wm_no_memory();
	enum wm_status status = wm_neighbours_find(&n, &s->arena);
	if (status != WM_OK)
		wm_fail_as(wm_failure_of(status), "function %s: %s", function->map->name, wm_status_text(status));
	take(s, &n, missing);
	free(n.path);
}

void wm_mcdc_find_missing(
	struct wm_mcdc_function *mcdc, uint32_t expression, uint32_t condition, struct wm_missing *missing)
{
	struct search s = {
		.mcdc = mcdc, .expression = expression, .condition = condition, .e = &mcdc->expression[expression]};
	const struct wm_story_function *function = mcdc->function;
	*missing = (struct wm_missing){.partner = WM_NO_EVALUATION};
	if (function->state != WM_STORY_RAN || wm_plan_has_pieces(wm_story_plan(function)) || s.e->expression->obstacle)
		return;
	wm_arena_init(&s.arena);
	s.follower = (struct wm_follower){
		.expressions = &mcdc->expressions, .graph = &function->map->graph, .closure = &s, .take = look};
	s.work = WM_NEW(&s.arena, uint8_t, s.e->expression->count);
	s.value = WM_NEW(&mcdc->arena, uint8_t, s.e->expression->count);
	if (!s.work || !s.value || wm_follower_init(&s.follower, &s.arena) != WM_OK)
		wm_no_memory();
	find_partners(&s);
	run(&s, missing);
	wm_arena_release(&s.arena);
}
