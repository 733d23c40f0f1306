/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Untested paths of a function, for analysis/untested/gaps.h. */
#include "analysis/tell/trails.h"
#include "analysis/untested/gaps.h"
#include "core/base/search.h"
#include "core/scheme/remaining.h"
#include "support/attempt.h"
#include "support/fail.h"
#include <stdlib.h>

/* How many edges the search in one function may look at, which take a few tenths of a second. */
#define SEARCH_EFFORT (UINT64_C(1) << 27)

/* The blocks of the first contradiction on a path; false: none is known. */
static bool contradicts(const struct wm_gap_work *w, uint64_t id, uint32_t *earlier, uint32_t *later)
{
	struct wm_trail trail;
	struct wm_arena arena;
	wm_arena_init(&arena);
	wm_story_decode(w->function, id, &trail, &arena);
	struct wm_contradiction found = wm_story_contradiction(w->function, &trail, &arena);
	bool contradiction = found.later != WM_NONE;
	*earlier = contradiction ? trail.step[found.earlier].block : WM_NONE;
	*later = contradiction ? trail.step[found.later].block : WM_NONE;
	wm_arena_release(&arena);
	return contradiction;
}

/* Whether the path takes an outcome that is not in the baseline. */
static bool takes_new(const struct wm_gap_work *w, uint64_t id)
{
	struct wm_arena arena;
	struct wm_trail trail;
	bool found = false;
	wm_arena_init(&arena);
	wm_story_decode(w->function, id, &trail, &arena);
	for (uint32_t i = 0; !found && i < trail.count; i++)
		found = trail.step[i].edge != WM_NONE && w->label[trail.step[i].edge] &&
			wm_gap_is_new(w, trail.step[i].edge);
	wm_arena_release(&arena);
	return found;
}

/* Whether it is not known if a test began to take the path: it is known up to an edge that abandoned paths may have taken. */
static bool is_unknown(const struct wm_gap_work *w, uint64_t id)
{
	const struct wm_plan *plan = wm_story_plan(w->function);
	struct wm_path path = {0};
	struct wm_arena arena;
	uint32_t i = 0;
	if (!w->doubtful)
		return false;
	wm_arena_init(&arena);
	if (wm_dag_decode(&plan->dag, &plan->numbering, id, &path, &arena) != WM_OK)
		wm_no_memory();
	while (i < path.length && !w->doubtful[path.edge[i]] && !w->untaken[path.edge[i]])
		i++;
	bool unknown = i < path.length && w->doubtful[path.edge[i]];
	wm_arena_release(&arena);
	return unknown;
}

static enum wm_verdict judge(void *closure, uint64_t id)
{
	const struct wm_gap_work *w = closure;
	uint32_t earlier, later;
	if (is_unknown(w, id))
		return WM_VERDICT_SKIP;
	if (w->before && !takes_new(w, id))
		return WM_VERDICT_SKIP;
	return contradicts(closure, id, &earlier, &later) ? WM_VERDICT_DEMOTE : WM_VERDICT_KEEP;
}

static const struct wm_story_path *find_tested(const struct wm_gap_work *w, uint64_t id)
{
	size_t at;
	WM_LOWER_BOUND(at, 0, w->tested_count, w->id[at] < id);
	if (at == w->tested_count || w->id[at] != id)
		wm_bug("path %llu is not in the story", (unsigned long long)id);
	return w->tested[at];
}

static void tell_ends(const struct wm_gap_work *w, struct wm_story_path *path, bool *throws)
{
	struct wm_arena arena;
	struct wm_trail trail;
	wm_arena_init(&arena);
	wm_story_decode(w->function, path->id, &trail, &arena);
	path->start = trail.start;
	path->end = trail.end;
	for (uint32_t i = 0; i < trail.count; i++)
		*throws |= wm_gap_throws(w, trail.step[i].edge);
	wm_arena_release(&arena);
}

