/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/untested/gaps.h"
#include "analysis/join/story_checks.h"
#include "analysis/tell/trails.h"
#include "core/base/search.h"
#include "support/fail.h"
#include "support/progress.h"
#include <stdlib.h>
#include <string.h>

void *wm_gap_need(void *memory)
{
	if (!memory)
		wm_no_memory();
	return memory;
}

/* ---- What the question selects -------------------------------------------------------------- */

bool wm_gap_touches(const struct wm_gap_work *w, uint32_t block)
{
	const struct wm_gap_question *question = &w->gaps->question;
	return !question->touches || question->touches(question->closure, w->function, block);
}

static bool touches_function(const struct wm_gap_question *question, const struct wm_story_function *function)
{
	bool touched = !question->touches;
	for (uint32_t b = 0; !touched && b < function->map->graph.block_count; b++)
		touched = question->touches(question->closure, function, b);
	return touched;
}

bool wm_gap_throws(const struct wm_gap_work *w, uint32_t edge)
{
	uint32_t from = edge != WM_NONE ? w->graph->edge_from[edge] : 0;
	return edge != WM_NONE && w->function->map->block[from].terminator == WM_TERM_INVOKE &&
	       edge != w->graph->first_edge[from];
}

bool wm_gap_is_left_out(const struct wm_gap_work *w, uint32_t edge)
{
	return edge != WM_NONE &&
	       ((w->gaps->question.no_throw && wm_gap_throws(w, edge)) || !wm_story_remains(w->function, edge));
}

/* Whether the question is about several outcomes of the block. */
static bool is_decision(const struct wm_gap_work *w, uint32_t block)
{
	uint32_t count = 0;
	for (uint32_t e = w->graph->first_edge[block]; e < w->graph->first_edge[block + 1] && count < 2; e++)
		count += !wm_gap_is_left_out(w, e);
	return count > 1 && !wm_story_is_check_operand(w->function, block);
}

/* ---- Tests ---------------------------------------------------------------------------------- */

static uint32_t find_path(const struct wm_suite *suite, size_t owner, uint64_t id)
{
	size_t i;
	WM_LOWER_BOUND(i, 0, suite->path_count,
		suite->path[i].owner < owner || (suite->path[i].owner == owner && suite->path[i].id < id));
	bool found = i < suite->path_count && suite->path[i].owner == owner && suite->path[i].id == id;
	return found ? (uint32_t)i : WM_NONE;
}

/* The tests of a suite that take a path; a suite of one test is not told apart. */
void wm_gap_name_tests(const struct wm_gap_work *w, struct wm_gap *gap, uint64_t id)
{
	const struct wm_suite *suite = w->gaps->suite;
	uint32_t path = suite->test_count > 1 ? find_path(suite, w->owner, id) : WM_NONE;
	if (path == WM_NONE)
		return;
	gap->test = wm_gap_need(WM_NEW(&w->gaps->arena, uint32_t, suite->path[path].tests));
	for (size_t t = 0; t < suite->test_count; t++)
		if (wm_suite_count(&suite->test[t], path))
			gap->test[gap->test_count++] = (uint32_t)t;
}

/* ---- Outcomes of decisions ------------------------------------------------------------------ */

/* Per block: how many untested outcomes lead to it from a block that tests come to.  UINT32_MAX: there is no way to it, apart
 * from what the question leaves out. */
static uint32_t *block_distances(struct wm_gap_work *w, const struct wm_dfs *dfs)
{
	uint32_t *distance = wm_gap_need(WM_NEW(&w->arena, uint32_t, w->graph->block_count));
	memset(distance, 0xff, w->graph->block_count * sizeof *distance);
	distance[0] = 0;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < dfs->reached; i++) {
			uint32_t block = dfs->reverse_postorder[i];
			for (uint32_t e = w->graph->first_edge[block]; e < w->graph->first_edge[block + 1]; e++) {
				uint32_t far = w->taken[e] ? 0 : distance[block] + is_decision(w, block);
				if (distance[block] == UINT32_MAX || far >= distance[w->graph->edge_to[e]] ||
					wm_gap_is_left_out(w, e))
					continue;
				distance[w->graph->edge_to[e]] = far;
				changed = true;
			}
		}
	}
	return distance;
}

