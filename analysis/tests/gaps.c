/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/tests/gaps.h"
#include "analysis/story/trails.h"
#include "core/base/search.h"
#include "core/trail/feasible.h"
#include "support/tool.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How many edges the search in one function may look at, which take a few tenths of a second. */
#define SEARCH_EFFORT (UINT64_C(1) << 27)

static void *need(void *memory)
{
	if (!memory)
		wm_bug("out of memory");
	return memory;
}

/* A function while its gaps are sought */
struct work {
	struct wm_gaps *gaps;
	struct wm_gap_function *f;
	const struct wm_story_function *function;
	const struct wm_graph *graph;
	size_t owner; /* of its paths in the suite */
	const bool *taken; /* per control-flow edge; the last one is the entry */
	const uint64_t *id; /* PATH: of the tested paths, ascending */
	const struct wm_baseline_function *before; /* NULL: the function is not in the baseline, or there is none */
	char **label; /* if there is `before` */
	struct wm_arena arena;
};

/* ---- What the question selects -------------------------------------------------------------- */

static bool touches(const struct work *w, uint32_t block)
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

/* Whether the edge leads from a call to where control goes when the call throws. */
static bool throws(const struct work *w, uint32_t edge)
{
	uint32_t from = w->graph->edge_from[edge];
	return w->function->map->block[from].terminator == WM_TERM_INVOKE && edge != w->graph->first_edge[from];
}

static bool is_left_out(const struct work *w, uint32_t edge)
{
	return w->gaps->question.no_throw && edge != WM_NONE && throws(w, edge);
}

static bool is_decision(const struct wm_graph *graph, uint32_t block)
{
	return graph->first_edge[block + 1] - graph->first_edge[block] > 1;
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
static void name_tests(const struct work *w, struct wm_gap *gap, uint64_t id)
{
	const struct wm_suite *suite = w->gaps->suite;
	uint32_t path = suite->test_count > 1 ? find_path(suite, w->owner, id) : WM_NONE;
	if (path == WM_NONE)
		return;
	gap->test = need(WM_NEW(&w->gaps->arena, uint32_t, suite->path[path].tests));
	for (size_t t = 0; t < suite->test_count; t++)
		if (wm_suite_count(&suite->test[t], path))
			gap->test[gap->test_count++] = (uint32_t)t;
}

/* ---- Outcomes of decisions ------------------------------------------------------------------ */

/* Per block: how many untested outcomes lead from a block that tests come to. */
static uint32_t *block_distances(struct work *w, const struct wm_dfs *dfs)
{
	uint32_t *distance = need(WM_NEW(&w->arena, uint32_t, w->graph->block_count));
	memset(distance, 0xff, w->graph->block_count * sizeof *distance);
	distance[0] = 0;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < dfs->reached; i++) {
			uint32_t block = dfs->reverse_postorder[i];
			for (uint32_t e = w->graph->first_edge[block]; e < w->graph->first_edge[block + 1]; e++) {
				uint32_t far = w->taken[e] ? 0 : distance[block] + is_decision(w->graph, block);
				if (distance[block] == UINT32_MAX || far >= distance[w->graph->edge_to[e]])
					continue;
				distance[w->graph->edge_to[e]] = far;
				changed = true;
			}
		}
	}
	return distance;
}

static int by_distance(const void *left, const void *right)
{
	const struct wm_gap *a = left, *b = right;
	if (a->distance != b->distance)
		return a->distance < b->distance ? -1 : 1;
	return (a->path.edge > b->path.edge) - (a->path.edge < b->path.edge);
}

/* Whether the outcome is one that the question is about. */
static bool asks_outcome(const struct work *w, uint32_t edge)
{
	uint32_t from = w->graph->edge_from[edge];
	return is_decision(w->graph, from) && !is_left_out(w, edge) &&
	       (touches(w, from) || touches(w, w->graph->edge_to[edge]));
}

