/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/untested/untested.h"
#include "analysis/tell/nearest_paths.h"
#include "analysis/tell/trails.h"
#include "analysis/untested/tested_prefixes.h"
#include "analysis/untested/triaged.h"
#include "core/base/search.h"
#include "support/fail.h"
#include "support/progress.h"
#include "support/xalloc.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Finding the same function in the tests' story */

static int by_identity(const void *left, const void *right)
{
	return wm_story_identity(
		*(const struct wm_story_function *const *)left, *(const struct wm_story_function *const *)right);
}

struct lookup {
	size_t count;
	const struct wm_story_function **function; /* in the order of wm_story_identity() */
};

static void lookup_init(struct lookup *lookup, const struct wm_story *story)
{
	lookup->count = story ? story->function_count : 0;
	lookup->function = wm_xmalloc((lookup->count + 1) * sizeof *lookup->function);
	for (size_t i = 0; i < lookup->count; i++)
		lookup->function[i] = &story->function[i];
	qsort(lookup->function, lookup->count, sizeof *lookup->function, by_identity);
}

static const struct wm_story_function *find(const struct lookup *lookup, const struct wm_story_function *like)
{
	const struct wm_story_function **found =
		lookup->count ? bsearch(&like, lookup->function, lookup->count, sizeof like, by_identity) : NULL;
	return found ? *found : NULL;
}

static bool is_of(const struct wm_story_function *function, size_t program, uint64_t key)
{
	return function->map->key == key && wm_story_has_binary(function, program);
}

static bool ran_with_another_graph(const struct lookup *lookup, const struct wm_story_function *like)
{
	size_t i;
	WM_LOWER_BOUND(i, 0, lookup->count, lookup->function[i]->map->key < like->map->key);
	for (; i < lookup->count && lookup->function[i]->map->key == like->map->key; i++)
		if (is_of(lookup->function[i], like->program, like->map->key) &&
			lookup->function[i]->state == WM_STORY_RAN)
			return true;
	return false;
}

static bool refused_as_stale(const struct wm_story *story, const struct wm_story_function *like)
{
	for (size_t i = 0; i < story->refused_count; i++)
		if (story->refused[i].key == like->map->key && story->refused[i].program == like->program)
			return true;
	return false;
}

/* Why this function cannot be compared: heap, or NULL. */
static char *incomparable(const struct wm_story *tests, const struct lookup *lookup,
	const struct wm_story_function *tested, const struct wm_story_function *field)
{
	bool stale = tests && (!tested || tested->records.stale) && refused_as_stale(tests, field);
	if (tested && tested->state == WM_STORY_REFUSED && !stale)
		return wm_xprintf("in the tests: %s", tested->refusal);
	if (tested && tested->state == WM_STORY_RAN)
		return NULL;
	if (!tests)
		return NULL;
	if (stale || refused_as_stale(tests, field) || ran_with_another_graph(lookup, field))
		return wm_xstrdup("the tests ran another version of its graph; rebuild and run the tests again");
	return NULL;
}

static void list_refusal(struct wm_untested *u, struct wm_story_refusal refusal)
{
	WM_XGROW(u->refused, u->refused_count);
	u->refused[u->refused_count++] = refusal;
}

static void note(struct wm_untested *u, char *text)
{
	WM_XGROW(u->note, u->note_count);
	u->note[u->note_count++] = text;
}

static void note_all(struct wm_untested *u, const struct wm_story *story, const char *where)
{
	for (size_t i = 0; i < story->note_count; i++)
		note(u, wm_xprintf("%s: %s", where, story->note[i]));
}

/* The paths of one function */

static int by_id(const void *left, const void *right)
{
	const struct wm_story_path *a = *(const struct wm_story_path *const *)left;
	const struct wm_story_path *b = *(const struct wm_story_path *const *)right;
	return (a->id > b->id) - (a->id < b->id);
}

struct tested {
	size_t count;
	const struct wm_story_path **path; /* ascending ids */
};

static struct tested sort_tested(const struct wm_story_function *tests)
{
	struct tested tested = {tests ? tests->ran_count : 0, NULL};
	tested.path = wm_xmalloc((tested.count + 1) * sizeof *tested.path);
	for (size_t i = 0; i < tested.count; i++)
		tested.path[i] = &tests->path[i];
	qsort(tested.path, tested.count, sizeof *tested.path, by_id);
	return tested;
}