/* Most calls that may throw never do, and most programs have many of them. */
static int by_distance(const void *left, const void *right)
{
	const struct wm_gap *a = left, *b = right;
	if (a->throws != b->throws)
		return a->throws ? 1 : -1;
	if (a->distance != b->distance)
		return a->distance < b->distance ? -1 : 1;
	if (a->behind != b->behind)
		return a->behind > b->behind ? -1 : 1;
	return (a->path.edge > b->path.edge) - (a->path.edge < b->path.edge);
}

/* A decision that did not change is asked about only if it keeps all tests from a block that did. */
bool wm_gap_asks_outcome(const struct wm_gap_work *w, uint32_t edge)
{
	uint32_t from = w->graph->edge_from[edge], to = w->graph->edge_to[edge];
	bool closed = w->gaps->question.touches && !(w->visited && w->visited[to]);
	return is_decision(w, from) && !wm_gap_is_left_out(w, edge) &&
	       (wm_gap_touches(w, from) || (closed && wm_gap_touches(w, to)));
}

/* Counts what would be an outcome if failures of checks were not left out. */
static void count_left_out(struct wm_gap_work *w)
{
	const struct wm_remainder *remainder = w->function->remainder;
	for (uint32_t e = 0; remainder && e < w->graph->edge_count; e++) {
		uint32_t from = w->graph->edge_from[e];
		if (remainder->edge[e] || !remainder->block[from] || wm_story_never(w->function, e) ||
			!(wm_gap_touches(w, from) || wm_gap_touches(w, w->graph->edge_to[e])))
			continue;
		w->f->left_out++;
		w->f->left_out_taken += w->taken[e];
	}
}

/* What the baseline says of an outcome. */
bool wm_gap_is_new(const struct wm_gap_work *w, uint32_t edge)
{
	return !w->before || !w->label[edge] || !wm_baseline_outcome(w->before, w->label[edge]);
}

static bool was_tested(const struct wm_gap_work *w, uint32_t edge)
{
	const struct wm_baseline_outcome *outcome =
		w->before && w->label[edge] ? wm_baseline_outcome(w->before, w->label[edge]) : NULL;
	return outcome && outcome->tested;
}

static void add_outcome(struct wm_gap_work *w, uint32_t edge, uint32_t distance)
{
	struct wm_gap_list *list = &w->f->outcomes;
	list->gap[list->count++] = (struct wm_gap){.kind = WM_GAP_EDGE,
		.distance = distance + 1,
		.path = {.block = w->graph->edge_from[edge],
			.edge = edge,
			.position = WM_NONE,
			.nearest_edge = WM_NONE,
			.function = w->function},
		.lost = was_tested(w, edge),
		.throws = wm_gap_throws(w, edge)};
}

static void list_outcome(struct wm_gap_work *w, uint32_t edge, uint32_t distance)
{
	if (wm_gap_is_new(w, edge) || was_tested(w, edge))
		add_outcome(w, edge, distance);
	else
		w->f->outcomes.known++;
}

/* Which tests come to the block of a decision. */
static void name_outcome_tests(struct wm_gap_work *w)
{
	const struct wm_story_function *const body = w->function;
	const struct wm_suite *suite = w->gaps->suite;
	size_t blocks = w->graph->block_count;
	bool *comes = suite->test_count > 1 && !wm_story_crosses_calls(body)
			      ? wm_gap_need(WM_NEW(&w->arena, bool, suite->test_count *blocks))
			      : NULL;
	for (size_t i = 0; comes && i < wm_story_taken_count(body); i++) {
		struct wm_trail trail;
		struct wm_gap of_path = {0};
		wm_gap_name_tests(w, &of_path, wm_story_taken(body, i)->id);
		wm_story_decode(body, wm_story_taken(body, i)->id, &trail, &w->arena);
		for (uint32_t s = 0; s < trail.count; s++)
			for (size_t t = 0; t < of_path.test_count; t++)
				comes[of_path.test[t] * blocks + trail.step[s].block] = true;
	}
	for (size_t i = 0; comes && i < w->f->outcomes.count; i++) {
		struct wm_gap *gap = &w->f->outcomes.gap[i];
		gap->test = wm_gap_need(WM_NEW(&w->gaps->arena, uint32_t, suite->test_count));
		for (size_t t = 0; t < suite->test_count; t++)
			if (comes[t * blocks + gap->path.block])
				gap->test[gap->test_count++] = (uint32_t)t;
	}
}

