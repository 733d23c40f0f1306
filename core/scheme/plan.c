/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Cutting.  Paths are counted bottom-up.  When more than a threshold of paths lead from a block to their ends, all
 * forward in-edges of the block are cut: paths end on these edges, each of which counts as one path, and new paths
 * begin at the block.  So the paths between cuts are about as many as the threshold, and cuts fall where control flow
 * joins. The threshold is a power of two, as large as the limit on the total allows, because fewer cuts mean longer
 * paths.
 *
 * The end of a path costs instructions, so paths should not be cut in inner loops.  At first only blocks outside of loops
 * may be cut, then also those in loops of depth 1, and so on.  The head of a loop counts as a block outside of it, because
 * its forward in-edges are executed once for all iterations, and paths begin there anyway.  A restricted choice is not used
 * if its threshold is so small that the code outside of inner loops would be cut into pieces of few paths.
 *
 * At threshold 1 every block that branches begins paths.  Cutting further edges would only add places where paths
 * begin, so nothing else is tried when threshold 1 does not fit.
 */
#include "core/scheme/iteration.h"
#include "core/scheme/pieces.h"
#include <math.h>

/* Loops that are nested more deeply count as of this depth. */
#define MAX_DEPTH 8u
/* Deeper loops are spared if the threshold is at least this root of the limit. */
#define SPARING_ROOT 4u

struct cutter {
	const struct wm_plan *plan;
	const struct wm_graph *graph;
	const struct wm_dfs *dfs;
	uint64_t *seen; /* per block: paths from it as its forward in-edges count them, 1 at a start */
	bool *is_start; /* per block: its forward in-edges are cut */
	bool *behind_call; /* per block: the scheme ends paths on the edge to it */
	uint32_t *depth; /* per block: the number of loops, up to MAX_DEPTH, in which its forward in-edges are */
	uint32_t deepest; /* only blocks up to this depth are cut */
	bool *cut;
	uint32_t cut_count;
};

static uint64_t add_capped(uint64_t a, uint64_t b)
{
	return a >= WM_MAX_PATHS - b ? WM_MAX_PATHS : a + b;
}

static uint64_t count_block(const struct cutter *c, uint32_t block)
{
	uint32_t first = c->graph->first_edge[block], last = c->graph->first_edge[block + 1];
	uint64_t sum = first == last;
	for (uint32_t e = first; e < last; e++) {
		bool ends = c->dfs->back_edge[e] || wm_plan_ends_at(c->plan, e);
		sum = add_capped(sum, ends ? 1 : c->seen[c->graph->edge_to[e]]);
	}
	return sum;
}

/* Chooses starts for this threshold; the total number of paths, capped at 2^63. */
static uint64_t count_all(struct cutter *c, uint64_t threshold)
{
	uint64_t total = 0;
	for (uint32_t i = c->dfs->reached; i-- > 0;) {
		uint32_t block = c->dfs->reverse_postorder[i];
		uint64_t paths = count_block(c, block);
		/* Only back edges enter the entry: it is a start without cutting anything. */
		c->is_start[block] = i > 0 && c->depth[block] <= c->deepest && paths > threshold;
		c->seen[block] = c->is_start[block] ? 1 : paths;
		if (i == 0)
			total = add_capped(total, paths);
		if (c->is_start[block] || c->dfs->is_head[block] || c->behind_call[block])
			total = add_capped(total, paths);
	}
	return total;
}

static void mark_cuts(struct cutter *c)
{
	c->cut_count = 0;
	for (uint32_t e = 0; e < c->graph->edge_count; e++) {
		bool reached = c->dfs->position[c->graph->edge_from[e]] != WM_NONE;
		c->cut[e] = reached && !c->dfs->back_edge[e] && c->is_start[c->graph->edge_to[e]] &&
			    !wm_plan_ends_at(c->plan, e);
		c->cut_count += c->cut[e];
	}
}

static enum wm_status build_and_number(struct wm_plan *plan, uint64_t limit, struct wm_arena *arena)
{
	enum wm_status status = plan->scheme->build(plan, arena);
	if (status == WM_OK)
		status = wm_dag_number(&plan->dag, &plan->numbering, arena);
	if (status == WM_OK && plan->numbering.path_count > limit)
		status = WM_TOO_MANY;
	struct wm_iteration_values unused;
	return status == WM_OK && plan->iterations ? wm_iteration_values_make(&unused, plan, arena) : status;
}

static enum wm_status try_threshold(
	struct wm_plan *plan, struct cutter *c, unsigned log2, uint64_t limit, struct wm_arena *arena)
{
	if (count_all(c, (uint64_t)1 << log2) > limit)
		return WM_TOO_MANY;
	mark_cuts(c);
	plan->cut = c->cut;
	plan->cut_count = c->cut_count;
	return build_and_number(plan, limit, arena);
}

