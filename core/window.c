/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Placement sees a graph in pieces: outside of iterated loops, and one iteration of
 * each.  An edge on which r is taken up by `sum`, or comes from there, ends a piece
 * and begins another, as a back edge does in the acyclic scheme; its count is then
 * turned into a step.  Everything else is core/place.c.
 */
#include "core/window.h"
#include "core/dag_builder.h"
#include "core/kiter.h"

struct window {
	const struct wm_plan *plan;
	const struct wm_iterations *iterations;
	struct wm_window_loop *loop; /* per iterated loop */
	/* Per block of an iterated loop: whole iterations from it, ways out of the loop. */
	uint64_t *whole, *left;
	/* Per CFG edge out of such a block. */
	uint64_t *rank, *last, *left_before;
	bool *skips; /* it passes by a back edge of its loop */
	/* Per CFG edge out of another block, and per block: values of the numbering. */
	uint64_t *value, *restart_value;
	/* The pieces. */
	struct wm_plan pieces;
	uint32_t *resume; /* per block: its RESUME edge, or WM_NONE */
	int64_t *piece_value; /* per edge of the pieces */
};

/* ---- What an edge does -------------------------------------------------------- */

struct role {
	uint32_t from, to; /* iterated loops of its ends, or WM_NONE */
	bool push, stop, leave, enter;
};

static struct role role_of(const struct window *w, uint32_t e)
{
	const struct wm_plan *plan = w->plan;
	struct role role = {
		.from = w->iterations->of[plan->graph->edge_from[e]], .to = w->iterations->of[plan->graph->edge_to[e]]};
	role.push = wm_version_is_own_back_edge(plan, role.from, e);
	role.stop = !role.push && wm_plan_stops(plan, e);
	bool crosses = role.from != role.to || role.stop;
	role.leave = crosses && role.from != WM_NONE;
	role.enter = crosses && role.to != WM_NONE;
	return role;
}

static bool ends_piece(struct role role)
{
	return role.push || role.stop || role.leave || role.enter;
}

/* ---- Values of one iteration ---------------------------------------------------- */

/* The edges that are real in `version`, then those that stop there; calls for each
 * with how many paths it leads to in whole iterations and out of the loop. */
struct visit {
	struct window *w;
	uint64_t whole, left;
};

static void visit_low(struct visit *v, uint32_t e, uint64_t whole, uint64_t left)
{
	v->w->rank[e] = v->whole;
	v->w->left_before[e] = v->left;
	v->whole += whole;
	v->left += left;
}

static void visit_last(struct visit *v, uint32_t e, uint64_t whole, uint64_t left)
{
	v->w->last[e] = v->whole;
	v->whole += whole + left;
}

static void visit_edges(struct visit *v, uint32_t block, struct wm_version version, enum wm_passage wanted,
	void (*visit)(struct visit *, uint32_t, uint64_t, uint64_t))
{
	const struct wm_plan *plan = v->w->plan;
	for (uint32_t e = plan->graph->first_edge[block]; e < plan->graph->first_edge[block + 1]; e++) {
		uint32_t node, to = plan->graph->edge_to[e];
		struct role role = role_of(v->w, e);
		if (wm_version_pass(plan, version, e, &node) != wanted)
			continue;
		if (role.push)
			visit(v, e, 1, 0);
		else if (!role.leave)
			visit(v, e, v->w->whole[to], v->w->left[to]);
		else
			visit(v, e, 0, role.stop ? 1 : plan->numbering.node_paths[node]);
	}
}

static void value_block(struct window *w, uint32_t index, uint32_t block)
{
	const struct wm_graph *graph = w->plan->graph;
	struct wm_version low = {.loop = index, .number = 1},
			  last = {.loop = index, .number = w->iterations->iterated[index].k};
	struct visit below = {.w = w}, at_last = {.w = w};
	visit_edges(&below, block, low, WM_PASS_REAL, visit_low);
	visit_edges(&below, block, low, WM_PASS_STOP, visit_low);
	visit_edges(&at_last, block, last, WM_PASS_REAL, visit_last);
	visit_edges(&at_last, block, last, WM_PASS_STOP, visit_last);
	w->whole[block] = below.whole;
	w->left[block] = below.left;
	for (uint32_t e = graph->first_edge[block]; e < graph->first_edge[block + 1]; e++)
		w->skips[e] = !role_of(w, e).push && w->last[e] != w->rank[e] + w->left_before[e];
}