/* Whether a tested path has the first `length` edges of this path. */
static bool begins_tested(const struct wm_gap_work *w, uint64_t id, uint32_t length)
{
	const struct wm_plan *plan = wm_story_plan(w->function);
	struct wm_path path = {0};
	struct wm_arena arena;
	uint64_t base = 0;
	size_t at;
	wm_arena_init(&arena);
	if (wm_dag_decode(&plan->dag, &plan->numbering, id, &path, &arena) != WM_OK)
		wm_no_memory();
	for (uint32_t i = 0; i < length; i++)
		base += (uint64_t)plan->numbering.value[path.edge[i]];
	uint64_t end = base + plan->numbering.node_paths[plan->dag.edge[path.edge[length - 1]].to];
	WM_LOWER_BOUND(at, 0, w->tested_count, w->id[at] < base);
	wm_arena_release(&arena);
	return at < w->tested_count && w->id[at] < end;
}

static void fill_gap(struct wm_gap_work *w, struct wm_gap *gap, const struct wm_neighbour *found)
{
	const struct wm_taken_edges marks = {&w->function, 1, (bool *[]){(bool *)w->taken}};
	struct wm_nearest nearest = {.id = found->id, .nearest = found->nearest, .common = found->common};
	*gap = (struct wm_gap){.kind = WM_GAP_PATH, .distance = found->distance, .own = {.id = found->id}};
	gap->infeasible = contradicts(w, found->id, &gap->earlier, &gap->later);
	gap->path = (struct wm_untested_path){
		.path = &gap->own, .block = WM_NONE, .position = WM_NONE, .edge = WM_NONE, .nearest_edge = WM_NONE};
	gap->path.nearest = find_tested(w, found->nearest);
	tell_ends(w, &gap->own, &gap->throws);
	wm_untested_part(&gap->path, wm_story_plan(w->function), &nearest, &marks);
	gap->path.edge_unknown = !gap->path.edge_tested && gap->path.edge != WM_NONE && w->abandoned.count &&
				 w->abandoned.edge[gap->path.edge];
	gap->path.beginning_tested = begins_tested(w, found->id, found->common + 1);
	wm_gap_name_tests(w, gap, gap->path.nearest->id);
}

struct tested_path {
	uint64_t id;
	const struct wm_story_path *path;
};

/* A path that ran itself before those that did not. */
static int by_id(const void *left, const void *right)
{
	const struct tested_path *a = left, *b = right;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	if ((a->path->id == a->id) != (b->path->id == b->id))
		return a->path->id == a->id ? -1 : 1;
	return (a->path->id > b->path->id) - (a->path->id < b->path->id);
}

/* Adds the paths that a test would have taken without the reports of sanitizers from which its paths came back. */
static size_t add_straight(struct wm_gap_work *w, struct tested_path *list, size_t count)
{
	const struct wm_plan *plan = wm_story_plan(w->function);
	struct wm_arena arena;
	wm_arena_init(&arena);
	bool *edge = wm_gap_need(WM_NEW(&arena, bool, plan->dag.edge_count));
	struct wm_path path = {.edge = wm_gap_need(WM_NEW(&arena, uint32_t, plan->dag.node_count))};
	struct wm_path straight = {.edge = wm_gap_need(WM_NEW(&arena, uint32_t, plan->dag.node_count))};
	wm_remaining_edges(edge, plan, w->function->remainder);
	for (size_t i = 0; i < w->function->ran_count; i++) {
		const struct wm_story_path *ran = &w->function->path[i];
		struct tested_path made = {.path = ran};
		if (wm_dag_decode(&plan->dag, &plan->numbering, ran->id, &path, &arena) != WM_OK)
			wm_no_memory();
		if (wm_remaining_straighten(&straight, &path, plan, edge, w->function->map->failure) &&
			wm_dag_encode(&plan->dag, &plan->numbering, &straight, &made.id) == WM_OK)
			list[count++] = made;
	}
	wm_arena_release(&arena);
	return count;
}

