/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/probes/ends.h"
#include "abi/sequence.h"
#include "core/probes/iteration_window.h"

/* A hash table is probed inline where a count has at least this share of the weight of the hottest count.  Elsewhere the
 * probe is out of line: most such places never run, and inline probes would double the code and occupy registers.  The
 * threshold is relative because static estimates know least about how often a loop iterates.  For the same reason the
 * weight of the end of an iteration is multiplied by LOOP_ODDS. */
#define INLINE_SHARE (1.0 / 8)
#define LOOP_ODDS 128

struct ends {
	const struct wm_counting *counting;
	const struct wm_plan *plan;
	const struct wm_weights *weights;
	struct wm_probe_program *program;
	double hottest; /* the greatest weight of an edge to End */
	uint32_t *edge_end, *exit_end; /* per control-flow edge, per block: the DAG edge of the event, or WM_NONE */
};

/* ---- What may be hot ---------------------------------------------------------- */

static bool is_hot(const struct ends *s, double weight)
{
	return weight > 0 && weight >= INLINE_SHARE * s->hottest;
}

static bool is_hot_edge(const struct ends *s, uint32_t edge)
{
	return is_hot(s, s->weights->edge[edge] * (wm_plan_stops(s->plan, edge) ? LOOP_ODDS : 1));
}

static double hottest_count(const struct ends *s)
{
	const struct wm_dag *dag = &s->plan->dag;
	double most = 0;
	for (uint32_t e = 0; e < dag->edge_count; e++) {
		double weight = dag->edge[e].to == WM_DAG_END ? wm_weights_of(s->weights, dag, &dag->edge[e]) : 0;
		most = weight > most ? weight : most;
	}
	return most;
}

/* ---- Totals that are added up ---------------------------------------------------- */

static void append_action(struct ends *s, struct wm_probe *end, struct wm_action action)
{
	wm_probe_append(s->program, end, action);
}

static void append_kind(struct ends *s, struct wm_probe *end, enum wm_action_kind kind)
{
	append_action(s, end, wm_action(kind, 0));
}

/* In residual builds a table only tells whether a path is tested; there are no cells. */
static struct wm_action in_table(const struct ends *s, enum wm_action_kind kind)
{
	struct wm_action action = wm_action(kind, 0);
	action.cell = s->counting->residual ? WM_NONE : 0;
	return action;
}

static void append_hash(struct ends *s, struct wm_probe *end, bool hot)
{
	if (hot)
		append_kind(s, end, WM_ACTION_HASH);
	append_kind(s, end, WM_ACTION_COLD);
}

static void append_guess(struct ends *s, struct wm_probe *end, uint32_t dag_edge)
{
	const struct wm_counting *counting = s->counting;
	if (!counting->has_guess || dag_edge == WM_NONE || !counting->has_guess[dag_edge])
		return;
	uint64_t guess = counting->guess[dag_edge];
	struct wm_action action = wm_action(WM_ACTION_GUESS, guess);
	if (!counting->residual)
		action.cell = counting->store == WM_COUNT_ARRAY
				      ? (uint32_t)guess
				      : wm_counting_slot(counting, wm_counting_key(counting, guess));
	append_action(s, end, action);
}

static enum wm_member member_at(const struct ends *s, uint32_t dag_edge)
{
	const struct wm_membership *membership = &s->counting->membership;
	return membership->member && dag_edge != WM_NONE ? (enum wm_member)membership->member[dag_edge]
							 : WM_MEMBER_SOME;
}

static void append_interesting(struct ends *s, struct wm_probe *end, uint32_t dag_edge)
{
	enum wm_member member = member_at(s, dag_edge);
	append_guess(s, end, dag_edge);
	if (member == WM_MEMBER_ALL) {
		append_action(s, end, in_table(s, WM_ACTION_MEMBER));
		return;
	}
	if (member != WM_MEMBER_NONE && member != WM_MEMBER_ONE)
		append_action(s, end, in_table(s, WM_ACTION_LOOKUP));
	append_kind(s, end, WM_ACTION_COLD);
}

/* With sticky marks, a path that left the core may still be tested: program->cold looks it up. */
static void append_untested(struct ends *s, struct wm_probe *end, uint32_t dag_edge)
{
	enum wm_member member = member_at(s, dag_edge);
	bool has_sign = s->counting->store != WM_COUNT_PACKED;
	if (member == WM_MEMBER_ALL)
		return;
	append_guess(s, end, dag_edge);
	if (has_sign && (member == WM_MEMBER_CLEAN || member == WM_MEMBER_CORE))
		append_kind(s, end, WM_ACTION_SIGN);
	else if (member != WM_MEMBER_NONE && member != WM_MEMBER_ONE)
		append_action(s, end, in_table(s, WM_ACTION_LOOKUP));
	append_kind(s, end, WM_ACTION_COLD);
}

