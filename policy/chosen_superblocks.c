/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/chosen_superblocks.h"
#include "core/trail/feasible.h"
#include <stdlib.h>

/* Ways of one function that are kept; longer ones are forgotten if there are more. */
enum { MOST_WAYS = 1 << 18 };

/*
 * A way to a decision: blocks that are executed one after another, the last of which decides.  A way is stored backwards: its
 * parent is the way that begins one block later.  The way of one block is the decision itself.
 */
struct way {
	uint32_t block; /* with which it begins */
	uint32_t parent, child, sibling; /* WM_NONE: none */
	uint32_t length;
	uint64_t count;
	uint32_t taken; /* index of the counts of the outcomes, one per out-edge of the decision */
};

struct search {
	const struct wm_superblock_request *request;
	struct wm_arena *arena;
	uint32_t way_count, way_capacity;
	struct way *way;
	uint32_t outcome_count, outcome_capacity;
	uint64_t *outcome;
	uint32_t
		*of_block; /* per block: the way of this block alone; WM_NONE: it is no decision, or was not executed */
	bool *joins; /* per block: several blocks lead to it */
	bool *ends; /* per edge: a path ends on it */
	struct wm_dfs dfs;
	struct wm_knowledge knowledge;
	uint32_t found_count, found_capacity;
	struct wm_formed_trace *found;
	bool failed; /* no memory */
};

static void add(uint64_t *sum, uint64_t more)
{
	*sum = more > INT64_MAX - *sum ? INT64_MAX : *sum + more;
}

static uint32_t out_degree(const struct search *s, uint32_t block)
{
	const uint32_t *first = s->request->graph->first_edge + block;
	return first[1] - first[0];
}

/* ---- Ways ------------------------------------------------------------------------------------------ */

static uint32_t reserve_outcomes(struct search *s, uint32_t count)
{
	uint32_t first = s->outcome_count;
	while (s->outcome_count < first + count) {
		uint64_t *grown =
			wm_arena_grow(s->arena, s->outcome, &s->outcome_capacity, s->outcome_count, sizeof *grown);
		if (!grown) {
			s->failed = true;
			return WM_NONE;
		}
		s->outcome = grown;
		s->outcome[s->outcome_count++] = 0;
	}
	return first;
}

/* The way gets a list of counts for `degree` outcomes.  WM_NONE: there are too many ways, or no memory. */
static uint32_t new_way(struct search *s, struct way way, uint32_t degree)
{
	if (s->way_count == MOST_WAYS)
		return WM_NONE;
	struct way *grown = wm_arena_grow(s->arena, s->way, &s->way_capacity, s->way_count, sizeof *grown);
	way.taken = grown ? reserve_outcomes(s, degree) : WM_NONE;
	if (!grown || s->failed) {
		s->failed = true;
		return WM_NONE;
	}
	s->way = grown;
	s->way[s->way_count] = way;
	return s->way_count++;
}

static uint32_t find_longer(const struct search *s, uint32_t way, uint32_t block)
{
	uint32_t child = s->way[way].child;
	while (child != WM_NONE && s->way[child].block != block)
		child = s->way[child].sibling;
	return child;
}

/* The way that begins with `block` before `way`.  Rare paths add no ways, but count for those that exist. */
static uint32_t longer_way(struct search *s, uint32_t way, uint32_t block, uint32_t degree, bool rare)
{
	uint32_t child = find_longer(s, way, block);
	if (child != WM_NONE || rare)
		return child;
	child = new_way(s, (struct way){block, way, WM_NONE, s->way[way].child, s->way[way].length + 1, 0, 0}, degree);
	if (child != WM_NONE)
		s->way[way].child = child;
	return child;
}

static uint32_t decision_way(struct search *s, uint32_t block, bool rare)
{
	if (s->of_block[block] == WM_NONE && !rare)
		s->of_block[block] =
			new_way(s, (struct way){block, WM_NONE, WM_NONE, WM_NONE, 1, 0, 0}, out_degree(s, block));
	return s->of_block[block];
}

/* Where the blocks of a path begin that were executed one after another. */
static uint32_t first_index(const struct wm_block_path *path)
{
	uint32_t first = 0;
	for (uint32_t i = 0; path->again && i <= path->fresh && i < path->length; i++)
		first = path->again[i] ? i : first;
	return first;
}