static void list_tested(struct wm_gap_work *w)
{
	size_t count = w->function->ran_count;
	struct tested_path *list = wm_gap_need(WM_NEW(&w->arena, struct tested_path, 2 * count + 1));
	uint64_t *id = wm_gap_need(WM_NEW(&w->arena, uint64_t, 2 * count + 1));
	w->tested = wm_gap_need(WM_NEW(&w->arena, const struct wm_story_path *, 2 * count + 1));
	for (size_t i = 0; i < count; i++)
		list[i] = (struct tested_path){w->function->path[i].id, &w->function->path[i]};
	if (w->function->remainder)
		count = add_straight(w, list, count);
	qsort(list, count, sizeof *list, by_id);
	for (size_t i = 0; i < count; i++) {
		if (i && list[i].id == list[i - 1].id)
			continue;
		id[w->tested_count] = list[i].id;
		w->tested[w->tested_count++] = list[i].path;
	}
	w->id = id;
}

/* Edges over which no path is sought, and edges of which a path must take one; NULL: nothing is restricted. */
static void restrict_edges(struct wm_gap_work *w, struct wm_neighbours *n)
{
	const struct wm_dag *dag = &wm_story_plan(w->function)->dag;
	const struct wm_remainder *remainder = w->function->remainder;
	bool *avoided = wm_gap_need(WM_NEW(&w->arena, bool, dag->edge_count));
	bool *wanted = wm_gap_need(WM_NEW(&w->arena, bool, dag->edge_count));
	for (uint32_t e = 0; e < dag->edge_count; e++) {
		uint32_t block = dag->node_block[dag->edge[e].to];
		avoided[e] = wm_gap_is_left_out(w, dag->edge[e].cfg_edge) ||
			     (remainder && block != WM_NONE && !remainder->block[block]);
		wanted[e] = block != WM_NONE && wm_gap_touches(w, block);
	}
	n->avoided = w->gaps->question.no_throw || remainder ? avoided : NULL;
	n->wanted = w->gaps->question.touches ? wanted : NULL;
}

/* Lists the first paths, then the first that are likely infeasible. */
static void list_paths(struct wm_gap_work *w, const struct wm_neighbours *n)
{
	struct wm_gap_list *list = &w->f->paths;
	size_t most = w->gaps->question.most, listed = 0;
	for (size_t i = 0; i < n->count; i++) {
		const struct wm_neighbour *path = &n->path[i];
		bool shown = path->demoted ? list->infeasible < most : listed++ < most;
		list->infeasible += path->demoted;
		w->f->near += !path->demoted && path->distance == 1;
		if (shown)
			fill_gap(w, &list->gap[list->count++], path);
	}
}

/* Whether the edge, which may be WM_NONE, is one that no test takes. */
static bool is_untaken(const struct wm_gap_work *w, uint32_t edge)
{
	return edge != WM_NONE && !w->taken[edge];
}

/* Whether the path is one that is sought. */
static bool is_sought(const struct wm_gap_work *w, uint64_t id)
{
	struct wm_arena arena;
	struct wm_trail trail;
	bool touched = false, left_out = false;
	wm_arena_init(&arena);
	wm_story_decode(w->function, id, &trail, &arena);
	for (uint32_t i = 0; i < trail.count; i++) {
		touched |= wm_gap_touches(w, trail.step[i].block);
		left_out |= wm_gap_is_left_out(w, trail.step[i].edge) ||
			    (w->f->lists_outcomes && is_untaken(w, trail.step[i].edge));
	}
	wm_arena_release(&arena);
	return touched && !left_out;
}

/* Lists paths that a test of the baseline took and no test takes now.  Returns how many there are. */
static size_t list_lost(struct wm_gap_work *w, const struct wm_neighbours *n)
{
	struct wm_gap_list *list = &w->f->paths;
	size_t lost = 0;
	bool same = w->before && w->before->graph == wm_story_hash(w->function);
	for (size_t i = 0, at; same && i < w->before->path_count; i++) {
		struct wm_neighbour path = {.id = w->before->path[i]};
		WM_LOWER_BOUND(at, 0, n->set_count, n->set[at] < path.id);
		if ((at < n->set_count && n->set[at] == path.id) || path.id >= n->plan->numbering.path_count ||
			!is_sought(w, path.id) || takes_new(w, path.id) || is_unknown(w, path.id))
			continue;
		if (lost++ >= w->gaps->question.most || !n->set_count)
			continue;
		if (wm_neighbours_measure(n, &path, &w->arena) != WM_OK)
			wm_no_memory();
		fill_gap(w, &list->gap[list->count], &path);
		list->gap[list->count++].lost = true;
	}
	return lost;
}