static void append_pieces(struct ends *s, struct wm_probe *end, bool hot)
{
	if (s->plan->numbering.path_count > WM_ALONE_BIT) {
		append_kind(s, end, WM_ACTION_PIECES);
		return;
	}
	append_kind(s, end, WM_ACTION_ALONE);
	append_hash(s, end, hot);
}

static void append_array(struct ends *s, struct wm_probe *end, uint32_t dag_edge)
{
	if (s->counting->residual) {
		append_kind(s, end, WM_ACTION_SEEN);
		append_kind(s, end, WM_ACTION_COLD);
		return;
	}
	append_guess(s, end, dag_edge);
	append_kind(s, end, WM_ACTION_ARRAY);
}

/* `dag_edge`: the edge on which the path is checked, or WM_NONE. */
static void append_total(struct ends *s, struct wm_probe *end, uint32_t dag_edge, bool hot)
{
	if (wm_plan_has_pieces(s->plan)) {
		append_pieces(s, end, hot);
		return;
	}
	switch (s->counting->store) {
	case WM_COUNT_ARRAY:
		append_array(s, end, dag_edge);
		break;
	case WM_COUNT_HASH:
		append_hash(s, end, hot);
		break;
	case WM_COUNT_CALL:
		append_kind(s, end, WM_ACTION_COLD);
		break;
	case WM_COUNT_STREAM:
		append_kind(s, end, WM_ACTION_APPEND);
		break;
	case WM_COUNT_PACKED:
	case WM_COUNT_PERFECT:
	case WM_COUNT_SIGN:
		if (s->counting->residual)
			append_untested(s, end, dag_edge);
		else
			append_interesting(s, end, dag_edge);
		break;
	}
}

/* ---- Totals that the compiler knows ------------------------------------------------ */

static void append_cell(struct ends *s, struct wm_probe *end, uint64_t cell)
{
	struct wm_action action = wm_action(WM_ACTION_CELL, 0);
	action.cell = (uint32_t)cell;
	append_action(s, end, action);
}

static uint32_t constant_cell(const struct ends *s, uint64_t id)
{
	const struct wm_cells *cells = &s->program->cells;
	struct wm_path_set constants = {cells->constant_count, cells->constant};
	uint32_t index = wm_path_set_find(&constants, id);
	return index == WM_NONE ? WM_NONE : cells->size - cells->constant_count + index;
}

static void append_known(struct ends *s, struct wm_probe *end, uint64_t total)
{
	const struct wm_counting *counting = s->counting;
	bool known = wm_path_set_find(&counting->set, wm_counting_id(counting, total)) != WM_NONE;
	if (!known)
		append_kind(s, end, WM_ACTION_COLD);
	else if (!counting->residual)
		append_cell(s, end, wm_counting_slot(counting, wm_counting_key(counting, total)));
}

static void append_constant(struct ends *s, struct wm_probe *end, uint64_t sum, bool hot)
{
	uint64_t total = wm_counting_total(s->counting, sum);
	uint32_t cell = s->counting->store == WM_COUNT_HASH ? constant_cell(s, total) : WM_NONE;
	bool looks_up = s->counting->store == WM_COUNT_PACKED || s->counting->store == WM_COUNT_PERFECT ||
			s->counting->store == WM_COUNT_SIGN;
	bool has_cell = cell != WM_NONE || (s->counting->store == WM_COUNT_ARRAY && !s->counting->residual);
	if (wm_plan_has_pieces(s->plan) || (!looks_up && !has_cell))
		append_total(s, end, WM_NONE, hot);
	else if (looks_up)
		append_known(s, end, total);
	else
		append_cell(s, end, s->counting->store == WM_COUNT_ARRAY ? total : cell);
}

/* ---- Local paths of regions ---------------------------------------------------------- */

/* The local paths that end on one control-flow edge. */
struct local_ends {
	uint32_t settled; /* the number of settled ones */
	uint32_t low, high; /* the first and the last settled index */
	uint8_t unsettled; /* flags of SETTLED: where the other indices are */
	uint8_t began; /* flags of NUMBER: where the other paths began */
};

static struct local_ends local_ends(const struct ends *s, uint32_t region, uint32_t edge)
{
	const struct wm_region *facts = &s->program->region[region];
	const bool *settled = s->program->cells.settled + s->program->cells.region_index[region];
	struct local_ends ends = {0};
	for (uint32_t i = 0; i < facts->paths; i++) {
		if (facts->end[i] != edge || !settled[i])
			continue;
		ends.low = ends.settled++ ? ends.low : i;
		ends.high = i;
	}
	for (uint32_t i = 0; i < facts->paths; i++) {
		if (facts->end[i] != edge || settled[i])
			continue;
		ends.unsettled |= i < ends.low ? WM_BELOW : i > ends.high ? WM_ABOVE : WM_BETWEEN;
		ends.began |= i < facts->entered ? WM_CAME_IN : WM_INSIDE;
	}
	return ends;
}