static bool skips_any(const struct window *w, uint32_t block)
{
	const struct wm_graph *graph = w->plan->graph;
	for (uint32_t e = graph->first_edge[block]; e < graph->first_edge[block + 1]; e++)
		if (w->skips[e])
			return true;
	return false;
}

/* Bits of the largest number below `bound`. */
static unsigned bits_below(uint64_t bound)
{
	return bound > 1 ? 64 - (unsigned)__builtin_clzll(bound - 1) : 0;
}

/* The edge on which the only iteration of a loop goes on. */
static uint32_t only_edge(const struct window *w, uint32_t block)
{
	const struct wm_graph *graph = w->plan->graph;
	for (uint32_t e = graph->first_edge[block];; e++) {
		struct role role = role_of(w, e);
		if (role.push || (!role.leave && w->whole[graph->edge_to[e]]))
			return e;
	}
}

static bool has_inner_loop(const struct window *w, const struct wm_iterated_loop *loop)
{
	for (uint32_t i = 1; i < loop->size; i++)
		if (w->plan->dfs.is_head[loop->block[i]])
			return true;
	return false;
}

static void follow_only(const struct window *w, const struct wm_iterated_loop *loop, struct wm_window_loop *made)
{
	uint32_t block = loop->head;
	do {
		uint32_t e = only_edge(w, block);
		made->only_left += w->left_before[e];
		made->only_last += w->last[e];
		block = w->plan->graph->edge_to[e];
	} while (block != loop->head);
}

static enum wm_status value_loop(struct window *w, uint32_t index)
{
	const struct wm_iterated_loop *loop = &w->iterations->iterated[index];
	struct wm_window_loop *made = &w->loop[index];
	uint32_t skipping = 0;
	for (uint32_t i = loop->size; i-- > 0;) {
		value_block(w, index, loop->block[i]);
		skipping += skips_any(w, loop->block[i]);
	}
	made->k = loop->k;
	made->iterations = w->whole[loop->head];
	made->last_paths = made->iterations + w->left[loop->head];
	made->skip_shift = bits_below(made->last_paths);
	made->rank_shift = made->skip_shift + bits_below((uint64_t)skipping + 1);
	made->single = made->iterations == 1 && !has_inner_loop(w, loop);
	if (made->single)
		follow_only(w, loop, made);
	/* All whole iterations may come before a way out. */
	return made->rank_shift + bits_below(made->iterations + 1) > 64 ? WM_TOO_MANY : WM_OK;
}

static enum wm_status values_make(struct window *w, struct wm_arena *arena)
{
	uint32_t edges = w->plan->graph->edge_count, blocks = w->plan->graph->block_count;
	w->iterations = w->plan->iterations;
	w->loop = WM_NEW(arena, struct wm_window_loop, w->iterations->count);
	w->whole = WM_NEW(arena, uint64_t, blocks);
	w->left = WM_NEW(arena, uint64_t, blocks);
	w->rank = WM_NEW(arena, uint64_t, edges);
	w->last = WM_NEW(arena, uint64_t, edges);
	w->left_before = WM_NEW(arena, uint64_t, edges);
	w->skips = WM_NEW(arena, bool, edges);
	if (!w->loop || !w->whole || !w->left || !w->rank || !w->last || !w->left_before || !w->skips)
		return WM_NO_MEMORY;
	enum wm_status status = WM_OK;
	for (uint32_t i = 0; i < w->iterations->count && status == WM_OK; i++)
		status = value_loop(w, i);
	return status;
}

enum wm_status wm_window_check(const struct wm_plan *plan, struct wm_arena *arena)
{
	struct window w = {.plan = plan};
	return values_make(&w, arena);
}