/* Counts the outcomes; lists those that no test took if they are asked for. */
static void find_outcomes(struct wm_gap_work *w)
{
	struct wm_dfs dfs;
	struct wm_gap_list *list = &w->f->outcomes;
	bool lists = w->f->lists_outcomes;
	if (wm_dfs_run(&dfs, w->graph, &w->arena) != WM_OK)
		wm_no_memory();
	uint32_t *distance = block_distances(w, &dfs);
	if (lists)
		list->gap = wm_gap_need(WM_NEW(&w->gaps->arena, struct wm_gap, w->graph->edge_count + 1));
	for (uint32_t e = 0; e < w->graph->edge_count; e++) {
		if (distance[w->graph->edge_from[e]] == UINT32_MAX || !wm_gap_asks_outcome(w, e))
			continue;
		if (!w->taken[e] && w->abandoned.count && w->abandoned.edge[e]) {
			w->f->unknown_outcomes++;
			continue;
		}
		w->f->decisions++;
		w->f->untaken += !w->taken[e];
		if (lists && !w->taken[e])
			list_outcome(w, e, distance[w->graph->edge_from[e]]);
	}
	if (!lists)
		return;
	list->total = list->count;
	wm_gap_count_behind(w);
	qsort(list->gap, list->count, sizeof *list->gap, by_distance);
	name_outcome_tests(w);
}

/* ---- All functions -------------------------------------------------------------------------- */

static const char *unsearched(const struct wm_story_function *function)
{
	if (wm_story_crosses_calls(function))
		return "its paths cross calls";
	return wm_plan_has_pieces(wm_story_plan(function)) ? "its paths are named by pieces" : NULL;
}

static void find_gaps(struct wm_gaps *gaps, struct wm_gap_function *f, const bool *taken)
{
	struct wm_gap_work w = {.gaps = gaps, .f = f, .function = f->base.field, .taken = taken};
	w.graph = &w.function->map->graph;
	w.owner = wm_suite_owner(&gaps->suite->story, (size_t)(w.function - gaps->suite->story.function));
	w.before = gaps->question.baseline ? wm_baseline_find(gaps->question.baseline, w.function) : NULL;
	w.label = w.before ? wm_labels_make(w.function, gaps->question.sources) : NULL;
	f->changed = w.before && w.before->graph != wm_story_hash(w.function);
	wm_arena_init(&w.arena);
	wm_abandoned_find(&w.abandoned, w.function, &w.arena);
	f->left = w.abandoned.count;
	wm_gap_find_visited(&w);
	if (f->seeks_paths)
		wm_gap_find_paths(&w);
	find_outcomes(&w);
	count_left_out(&w);
	wm_labels_release(w.label, w.function);
	wm_arena_release(&w.arena);
}

static void find_in_function(struct wm_gaps *gaps, struct wm_gap_function *f)
{
	struct wm_taken_edges marks;
	struct wm_arena arena;
	wm_arena_init(&arena);
	wm_taken_edges_init(&marks, &f->base.field, 1, &arena);
	wm_taken_edges_function(&marks, 0, f->base.tests);
	find_gaps(gaps, f, marks.taken[0]);
	wm_arena_release(&arena);
	wm_story_forget_plan(f->base.field);
}

static void find_in_unit(struct wm_gaps *gaps, const struct wm_story_unit *unit)
{
	struct wm_taken_edges marks;
	struct wm_arena arena;
	wm_arena_init(&arena);
	wm_taken_edges_init(&marks, unit->body, unit->binary->unit.function_count, &arena);
	wm_taken_edges_unit(&marks, &gaps->suite->story, unit->binary->hash);
	for (size_t i = 0; i < gaps->count; i++) {
		struct wm_gap_function *f = &gaps->function[i];
		uint32_t index = f->base.field->across.index;
		/* If not, it is another body of an inline function. */
		bool same = wm_story_unit_of(f->base.field) == unit &&
			    wm_taken_edges_entry(&marks, index) == f->base.field->map->graph.edge_count;
		if (same)
			find_gaps(gaps, f, marks.taken[index]);
	}
	wm_arena_release(&arena);
}

