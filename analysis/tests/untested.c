/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/tests/untested.h"
#include "analysis/story/steps.h"
#include "support/tool.h"
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
	size_t low = 0, high = lookup->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (lookup->function[middle]->map->key < like->map->key)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < lookup->count && lookup->function[low]->map->key == like->map->key; low++)
		if (is_of(lookup->function[low], like->program, like->map->key) &&
			lookup->function[low]->state == WM_STORY_RAN)
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

/* One function */

static int by_id(const void *left, const void *right)
{
	const struct wm_story_path *a = *(const struct wm_story_path *const *)left;
	const struct wm_story_path *b = *(const struct wm_story_path *const *)right;
	return (a->id > b->id) - (a->id < b->id);
}

struct work {
	const struct wm_plan *plan;
	size_t tested_count;
	const struct wm_story_path **tested; /* ascending ids */
	uint64_t *tested_id;
	bool *tested_edge, *field_edge; /* per control-flow edge; the last one: the entry */
	struct wm_path path; /* room */
	struct wm_arena arena;
};

static void decode(struct work *work, uint64_t id)
{
	if (wm_dag_decode(&work->plan->dag, &work->plan->numbering, id, &work->path, &work->arena) != WM_OK)
		wm_bug("path %" PRIu64 " cannot be decoded", id);
}

/* The control-flow edge, or the entry, that a DAG edge represents.  WM_NONE for a restart, whose control-flow edge the
 * end of the previous path represents, and for an exit. */
static uint32_t edge_of(const struct work *work, const struct wm_dag_edge *edge)
{
	if (edge->kind == WM_EDGE_ENTRY)
		return work->plan->graph->edge_count;
	return edge->cfg_edge;
}

/* The edges of paths that have a name instead of an id are found by their blocks. */
static void mark_blocks(struct work *work, const struct wm_story_function *function, uint64_t id, bool *marked)
{
	const struct wm_graph *graph = work->plan->graph;
	struct wm_trail trail;
	struct wm_arena arena;
	wm_arena_init(&arena);
	wm_story_decode(function, id, &trail, &arena);
	for (uint32_t i = 0; i < trail.count; i++) {
		marked[graph->edge_count] |= wm_trail_is_entry(&trail, i);
		if (trail.step[i].edge != WM_NONE)
			marked[trail.step[i].edge] = true;
	}
	wm_arena_release(&arena);
}

static void mark_edges(struct work *work, const struct wm_story_function *function, uint64_t id, bool *marked)
{
	if (work->plan->sequences) {
		mark_blocks(work, function, id, marked);
		return;
	}
	decode(work, id);
	for (uint32_t i = 0; i < work->path.length; i++) {
		uint32_t edge = edge_of(work, &work->plan->dag.edge[work->path.edge[i]]);
		if (edge != WM_NONE)
			marked[edge] = true;
	}
}

static void *need(void *memory)
{
	if (!memory)
		wm_bug("out of memory");
	return memory;
}

static void work_init(struct work *work, const struct wm_untested_function *f)
{
	*work = (struct work){.plan = &f->field->plan, .tested_count = f->tests ? f->tests->ran_count : 0};
	wm_arena_init(&work->arena);
	size_t edges = (size_t)work->plan->graph->edge_count + 1;
	work->tested = need(WM_NEW(&work->arena, const struct wm_story_path *, work->tested_count));
	work->tested_id = need(WM_NEW(&work->arena, uint64_t, work->tested_count));
	work->tested_edge = need(WM_NEW(&work->arena, bool, edges));
	work->field_edge = need(WM_NEW(&work->arena, bool, edges));
	work->path.edge = need(WM_NEW(&work->arena, uint32_t, work->plan->dag.node_count));
	for (size_t i = 0; i < work->tested_count; i++)
		work->tested[i] = &f->tests->path[i];
	qsort(work->tested, work->tested_count, sizeof *work->tested, by_id);
	for (size_t i = 0; i < work->tested_count; i++) {
		work->tested_id[i] = work->tested[i]->id;
		mark_edges(work, f->tests, work->tested_id[i], work->tested_edge);
	}
}