static uint32_t leaving_edge(const struct search *s, const struct wm_block_path *path, uint32_t i)
{
	if (i + 1 == path->length)
		return path->last_edge;
	return wm_graph_find_edge(s->request->graph, path->block[i], path->block[i + 1]);
}

/* Adds the ways by which a path comes to the decision at its block i. */
static void add_ways(struct search *s, const struct wm_routed_path *counted, uint32_t i, bool rare)
{
	const struct wm_block_path *path = &counted->path;
	uint32_t block = path->block[i], edge = leaving_edge(s, path, i), first = first_index(path),
		 degree = out_degree(s, block);
	if (degree < 2 || edge == WM_NONE)
		return;
	uint32_t ordinal = edge - s->request->graph->first_edge[block], way = decision_way(s, block, rare);
	for (uint32_t at = i; way != WM_NONE && s->way[way].length <= WM_SUPERBLOCK_WAY; at--) {
		add(&s->way[way].count, counted->count);
		add(&s->outcome[s->way[way].taken + ordinal], counted->count);
		if (at == first)
			break;
		way = longer_way(s, way, path->block[at - 1], degree, rare);
	}
}

static void add_path(struct search *s, const struct wm_routed_path *counted)
{
	bool rare = (double)counted->count * WM_SUPERBLOCK_RARE < s->request->executions;
	for (uint32_t i = counted->path.fresh; i < counted->path.length && !s->failed; i++)
		add_ways(s, counted, i, rare);
}

/* ---- What is worth it ---------------------------------------------------------------------------------- */

/* The size of what a trace copies: all but the first block. */
static uint64_t copied_size(const struct search *s, const struct wm_trace *trace)
{
	uint64_t size = 0;
	for (uint32_t i = 1; i < trace->length; i++)
		size += s->request->size[trace->block[i]];
	return size;
}

static bool is_frequent(const struct search *s, const struct wm_formed_trace *formed)
{
	double size = (double)copied_size(s, &formed->trace);
	return s->request->evidence == WM_EVIDENCE_ALL ||
	       ((double)formed->count * WM_SUPERBLOCK_RARE >= size * s->request->executions && formed->count > 0);
}

static bool crosses_end(const struct search *s, const struct wm_trace *trace)
{
	for (uint32_t i = 1; i < trace->length; i++)
		if (s->ends[wm_graph_find_edge(s->request->graph, trace->block[i - 1], trace->block[i])])
			return true;
	return false;
}

/* Whether LLVM's jump threading copies the code itself where that pays: it copies little, and not over back edges. */
static bool is_left_to_llvm(const struct search *s, const struct wm_formed_trace *formed)
{
	return s->request->evidence != WM_EVIDENCE_ALL && formed->evidence == WM_EVIDENCE_DECIDED &&
	       copied_size(s, &formed->trace) < WM_SUPERBLOCK_LEAST && !crosses_end(s, &formed->trace);
}

/* A decision that LLVM removes is worth more than one that is only straight, and that more than nothing. */
static double gain(enum wm_superblock_evidence evidence)
{
	switch (evidence) {
	case WM_EVIDENCE_DECIDED:
		return 4;
	case WM_EVIDENCE_ITERATED:
	case WM_EVIDENCE_DETERMINED:
		return 2;
	case WM_EVIDENCE_HOT:
	case WM_EVIDENCE_ALL:
		return 1;
	}
	return 0;
}

static void found(struct search *s, const struct wm_formed_trace *formed)
{
	if (!is_frequent(s, formed) || is_left_to_llvm(s, formed))
		return;
	struct wm_formed_trace *grown =
		wm_arena_grow(s->arena, s->found, &s->found_capacity, s->found_count, sizeof *grown);
	s->failed |= !grown;
	if (!grown)
		return;
	s->found = grown;
	s->found[s->found_count] = *formed;
	s->found[s->found_count++].worth =
		gain(formed->evidence) * (double)formed->count / (1 + (double)copied_size(s, &formed->trace));
}

static struct wm_trace trace_of_way(struct search *s, uint32_t way)
{
	uint32_t *block = WM_NEW(s->arena, uint32_t, s->way[way].length), length = 0;
	s->failed |= !block;
	for (; block && way != WM_NONE; way = s->way[way].parent)
		block[length++] = s->way[way].block;
	return (struct wm_trace){length, block};
}