/* What the baseline says of an outcome. */
static bool is_new(const struct work *w, uint32_t edge)
{
	return !w->before || !w->label[edge] || !wm_baseline_outcome(w->before, w->label[edge]);
}

static bool was_tested(const struct work *w, uint32_t edge)
{
	const struct wm_baseline_outcome *outcome =
		w->before && w->label[edge] ? wm_baseline_outcome(w->before, w->label[edge]) : NULL;
	return outcome && outcome->tested;
}

static void add_outcome(struct work *w, uint32_t edge, uint32_t distance)
{
	struct wm_gap_function *f = w->f;
	f->gap[f->count++] = (struct wm_gap){.distance = distance + 1,
		.path = {.block = w->graph->edge_from[edge],
			.edge = edge,
			.position = WM_NONE,
			.nearest_edge = WM_NONE,
			.function = w->function},
		.lost = was_tested(w, edge)};
}

static void list_outcome(struct work *w, uint32_t edge, uint32_t distance)
{
	if (is_new(w, edge) || was_tested(w, edge))
		add_outcome(w, edge, distance);
	else
		w->f->known++;
}

/* Which tests come to the block of a decision. */
static void name_outcome_tests(struct work *w)
{
	const struct wm_story_function *const body = w->function;
	const struct wm_suite *suite = w->gaps->suite;
	size_t blocks = w->graph->block_count;
	bool *comes = suite->test_count > 1 && !body->across.unit
			      ? need(WM_NEW(&w->arena, bool, suite->test_count *blocks))
			      : NULL;
	for (size_t i = 0; comes && i < body->ran_count; i++) {
		struct wm_trail trail;
		struct wm_gap of_path = {0};
		name_tests(w, &of_path, body->path[i].id);
		wm_story_decode(body, body->path[i].id, &trail, &w->arena);
		for (uint32_t s = 0; s < trail.count; s++)
			for (size_t t = 0; t < of_path.test_count; t++)
				comes[of_path.test[t] * blocks + trail.step[s].block] = true;
	}
	for (size_t i = 0; comes && i < w->f->count; i++) {
		struct wm_gap *gap = &w->f->gap[i];
		gap->test = need(WM_NEW(&w->gaps->arena, uint32_t, suite->test_count));
		for (size_t t = 0; t < suite->test_count; t++)
			if (comes[t * blocks + gap->path.block])
				gap->test[gap->test_count++] = (uint32_t)t;
	}
}

/* Counts the outcomes; at level `edge` also lists those that no test took. */
static void find_outcomes(struct work *w)
{
	struct wm_dfs dfs;
	bool lists = w->f->level == WM_GAP_EDGE;
	if (wm_dfs_run(&dfs, w->graph, &w->arena) != WM_OK)
		wm_bug("out of memory");
	uint32_t *distance = block_distances(w, &dfs);
	if (lists)
		w->f->gap = need(WM_NEW(&w->gaps->arena, struct wm_gap, w->graph->edge_count + 1));
	for (uint32_t e = 0; e < w->graph->edge_count; e++) {
		if (dfs.position[w->graph->edge_from[e]] == WM_NONE || !asks_outcome(w, e))
			continue;
		w->f->decisions++;
		w->f->untaken += !w->taken[e];
		if (lists && !w->taken[e])
			list_outcome(w, e, distance[w->graph->edge_from[e]]);
	}
	if (!lists)
		return;
	w->f->total = w->f->count;
	qsort(w->f->gap, w->f->count, sizeof *w->f->gap, by_distance);
	name_outcome_tests(w);
}

/* ---- Paths ---------------------------------------------------------------------------------- */