static void search_paths(struct wm_gap_work *w, struct wm_neighbours *n)
{
	enum wm_status status = wm_neighbours_find(n, &w->arena);
	if (status != WM_OK)
		wm_fail_as(wm_failure_of(status), "function %s: %s", w->function->map->name, wm_status_text(status));
}

/* The edges of the DAG that completed paths took. */
static bool *completed_edges(struct wm_gap_work *w)
{
	const struct wm_plan *plan = wm_story_plan(w->function);
	bool *completed = wm_gap_need(WM_NEW(&w->arena, bool, plan->dag.edge_count));
	for (size_t i = 0; i < w->function->ran_count; i++) {
		struct wm_path path = {0};
		struct wm_arena arena;
		wm_arena_init(&arena);
		if (wm_dag_decode(&plan->dag, &plan->numbering, w->function->path[i].id, &path, &arena) != WM_OK)
			wm_no_memory();
		for (uint32_t k = 0; k < path.length; k++)
			completed[path.edge[k]] = true;
		wm_arena_release(&arena);
	}
	return completed;
}

/* A path that was abandoned came to no end: it may have been on its way to one that no test came to. */
static void find_unknown(struct wm_gap_work *w)
{
	const struct wm_dag *dag = &wm_story_plan(w->function)->dag;
	if (!w->abandoned.count || !w->abandoned.start)
		return;
	const bool *completed = completed_edges(w);
	w->doubtful = wm_gap_need(WM_NEW(&w->arena, bool, dag->edge_count));
	w->untaken = wm_gap_need(WM_NEW(&w->arena, bool, dag->edge_count));
	for (uint32_t e = 0; e < dag->edge_count; e++) {
		const struct wm_dag_edge *edge = &dag->edge[e];
		if (edge->from == WM_DAG_START) {
			w->untaken[e] = !w->abandoned.start[e];
		} else if (edge->to == WM_DAG_END) {
			w->doubtful[e] = !completed[e];
		} else if (edge->kind == WM_EDGE_REAL && !w->taken[edge->cfg_edge]) {
			w->doubtful[e] = w->abandoned.edge[edge->cfg_edge];
			w->untaken[e] = !w->doubtful[e];
		}
	}
}

/* Per node of the DAG: the paths to it that are known so far, and those from it; all of them, and those over no edge that is
 * wanted. */
struct parts {
	uint64_t *to, *to_unwanted, *from, *from_unwanted;
};

static void count_to(
	const struct wm_gap_work *w, const struct wm_neighbours *n, const bool *avoided, struct parts *parts)
{
	const struct wm_dag *dag = &n->plan->dag;
	parts->to[WM_DAG_START] = parts->to_unwanted[WM_DAG_START] = 1;
	for (uint32_t i = 0; i < dag->node_count; i++) {
		uint32_t node = dag->order[i];
		for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++) {
			uint32_t to = dag->edge[e].to;
			if ((avoided && avoided[e]) || w->untaken[e] || w->doubtful[e] || to == WM_DAG_END)
				continue;
			parts->to[to] += parts->to[node];
			parts->to_unwanted[to] += n->wanted && n->wanted[e] ? 0 : parts->to_unwanted[node];
		}
	}
}

static void count_from(const struct wm_neighbours *n, const bool *avoided, struct parts *parts)
{
	const struct wm_dag *dag = &n->plan->dag;
	parts->from[WM_DAG_END] = parts->from_unwanted[WM_DAG_END] = 1;
	for (uint32_t i = dag->node_count; i-- > 0;) {
		uint32_t node = dag->order[i];
		for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++) {
			uint32_t to = dag->edge[e].to;
			if (avoided && avoided[e])
				continue;
			parts->from[node] += parts->from[to];
			parts->from_unwanted[node] += n->wanted && n->wanted[e] ? 0 : parts->from_unwanted[to];
		}
	}
}