static const struct wm_story_path *find_tested(const struct work *work, uint64_t id)
{
	const struct wm_story_path key = {.id = id}, *like = &key;
	const struct wm_story_path **found =
		work->tested_count ? bsearch(&like, work->tested, work->tested_count, sizeof like, by_id) : NULL;
	return found ? *found : NULL;
}

static void collect_paths(struct wm_untested_function *f, struct work *work)
{
	f->path = wm_xmalloc((f->field->ran_count + 1) * sizeof *f->path);
	for (size_t i = 0; i < f->field->ran_count; i++) {
		const struct wm_story_path *path = &f->field->path[i];
		if (find_tested(work, path->id))
			continue;
		f->path[f->path_count++] = (struct wm_untested_path){
			.path = path, .block = WM_NONE, .position = WM_NONE, .edge = WM_NONE, .nearest_edge = WM_NONE};
		f->executions += path->count;
		mark_edges(work, f->field, path->id, work->field_edge);
	}
}

static void collect_edges(struct wm_untested_function *f, const struct work *work)
{
	uint32_t count = work->plan->graph->edge_count;
	f->edge = wm_xmalloc(((size_t)count + 1) * sizeof *f->edge);
	if (work->field_edge[count] && !work->tested_edge[count])
		f->edge[f->edge_count++] = WM_NONE;
	for (uint32_t e = 0; e < count; e++)
		if (work->field_edge[e] && !work->tested_edge[e])
			f->edge[f->edge_count++] = e;
}

static const struct wm_dag_edge *edge_at(struct work *work, uint64_t id, uint32_t index)
{
	decode(work, id);
	return &work->plan->dag.edge[work->path.edge[index]];
}

/* The number of blocks to which the first `edges` edges of the path lead that was decoded last. */
static uint32_t blocks_before(const struct work *work, uint32_t edges)
{
	const struct wm_dag *dag = &work->plan->dag;
	uint32_t count = 0;
	for (uint32_t i = 0; i < edges; i++)
		count += dag->node_block[dag->edge[work->path.edge[i]].to] != WM_NONE;
	return count;
}

static void find_parting(struct wm_untested_path *path, struct work *work, const struct wm_nearest *found)
{
	path->nearest = find_tested(work, found->nearest);
	path->common = found->common;
	path->distance = found->distance;
	const struct wm_dag_edge *edge = edge_at(work, found->id, found->common);
	uint32_t taken = edge_of(work, edge);
	path->edge_tested = taken == WM_NONE || work->tested_edge[taken];
	if (!found->common)
		return;
	path->block = work->plan->dag.node_block[edge->from];
	path->position = blocks_before(work, found->common) - 1;
	path->edge = edge->cfg_edge;
	path->nearest_edge = edge_at(work, found->nearest, found->common)->cfg_edge;
}

static void find_nearest(struct wm_untested_function *f, struct work *work)
{
	struct wm_nearest *query = need(WM_NEW(&work->arena, struct wm_nearest, f->path_count));
	for (size_t i = 0; i < f->path_count; i++)
		query[i].id = f->path[i].path->id;
	enum wm_status status =
		wm_nearest_find(work->plan, work->tested_id, work->tested_count, query, f->path_count, &work->arena);
	if (status != WM_OK)
		wm_bug("function %s: %s", f->field->map->name, wm_status_text(status));
	for (size_t i = 0; i < f->path_count; i++)
		find_parting(&f->path[i], work, &query[i]);
}

static void compare(struct wm_untested_function *f, bool tests_known)
{
	struct work work;
	bool entered = f->tests && f->tests->state == WM_STORY_RAN;
	work_init(&work, f);
	f->tested = !tests_known	? WM_TESTED_UNKNOWN
		    : work.tested_count ? WM_TESTED
		    : entered		? WM_TESTED_ENTERED
					: WM_TESTED_NEVER;
	/* An activation whose path was abandoned took the entry too. */
	if (entered && f->tests->balance.entries)
		work.tested_edge[work.plan->graph->edge_count] = true;
	collect_paths(f, &work);
	if (tests_known)
		collect_edges(f, &work);
	f->hidden_count = f->edge_count ? 0 : f->path_count;
	if (work.tested_count && f->path_count && !work.plan->sequences)
		find_nearest(f, &work);
	wm_arena_release(&work.arena);
}