/* The blocks of the first contradiction on a path; false: none is known. */
static bool contradicts(const struct work *w, uint64_t id, uint32_t *earlier, uint32_t *later)
{
	const struct wm_facts *facts = &w->function->map->facts;
	struct wm_contradiction found;
	struct wm_trail trail;
	struct wm_arena arena;
	wm_arena_init(&arena);
	wm_story_decode(w->function, id, &trail, &arena);
	if (wm_trail_find_contradiction(&trail, &facts, &found, &arena) != WM_OK)
		wm_bug("out of memory");
	bool contradiction = found.later != WM_NONE;
	*earlier = contradiction ? trail.step[found.earlier].block : WM_NONE;
	*later = contradiction ? trail.step[found.later].block : WM_NONE;
	wm_arena_release(&arena);
	return contradiction;
}

/* Whether the path takes an outcome that is not in the baseline. */
static bool takes_new(const struct work *w, uint64_t id)
{
	struct wm_arena arena;
	struct wm_trail trail;
	bool found = false;
	wm_arena_init(&arena);
	wm_story_decode(w->function, id, &trail, &arena);
	for (uint32_t i = 0; !found && i < trail.count; i++)
		found = trail.step[i].edge != WM_NONE && w->label[trail.step[i].edge] && is_new(w, trail.step[i].edge);
	wm_arena_release(&arena);
	return found;
}

static enum wm_verdict judge(void *closure, uint64_t id)
{
	const struct work *w = closure;
	uint32_t earlier, later;
	if (w->before && !takes_new(w, id))
		return WM_VERDICT_SKIP;
	return contradicts(closure, id, &earlier, &later) ? WM_VERDICT_DEMOTE : WM_VERDICT_KEEP;
}

static const struct wm_story_path *find_tested(const struct wm_story_function *function, uint64_t id)
{
	for (size_t i = 0; i < function->ran_count; i++)
		if (function->path[i].id == id)
			return &function->path[i];
	wm_bug("path %llu is not in the story", (unsigned long long)id);
}

static void tell_ends(const struct work *w, struct wm_story_path *path)
{
	struct wm_arena arena;
	struct wm_trail trail;
	wm_arena_init(&arena);
	wm_story_decode(w->function, path->id, &trail, &arena);
	path->start = trail.start;
	path->end = trail.end;
	wm_arena_release(&arena);
}

/* Whether a tested path has the first `length` edges of this path. */
static bool begins_tested(const struct work *w, uint64_t id, uint32_t length)
{
	const struct wm_plan *plan = &w->function->plan;
	struct wm_path path = {0};
	struct wm_arena arena;
	uint64_t base = 0;
	size_t at;
	wm_arena_init(&arena);
	if (wm_dag_decode(&plan->dag, &plan->numbering, id, &path, &arena) != WM_OK)
		wm_bug("out of memory");
	for (uint32_t i = 0; i < length; i++)
		base += (uint64_t)plan->numbering.value[path.edge[i]];
	uint64_t end = base + plan->numbering.node_paths[plan->dag.edge[path.edge[length - 1]].to];
	WM_LOWER_BOUND(at, 0, w->function->ran_count, w->id[at] < base);
	wm_arena_release(&arena);
	return at < w->function->ran_count && w->id[at] < end;
}

static void fill_gap(struct work *w, struct wm_gap *gap, const struct wm_neighbour *found)
{
	const struct wm_edge_marks marks = {&w->function, 1, (bool *[]){(bool *)w->taken}};
	struct wm_nearest nearest = {.id = found->id, .nearest = found->nearest, .common = found->common};
	*gap = (struct wm_gap){.distance = found->distance, .own = {.id = found->id}};
	gap->infeasible = contradicts(w, found->id, &gap->earlier, &gap->later);
	gap->path = (struct wm_untested_path){
		.path = &gap->own, .block = WM_NONE, .position = WM_NONE, .edge = WM_NONE, .nearest_edge = WM_NONE};
	gap->path.nearest = find_tested(w->function, found->nearest);
	tell_ends(w, &gap->own);
	wm_untested_part(&gap->path, &w->function->plan, &nearest, &marks);
	gap->path.beginning_tested = begins_tested(w, found->id, found->common + 1);
	name_tests(w, gap, found->nearest);
}

static int by_id(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return (a > b) - (a < b);
}