struct wm_window_fields wm_window_split(
	const struct wm_window_loop *loop, const struct wm_window_step *step, uint64_t r)
{
	uint64_t skips = (r >> loop->skip_shift) & (((uint64_t)1 << (loop->rank_shift - loop->skip_shift)) - 1);
	struct wm_window_fields fields = {
		.rank = r >> loop->rank_shift, .last = r & (((uint64_t)1 << loop->skip_shift) - 1)};
	fields.left = fields.last - fields.rank + skips + (uint64_t)step->left;
	return fields;
}

/* ---- Values of the numbering ------------------------------------------------------ */

static void take_values(struct window *w)
{
	const struct wm_dag *dag = &w->plan->dag;
	for (uint32_t e = 0; e < dag->edge_count; e++) {
		const struct wm_dag_edge *edge = &dag->edge[e];
		uint64_t value = (uint64_t)w->plan->numbering.value[e];
		if (edge->kind == WM_EDGE_RESTART)
			w->restart_value[dag->node_block[edge->to]] = value;
		else if (edge->cfg_edge != WM_NONE)
			w->value[edge->cfg_edge] = value;
	}
}

static bool finish_loops(struct window *w, struct wm_arena *arena)
{
	for (uint32_t i = 0; i < w->iterations->count; i++) {
		const struct wm_iterated_loop *loop = &w->iterations->iterated[i];
		struct wm_window_loop *made = &w->loop[i];
		made->base = w->restart_value[loop->head];
		made->modulus = 1;
		made->paths = WM_NEW(arena, uint64_t, loop->k - 1);
		if (!made->paths)
			return false;
		for (uint32_t j = 0; j + 1 < loop->k; j++) {
			struct wm_version version = {.loop = i, .number = j + 2};
			uint32_t node = wm_version_node(w->iterations, loop->head, version);
			made->paths[j] = w->plan->numbering.node_paths[node];
			made->modulus *= made->iterations;
		}
	}
	return true;
}

/* ---- Pieces ------------------------------------------------------------------------- */

static uint64_t packed(const struct window *w, uint32_t loop, uint32_t e)
{
	const struct wm_window_loop *facts = &w->loop[loop];
	return w->last[e] + ((uint64_t)w->skips[e] << facts->skip_shift) + (w->rank[e] << facts->rank_shift);
}

static uint64_t value_of(const struct window *w, uint32_t e)
{
	uint32_t loop = w->iterations->of[w->plan->graph->edge_from[e]];
	return loop == WM_NONE ? w->value[e] : packed(w, loop, e);
}

static uint32_t piece_node(const struct window *w, uint32_t block)
{
	return w->plan->dfs.position[block] + 2;
}

static void add_starts(struct window *w, struct wm_dag_builder *b)
{
	wm_dag_builder_add(b, WM_DAG_START, piece_node(w, 0), WM_EDGE_ENTRY);
	for (uint32_t block = 0; block < w->plan->graph->block_count; block++) {
		uint32_t node = piece_node(w, block);
		if (b->restart[block] == WM_NONE) {
			bool outside = w->iterations->of[block] == WM_NONE;
			w->piece_value[b->dag.edge_count] = outside ? (int64_t)w->restart_value[block] : 0;
			wm_dag_builder_add_restart(b, block, node);
		}
		if (w->resume[block] != WM_NONE) {
			w->resume[block] = b->dag.edge_count;
			wm_dag_builder_add(b, WM_DAG_START, node, WM_EDGE_RESUME);
		}
	}
}

static void add_piece_edge(struct window *w, struct wm_dag_builder *b, uint32_t e)
{
	const struct wm_graph *graph = w->plan->graph;
	struct role role = role_of(w, e);
	uint32_t node = piece_node(w, graph->edge_from[e]), to = graph->edge_to[e];
	w->piece_value[b->dag.edge_count] = (int64_t)value_of(w, e);
	if (!ends_piece(role))
		wm_dag_builder_add(b, node, piece_node(w, to), WM_EDGE_REAL)->cfg_edge = e;
	else
		wm_dag_builder_add_stop(b, node, e);
	if (role.leave && !role.stop && !role.enter)
		b->dag.edge[b->dag.edge_count - 1].restart = w->resume[to];
}