/* How many paths that match the question, and take no edge of `avoided`, which may be NULL, are not known.  O(edges). */
static uint64_t count_unknown(struct wm_gap_work *w, const struct wm_neighbours *n, const bool *avoided)
{
	const struct wm_dag *dag = &n->plan->dag;
	uint64_t unknown = 0;
	if (!w->doubtful)
		return 0;
	struct parts parts = {wm_gap_need(WM_NEW(&w->arena, uint64_t, dag->node_count)),
		wm_gap_need(WM_NEW(&w->arena, uint64_t, dag->node_count)),
		wm_gap_need(WM_NEW(&w->arena, uint64_t, dag->node_count)),
		wm_gap_need(WM_NEW(&w->arena, uint64_t, dag->node_count))};
	count_to(w, n, avoided, &parts);
	count_from(n, avoided, &parts);
	for (uint32_t e = 0; e < dag->edge_count; e++) {
		const struct wm_dag_edge *edge = &dag->edge[e];
		if (!w->doubtful[e] || (avoided && avoided[e]))
			continue;
		unknown += parts.to[edge->from] * parts.from[edge->to];
		if (n->wanted && !n->wanted[e])
			unknown -= parts.to_unwanted[edge->from] * parts.from_unwanted[edge->to];
	}
	return unknown;
}

static bool *new_edges(struct wm_gap_work *w, const struct wm_dag *dag)
{
	bool *edges = wm_gap_need(WM_NEW(&w->arena, bool, dag->edge_count));
	for (uint32_t e = 0; e < dag->edge_count; e++)
		edges[e] = dag->edge[e].cfg_edge != WM_NONE && w->label[dag->edge[e].cfg_edge] &&
			   wm_gap_is_new(w, dag->edge[e].cfg_edge);
	return edges;
}

/* With a baseline, only paths over an outcome that is not in it are sought.  Returns how many untested paths have none. */
static uint64_t restrict_to_new(struct wm_gap_work *w, struct wm_neighbours *n)
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
	return others.outside - count_unknown(w, &others, avoided);
}

/* Below untested outcomes, only paths are sought that take none.  Returns how many of them no test took. */
static uint64_t restrict_to_tested(struct wm_gap_work *w, struct wm_neighbours *n)
{
	const struct wm_dag *dag = &n->plan->dag;
	if (!w->f->lists_outcomes)
		return w->f->outside;
	bool *avoided = wm_gap_need(WM_NEW(&w->arena, bool, dag->edge_count));
	for (uint32_t e = 0; e < dag->edge_count; e++)
		avoided[e] = (n->avoided && n->avoided[e]) || is_untaken(w, dag->edge[e].cfg_edge);
	n->avoided = avoided;
	search_paths(w, n);
	return n->outside - count_unknown(w, n, avoided);
}

void wm_gap_find_paths(struct wm_gap_work *w)
{
	struct wm_gap_list *list = &w->f->paths;
	list_tested(w);
	find_unknown(w);
	struct wm_neighbours n = {.plan = wm_story_plan(w->function),
		.set = w->id,
		.set_count = w->tested_count,
		.effort = SEARCH_EFFORT,
		.judge = w->function->map->facts.count || w->before || w->doubtful ? judge : NULL,
		.closure = w};
	restrict_edges(w, &n);
	search_paths(w, &n);
	w->f->unknown_paths = count_unknown(w, &n, n.avoided);
	w->f->sought = n.sought - w->f->unknown_paths;
	w->f->outside = n.outside - w->f->unknown_paths;
	uint64_t outside = restrict_to_tested(w, &n);
	n.most = w->gaps->question.search;
	uint64_t old = restrict_to_new(w, &n);
	search_paths(w, &n);
	w->f->stopped = n.stopped;
	list->gap = wm_gap_need(WM_NEW(&w->gaps->arena, struct wm_gap, n.count + w->gaps->question.most + 1));
	size_t lost = list_lost(w, &n);
	list_paths(w, &n);
	w->f->near += lost;
	list->known = old - lost;
	list->total = outside - list->known - list->infeasible;
	free(n.path);
}