static uint64_t *tested_ids(struct work *w)
{
	uint64_t *id = need(WM_NEW(&w->arena, uint64_t, w->function->ran_count + 1));
	for (size_t i = 0; i < w->function->ran_count; i++)
		id[i] = w->function->path[i].id;
	qsort(id, w->function->ran_count, sizeof *id, by_id);
	return id;
}

/* Edges over which no path is sought, and edges of which a path must take one; NULL: nothing is restricted. */
static void restrict_edges(struct work *w, struct wm_neighbours *n)
{
	const struct wm_dag *dag = &w->function->plan.dag;
	bool *avoided = need(WM_NEW(&w->arena, bool, dag->edge_count));
	bool *wanted = need(WM_NEW(&w->arena, bool, dag->edge_count));
	for (uint32_t e = 0; e < dag->edge_count; e++) {
		uint32_t block = dag->node_block[dag->edge[e].to];
		avoided[e] = is_left_out(w, dag->edge[e].cfg_edge);
		wanted[e] = block != WM_NONE && touches(w, block);
	}
	n->avoided = w->gaps->question.no_throw ? avoided : NULL;
	n->wanted = w->gaps->question.touches ? wanted : NULL;
}

/* Lists the first paths, then the first that are likely infeasible. */
static void list_paths(struct work *w, const struct wm_neighbours *n)
{
	struct wm_gap_function *f = w->f;
	size_t most = w->gaps->question.most, listed = 0;
	for (size_t i = 0; i < n->count; i++) {
		bool shown = n->path[i].demoted ? f->infeasible < most : listed++ < most;
		f->infeasible += n->path[i].demoted;
		if (shown)
			fill_gap(w, &f->gap[f->count++], &n->path[i]);
	}
}

/* Whether the path is one that the question is about. */
static bool asks_path(const struct work *w, uint64_t id)
{
	struct wm_arena arena;
	struct wm_trail trail;
	bool touched = false, left_out = false;
	wm_arena_init(&arena);
	wm_story_decode(w->function, id, &trail, &arena);
	for (uint32_t i = 0; i < trail.count; i++) {
		touched |= touches(w, trail.step[i].block);
		left_out |= is_left_out(w, trail.step[i].edge);
	}
	wm_arena_release(&arena);
	return touched && !left_out;
}

/* Lists paths that a test of the baseline took and no test takes now.  Returns how many there are. */
static size_t list_lost(struct work *w, const struct wm_neighbours *n)
{
	size_t lost = 0;
	bool same = w->before && w->before->graph == wm_story_hash(w->function) && n->set_count;
	for (size_t i = 0, at; same && i < w->before->path_count; i++) {
		struct wm_neighbour path = {.id = w->before->path[i]};
		WM_LOWER_BOUND(at, 0, n->set_count, n->set[at] < path.id);
		if ((at < n->set_count && n->set[at] == path.id) || path.id >= n->plan->numbering.path_count ||
			!asks_path(w, path.id) || takes_new(w, path.id))
			continue;
		if (lost++ >= w->gaps->question.most)
			continue;
		if (wm_neighbours_measure(n, &path, &w->arena) != WM_OK)
			wm_bug("out of memory");
		fill_gap(w, &w->f->gap[w->f->count], &path);
		w->f->gap[w->f->count++].lost = true;
	}
	return lost;
}

static void search_paths(struct work *w, struct wm_neighbours *n)
{
	enum wm_status status = wm_neighbours_find(n, &w->arena);
	if (status != WM_OK)
		wm_bug("function %s: %s", w->function->map->name, wm_status_text(status));
}

static bool *new_edges(struct work *w, const struct wm_dag *dag)
{
	bool *edges = need(WM_NEW(&w->arena, bool, dag->edge_count));
	for (uint32_t e = 0; e < dag->edge_count; e++)
		edges[e] = dag->edge[e].cfg_edge != WM_NONE && w->label[dag->edge[e].cfg_edge] &&
			   is_new(w, dag->edge[e].cfg_edge);
	return edges;
}