/* All of them */

static void sum_up(struct wm_untested *u, const struct wm_untested_function *f)
{
	u->paths += f->field->ran_count;
	u->known_paths += f->field->residual ? f->field->ran_count - f->path_count : 0;
	u->executions += f->field->executions;
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

void wm_untested_build(struct wm_untested *untested, struct wm_story *field, struct wm_story *tests,
	const struct wm_function_filter *filter)
{
	struct lookup lookup;
	struct wm_untested u = {.field = field, .tests = tests, .residual = field->functions_residual};
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
		if (function->across.unit)
			wm_untested_compare_across(f, tests != NULL);
		else
			compare(f, tests != NULL);
	}
	wm_progress_end();
	if (tests)
		wm_untested_unit_edges(&u);
	for (size_t i = 0; i < u.function_count; i++)
		sum_up(&u, &u.function[i]);
	if (u.known_paths)
		note(&u, wm_xprintf("%s path%s that the program counted as untested %s in the profile of the tests and "
				    "left out here; build the program again with this profile, if it should not "
				    "count them",
				 wm_thousands(u.known_paths), u.known_paths == 1 ? "" : "s",
				 u.known_paths == 1 ? "is" : "are"));
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

uint64_t wm_untested_whole(const struct wm_untested_function *function)
{
	return function->field->residual ? function->executions : function->field->executions;
}

/* Words */

const char *wm_tested_text(enum wm_tested tested)
{
	static const char *const text[] = {[WM_TESTED] = "",
		[WM_TESTED_ENTERED] = "tests enter this function but complete no path of it",
		[WM_TESTED_NEVER] = "no test runs this function",
		[WM_TESTED_UNKNOWN] = ""};
	return text[tested];
}

static bool same_line(const struct wm_map_line *a, const struct wm_map_line *b)
{
	return a->line == b->line && a->file == b->file;
}

static bool decides_alone(const struct wm_map_function *map, uint32_t block)
{
	const struct wm_map_line *at = &map->block[block].decision;
	for (uint32_t b = 0; b < map->graph.block_count; b++)
		if (b != block && map->block[b].terminator != WM_TERM_NONE && same_line(&map->block[b].decision, at))
			return false;
	return true;
}

/* "line 40", "line 40:7" if the line has several decisions and the text of the condition is not known, "other.h:40", or
 * "block 7"; before a condition, a comma follows. */
static void place(const struct wm_story_function *function, uint32_t block, const struct wm_decision *decision,
	char *text, size_t size)
{
	const struct wm_map_line *at = &function->map->block[block].decision;
	const char *file = at->file < function->module->file_count ? function->module->file[at->file] : NULL;
	const char *home = wm_story_file(function);
	uint32_t line = at->line ? at->line : wm_block_line(function, block);
	bool elsewhere = at->line && file && home && strcmp(file, home) != 0;
	if (!line)
		snprintf(text, size, "block %u", block);
	else if (!at->line || !at->column || decision->condition[0] || decides_alone(function->map, block))
		snprintf(text, size, "%s%s%u%s", elsewhere ? wm_short_file(file) : "line", elsewhere ? ":" : " ", line,
			decision->condition[0] ? "," : "");
	else
		snprintf(text, size, "%s%s%u:%u", elsewhere ? wm_short_file(file) : "line", elsewhere ? ":" : " ", line,
			at->column);
}

static char *times(const struct wm_story_path *nearest)
{
	return wm_xprintf("the nearest tested path (path %" PRIu64 ", %s %s in the tests)", nearest->id,
		wm_thousands(nearest->count), nearest->count == 1 ? "time" : "times");
}

static char *start_news(const struct wm_untested_path *path, const char *nearest)
{
	static const char *const here[] = {"at the entry", "at this loop head", "at this cut"};
	static const char *const there[] = {"at the entry", "at a loop head", "at a cut"};
	bool same = path->path->start == path->nearest->start;
	if (path->common)
		return wm_xprintf("it returns to another caller than %s", nearest);
	return wm_xprintf("no tested path starts %s; %s starts %s", here[path->path->start], nearest,
		same ? "at another" : there[path->nearest->start]);
}

const struct wm_story_function *wm_untested_parting(
	const struct wm_untested_function *function, const struct wm_untested_path *path)
{
	return path->function ? path->function : function->field;
}

char *wm_untested_news(
	const struct wm_untested_function *function, const struct wm_untested_path *path, struct wm_sources *sources)
{
	char at[512], text[WM_CONDITION_MAX + WM_OUTCOME_MAX], other_text[WM_CONDITION_MAX + WM_OUTCOME_MAX], *news;
	struct wm_decision decision, other;
	if (!path->nearest)
		return wm_xstrdup(wm_tested_text(function->tested));
	char *nearest = times(path->nearest);
	if (path->block == WM_NONE) {
		news = start_news(path, nearest);
	} else {
		const struct wm_story_function *in = wm_untested_parting(function, path);
		wm_decision_tell(&decision, in, path->block, path->edge, sources);
		wm_decision_tell(&other, in, path->block, path->nearest_edge, sources);
		if (strcmp(decision.condition, other.condition) == 0)
			other.condition[0] = 0;
		place(in, path->block, &decision, at, sizeof at);
		news = wm_xprintf("%s%s%s %s, where %s has %s; %s", in == function->field ? "" : in->brief,
			in == function->field ? "" : ", ", at, wm_decision_text(&decision, text), nearest,
			wm_decision_text(&other, other_text),
			path->edge_tested ? "tests go this way too, but not after coming here like this"
					  : "no test goes this way");
	}
	free(nearest);
	return news;
}

/* "line 12 to line 14": an edge without a decision. */
static char *undecided_text(const struct wm_story_function *function, uint32_t edge)
{
	const struct wm_graph *graph = &function->map->graph;
	const uint32_t block[2] = {graph->edge_from[edge], graph->edge_to[edge]};
	char text[2][64];
	for (int i = 0; i < 2; i++) {
		uint32_t line = wm_block_line(function, block[i]);
		snprintf(text[i], sizeof text[i], "%s %u", line ? "line" : "block", line ? line : block[i]);
	}
	return wm_xprintf("%s to %s", text[0], text[1]);
}

char *wm_untested_edge_text(const struct wm_untested_function *function, uint32_t edge, struct wm_sources *sources)
{
	char at[512], text[WM_CONDITION_MAX + WM_OUTCOME_MAX];
	struct wm_decision decision;
	if (edge == WM_NONE)
		return wm_xstrdup("entry");
	uint32_t block = function->field->map->graph.edge_from[edge];
	wm_decision_tell(&decision, function->field, block, edge, sources);
	if (!decision.outcome[0])
		return undecided_text(function->field, edge);
	place(function->field, block, &decision, at, sizeof at);
	return wm_xprintf("%s %s", at, wm_decision_text(&decision, text));
}

char *wm_untested_edges_text(const struct wm_untested_function *function, size_t most, struct wm_sources *sources)
{
	char *list = wm_xprintf("%zu untested edge%s", function->edge_count, function->edge_count == 1 ? "" : "s");
	for (size_t i = 0; i < function->edge_count && i < most; i++) {
		char *edge = wm_untested_edge_text(function, function->edge[i], sources);
		char *longer = wm_xprintf("%s%s %s", list, i ? "," : ":", edge);
		free(list);
		free(edge);
		list = longer;
	}
	if (function->edge_count <= most)
		return list;
	char *whole = wm_xprintf("%s and %zu more", list, function->edge_count - most);
	free(list);
	return whole;
}