static void add_pieces(struct window *w, struct wm_dag_builder *b)
{
	const struct wm_graph *graph = w->plan->graph;
	add_starts(w, b);
	for (uint32_t i = 0; i < w->plan->dfs.reached; i++) {
		uint32_t block = w->plan->dfs.reverse_postorder[i];
		if (graph->first_edge[block] == graph->first_edge[block + 1])
			wm_dag_builder_add(b, i + 2, WM_DAG_END, WM_EDGE_EXIT);
		for (uint32_t e = graph->first_edge[block]; e < graph->first_edge[block + 1]; e++)
			add_piece_edge(w, b, e);
		wm_dag_builder_close(b, i + 2, block);
	}
}

static uint32_t mark_resumes(struct window *w)
{
	const struct wm_graph *graph = w->plan->graph;
	uint32_t count = 0;
	for (uint32_t block = 0; block < graph->block_count; block++)
		w->resume[block] = WM_NONE;
	for (uint32_t e = 0; e < graph->edge_count; e++) {
		struct role role = role_of(w, e);
		if (!role.leave || role.stop || role.enter || w->resume[graph->edge_to[e]] == 0)
			continue;
		w->resume[graph->edge_to[e]] = 0;
		count++;
	}
	return count;
}

static enum wm_status pieces_make(struct window *w, struct wm_arena *arena)
{
	struct wm_dag_builder b;
	const struct wm_graph *graph = w->plan->graph;
	enum wm_status status = wm_dag_builder_init(&b, w->plan, NULL, arena);
	if (status != WM_OK)
		return status;
	uint64_t edges = mark_resumes(w) + (uint64_t)graph->edge_count + w->plan->dfs.reached;
	status = wm_dag_builder_alloc(&b, w->plan->dfs.reached, edges, arena);
	if (status != WM_OK)
		return status;
	w->piece_value = WM_NEW(arena, int64_t, edges + 1 + b.restart_count);
	if (!w->piece_value)
		return WM_NO_MEMORY;
	add_pieces(w, &b);
	w->pieces = *w->plan;
	w->pieces.dag = b.dag;
	w->pieces.iterations = NULL;
	return WM_OK;
}

/* ---- Steps ---------------------------------------------------------------------------- */

static void append(struct wm_probe *probe, enum wm_action_kind kind, int64_t value)
{
	probe->action[probe->count++] = (struct wm_action){.kind = (uint8_t)kind, .value = value};
}

static void append_step(
	struct wm_probe_program *program, struct wm_probe *probe, enum wm_action_kind kind, struct wm_window_step step)
{
	program->step[program->step_count] = step;
	append(probe, kind, program->step_count++);
}

/* Turns the count, and the update of r behind it, into steps. */
static void convert_edge(const struct window *w, struct wm_probe_program *program, uint32_t e)
{
	struct wm_probe *probe = &program->edge[e], old = *probe;
	struct role role = role_of(w, e);
	uint8_t at = 0;
	while (old.action[at].kind != WM_ACTION_COUNT && old.action[at].kind != WM_ACTION_COUNT_AT)
		at++;
	bool updates = at + 1 < old.count;
	int64_t after = updates ? old.action[at + 1].value : 0;
	struct wm_window_step step = {
		.loop = role.from, .known = old.action[at].kind == WM_ACTION_COUNT_AT, .before = old.action[at].value};
	probe->count = at;
	if (role.push) {
		step.left = (int64_t)(w->rank[e] + w->left_before[e] - w->last[e]);
		step.after = after;
		append_step(program, probe, WM_ACTION_PUSH, step);
		return;
	}
	if (role.leave) {
		step.after = role.stop || role.enter ? 0 : after;
		append_step(program, probe, WM_ACTION_LEAVE, step);
		step = (struct wm_window_step){.before = 0};
	}
	if (role.stop) {
		append(probe, WM_ACTION_COUNT, 0);
		step = (struct wm_window_step){
			.known = true, .before = (int64_t)w->restart_value[w->plan->graph->edge_to[e]]};
	}
	step.loop = role.to;
	step.after = after;
	if (role.enter)
		append_step(program, probe, WM_ACTION_ENTER, step);
	else if (role.stop && updates)
		append(probe, (enum wm_action_kind)old.action[at + 1].kind, after);
}