/* With a baseline, only paths over an outcome that is not in it are sought.  Returns how many untested paths have none. */
static uint64_t restrict_to_new(struct work *w, struct wm_neighbours *n)
{
	const struct wm_dag *dag = &n->plan->dag;
	if (!w->before)
		return 0;
	bool *wanted = new_edges(w, dag), *avoided = new_edges(w, dag);
	for (uint32_t e = 0; e < dag->edge_count; e++)
		avoided[e] |= n->avoided && n->avoided[e];
	struct wm_neighbours others = *n;
	others.avoided = avoided;
	others.most = 0;
	search_paths(w, &others);
	/* Changed lines are the stronger restriction; then judge() leaves out what is in the baseline. */
	if (!n->wanted)
		n->wanted = wanted;
	return others.outside;
}

static void find_paths(struct work *w)
{
	w->id = tested_ids(w);
	struct wm_neighbours n = {.plan = &w->function->plan,
		.set = w->id,
		.set_count = w->function->ran_count,
		.effort = SEARCH_EFFORT,
		.judge = w->function->map->facts.count || w->before ? judge : NULL,
		.closure = w};
	restrict_edges(w, &n);
	search_paths(w, &n);
	w->f->sought = n.sought;
	w->f->outside = n.outside;
	n.most = w->gaps->question.search;
	uint64_t old = restrict_to_new(w, &n);
	search_paths(w, &n);
	w->f->stopped = n.stopped;
	w->f->gap = need(WM_NEW(&w->gaps->arena, struct wm_gap, n.count + w->gaps->question.most + 1));
	size_t lost = list_lost(w, &n);
	list_paths(w, &n);
	w->f->known = old - lost;
	w->f->total = w->f->outside - w->f->known - w->f->infeasible;
	free(n.path);
}

/* ---- All functions -------------------------------------------------------------------------- */

static const char *unsearched(const struct wm_story_function *function)
{
	if (function->across.unit)
		return "its paths cross calls";
	return function->plan.sequences ? "its paths are named by pieces" : NULL;
}

static void find_gaps(struct wm_gaps *gaps, struct wm_gap_function *f, const bool *taken)
{
	struct work w = {.gaps = gaps, .f = f, .function = f->base.field, .taken = taken};
	w.graph = &w.function->map->graph;
	w.owner = wm_suite_owner(&gaps->suite->story, (size_t)(w.function - gaps->suite->story.function));
	w.before = gaps->question.baseline ? wm_baseline_find(gaps->question.baseline, w.function) : NULL;
	w.label = w.before ? wm_labels_make(w.function, gaps->question.sources) : NULL;
	f->changed = w.before && w.before->graph != wm_story_hash(w.function);
	wm_arena_init(&w.arena);
	if (f->level == WM_GAP_PATH)
		find_paths(&w);
	find_outcomes(&w);
	wm_labels_release(w.label, w.function);
	wm_arena_release(&w.arena);
}

static void find_in_function(struct wm_gaps *gaps, struct wm_gap_function *f)
{
	struct wm_edge_marks marks;
	struct wm_arena arena;
	wm_arena_init(&arena);
	wm_edge_marks_init(&marks, &f->base.field, 1, &arena);
	wm_edge_marks_function(&marks, 0, f->base.tests);
	find_gaps(gaps, f, marks.taken[0]);
	wm_arena_release(&arena);
}

static void find_in_unit(struct wm_gaps *gaps, const struct wm_story_unit *unit)
{
	struct wm_edge_marks marks;
	struct wm_arena arena;
	wm_arena_init(&arena);
	wm_edge_marks_init(&marks, unit->body, unit->binary->unit.function_count, &arena);
	wm_edge_marks_unit(&marks, &gaps->suite->story, unit->binary->hash);
	for (size_t i = 0; i < gaps->count; i++) {
		struct wm_gap_function *f = &gaps->function[i];
		uint32_t index = f->base.field->across.index;
		/* If not, it is another body of an inline function. */
		bool same = f->base.field->across.unit == unit &&
			    wm_edge_marks_entry(&marks, index) == f->base.field->map->graph.edge_count;
		if (same)
			find_gaps(gaps, f, marks.taken[index]);
	}
	wm_arena_release(&arena);
}