/* Whether another way may join this one behind its first block. */
static bool is_joined(const struct search *s, uint32_t way)
{
	for (way = s->way[way].parent; way != WM_NONE; way = s->way[way].parent)
		if (s->joins[s->way[way].block])
			return true;
	return false;
}

/* The last edge of a way of at least two blocks. */
static uint32_t last_edge(const struct search *s, uint32_t way)
{
	uint32_t parent = s->way[way].parent;
	for (; s->way[parent].parent != WM_NONE; parent = s->way[parent].parent)
		way = parent;
	return wm_graph_find_edge(s->request->graph, s->way[way].block, s->way[parent].block);
}

/* Whether the way decides if a loop is entered. */
static bool enters_loop(const struct search *s, uint32_t way)
{
	uint32_t edge = last_edge(s, way);
	return s->dfs.is_head[s->request->graph->edge_to[edge]] && !s->dfs.back_edge[edge];
}

/* Whether paths end on an edge of the way. */
static bool contains_end(const struct search *s, uint32_t way)
{
	for (uint32_t next = s->way[way].parent; next != WM_NONE; way = next, next = s->way[way].parent)
		if (s->ends[wm_graph_find_edge(s->request->graph, s->way[way].block, s->way[next].block)])
			return true;
	return false;
}

/* The edge that is the only possible outcome after the way, by the facts; WM_NONE: there are several, or none. */
static uint32_t decided_edge(struct search *s, uint32_t way)
{
	const struct wm_graph *graph = s->request->graph;
	uint32_t from = WM_NONE, only = WM_NONE;
	wm_knowledge_forget(&s->knowledge);
	for (; s->way[way].parent != WM_NONE; way = s->way[way].parent) {
		uint32_t to = wm_graph_find_edge(graph, s->way[way].block, s->way[s->way[way].parent].block);
		wm_knowledge_pass(&s->knowledge, s->way[way].block, from, to, 0);
		from = to;
	}
	uint32_t decision = s->way[way].block;
	for (uint32_t e = graph->first_edge[decision]; e < graph->first_edge[decision + 1]; e++)
		if (wm_knowledge_allows(&s->knowledge, decision, from, e)) {
			if (only != WM_NONE)
				return WM_NONE;
			only = e;
		}
	return only;
}

static uint32_t decision_of(const struct search *s, uint32_t way)
{
	while (s->way[way].parent != WM_NONE)
		way = s->way[way].parent;
	return s->way[way].block;
}

/* The outcome that nearly all executions after the way have; WM_NONE: none. */
static uint32_t determined_edge(const struct search *s, uint32_t way)
{
	const struct way *w = &s->way[way];
	uint32_t decision = decision_of(s, way), best = 0;
	for (uint32_t i = 1; i < out_degree(s, decision); i++)
		if (s->outcome[w->taken + i] > s->outcome[w->taken + best])
			best = i;
	uint64_t others = w->count - s->outcome[w->taken + best];
	return others <= w->count / WM_SUPERBLOCK_EXCEPTIONS ? s->request->graph->first_edge[decision] + best : WM_NONE;
}

static void found_way(struct search *s, uint32_t way, uint32_t edge, enum wm_superblock_evidence evidence)
{
	struct wm_formed_trace formed = {.trace = trace_of_way(s, way), .evidence = evidence, .edge = edge};
	formed.count = s->way[way].count;
	formed.taken = s->outcome[s->way[way].taken + edge - s->request->graph->first_edge[decision_of(s, way)]];
	if (!s->failed && s->way[way].length > 1 && is_joined(s, way) && !enters_loop(s, way))
		found(s, &formed);
}

/* Whether the decision is decided after the way, so that longer ways are of no interest. */
static bool examine_way(struct search *s, uint32_t way)
{
	uint32_t edge = s->request->facts ? decided_edge(s, way) : WM_NONE;
	if (edge != WM_NONE)
		found_way(s, way, edge, WM_EVIDENCE_DECIDED);
	return edge != WM_NONE;
}

