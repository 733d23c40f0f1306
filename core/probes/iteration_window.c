/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Placement is given a graph in parts: one for everything outside iterated loops, and one for a single iteration of
 * each iterated loop.  An edge on which `sum` takes over the value of r, or r that of `sum`, ends one part and begins
 * another, as a back edge does in the acyclic scheme; its count is then replaced by a step.  Everything else is done
 * by core/probes/place.c.
 */
#include "core/probes/iteration_window.h"
#include "core/scheme/dag_builder.h"
#include "core/scheme/kiter.h"

struct window {
	const struct wm_plan *plan;
	const struct wm_iterations *iterations;
	struct wm_iteration_values of; /* one iteration */
	/* Per CFG edge out of another block, and per block: values of the numbering. */
	uint64_t *value, *restart_value;
	/* The pieces. */
	struct wm_plan pieces;
	uint32_t *resume; /* per block: its RESUME edge, or WM_NONE */
	int64_t *piece_value; /* per edge of the pieces */
};

static bool ends_piece(struct wm_edge_role role)
{
	return role.push || role.stop || role.leave || role.enter;
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
		struct wm_window_loop *made = &w->of.loop[i];
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
	const struct wm_window_loop *facts = &w->of.loop[loop];
	return w->of.last[e] + ((uint64_t)w->of.skips[e] << facts->skip_shift) + (w->of.rank[e] << facts->rank_shift);
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
	struct wm_edge_role role = wm_edge_role(w->plan, e);
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
		wm_dag_builder_end_node(b, i + 2, block);
	}
}

static uint32_t mark_resumes(struct window *w)
{
	const struct wm_graph *graph = w->plan->graph;
	uint32_t count = 0;
	for (uint32_t block = 0; block < graph->block_count; block++)
		w->resume[block] = WM_NONE;
	for (uint32_t e = 0; e < graph->edge_count; e++) {
		struct wm_edge_role role = wm_edge_role(w->plan, e);
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

static void append_step(
	struct wm_probe_program *program, struct wm_probe *probe, enum wm_action_kind kind, struct wm_window_step step)
{
	program->step[program->step_count] = step;
	wm_probe_append(program, probe, wm_action(kind, program->step_count++));
}

/* Turns the count, and the update of r after it, into steps. */
static void convert_edge(const struct window *w, struct wm_probe_program *program, uint32_t e)
{
	struct wm_probe *probe = &program->edge[e], old = *probe;
	struct wm_edge_role role = wm_edge_role(w->plan, e);
	uint32_t at = 0;
	while (old.action[at].kind != WM_ACTION_COUNT && old.action[at].kind != WM_ACTION_COUNT_AT)
		at++;
	bool updates = at + 1 < old.count;
	int64_t after = updates ? old.action[at + 1].value : 0;
	struct wm_window_step step = {
		.loop = role.from, .known = old.action[at].kind == WM_ACTION_COUNT_AT, .before = old.action[at].value};
	*probe = (struct wm_probe){0};
	for (uint32_t i = 0; i < at; i++)
		wm_probe_append(program, probe, old.action[i]);
	if (role.push) {
		step.left = (int64_t)(w->of.rank[e] + w->of.left_before[e] - w->of.last[e]);
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
		wm_probe_append(program, probe, wm_action(WM_ACTION_COUNT, 0));
		step = (struct wm_window_step){
			.known = true, .before = (int64_t)w->restart_value[w->plan->graph->edge_to[e]]};
	}
	step.loop = role.to;
	step.after = after;
	if (role.enter)
		append_step(program, probe, WM_ACTION_ENTER, step);
	else if (role.stop && updates)
		wm_probe_append(program, probe, old.action[at + 1]);
}

static void convert(const struct window *w, struct wm_probe_program *program)
{
	const struct wm_graph *graph = w->plan->graph;
	for (uint32_t e = 0; e < graph->edge_count; e++) {
		struct wm_edge_role role = wm_edge_role(w->plan, e);
		if (w->plan->dfs.position[graph->edge_from[e]] != WM_NONE && (role.push || role.leave || role.enter))
			convert_edge(w, program, e);
	}
	if (w->iterations->of[0] == WM_NONE)
		return;
	struct wm_window_step step = {.loop = w->iterations->of[0], .known = true};
	step.after = program->entry.count ? program->entry.action[0].value : 0;
	program->entry = (struct wm_probe){0};
	append_step(program, &program->entry, WM_ACTION_ENTER, step);
}

enum wm_status wm_window_place(const struct wm_plan *plan, enum wm_placement placement,
	const struct wm_weights *weights, struct wm_probe_program *program, struct wm_arena *arena)
{
	struct window w = {.plan = plan, .iterations = plan->iterations};
	struct wm_probe_program made;
	enum wm_status status = wm_iteration_values_make(&w.of, plan, arena);
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
		status = wm_place_sums(
			&w.pieces, &(struct wm_sums){.value = w.piece_value}, placement, weights, &made, arena);
	if (status != WM_OK)
		return status;
	made.step = steps;
	made.window = w.of.loop;
	made.window_count = w.iterations->count;
	convert(&w, &made);
	if (made.failed)
		return WM_NO_MEMORY;
	*program = made;
	return WM_OK;
}

/* ---- Trips ------------------------------------------------------------------------------ */

static bool some_may_not_return(const struct wm_iterated_loop *loop, const bool *may_not_return)
{
	for (uint32_t i = 0; may_not_return && i < loop->size; i++)
		if (may_not_return[loop->block[i]])
			return true;
	return false;
}

enum wm_status wm_window_count_trips(const struct wm_plan *plan, const struct wm_weights *weights,
	const bool *may_not_return, struct wm_probe_program *program, struct wm_arena *arena)
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
		facts->trips = facts->single && has_exit && !some_may_not_return(loop, may_not_return) &&
			       gain[loop->head] >= 0;
	}
	return WM_OK;
}