/* The first tested path whose id is not below this one. */
static size_t find_tested(const struct tested *tested, uint64_t id)
{
	size_t i;
	WM_LOWER_BOUND(i, 0, tested->count, tested->path[i]->id < id);
	return i;
}

static void append_path(struct wm_untested_function *f, const struct wm_story_path *path, uint64_t triage_id)
{
	f->path[f->path_count++] = (struct wm_untested_path){.path = path,
		.triage_id = triage_id,
		.block = WM_NONE,
		.position = WM_NONE,
		.edge = WM_NONE,
		.nearest_edge = WM_NONE};
	f->executions += path->count;
}

static int by_count(const void *left, const void *right)
{
	const struct wm_story_path *a = ((const struct wm_untested_path *)left)->path;
	const struct wm_story_path *b = ((const struct wm_untested_path *)right)->path;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

/* A site and a sum are not the number of a path, so that the id has another form. */
static uint64_t unfinished_triage_id(
	const struct wm_story_function *function, const struct wm_story_unfinished *unfinished)
{
	return wm_triage_id(wm_path_triage_id(function, unfinished->sum), unfinished->site, WM_STORY_UNFINISHED);
}

static void collect_unfinished(struct wm_untested_function *f)
{
	struct wm_tested_prefixes tested;
	wm_tested_prefixes_init(&tested, f->tests);
	for (size_t i = 0; i < f->field->unfinished_count; i++) {
		const struct wm_story_unfinished *unfinished = &f->field->unfinished[i];
		if (wm_tested_prefixes_have(&tested, f->field, unfinished))
			continue;
		append_path(f, &unfinished->path, unfinished_triage_id(f->field, unfinished));
		f->unfinished_count++;
		f->unfinished_executions += unfinished->path.count;
	}
	if (f->unfinished_count)
		qsort(f->path, f->path_count, sizeof *f->path, by_count);
	wm_tested_prefixes_release(&tested);
}

static void collect_paths(struct wm_untested *u, struct wm_untested_function *f, const struct wm_triages *triages)
{
	struct tested tested = sort_tested(f->tests);
	bool entered = f->tests && f->tests->state == WM_STORY_RAN;
	f->tested = !u->tests	   ? WM_TESTED_UNKNOWN
		    : tested.count ? WM_TESTED
		    : entered	   ? WM_TESTED_ENTERED
				   : WM_TESTED_NEVER;
	f->path = wm_xmalloc((wm_story_taken_count(f->field) + 1) * sizeof *f->path);
	for (size_t i = 0; i < f->field->ran_count; i++) {
		const struct wm_story_path *path = &f->field->path[i];
		size_t at = find_tested(&tested, path->id);
		if (at < tested.count && tested.path[at]->id == path->id)
			continue;
		uint64_t triage_id = wm_path_triage_id(f->field, path->id);
		if (triages && wm_path_is_triaged(triages, u->field, f->field, triage_id)) {
			u->triaged_paths++;
			continue;
		}
		append_path(f, path, triage_id);
	}
	free(tested.path);
	if (u->tests)
		collect_unfinished(f);
}

/* The edges of a group: the functions of a unit, or one function */

struct group {
	struct wm_taken_edges tested, field;
	bool *news; /* per function: it has an untested edge */
	struct wm_arena arena;
};

static void *need(void *memory)
{
	if (!memory)
		wm_no_memory();
	return memory;
}

static void group_init(struct group *group, const struct wm_story_function *const *body, uint32_t count)
{
	wm_arena_init(&group->arena);
	wm_taken_edges_init(&group->tested, body, count, &group->arena);
	wm_taken_edges_init(&group->field, body, count, &group->arena);
	group->news = need(WM_NEW(&group->arena, bool, count));
}

static void mark_untested(struct group *group, const struct wm_untested_function *f)
{
	for (size_t i = 0; i < f->path_count; i++)
		wm_taken_edges_path(&group->field, f->field, f->path[i].path->id);
}

static void find_news(struct group *group)
{
	for (uint32_t f = 0; f < group->tested.count; f++)
		for (uint32_t e = 0; e <= wm_taken_edges_entry(&group->tested, f); e++)
			group->news[f] |= group->field.taken[f][e] && !group->tested.taken[f][e];
}

static void collect_edges(struct wm_untested_function *f, const struct group *group)
{
	uint32_t index = f->field->across.index, count = wm_taken_edges_entry(&group->tested, index);
	const bool *field = group->field.taken[index], *tested = group->tested.taken[index];
	bool same_graph =
		count == f->field->map->graph.edge_count; /* if not, it is another body of an inline function */
	f->edge = wm_xmalloc(((size_t)count + 1) * sizeof *f->edge);
	if (field[count] && !tested[count])
		f->edge[f->edge_count++] = WM_NONE;
	for (uint32_t e = 0; same_graph && e < count; e++)
		if (field[e] && !tested[e])
			f->edge[f->edge_count++] = e;
}

static bool is_hidden(const struct group *group, const struct wm_story_function *function, uint64_t id)
{
	struct wm_arena arena;
	struct wm_trail trail;
	bool hidden = true;
	if (group->tested.count == 1)
		return !group->news[0];
	wm_arena_init(&arena);
	wm_story_decode(function, id, &trail, &arena);
	for (uint32_t i = 0; hidden && i < trail.count; i++)
		hidden = !group->news[trail.step[i].function];
	wm_arena_release(&arena);
	return hidden;
}

/* A path lies in all functions that it goes through, not only in the one under which it is listed. */
static void count_hidden(struct wm_untested_function *f, const struct group *group)
{
	for (size_t i = 0; i < f->path_count; i++)
		f->hidden_count += is_hidden(group, f->field, f->path[i].path->id);
}

/* The nearest tested path */

/* The edge of a path with this index.  `blocks` receives to how many blocks the edges before it lead. */
static const struct wm_dag_edge *edge_at(
	const struct wm_plan *plan, uint64_t id, uint32_t index, uint32_t *blocks, struct wm_arena *arena)
{
	const struct wm_dag *dag = &plan->dag;
	struct wm_path path = {0};
	*blocks = 0;
	if (wm_dag_decode(dag, &plan->numbering, id, &path, arena) != WM_OK)
		wm_bug("path %" PRIu64 " cannot be decoded", id);
	for (uint32_t i = 0; i < index; i++)
		*blocks += dag->node_block[dag->edge[path.edge[i]].to] != WM_NONE;
	return &dag->edge[path.edge[index]];
}

/* A restart, whose control-flow edge the end of the previous path represents, and an exit are never untested edges. */
static bool is_tested(const struct wm_taken_edges *tested, const struct wm_dag_edge *edge)
{
	uint32_t taken = edge->kind == WM_EDGE_ENTRY ? wm_taken_edges_entry(tested, 0) : edge->cfg_edge;
	return taken == WM_NONE || tested->taken[0][taken];
}

void wm_untested_part(struct wm_untested_path *path, const struct wm_plan *plan, const struct wm_nearest *found,
	const struct wm_taken_edges *tested)
{
	struct wm_arena arena;
	uint32_t blocks, others;
	wm_arena_init(&arena);
	const struct wm_dag_edge *edge = edge_at(plan, found->id, found->common, &blocks, &arena);
	path->common = found->common;
	path->distance = found->distance;
	path->edge_tested = is_tested(tested, edge);
	if (found->common) {
		path->block = plan->dag.node_block[edge->from];
		path->position = blocks - 1;
		path->edge = edge->cfg_edge;
		path->nearest_edge = edge_at(plan, found->nearest, found->common, &others, &arena)->cfg_edge;
	}
	wm_arena_release(&arena);
}

/* The same for a path across calls. */
static void part_across(struct wm_untested_path *path, const struct wm_story_function *function,
	const struct wm_nearest *found, const struct wm_taken_edges *tested)
{
	struct wm_arena arena;
	struct wm_trail own, other;
	uint32_t at = found->common;
	wm_arena_init(&arena);
	wm_story_decode(function, found->id, &own, &arena);
	wm_story_decode(function, found->nearest, &other, &arena);
	path->common = found->common;
	path->distance = found->distance;
	while (at && own.step[at - 1].edge == other.step[at - 1].edge)
		at--;
	const struct wm_trail_step *step = at ? &own.step[at - 1] : NULL;
	if (step) {
		path->function = tested->body[step->function];
		path->edge = step->edge;
		path->nearest_edge = other.step[at - 1].edge;
		path->edge_tested = step->edge != WM_NONE && tested->taken[step->function][step->edge];
	}
	/* If one of them ends or returns here, nothing is decided between two edges. */
	if (path->edge != WM_NONE && path->nearest_edge != WM_NONE) {
		path->block = step->block;
		path->position = at - 1;
	}
	wm_arena_release(&arena);
}

static void compare_paths(const struct wm_untested_function *f, const struct tested *tested, struct group *group)
{
	struct wm_nearest *query = need(WM_NEW(&group->arena, struct wm_nearest, f->path_count));
	uint64_t *id = need(WM_NEW(&group->arena, uint64_t, tested->count));
	size_t count = 0;
	for (size_t i = 0; i < tested->count; i++)
		id[i] = tested->path[i]->id;
	for (size_t i = 0; i < f->path_count; i++)
		if (!wm_untested_is_unfinished(&f->path[i]))
			query[count++].id = f->path[i].path->id;
	wm_story_find_nearest(f->field, id, tested->count, query, count);
	for (size_t i = 0, q = 0; q < count; i++) {
		if (wm_untested_is_unfinished(&f->path[i]))
			continue;
		const struct wm_nearest *found = &query[q++];
		f->path[i].nearest = tested->path[find_tested(tested, found->nearest)];
		if (wm_story_crosses_calls(f->field))
			part_across(&f->path[i], f->field, found, &group->tested);
		else
			wm_untested_part(&f->path[i], wm_story_plan(f->field), found, &group->tested);
	}
}

/* Paths that have a name instead of an id are not compared. */
static void find_nearest(const struct wm_untested_function *f, struct group *group)
{
	struct tested tested = sort_tested(f->tests);
	if (tested.count && f->path_count && !wm_plan_has_pieces(wm_story_plan(f->field)))
		compare_paths(f, &tested, group);
	free(tested.path);
}

/* Compares a function with the tests of its group, whose edges are marked. */
static void compare(struct wm_untested_function *f, struct group *group)
{
	collect_edges(f, group);
	count_hidden(f, group);
	find_nearest(f, group);
}

static void compare_function(struct wm_untested_function *f)
{
	struct group group;
	group_init(&group, &f->field, 1);
	wm_taken_edges_function(&group.tested, 0, f->tests);
	mark_untested(&group, f);
	find_news(&group);
	compare(f, &group);
	wm_arena_release(&group.arena);
}

static void compare_unit(struct wm_untested *u, const struct wm_story_unit *unit)
{
	struct group group;
	group_init(&group, unit->body, unit->binary->unit.function_count);
	wm_taken_edges_unit(&group.tested, u->tests, unit->binary->hash);
	for (size_t i = 0; i < u->function_count; i++)
		if (wm_story_unit_of(u->function[i].field) == unit)
			mark_untested(&group, &u->function[i]);
	find_news(&group);
	for (size_t i = 0; i < u->function_count; i++)
		if (wm_story_unit_of(u->function[i].field) == unit)
			compare(&u->function[i], &group);
	wm_arena_release(&group.arena);
}

/* All of them */

static void sum_up(struct wm_untested *u, const struct wm_untested_function *f)
{
	size_t completed = f->path_count - f->unfinished_count;
	u->paths += u->tests ? wm_untested_ran_paths(f) : f->field->ran_count;
	u->known_paths += f->field->residual ? f->field->ran_count - completed : 0; /* and those that are triaged */
	u->executions += u->tests ? wm_untested_ran(f) : f->field->executions;
	u->untested_unfinished += f->unfinished_count;
	u->untested_paths += f->path_count;
	u->untested_executions += f->executions;
	u->untested_edges += f->edge_count;
	u->functions_with_paths += f->path_count != 0;
	u->functions_with_edges += f->edge_count != 0;
	u->hidden_paths += f->hidden_count;
}

static int by_executions(const void *left, const void *right)
{
	const struct wm_untested_function *a = left, *b = right;
	if (a->executions != b->executions)
		return a->executions > b->executions ? -1 : 1;
	if (a->path_count != b->path_count)
		return a->path_count > b->path_count ? -1 : 1;
	return a->field < b->field ? -1 : a->field > b->field;
}

static bool wants_refusal(
	const struct wm_story *story, const struct wm_story_refusal *refusal, const struct wm_function_filter *filter)
{
	for (size_t i = 0; i < story->function_count; i++)
		if (is_of(&story->function[i], refusal->program, refusal->key) &&
			wm_filter_passes(filter, &story->function[i]))
			return true;
	return false;
}

static void list_refused_in_field(struct wm_untested *u, const struct wm_function_filter *filter)
{
	for (size_t i = 0; i < u->field->refused_count; i++) {
		const struct wm_story_refusal *refusal = &u->field->refused[i];
		if (!wants_refusal(u->field, refusal, filter))
			continue;
		list_refusal(u, (struct wm_story_refusal){wm_xstrdup(refusal->name),
					wm_xprintf("in the field: %s", refusal->reason), refusal->binary,
					refusal->program, refusal->key});
	}
}

/* Whether they are tested, a residual build does not know: it counts no tested path, but also the beginnings of such. */
static void note_unfinished(struct wm_untested *u)
{
	uint64_t left = 0;
	for (size_t i = 0; i < u->function_count; i++)
		left += u->function[i].field->unfinished_count;
	if (left)
		note(u, wm_xprintf("%s unfinished path%s left out, because without the profiles of the tests "
				   "(--tested) it is "
				   "not known whether tests begin like %s",
				wm_thousands(left), left == 1 ? " is" : "s are", left == 1 ? "it" : "them"));
}

void wm_untested_build(struct wm_untested *untested, struct wm_story *field, struct wm_story *tests,
	const struct wm_function_filter *filter, const struct wm_triages *triages)
{
	struct lookup lookup;
	struct wm_untested u = {
		.field = field, .tests = tests, .triaging = triages, .residual = field->total.functions_residual};
	lookup_init(&lookup, tests);
	note_all(&u, field, "field");
	/* With a residual build, the tests ran another build and often another program, so notes about that are left
	 * out. */
	if (tests && !u.residual)
		note_all(&u, tests, "tests");
	list_refused_in_field(&u, filter);
	u.function = wm_xmalloc((field->function_count + 1) * sizeof *u.function);
	for (size_t i = 0; i < field->function_count; i++) {
		struct wm_story_function *function = &field->function[i];
		wm_progress("comparing functions", i, field->function_count);
		if (function->state != WM_STORY_RAN || !wm_filter_passes(filter, function))
			continue;
		const struct wm_story_function *tested = find(&lookup, function);
		char *reason = incomparable(tests, &lookup, tested, function);
		if (reason) {
			list_refusal(&u, (struct wm_story_refusal){wm_xstrdup(function->map->name), wm_xstrdup(reason),
						 function->object->path, function->program, function->map->key});
			wm_story_refuse(function, reason);
			continue;
		}
		struct wm_untested_function *f = &u.function[u.function_count++];
		*f = (struct wm_untested_function){.field = function, .tests = tested};
		collect_paths(&u, f, triages);
		if (tests && !wm_story_crosses_calls(function))
			compare_function(f);
	}
	wm_progress_end();
	for (size_t i = 0; tests && i < field->units.count; i++)
		if (wm_story_unit_is_whole(&field->units.unit[i]))
			compare_unit(&u, &field->units.unit[i]);
	for (size_t i = 0; i < u.function_count; i++)
		sum_up(&u, &u.function[i]);
	u.known_paths -= u.residual ? u.triaged_paths : 0;
	if (u.known_paths)
		note(&u, wm_xprintf("%s path%s that the program counted as untested %s in the profile of the tests and "
				    "left out here; build the program again with this profile, if it should not "
				    "count them",
				 wm_thousands(u.known_paths), u.known_paths == 1 ? "" : "s",
				 u.known_paths == 1 ? "is" : "are"));
	if (!tests)
		note_unfinished(&u);
	if (u.triaged_paths)
		note(&u, wm_xprintf("%s untested path%s left out, because %s triaged", wm_thousands(u.triaged_paths),
				 u.triaged_paths == 1 ? " is" : "s are", u.triaged_paths == 1 ? "it is" : "they are"));
	qsort(u.function, u.function_count, sizeof *u.function, by_executions);
	free(lookup.function);
	*untested = u;
}

void wm_untested_release(struct wm_untested *untested)
{
	for (size_t i = 0; i < untested->function_count; i++) {
		free(untested->function[i].path);
		free(untested->function[i].edge);
	}
	for (size_t i = 0; i < untested->refused_count; i++) {
		free(untested->refused[i].name);
		free(untested->refused[i].reason);
	}
	for (size_t i = 0; i < untested->note_count; i++)
		free(untested->note[i]);
	free(untested->function);
	free(untested->refused);
	free(untested->note);
	*untested = (struct wm_untested){0};
}

bool wm_untested_is_unfinished(const struct wm_untested_path *path)
{
	return path->path->id & WM_STORY_UNFINISHED;
}

size_t wm_untested_ran_paths(const struct wm_untested_function *function)
{
	return wm_story_taken_count(function->field);
}

uint64_t wm_untested_ran(const struct wm_untested_function *function)
{
	return function->field->executions + function->field->balance.unfinished;
}

uint64_t wm_untested_whole(const struct wm_untested_function *function)
{
	return function->field->residual ? function->executions : wm_untested_ran(function);
}