/* The same by counts, unless the facts decide. */
static bool compare_way(struct search *s, uint32_t way)
{
	uint32_t edge = determined_edge(s, way);
	bool decided = s->request->facts && decided_edge(s, way) != WM_NONE, iterated = contains_end(s, way);
	if (edge != WM_NONE && !decided && (iterated || s->request->evidence >= WM_EVIDENCE_DETERMINED))
		found_way(s, way, edge, iterated ? WM_EVIDENCE_ITERATED : WM_EVIDENCE_DETERMINED);
	return edge != WM_NONE || decided;
}

/* Visits the ways to a decision, shorter ones first, and none that are longer than one that decides. */
static void visit_ways(struct search *s, uint32_t root, bool (*decides)(struct search *, uint32_t))
{
	uint32_t at = root;
	while (!s->failed) {
		uint32_t next = decides(s, at) ? WM_NONE : s->way[at].child;
		while (next == WM_NONE && at != root) {
			next = s->way[at].sibling;
			at = s->way[at].parent;
		}
		if (next == WM_NONE)
			return;
		at = next;
	}
}

static void find_decisions(struct search *s)
{
	bool determined = s->request->evidence >= WM_EVIDENCE_ITERATED;
	for (uint32_t b = 0; b < s->request->graph->block_count && !s->failed; b++) {
		if (s->of_block[b] == WM_NONE)
			continue;
		if (s->request->facts)
			visit_ways(s, s->of_block[b], examine_way);
		if (determined)
			visit_ways(s, s->of_block[b], compare_way);
	}
}

static void find_hot(struct search *s)
{
	for (size_t i = 0; i < s->request->path_count && !s->failed; i++) {
		const struct wm_block_path *path = &s->request->path[i].path;
		uint32_t first = first_index(path);
		struct wm_formed_trace formed = {.trace = {path->length - first, path->block + first},
			.evidence = WM_EVIDENCE_HOT,
			.edge = WM_NONE,
			.count = s->request->path[i].count,
			.taken = s->request->path[i].count};
		if (formed.trace.length > 1)
			found(s, &formed);
	}
}

/* ---- The order -------------------------------------------------------------------------------------------- */

static int by_blocks(const struct wm_trace *a, const struct wm_trace *b)
{
	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	for (uint32_t i = 0; i < a->length; i++)
		if (a->block[i] != b->block[i])
			return a->block[i] < b->block[i] ? -1 : 1;
	return 0;
}

/* What gains more for every copied instruction comes first. */
static int better_first(const void *left, const void *right)
{
	const struct wm_formed_trace *a = left, *b = right;
	if (a->worth != b->worth)
		return a->worth > b->worth ? -1 : 1;
	if (a->evidence != b->evidence)
		return a->evidence < b->evidence ? -1 : 1;
	return by_blocks(&a->trace, &b->trace);
}

static int more_frequent_first(const void *left, const void *right)
{
	const struct wm_routed_path *const *a = left, *const *b = right;
	if ((*a)->count != (*b)->count)
		return (*a)->count > (*b)->count ? -1 : 1;
	return (*a > *b) - (*a < *b);
}

/* ---- Formation --------------------------------------------------------------------------------------------- */

static bool find_joins(struct search *s)
{
	const struct wm_graph *graph = s->request->graph;
	uint32_t *count = WM_NEW(s->arena, uint32_t, graph->block_count);
	if (!count || !s->joins || wm_dfs_run(&s->dfs, graph, s->arena) != WM_OK)
		return false;
	for (uint32_t e = 0; e < graph->edge_count; e++)
		if (s->dfs.position[graph->edge_from[e]] != WM_NONE)
			s->joins[graph->edge_to[e]] = ++count[graph->edge_to[e]] > 1;
	return true;
}

static enum wm_status search_init(struct search *s)
{
	uint32_t blocks = s->request->graph->block_count;
	enum wm_status status = WM_OK;
	s->way_capacity = s->outcome_capacity = s->found_capacity = 64;
	s->way = WM_NEW(s->arena, struct way, s->way_capacity);
	s->outcome = WM_NEW(s->arena, uint64_t, s->outcome_capacity);
	s->found = WM_NEW(s->arena, struct wm_formed_trace, s->found_capacity);
	s->of_block = WM_NEW(s->arena, uint32_t, blocks);
	s->joins = WM_NEW(s->arena, bool, blocks);
	s->ends = WM_NEW(s->arena, bool, s->request->graph->edge_count);
	if (!s->ends || !s->way || !s->outcome || !s->found || !s->of_block || !find_joins(s))
		return WM_NO_MEMORY;
	for (uint32_t b = 0; b < blocks; b++)
		s->of_block[b] = WM_NONE;
	for (size_t i = 0; i < s->request->path_count; i++)
		if (s->request->path[i].path.last_edge < s->request->graph->edge_count)
			s->ends[s->request->path[i].path.last_edge] = true;
	if (s->request->facts)
		status = wm_knowledge_init(&s->knowledge, s->request->facts, s->arena);
	return status;
}