static void add_function(struct wm_gaps *gaps, const struct wm_story_function *function)
{
	struct wm_gap_function *f = &gaps->function[gaps->count++];
	const char *reason = unsearched(function);
	enum wm_gap_level level = gaps->question.level;
	*f = (struct wm_gap_function){.base = {.field = function,
					      .tests = function,
					      .tested = function->ran_count ? WM_TESTED : WM_TESTED_ENTERED},
		.lists_outcomes = reason || level != WM_GAP_PATH,
		.seeks_paths = !reason && level != WM_GAP_EDGE,
		.unsearched = level != WM_GAP_EDGE ? reason : NULL};
	/* A function can run as a part of the paths of others. */
	if (function->across.inside)
		f->base.tested = WM_TESTED;
}

static bool asks_function(const struct wm_gap_question *question, const struct wm_story_function *function)
{
	return wm_filter_passes(question->filter, function) && touches_function(question, function);
}

static bool has_several_binaries(const struct wm_story *story, const struct wm_story_function *function)
{
	size_t binaries = 0;
	for (size_t i = 0; i < story->object_count; i++)
		binaries += wm_story_has_binary(function, i);
	return binaries > 1;
}

struct wm_gap_scope wm_gaps_scope(const struct wm_gaps *gaps)
{
	const struct wm_story *story = &gaps->suite->story;
	struct wm_gap_scope scope = {0};
	for (size_t i = 0; i < story->function_count; i++) {
		const struct wm_story_function *function = &story->function[i];
		if (function->state == WM_STORY_SKIPPED || !asks_function(&gaps->question, function))
			continue;
		scope.functions++;
		scope.refused += function->state == WM_STORY_REFUSED;
		scope.templates += function->instances.count > 0;
		scope.instances += function->instances.count;
		scope.shared += has_several_binaries(story, function);
	}
	return scope;
}

static void select_function(struct wm_gaps *gaps, const struct wm_story_function *function)
{
	bool idle = function->state == WM_STORY_IDLE, ran = function->state == WM_STORY_RAN;
	if ((!idle && !ran) || !asks_function(&gaps->question, function))
		return;
	const struct wm_baseline_function *before =
		idle && gaps->question.baseline ? wm_baseline_find(gaps->question.baseline, function) : NULL;
	if (ran)
		add_function(gaps, function);
	else if (before && !before->entered)
		gaps->known_never++;
	else
		gaps->never[gaps->never_count++] = function;
}

/* Whether the question is about the function that was refused. */
static bool asks_refused(const struct wm_gaps *gaps, const struct wm_story_refusal *refusal)
{
	const struct wm_story *story = &gaps->suite->story;
	for (size_t i = 0; i < story->function_count; i++) {
		const struct wm_story_function *function = &story->function[i];
		if (function->map->key == refusal->key && wm_story_has_binary(function, refusal->program) &&
			asks_function(&gaps->question, function))
			return true;
	}
	return false;
}

static void list_refused(struct wm_gaps *gaps)
{
	const struct wm_story *story = &gaps->suite->story;
	gaps->refused = wm_gap_need(WM_NEW(&gaps->arena, struct wm_story_refusal, story->refused_count + 1));
	for (size_t i = 0; i < story->refused_count; i++)
		if (asks_refused(gaps, &story->refused[i]))
			gaps->refused[gaps->refused_count++] = story->refused[i];
}

/* Whether gates count the paths of the function. */
static bool counts_paths(const struct wm_gaps *gaps, const struct wm_gap_function *f)
{
	return wm_gaps_count_paths(gaps) && f->seeks_paths;
}

static size_t count_throws(const struct wm_gap_list *list)
{
	size_t throws = 0;
	for (size_t i = 0; i < list->count; i++)
		throws += list->gap[i].throws;
	return throws;
}

