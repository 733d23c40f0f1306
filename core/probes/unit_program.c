/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/probes/unit_program.h"
#include "core/probes/spanning.h"
#include <string.h>

struct placing {
	const struct wm_unit_plan *plan;
	uint32_t function;
	struct wm_unit_program *program;
	struct wm_pair *increment; /* per DAG edge */
	struct wm_pair *potential; /* per DAG node */
};

static const struct wm_function_plan *here(const struct placing *p)
{
	return &p->plan->function[p->function];
}

/* ---- Increments and potentials ------------------------------------------------ */

static enum wm_status span(struct placing *p, const struct wm_weights *weights, struct wm_arena *arena)
{
	const struct wm_dag *dag = &here(p)->plan.dag;
	int64_t *a = WM_NEW(arena, int64_t, dag->edge_count), *b = WM_NEW(arena, int64_t, dag->edge_count);
	uint64_t *increment = WM_NEW(arena, uint64_t, dag->edge_count);
	struct wm_spanning spanning;
	if (!a || !b || !increment || wm_spanning_init(&spanning, dag, weights, arena) != WM_OK)
		return WM_NO_MEMORY;
	for (uint32_t e = 0; e < dag->edge_count; e++) {
		a[e] = (int64_t)here(p)->value[e].a;
		b[e] = (int64_t)here(p)->value[e].b;
	}
	if (wm_spanning_sort(&spanning, a, b, arena) != WM_OK)
		return WM_NO_MEMORY;
	/* The same tree twice. */
	wm_spanning_make(&spanning, a, true);
	wm_spanning_increments(&spanning, a, increment);
	for (uint32_t e = 0; e < dag->edge_count; e++)
		p->increment[e].a = increment[e];
	for (uint32_t node = 0; node < dag->node_count; node++)
		p->potential[node].a = wm_spanning_potential(&spanning, node);
	wm_spanning_make(&spanning, b, true);
	wm_spanning_increments(&spanning, b, increment);
	for (uint32_t e = 0; e < dag->edge_count; e++)
		p->increment[e].b = increment[e];
	for (uint32_t node = 0; node < dag->node_count; node++)
		p->potential[node].b = wm_spanning_potential(&spanning, node);
	return WM_OK;
}

/* ---- Actions -------------------------------------------------------------------- */

static uint32_t add_pair(struct placing *p, struct wm_pair pair)
{
	struct wm_unit_program *program = p->program;
	if (program->pair_count == program->pair_capacity) {
		uint32_t capacity = program->pair_capacity ? 2 * program->pair_capacity : 8;
		struct wm_pair *larger = WM_NEW(program->events.arena, struct wm_pair, capacity);
		if (!larger) {
			program->events.failed = true;
			return 0;
		}
		if (program->pair_count)
			memcpy(larger, program->pair, program->pair_count * sizeof *larger);
		program->pair = larger;
		program->pair_capacity = capacity;
	}
	program->pair[program->pair_count] = pair;
	return program->pair_count++;
}

static void append(struct placing *p, struct wm_probe *probe, enum wm_action_kind kind, uint64_t value)
{
	wm_probe_append(&p->program->events, probe, wm_action(kind, value));
}

static void append_pair(struct placing *p, struct wm_probe *probe, enum wm_action_kind kind, struct wm_pair pair)
{
	append(p, probe, kind, add_pair(p, pair));
}

static bool is_zero(struct wm_pair pair)
{
	return pair.a == 0 && pair.b == 0;
}

static enum wm_action_kind next_path_action(const struct placing *p)
{
	return p->plan->scheme->pieces ? WM_ACTION_RESTART : WM_ACTION_RESUME;
}

static void begin_again(struct placing *p, struct wm_probe *probe, uint32_t restart)
{
	append_pair(p, probe, next_path_action(p), p->increment[restart]);
}

static void place_exit(struct placing *p, const struct wm_dag_edge *edge, uint32_t e)
{
	struct wm_probe *probe = &p->program->events.exit[here(p)->plan.dag.node_block[edge->from]];
	if (edge->end == WM_END_RETURN) {
		append_pair(p, probe, WM_ACTION_REPLY, p->increment[e]);
		return;
	}
	append_pair(p, probe, WM_ACTION_COUNT_PAIR, p->increment[e]);
	append(p, probe, WM_ACTION_QUIT, 0);
}

/* A control-flow edge.  A path that has crossed a call ends in the callee when that unwinds.  A call that unwinds
 * may leave its message in the mailbox, crossed or not: it may have called a function that is not instrumented. */
static void place_edge(struct placing *p, const struct wm_dag_edge *edge, uint32_t e)
{
	struct wm_probe *probe = &p->program->events.edge[edge->cfg_edge];
	uint32_t pad = here(p)->plan.graph->edge_to[edge->cfg_edge];
	if (wm_unit_unwinding_call(&p->plan->unit->function[p->function], edge->cfg_edge) != WM_NONE)
		append(p, probe, WM_ACTION_CATCH, 0);
	if (wm_unit_unwinds(p->plan, p->function, edge->cfg_edge)) {
		begin_again(p, probe, here(p)->start_edge[pad]);
	} else if (edge->kind == WM_EDGE_STOP) {
		append_pair(p, probe, WM_ACTION_COUNT_PAIR, p->increment[e]);
		begin_again(p, probe, edge->restart);
	} else if (!is_zero(p->increment[e])) {
		append_pair(p, probe, WM_ACTION_ADD_PAIR, p->increment[e]);
	}
}