static void add_function(struct wm_gaps *gaps, const struct wm_story_function *function)
{
	struct wm_gap_function *f = &gaps->function[gaps->count++];
	const char *reason = unsearched(function);
	*f = (struct wm_gap_function){.base = {.field = function,
					      .tests = function,
					      .tested = function->ran_count ? WM_TESTED : WM_TESTED_ENTERED},
		.level = reason ? WM_GAP_EDGE : gaps->question.level,
		.unsearched = gaps->question.level == WM_GAP_PATH ? reason : NULL};
	/* A function can run as a part of the paths of others. */
	if (function->across.inside)
		f->base.tested = WM_TESTED;
}

static void select_function(struct wm_gaps *gaps, const struct wm_story_function *function)
{
	bool idle = function->state == WM_STORY_IDLE, ran = function->state == WM_STORY_RAN;
	if ((!idle && !ran) || !wm_filter_passes(gaps->question.filter, function) ||
		!touches_function(&gaps->question, function))
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

static void sum_up(struct wm_gaps *gaps, const struct wm_gap_function *f)
{
	gaps->with_gaps += wm_gap_function_has(f);
	gaps->total += f->total;
	gaps->known += (double)f->known;
	gaps->changed += f->changed;
	gaps->sought += (double)f->sought;
	gaps->outside += (double)f->outside;
	gaps->tested_paths += f->sought - f->outside;
	gaps->decisions += f->decisions;
	gaps->untaken += f->untaken;
	gaps->infeasible += f->infeasible;
}

void wm_gaps_find(struct wm_gaps *gaps, struct wm_suite *suite, const struct wm_gap_question *question)
{
	const struct wm_story *story = &suite->story;
	*gaps = (struct wm_gaps){.suite = suite, .question = *question};
	wm_arena_init(&gaps->arena);
	gaps->function = need(WM_NEW(&gaps->arena, struct wm_gap_function, story->function_count + 1));
	gaps->never = need(WM_NEW(&gaps->arena, const struct wm_story_function *, story->function_count + 1));
	for (size_t i = 0; i < story->function_count; i++)
		select_function(gaps, &story->function[i]);
	for (size_t i = 0; i < gaps->count; i++) {
		wm_progress("searching functions", i, gaps->count);
		if (!gaps->function[i].base.field->across.unit)
			find_in_function(gaps, &gaps->function[i]);
	}
	wm_progress_end();
	for (size_t i = 0; i < story->units.count; i++)
		if (wm_story_unit_is_whole(&story->units.unit[i]))
			find_in_unit(gaps, &story->units.unit[i]);
	for (size_t i = 0; i < gaps->count; i++)
		sum_up(gaps, &gaps->function[i]);
}

void wm_gaps_release(struct wm_gaps *gaps)
{
	wm_arena_release(&gaps->arena);
	*gaps = (struct wm_gaps){0};
}

bool wm_gap_function_has(const struct wm_gap_function *function)
{
	return function->count || function->total;
}

double wm_gaps_never_total(const struct wm_gaps *gaps, size_t i)
{
	const struct wm_story_function *function = gaps->never[i];
	struct work w = {.gaps = (struct wm_gaps *)gaps, .function = function, .graph = &function->map->graph};
	double outcomes = 0;
	if (gaps->question.level == WM_GAP_PATH)
		return function->possible.countable ? (double)function->possible.count
						    : pow(10, function->possible.log10);
	for (uint32_t e = 0; e < w.graph->edge_count; e++)
		outcomes += asks_outcome(&w, e);
	return outcomes > 0 ? outcomes : 1;
}