/* Bisection: a smaller threshold gives fewer paths, but for odd graphs near 1. */
static unsigned largest_threshold(struct cutter *c, uint64_t limit)
{
	unsigned low = 0, high = 63;
	while (high - low > 1) {
		unsigned middle = (low + high) / 2;
		if (count_all(c, (uint64_t)1 << middle) <= limit)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The count of acyclic paths is exact for the acyclic scheme, and for others where to begin. */
static enum wm_status try_thresholds(struct wm_plan *plan, struct cutter *c, uint64_t limit, struct wm_arena *arena)
{
	enum wm_status status = WM_TOO_MANY;
	c->deepest = MAX_DEPTH;
	for (unsigned log2 = largest_threshold(c, limit) + 1; log2-- > 0 && status == WM_TOO_MANY;)
		status = try_threshold(plan, c, log2, limit, arena);
	return status;
}

/* Cuts no block that is deeper than necessary. */
static enum wm_status spare_loops(struct wm_plan *plan, struct cutter *c, uint64_t limit, struct wm_arena *arena)
{
	enum wm_status status = WM_TOO_MANY;
	for (c->deepest = 0; c->deepest < MAX_DEPTH && status == WM_TOO_MANY; c->deepest++) {
		unsigned log2 = largest_threshold(c, limit);
		if (log2 && limit >> (SPARING_ROOT * log2 < 64 ? SPARING_ROOT * log2 : 63) <= 1)
			status = try_threshold(plan, c, log2, limit, arena);
	}
	return status;
}

static void find_depths(struct cutter *c, const struct wm_loops *loops)
{
	for (uint32_t b = 0; b < c->graph->block_count; b++) {
		uint32_t loop = loops->loop_of[b], depth = loop == WM_NONE ? 0 : loops->loop[loop].depth;
		depth -= c->dfs->is_head[b];
		c->depth[b] = depth < MAX_DEPTH ? depth : MAX_DEPTH;
	}
}

static enum wm_status prepare_cutter(struct cutter *c, struct wm_arena *arena)
{
	struct wm_loops loops;
	c->behind_call = WM_NEW(arena, bool, c->graph->block_count);
	c->seen = WM_NEW(arena, uint64_t, c->graph->block_count);
	c->is_start = WM_NEW(arena, bool, c->graph->block_count);
	c->depth = WM_NEW(arena, uint32_t, c->graph->block_count);
	c->cut = WM_NEW(arena, bool, c->graph->edge_count);
	if (!c->behind_call || !c->seen || !c->is_start || !c->depth || !c->cut ||
		wm_loops_run(&loops, c->graph, c->dfs, arena) != WM_OK)
		return WM_NO_MEMORY;
	for (uint32_t e = 0; e < c->graph->edge_count; e++)
		c->behind_call[c->graph->edge_to[e]] |= wm_plan_ends_at(c->plan, e);
	find_depths(c, &loops);
	return WM_OK;
}

static enum wm_status split(struct wm_plan *plan, uint64_t limit, struct wm_arena *arena)
{
	struct cutter c = {.plan = plan, .graph = plan->graph, .dfs = &plan->dfs};
	limit = limit < WM_MAX_PATHS ? limit : WM_MAX_PATHS - 1;
	enum wm_status status = prepare_cutter(&c, arena);
	if (status == WM_OK)
		status = spare_loops(plan, &c, limit, arena);
	return status == WM_TOO_MANY ? try_thresholds(plan, &c, limit, arena) : status;
}

enum wm_status wm_plan_make(struct wm_plan *plan, const struct wm_graph *graph, const struct wm_scheme *scheme,
	uint64_t limit, struct wm_arena *arena)
{
	struct wm_scheme_choice choice = {.scheme = scheme, .k = 1, .loops = ""};
	return wm_plan_choose(plan, graph, &choice, limit, arena);
}

/* The choice of loops stays; the DAG becomes that of the acyclic scheme. */
enum wm_status wm_plan_number_pieces(struct wm_plan *plan, struct wm_arena *arena)
{
	struct wm_iterations *iterations = plan->iterations;
	plan->iterations = NULL;
	enum wm_status status = wm_unroll(plan, arena);
	if (status == WM_OK)
		status = wm_dag_number(&plan->dag, &plan->numbering, arena);
	plan->iterations = iterations;
	plan->sequences = status == WM_OK;
	plan->events_are_edges = false; /* the paths are not the pieces */
	return status;
}

static enum wm_status use_iterations(struct wm_plan *plan, uint32_t most, uint64_t limit, struct wm_arena *arena)
{
	plan->most_iterations = most;
	return build_and_number(plan, limit, arena);
}

/* Without keeping what was built: a search builds it again and again. */
static enum wm_status try_iterations(
	const struct wm_plan *plan, uint32_t most, uint64_t limit, const struct wm_arena *arena)
{
	struct wm_plan trial = *plan;
	struct wm_arena scratch;
	wm_arena_init(&scratch);
	if (arena->limit)
		wm_arena_set_limit(&scratch, arena->limit - arena->used);
	enum wm_status status = use_iterations(&trial, most, limit, &scratch);
	wm_arena_release(&scratch);
	return status;
}

/* The largest number of iterations that fits.  One is the acyclic scheme: if that is
 * too much already, the graph must be cut. */
static enum wm_status reduce_iterations(struct wm_plan *plan, uint64_t limit, struct wm_arena *arena)
{
	uint32_t low = 1, high = WM_MAX_K;
	enum wm_status status = try_iterations(plan, 1, limit, arena);
	if (status != WM_OK)
		return status;
	while (high - low > 1) {
		uint32_t middle = (low + high) / 2;
		status = try_iterations(plan, middle, limit, arena);
		if (status == WM_NO_MEMORY)
			return status;
		*(status == WM_OK ? &low : &high) = middle;
	}
	return use_iterations(plan, low, limit, arena);
}

static enum wm_status reduce_paths(struct wm_plan *plan, uint64_t limit, struct wm_arena *arena)
{
	enum wm_status status = WM_TOO_MANY;
	bool iterated = plan->iterations && plan->iterations->count;
	if (iterated && plan->choice.sequences && wm_sequence_room(plan) <= WM_MAX_PIECES)
		status = wm_plan_number_pieces(plan, arena);
	if (iterated && status == WM_TOO_MANY)
		status = reduce_iterations(plan, limit, arena);
	return status == WM_TOO_MANY ? split(plan, limit, arena) : status;
}

enum wm_status wm_plan_choose(struct wm_plan *plan, const struct wm_graph *graph, const struct wm_scheme_choice *choice,
	uint64_t limit, struct wm_arena *arena)
{
	struct wm_plan made = {.graph = graph, .scheme = choice->scheme, .choice = *choice};
	limit = limit == 0 || limit > WM_MAX_PATHS ? WM_MAX_PATHS : limit;
	if (wm_dfs_run(&made.dfs, graph, arena) != WM_OK)
		return WM_NO_MEMORY;
	enum wm_status status = build_and_number(&made, limit, arena);
	if (status == WM_OK) {
		made.log10_paths = log10((double)made.numbering.path_count);
	} else if (status == WM_TOO_MANY) {
		made.log10_paths = wm_dag_log10_paths(&made.dag, NULL, arena);
		status = isnan(made.log10_paths) ? WM_NO_MEMORY : reduce_paths(&made, limit, arena);
	}
	if (status == WM_OK)
		*plan = made;
	return status;
}

bool wm_plan_has_pieces(const struct wm_plan *plan)
{
	return plan->sequences;
}

bool wm_plan_crosses_calls(const struct wm_plan *plan)
{
	return plan->pairs != NULL;
}

bool wm_plan_ends_at(const struct wm_plan *plan, uint32_t edge)
{
	return plan->scheme->at_calls && plan->graph->call_edge && plan->graph->call_edge[edge];
}

bool wm_plan_stops(const struct wm_plan *plan, uint32_t edge)
{
	return plan->dfs.back_edge[edge] || (plan->cut && plan->cut[edge]) || wm_plan_ends_at(plan, edge);
}

/* How many iterations a path that starts with this edge looks back. */
static uint32_t iterations_before(const struct wm_plan *plan, const struct wm_dag_edge *first)
{
	if (!plan->iterations || plan->sequences || first->kind != WM_EDGE_RESTART)
		return 0;
	struct wm_version version = wm_version_restart(plan->iterations, plan->dag.node_block[first->to]);
	return version.restarted ? plan->iterations->iterated[version.loop].k - 1 : 0;
}

void wm_plan_list_blocks(const struct wm_plan *plan, const struct wm_path *edges, struct wm_block_path *path)
{
	const struct wm_dag *dag = &plan->dag;
	uint32_t before = iterations_before(plan, &dag->edge[edges->edge[0]]);
	path->start = (enum wm_start)dag->edge[edges->edge[0]].start;
	path->length = path->fresh = 0;
	path->block = edges->edge;
	for (uint32_t i = 0; i + 1 < edges->length; i++) {
		const struct wm_dag_edge *edge = &dag->edge[edges->edge[i]];
		bool next = before && edge->cfg_edge != WM_NONE && plan->dfs.back_edge[edge->cfg_edge];
		if ((next && --before == 0) || edge->kind == WM_EDGE_SURROGATE)
			path->fresh = path->length;
		if (edge->kind == WM_EDGE_SURROGATE)
			path->start = WM_START_LOOP;
		if (path->again)
			path->again[path->length] = edge->kind == WM_EDGE_SURROGATE;
		if (dag->node_block[edge->to] != WM_NONE)
			path->block[path->length++] = dag->node_block[edge->to];
	}
}

enum wm_status wm_plan_decode(
	const struct wm_plan *plan, uint64_t id, struct wm_block_path *path, struct wm_arena *arena)
{
	/* The buffer for blocks holds the edges first: block i is the target of edge i. */
	struct wm_path edges = {.edge = path->block};
	const struct wm_dag *dag = &plan->dag;
	enum wm_status status = wm_dag_decode(dag, &plan->numbering, id, &edges, arena);
	if (status != WM_OK)
		return status;
	const struct wm_dag_edge *last = &dag->edge[edges.edge[edges.length - 1]];
	path->end = (enum wm_end)last->end;
	path->last_edge = last->cfg_edge;
	wm_plan_list_blocks(plan, &edges, path);
	return WM_OK;
}