static void convert(const struct window *w, struct wm_probe_program *program)
{
	const struct wm_graph *graph = w->plan->graph;
	for (uint32_t e = 0; e < graph->edge_count; e++) {
		struct role role = role_of(w, e);
		if (w->plan->dfs.position[graph->edge_from[e]] != WM_NONE && (role.push || role.leave || role.enter))
			convert_edge(w, program, e);
	}
	if (w->iterations->of[0] == WM_NONE)
		return;
	struct wm_window_step step = {.loop = w->iterations->of[0], .known = true};
	step.after = program->entry.count ? program->entry.action[0].value : 0;
	program->entry.count = 0;
	append_step(program, &program->entry, WM_ACTION_ENTER, step);
}

enum wm_status wm_window_place(const struct wm_plan *plan, enum wm_placement placement,
	const struct wm_weights *weights, struct wm_probe_program *program, struct wm_arena *arena)
{
	struct window w = {.plan = plan};
	struct wm_probe_program made;
	enum wm_status status = values_make(&w, arena);
	if (status != WM_OK)
		return status;
	w.value = WM_NEW(arena, uint64_t, plan->graph->edge_count);
	w.restart_value = WM_NEW(arena, uint64_t, plan->graph->block_count);
	w.resume = WM_NEW(arena, uint32_t, plan->graph->block_count);
	/* At most LEAVE and ENTER on each edge, and ENTER at the entry. */
	struct wm_window_step *steps = WM_NEW(arena, struct wm_window_step, 2 * (size_t)plan->graph->edge_count + 1);
	if (!w.value || !w.restart_value || !w.resume || !steps)
		return WM_NO_MEMORY;
	take_values(&w);
	if (!finish_loops(&w, arena))
		return WM_NO_MEMORY;
	status = pieces_make(&w, arena);
	if (status == WM_OK)
		status = wm_place_values(&w.pieces, w.piece_value, NULL, placement, weights, &made, arena);
	if (status != WM_OK)
		return status;
	made.step = steps;
	made.window = w.loop;
	made.window_count = w.iterations->count;
	convert(&w, &made);
	*program = made;
	return WM_OK;
}

/* ---- Trips ------------------------------------------------------------------------------ */

static bool may_leave(const struct wm_iterated_loop *loop, const bool *leaves)
{
	for (uint32_t i = 0; leaves && i < loop->size; i++)
		if (leaves[loop->block[i]])
			return true;
	return false;
}

enum wm_status wm_window_count_trips(const struct wm_plan *plan, const struct wm_weights *weights, const bool *leaves,
	struct wm_probe_program *program, struct wm_arena *arena)
{
	const struct wm_graph *graph = plan->graph;
	/* Per head: how much more often its back edges run than twice what leads there else. */
	double *gain = WM_NEW(arena, double, graph->block_count);
	if (!gain)
		return WM_NO_MEMORY;
	gain[0] = -2 * weights->entry;
	for (uint32_t e = 0; e < graph->edge_count; e++)
		if (plan->dfs.position[graph->edge_from[e]] != WM_NONE)
			gain[graph->edge_to[e]] += (plan->dfs.back_edge[e] ? 1 : -2) * weights->edge[e];
	for (uint32_t i = 0; i < program->window_count; i++) {
		const struct wm_iterated_loop *loop = &plan->iterations->iterated[i];
		struct wm_window_loop *facts = &program->window[i];
		bool has_exit = facts->last_paths > facts->iterations;
		facts->trips = facts->single && has_exit && !may_leave(loop, leaves) && gain[loop->head] >= 0;
	}
	return WM_OK;
}
