/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/probes/pending.h"
#include "core/probes/pieces_probes.h"
#include "core/probes/prefix_sums.h"
#include "core/scheme/kiter.h"
#include <string.h>

/* What holds on arrival at a node, by whichever way. */
struct arrival {
	uint64_t sum; /* of the values along one way */
	uint64_t value; /* of the register after the same way */
	uint64_t ways; /* 0, 1 or 2: several */
};

/* The value of the register after a probe; `value` is that before it.  A RESTORE changes nothing here: it is on edges that
 * leave the second node of a loop head, and gives the register the value that it has on arrival at that node. */
static uint64_t value_after(const struct wm_probe *probe, uint64_t value)
{
	for (uint32_t i = 0; probe && i < probe->count; i++) {
		uint64_t operand = (uint64_t)probe->action[i].value;
		if (probe->action[i].kind == WM_ACTION_SET)
			value = operand;
		else if (probe->action[i].kind == WM_ACTION_ADD)
			value += operand;
	}
	return value;
}

/* The probe that is executed on the event with which a DAG edge is taken.  A path begins on the event that ended the
 * previous one. */
static const struct wm_probe *probe_before(struct wm_pending *pending, const uint32_t *stop, uint32_t e)
{
	const struct wm_dag *dag = &pending->plan.dag;
	return wm_probe_of(&pending->program, dag, &dag->edge[stop[e] == WM_NONE ? e : stop[e]]);
}

/* Per DAG edge: an edge that ends a path after which this edge begins the next. */
static uint32_t *find_stops(const struct wm_dag *dag, struct wm_arena *arena)
{
	uint32_t *stop = WM_NEW(arena, uint32_t, dag->edge_count);
	for (uint32_t e = 0; stop && e < dag->edge_count; e++)
		stop[e] = WM_NONE;
	for (uint32_t e = 0; stop && e < dag->edge_count; e++)
		if (dag->edge[e].kind == WM_EDGE_STOP)
			stop[dag->edge[e].restart] = e;
	return stop;
}

static void follow_edges(struct wm_pending *pending, const uint32_t *stop, struct arrival *arrival, uint32_t node)
{
	const struct wm_dag *dag = &pending->plan.dag;
	for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++) {
		struct arrival *to = &arrival[dag->edge[e].to];
		const struct wm_probe *probe = probe_before(pending, stop, e);
		if (!to->ways && dag->edge[e].to != WM_DAG_END) {
			to->sum = arrival[node].sum + (uint64_t)pending->plan.numbering.value[e];
			to->value = value_after(probe, arrival[node].value);
		}
		to->ways = to->ways || arrival[node].ways == 2 ? 2 : 1;
	}
}

static enum wm_status find_missing(struct wm_pending *pending, struct wm_arena *arena)
{
	const struct wm_dag *dag = &pending->plan.dag;
	uint32_t *stop = find_stops(dag, arena);
	struct arrival *arrival = WM_NEW(arena, struct arrival, dag->node_count);
	if (!stop || !arrival)
		return WM_NO_MEMORY;
	arrival[WM_DAG_START].ways = 1;
	for (uint32_t i = 0; i < dag->node_count; i++) {
		uint32_t node = dag->order[i], block = dag->node_block[node];
		follow_edges(pending, stop, arrival, node);
		if (block == WM_NONE)
			continue;
		pending->single[block] = arrival[node].ways == 1;
		pending->missing[block] = arrival[node].sum - (arrival[node].ways == 1 ? 0 : arrival[node].value);
	}
	return WM_OK;
}

static enum wm_status find_earlier(struct wm_pending *pending, struct wm_arena *arena)
{
	const struct wm_dag *dag = &pending->plan.dag;
	uint32_t *most = WM_NEW(arena, uint32_t, dag->node_count);
	pending->earlier = WM_NEW(arena, uint32_t, pending->plan.graph->block_count);
	if (!most || !pending->earlier)
		return WM_NO_MEMORY;
	for (uint32_t i = 0; i < dag->node_count; i++) {
		uint32_t node = dag->order[i], block = dag->node_block[node];
		if (block != WM_NONE) {
			struct wm_version version = wm_version_restart(pending->plan.iterations, block);
			if (version.restarted)
				most[node] += pending->plan.iterations->iterated[version.loop].k - 1;
			pending->earlier[block] = most[node] < WM_PENDING_PIECES ? most[node] : WM_PENDING_PIECES;
			if (pending->earlier[block] > pending->most_earlier)
				pending->most_earlier = pending->earlier[block];
		}
		for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++)
			if (most[dag->edge[e].to] < most[node])
				most[dag->edge[e].to] = most[node];
	}
	return WM_OK;
}

/* The plan whose paths have the prefixes. */
static enum wm_status make_plan(
	struct wm_plan *plan, const struct wm_graph *graph, const struct wm_plan *counted, struct wm_arena *arena)
{
	if (!counted || !(counted->iterations || counted->scheme->contexts))
		return wm_plan_make(plan, graph, &wm_scheme_acyclic, 0, arena);
	*plan = *counted;
	return counted->iterations && !wm_plan_has_pieces(counted) ? wm_plan_number_pieces(plan, arena) : WM_OK;
}