static enum wm_status find_traces(struct search *s)
{
	const struct wm_superblock_request *request = s->request;
	const struct wm_routed_path **sorted = WM_NEW(s->arena, const struct wm_routed_path *, request->path_count);
	if (!sorted)
		return WM_NO_MEMORY;
	for (size_t i = 0; i < request->path_count; i++)
		sorted[i] = &request->path[i];
	qsort(sorted, request->path_count, sizeof *sorted, more_frequent_first);
	for (size_t i = 0; i < request->path_count && !s->failed; i++)
		add_path(s, sorted[i]);
	find_decisions(s);
	if (request->evidence >= WM_EVIDENCE_HOT)
		find_hot(s);
	if (s->failed)
		return WM_NO_MEMORY;
	qsort(s->found, s->found_count, sizeof *s->found, better_first);
	return WM_OK;
}

static struct wm_superblock_limits limits_of(const struct wm_superblock_request *request)
{
	uint64_t size = 0;
	for (uint32_t b = 0; b < request->graph->block_count; b++)
		size += request->size[b];
	uint64_t growth = size * request->growth / 100;
	return (struct wm_superblock_limits){
		.size = request->size, .growth = growth > request->small ? growth : request->small};
}

static void mark_unlikely(struct wm_formation *made)
{
	for (uint32_t b = 0; b < made->shape.graph.block_count; b++)
		made->shape.unlikely[b] = !made->routing.block[b];
}

/* Forms the traces that were found; unless `all`, only those that contain no edge on which paths end. */
static enum wm_status form(
	struct search *s, struct wm_formation *made, bool all, const struct wm_superblock_limits *limits)
{
	struct wm_superblocks superblocks;
	enum wm_status status = wm_superblocks_init(&superblocks, s->request->graph, limits, s->arena);
	made->trace = WM_NEW(s->arena, struct wm_formed_trace, s->found_count + (size_t)1);
	made->trace_count = made->refused_count = 0;
	if (!made->trace)
		return WM_NO_MEMORY;
	for (uint32_t i = 0; i < s->found_count && status == WM_OK; i++) {
		bool crosses = crosses_end(s, &s->found[i].trace);
		uint32_t count = superblocks.count;
		if (crosses && !all)
			continue;
		superblocks.limits.irreducible = crosses;
		status = wm_superblocks_add(&superblocks, &s->found[i].trace);
		made->refused_count += status == WM_TOO_MANY;
		status = status == WM_TOO_MANY ? WM_OK : status;
		if (superblocks.count > count)
			made->trace[made->trace_count++] = s->found[i];
	}
	made->size = superblocks.size;
	made->original_size = superblocks.original_size;
	if (status == WM_OK && !made->trace_count)
		return WM_UNKNOWN;
	if (status == WM_OK)
		status = wm_superblocks_finish(&superblocks, &made->shape, s->arena);
	return status == WM_OK
		       ? wm_route(&made->routing, &made->shape, s->request->path, s->request->path_count, s->arena)
		       : status;
}

enum wm_status wm_superblocks_form(
	struct wm_formation *formation, const struct wm_superblock_request *request, struct wm_arena *arena)
{
	struct search s = {.request = request, .arena = arena};
	struct wm_formation made = {0};
	struct wm_superblock_limits limits = limits_of(request);
	enum wm_status status = search_init(&s);
	if (status == WM_OK)
		status = find_traces(&s);
	if (status == WM_OK)
		status = form(&s, &made, true, &limits);
	/* What paths over several iterations have in common may not be enough to tell the counts of all copies. */
	if (status == WM_UNKNOWN && made.trace_count)
		status = form(&s, &made, false, &limits);
	if (status == WM_OK)
		mark_unlikely(&made);
	if (status == WM_OK)
		*formation = made;
	else
		formation->refused_count = made.refused_count;
	return status;
}