static void place_events(struct placing *p)
{
	const struct wm_dag *dag = &here(p)->plan.dag;
	for (uint32_t e = 0; e < dag->edge_count; e++) {
		const struct wm_dag_edge *edge = &dag->edge[e];
		if (edge->kind == WM_EDGE_EXIT)
			place_exit(p, edge, e);
		else if (edge->cfg_edge != WM_NONE)
			place_edge(p, edge, e);
	}
	struct wm_pair entry = p->increment[dag->first_edge[WM_DAG_START]];
	append(p, &p->program->events.entry, WM_ACTION_TAKE_CALL, 0);
	if (!is_zero(entry))
		append_pair(p, &p->program->events.entry, WM_ACTION_SET_PAIR, entry);
}

/* A call that cuts the path.  Behind it the sum is that of a part of a path: the potential is taken back there. */
static void place_cut(struct placing *p, uint32_t i, struct wm_pair potential)
{
	const struct wm_site *site = &here(p)->site[i];
	struct wm_pair start = {site->start.a - potential.a, site->start.b - potential.b};
	append_pair(p, &p->program->call[i].before, WM_ACTION_COUNT_PAIR, potential);
	append_pair(p, &p->program->call[i].after, next_path_action(p), start);
}

static void place_calls(struct placing *p)
{
	const struct wm_unit_function *in_unit = &p->plan->unit->function[p->function];
	const struct wm_site *site = here(p)->site;
	for (uint32_t i = 0; i < in_unit->call_count; i++) {
		if (wm_unit_cuts(p->plan, p->function, i))
			place_cut(p, i, p->potential[wm_function_node(here(p), in_unit->call[i].block)]);
		if (site[i].crossing != WM_CROSSED)
			continue;
		p->program->site[i] = (struct wm_unit_site){.token = in_unit->call[i].callee + 1,
			.behind = site[i].behind,
			.potential = p->potential[wm_function_node(here(p), in_unit->call[i].block)],
			.edge_value = site[i].edge_value};
		append(p, &p->program->call[i].before, WM_ACTION_HAND_OVER, i);
		append(p, &p->program->call[i].after, WM_ACTION_TAKE_REPLY, i);
	}
}

static enum wm_status init_program(struct placing *p, struct wm_arena *arena)
{
	const struct wm_function_plan *f = here(p);
	uint32_t calls = p->plan->unit->function[p->function].call_count;
	*p->program = (struct wm_unit_program){
		.call = WM_NEW(arena, struct wm_call_probes, calls),
		.site = WM_NEW(arena, struct wm_unit_site, calls),
		.token = p->function + 1,
		.root = f->root,
		.first = f->first,
		.first_piece = f->first_piece,
		.behind_exit = f->behind_exit,
		.exit_value = f->exit_value,
	};
	if (!p->program->call || !p->program->site)
		return WM_NO_MEMORY;
	return wm_probe_program_init(&p->program->events, f->plan.graph, arena);
}

static enum wm_status place_function(
	struct placing *p, enum wm_placement placement, const struct wm_weights *weights, struct wm_arena *arena)
{
	const struct wm_dag *dag = &here(p)->plan.dag;
	p->increment = WM_NEW(arena, struct wm_pair, dag->edge_count);
	p->potential = WM_NEW(arena, struct wm_pair, dag->node_count);
	if (!p->increment || !p->potential || init_program(p, arena) != WM_OK)
		return WM_NO_MEMORY;
	memcpy(p->increment, here(p)->value, dag->edge_count * sizeof *p->increment);
	if (placement == WM_PLACE_OPTIMAL && span(p, weights, arena) != WM_OK)
		return WM_NO_MEMORY;
	place_events(p);
	place_calls(p);
	p->program->events.probe_count = wm_probe_program_count(&p->program->events, here(p)->plan.graph);
	return p->program->events.failed ? WM_NO_MEMORY : WM_OK;
}

enum wm_status wm_unit_place(const struct wm_unit_plan *plan, enum wm_placement placement,
	const struct wm_weights *weights, struct wm_unit_program **program, struct wm_arena *arena)
{
	struct wm_unit_program *made = WM_NEW(arena, struct wm_unit_program, plan->unit->function_count);
	enum wm_status status = made ? WM_OK : WM_NO_MEMORY;
	for (uint32_t f = 0; f < plan->unit->function_count && status == WM_OK; f++) {
		struct placing p = {.plan = plan, .function = f, .program = &made[f]};
		status = place_function(&p, placement, weights ? &weights[f] : NULL, arena);
	}
	if (status == WM_OK)
		*program = made;
	return status;
}