static enum wm_status place_register(struct wm_pending *pending, struct wm_arena *arena)
{
	const struct wm_plan *plan = &pending->plan;
	struct wm_weights weights;
	enum wm_status status = wm_weights_static(&weights, plan->graph, &plan->dfs, arena);
	if (status != WM_OK)
		return status;
	if (plan->iterations)
		return wm_sequence_place(plan, WM_PLACE_OPTIMAL, &weights, &pending->program, arena);
	struct wm_sums sums = {.value = plan->numbering.value};
	return wm_place_sums(plan, &sums, WM_PLACE_OPTIMAL, &weights, &pending->program, arena);
}

enum wm_status wm_pending_make(
	struct wm_pending *pending, const struct wm_graph *graph, const struct wm_plan *counted, struct wm_arena *arena)
{
	struct wm_pending made = {.single = WM_NEW(arena, bool, graph->block_count),
		.missing = WM_NEW(arena, uint64_t, graph->block_count)};
	if (!made.single || !made.missing)
		return WM_NO_MEMORY;
	enum wm_status status = make_plan(&made.plan, graph, counted, arena);
	if (status == WM_OK)
		status = place_register(&made, arena);
	if (status == WM_OK)
		status = find_missing(&made, arena);
	if (status == WM_OK && made.plan.iterations)
		status = find_earlier(&made, arena);
	if (status == WM_OK)
		*pending = made;
	return status;
}

/* ---- Decoding ------------------------------------------------------------------------------ */

static enum wm_status decode_prefix(const struct wm_pending *pending, uint32_t block, uint64_t value,
	struct wm_block_path *path, struct wm_arena *arena)
{
	path->again = NULL;
	uint64_t sum = pending->missing[block] + (pending->single[block] ? 0 : value);
	return wm_prefix_decode(&pending->plan, block, sum, path, arena);
}

/* The iterated loop at whose head a piece began after a back edge, or WM_NONE. */
static uint32_t loop_before(const struct wm_plan *plan, const struct wm_block_path *piece)
{
	struct wm_version version = wm_version_restart(plan->iterations, piece->block[0]);
	return piece->start == WM_START_LOOP && version.restarted ? version.loop : WM_NONE;
}

/* The pieces of the pending path, the last one first; the first `*count` elements of `piece` are known. */
static enum wm_status find_pieces(const struct wm_pending *pending, const struct wm_pending_state *state,
	struct wm_block_path *piece, uint32_t *count, bool *whole, struct wm_arena *arena)
{
	const struct wm_plan *plan = &pending->plan;
	uint32_t loop = WM_NONE, iterations = 0;
	for (uint32_t i = 0;; i++) {
		uint32_t before = loop_before(plan, &piece[i]);
		iterations = before == loop ? iterations : 0;
		loop = before;
		*whole = loop == WM_NONE || iterations == plan->iterations->iterated[loop].k - 1;
		if (*whole || i == state->piece_count)
			return WM_OK;
		enum wm_status status = wm_plan_decode(plan, state->piece[i], &piece[i + 1], arena);
		if (status != WM_OK)
			return status;
		uint32_t edge = piece[i + 1].last_edge;
		if (edge == WM_NONE || wm_piece_loop(plan, edge) != loop)
			return WM_BAD_PATH;
		iterations++;
		(*count)++;
	}
}

/* How many pieces, the first ones of a path that has `count` pieces, were part of an earlier path. */
static uint32_t old_pieces(const struct wm_plan *plan, const struct wm_block_path *first, uint32_t count)
{
	uint32_t loop = count > 1 ? loop_before(plan, first) : WM_NONE,
		 old = loop == WM_NONE ? 0 : plan->iterations->iterated[loop].k - 1;
	return old < count ? old : count - 1;
}

/* Joins the pieces of a path; `piece` has them in reverse order. */
static enum wm_status join_pieces(const struct wm_plan *plan, const struct wm_block_path *piece, uint32_t count,
	struct wm_block_path *path, struct wm_arena *arena)
{
	uint32_t length = 0, old = old_pieces(plan, &piece[count - 1], count);
	struct wm_block_path made = {
		.start = piece[count - 1].start, .last_edge = WM_NONE, .fresh = piece[count - 1].fresh};
	for (uint32_t i = 0; i < count; i++)
		length += piece[i].length;
	made.block = WM_NEW(arena, uint32_t, length);
	if (!made.block)
		return WM_NO_MEMORY;
	for (uint32_t i = count; i-- > 0;) {
		memcpy(made.block + made.length, piece[i].block, piece[i].length * sizeof *made.block);
		made.length += piece[i].length;
		made.fresh = count - i == old ? made.length : made.fresh;
	}
	*path = made;
	return WM_OK;
}

enum wm_status wm_pending_decode(const struct wm_pending *pending, const struct wm_pending_state *state,
	struct wm_block_path *path, bool *whole, struct wm_arena *arena)
{
	uint32_t count = 1;
	bool all = true;
	struct wm_block_path *piece = WM_NEW(arena, struct wm_block_path, (size_t)state->piece_count + 1), made;
	if (!piece)
		return WM_NO_MEMORY;
	enum wm_status status = decode_prefix(pending, state->block, state->value, &piece[0], arena);
	if (status == WM_OK && pending->plan.iterations)
		status = find_pieces(pending, state, piece, &count, &all, arena);
	if (status == WM_OK)
		status = join_pieces(&pending->plan, piece, count, &made, arena);
	if (status != WM_OK)
		return status;
	*path = made;
	*whole = all;
	return WM_OK;
}