static void sum_up(struct wm_gaps *gaps, const struct wm_gap_function *f)
{
	gaps->with_gaps += wm_gap_function_has(f);
	gaps->known += (double)wm_gap_list(gaps, f)->known;
	gaps->changed += f->changed;
	gaps->sought += (double)f->sought;
	gaps->outside += (double)f->outside;
	gaps->tested_paths += f->sought - f->outside;
	gaps->decisions += f->decisions;
	gaps->untaken += f->untaken;
	gaps->left_out += f->left_out;
	gaps->left_out_taken += f->left_out_taken;
	gaps->unknown_outcomes += f->unknown_outcomes;
	gaps->unknown_paths += (double)f->unknown_paths;
	if (wm_gap_function_unknown(f)) {
		gaps->unknown++;
		gaps->left += f->left;
	}
	gaps->infeasible += f->paths.infeasible;
	gaps->throws += count_throws(&f->outcomes) + count_throws(&f->paths);
}

void wm_gaps_find(struct wm_gaps *gaps, struct wm_suite *suite, const struct wm_gap_question *question)
{
	const struct wm_story *story = &suite->story;
	*gaps = (struct wm_gaps){.suite = suite, .question = *question};
	wm_arena_init(&gaps->arena);
	gaps->function = wm_gap_need(WM_NEW(&gaps->arena, struct wm_gap_function, story->function_count + 1));
	gaps->never = wm_gap_need(WM_NEW(&gaps->arena, const struct wm_story_function *, story->function_count + 1));
	for (size_t i = 0; i < story->function_count; i++)
		select_function(gaps, &story->function[i]);
	for (size_t i = 0; i < gaps->count; i++) {
		wm_progress("searching functions", i, gaps->count);
		if (!wm_story_crosses_calls(gaps->function[i].base.field))
			find_in_function(gaps, &gaps->function[i]);
	}
	wm_progress_end();
	for (size_t i = 0; i < story->units.count; i++)
		if (wm_story_unit_is_whole(&story->units.unit[i]))
			find_in_unit(gaps, &story->units.unit[i]);
	for (size_t i = 0; i < gaps->count; i++)
		sum_up(gaps, &gaps->function[i]);
	list_refused(gaps);
}

void wm_gaps_release(struct wm_gaps *gaps)
{
	wm_arena_release(&gaps->arena);
	*gaps = (struct wm_gaps){0};
}

const char *wm_gap_level_name(enum wm_gap_level level)
{
	static const char *const names[] = {[WM_GAP_BOTH] = "both", [WM_GAP_PATH] = "path", [WM_GAP_EDGE] = "edge"};
	return names[level];
}

bool wm_gaps_count_paths(const struct wm_gaps *gaps)
{
	return gaps->question.level == WM_GAP_PATH;
}

const struct wm_gap_list *wm_gap_list(const struct wm_gaps *gaps, const struct wm_gap_function *function)
{
	return counts_paths(gaps, function) ? &function->paths : &function->outcomes;
}

uint64_t wm_gap_counted(const struct wm_gaps *gaps, const struct wm_gap_function *function)
{
	return counts_paths(gaps, function) ? function->near : function->outcomes.total;
}

uint64_t wm_gap_tested(const struct wm_gaps *gaps, const struct wm_gap_function *function)
{
	return counts_paths(gaps, function) ? function->sought - function->outside
					    : function->decisions - function->untaken;
}

bool wm_gap_function_has(const struct wm_gap_function *function)
{
	return function->outcomes.count || function->paths.count || function->paths.total;
}

bool wm_gap_function_unknown(const struct wm_gap_function *function)
{
	return function->unknown_outcomes || function->unknown_paths;
}

uint64_t wm_gaps_never_total(const struct wm_gaps *gaps, size_t i)
{
	const struct wm_story_function *function = gaps->never[i];
	struct wm_gap_work w = {.gaps = (struct wm_gaps *)gaps, .function = function, .graph = &function->map->graph};
	uint64_t outcomes = 0;
	for (uint32_t e = 0; e < w.graph->edge_count && !wm_gaps_count_paths(gaps); e++)
		outcomes += wm_gap_asks_outcome(&w, e);
	return outcomes ? outcomes : 1;
}