static uint32_t local_cell(const struct ends *s, uint32_t region)
{
	return s->counting->residual ? WM_NONE : s->counting->table_size + s->program->cells.region_index[region];
}

/* The actions that follow are given the total of the local path. */
static void append_number(struct ends *s, struct wm_probe *end, uint32_t region, uint8_t began)
{
	struct wm_action number = wm_action(WM_ACTION_NUMBER, 0);
	number.region = (uint16_t)region;
	number.flags = began;
	append_action(s, end, number);
}

static bool is_hot_region(const struct ends *s, uint32_t region)
{
	return is_hot(s, s->program->region[region].entering);
}

/* SETTLED without flags always stops the end. */
static void append_local(struct ends *s, struct wm_probe *end, uint32_t region, uint32_t edge)
{
	struct local_ends ends = local_ends(s, region, edge);
	struct wm_action settled = wm_action(WM_ACTION_SETTLED, (uint64_t)wm_range(ends.low, ends.high));
	settled.region = (uint16_t)region;
	settled.flags = ends.unsettled;
	settled.cell = local_cell(s, region);
	if (ends.settled && (ends.began || !s->counting->residual))
		append_action(s, end, settled);
	if (!ends.began)
		return;
	append_number(s, end, region, ends.began);
	append_total(s, end, s->edge_end[edge], is_hot_region(s, region));
}

static void append_local_constant(struct ends *s, struct wm_probe *end, uint32_t region, uint32_t edge, uint32_t index)
{
	const struct wm_region *facts = &s->program->region[region];
	uint32_t first = local_cell(s, region);
	if (s->program->cells.settled[s->program->cells.region_index[region] + index]) {
		if (first != WM_NONE)
			append_cell(s, end, (uint64_t)first + index);
		return;
	}
	append_number(s, end, region, index < facts->entered ? WM_CAME_IN : WM_INSIDE);
	if (index < facts->entered)
		append_total(s, end, s->edge_end[edge], is_hot_region(s, region));
	else
		append_constant(s, end, facts->sum[index], is_hot_region(s, region));
}

/* ---- The counts of a program ------------------------------------------------------------ */

/* The event of a probe. */
struct event {
	uint32_t dag_edge; /* or WM_NONE */
	uint32_t edge; /* control-flow edge, or WM_NONE */
	bool hot;
};

static void give_end(struct ends *s, struct wm_action *action, const struct event *event)
{
	struct wm_probe end = {0};
	if (!(wm_action_rows[action->kind].operands & WM_HAS_END))
		return;
	if (action->kind == WM_ACTION_COUNT)
		append_total(s, &end, event->dag_edge, event->hot);
	else if (action->kind == WM_ACTION_COUNT_AT)
		append_constant(s, &end, (uint64_t)action->value, event->hot);
	else if (action->kind == WM_ACTION_LOCAL_COUNT)
		append_local(s, &end, action->region, event->edge);
	else
		append_local_constant(s, &end, action->region, event->edge, (uint32_t)action->value);
	action->end = wm_program_add_end(s->program, end);
}

static void give_ends(struct ends *s, struct wm_probe *probe, struct event event)
{
	for (uint32_t i = 0; i < probe->count; i++)
		give_end(s, &probe->action[i], &event);
}

static void give_trip_ends(struct ends *s, struct wm_trip_loop *loop)
{
	const struct wm_graph *graph = s->plan->graph;
	struct wm_probe first = {0}, again = {0};
	uint32_t head = graph->edge_to[loop->back_edge];
	bool hot = is_hot(s, s->weights->block[head] - s->weights->edge[loop->back_edge]);
	if (loop->region == WM_NONE) {
		append_total(s, &first, s->edge_end[loop->back_edge], hot);
		append_constant(s, &again, (uint64_t)loop->again, hot);
	} else {
		append_local(s, &first, loop->region, loop->back_edge);
		append_local_constant(s, &again, loop->region, loop->back_edge, (uint32_t)loop->again);
	}
	loop->first_end = wm_program_add_end(s->program, first);
	loop->again_end = wm_program_add_end(s->program, again);
}

static void give_window_ends(struct ends *s, uint32_t index)
{
	struct wm_window_loop *loop = &s->program->window[index];
	struct wm_probe end = {0}, again = {0};
	bool hot = is_hot(s, s->weights->block[s->plan->iterations->iterated[index].head]);
	append_total(s, &end, WM_NONE, hot);
	append_constant(s, &again, loop->base + loop->only_last, hot);
	loop->end = wm_program_add_end(s->program, end);
	loop->again_end = wm_program_add_end(s->program, again);
}

static void make_cold(struct ends *s)
{
	const struct wm_counting *counting = s->counting;
	if (counting->store == WM_COUNT_STREAM)
		return;
	if (counting->residual && counting->sums.sticky && counting->table_size)
		append_action(s, &s->program->cold, in_table(s, WM_ACTION_LOOKUP));
	if (counting->store == WM_COUNT_HASH || wm_counting_checks(counting))
		append_kind(s, &s->program->cold, WM_ACTION_HASH);
	append_kind(s, &s->program->cold, WM_ACTION_CALL);
}

/* If an event stands for several DAG edges, nothing is known about the paths that end there. */
static enum wm_status map_events(struct ends *s, struct wm_arena *arena)
{
	const struct wm_dag *dag = &s->plan->dag;
	uint32_t edges = s->plan->graph->edge_count, blocks = s->plan->graph->block_count;
	s->edge_end = WM_NEW(arena, uint32_t, edges);
	s->exit_end = WM_NEW(arena, uint32_t, blocks);
	if (!s->edge_end || !s->exit_end)
		return WM_NO_MEMORY;
	for (uint32_t e = 0; e < edges; e++)
		s->edge_end[e] = WM_NONE;
	for (uint32_t b = 0; b < blocks; b++)
		s->exit_end[b] = WM_NONE;
	for (uint32_t d = 0; d < dag->edge_count && s->plan->events_are_edges; d++) {
		if (dag->edge[d].kind == WM_EDGE_EXIT)
			s->exit_end[dag->node_block[dag->edge[d].from]] = d;
		else if (dag->edge[d].cfg_edge != WM_NONE)
			s->edge_end[dag->edge[d].cfg_edge] = d;
	}
	return WM_OK;
}

enum wm_status wm_ends_make(const struct wm_counting *counting, const struct wm_plan *plan,
	const struct wm_weights *weights, struct wm_probe_program *program, struct wm_arena *arena)
{
	struct ends s = {.counting = counting, .plan = plan, .weights = weights, .program = program};
	const struct wm_graph *graph = plan->graph;
	if (map_events(&s, arena) != WM_OK)
		return WM_NO_MEMORY;
	s.hottest = hottest_count(&s);
	make_cold(&s);
	for (uint32_t e = 0; e < graph->edge_count; e++)
		give_ends(&s, &program->edge[e], (struct event){s.edge_end[e], e, is_hot_edge(&s, e)});
	for (uint32_t b = 0; b < graph->block_count; b++)
		give_ends(&s, &program->exit[b], (struct event){s.exit_end[b], WM_NONE, is_hot(&s, weights->block[b])});
	for (uint32_t i = 0; i < program->trip_loop_count; i++)
		give_trip_ends(&s, &program->trip_loop[i]);
	for (uint32_t i = 0; i < program->window_count; i++)
		give_window_ends(&s, i);
	return program->failed ? WM_NO_MEMORY : WM_OK;
}

/* ---- Updates that are spared --------------------------------------------------------- */

static bool spares(const struct wm_counting *counting, const struct wm_action *count, const struct wm_action *set,
	const struct wm_probe *end)
{
	const struct wm_action *first = end->count ? &end->action[0] : NULL;
	if (!first)
		return false;
	if (count->kind == WM_ACTION_COUNT && set->kind == WM_ACTION_SET && first->kind == WM_ACTION_GUESS) {
		uint64_t held = (uint64_t)first->value - (uint64_t)count->value;
		return wm_counting_total(counting, held) == wm_counting_total(counting, (uint64_t)set->value);
	}
	return count->kind == WM_ACTION_LOCAL_COUNT && set->kind == WM_ACTION_LOCAL_SET &&
	       first->kind == WM_ACTION_SETTLED && first->flags && wm_range_low(first) == wm_range_high(first) &&
	       (int64_t)wm_range_low(first) - count->value == set->value;
}

struct sparing {
	const struct wm_counting *counting;
	struct wm_probe_program *program;
};

static void spare_in(void *closure, struct wm_probe *probe)
{
	const struct sparing *s = closure;
	for (uint32_t i = 0; i + 1 < probe->count; i++) {
		struct wm_action *count = &probe->action[i];
		if (wm_action_rows[count->kind].operands & WM_HAS_END &&
			spares(s->counting, count, count + 1, &s->program->end[count->end]))
			count->flags |= WM_SPARES;
	}
}

void wm_spare_updates(
	const struct wm_counting *counting, const struct wm_graph *graph, struct wm_probe_program *program)
{
	struct sparing s = {counting, program};
	wm_each_probe(program, graph, spare_in, &s);
}
