/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/probes/unit_program.h"
#include "core/probes/spanning.h"
#include "core/probes/unit_tree.h"
#include <string.h>

/* ---- Actions -------------------------------------------------------------------- */

struct placing {
	const struct wm_plan *plan;
	struct wm_unit_program *program;
	struct wm_unit_levels levels;
};

static uint32_t add_pair(struct placing *p, enum wm_unit_pair_kind kind, uint32_t index)
{
	struct wm_unit_program *program = p->program;
	struct wm_unit_pair *grown = wm_arena_grow(
		program->events.arena, program->pair, &program->pair_capacity, program->pair_count, sizeof *grown);
	if (!grown) {
		program->events.failed = true;
		return 0;
	}
	program->pair = grown;
	program->pair[program->pair_count] = (struct wm_unit_pair){kind, index};
	return program->first_pair + 2 * program->pair_count++;
}

/* `site`: of the actions that have one. */
static void append(struct placing *p, struct wm_probe *probe, enum wm_action_kind kind, uint32_t word, uint32_t site)
{
	struct wm_action action = wm_action(kind, word);
	if (wm_action_rows[kind].operands & WM_HAS_SITE)
		action.site = site;
	wm_probe_append(&p->program->events, probe, action);
}

/* The number of the path is needed at the end of this edge. */
static void append_end(struct placing *p, struct wm_probe *probe, enum wm_action_kind kind, uint32_t edge)
{
	bool level = wm_unit_edge_is_level(&p->levels, edge);
	append(p, probe, kind, level ? 0 : add_pair(p, WM_PAIR_INCREMENT, edge), 0);
	if (level && probe->count)
		probe->action[probe->count - 1].flags |= WM_LEVEL;
}

static bool is_chord(const struct placing *p, uint32_t e)
{
	return !wm_unit_edge_is_level(&p->levels, e);
}

/* A function that is not in the unit does not restore the message, so it is not held there. */
static void place_tail_call(struct placing *p, struct wm_probe *probe, uint32_t block)
{
	for (uint32_t i = wm_unit_first_call(p->plan->in_unit, block);
		i < p->plan->in_unit->call_count && p->plan->in_unit->call[i].block == block; i++)
		if (p->plan->in_unit->call[i].tail)
			append(p, probe, WM_ACTION_HOLD, add_pair(p, WM_PAIR_HELD, i), 0);
}

/* Whether an action before the last call of a block, which does not return, ends the path or hands it over. */
static bool ends_at_call(const struct placing *p, uint32_t block)
{
	for (uint32_t i = wm_unit_first_call(p->plan->in_unit, block);
		i < p->plan->in_unit->call_count && p->plan->in_unit->call[i].block == block; i++)
		if (p->program->site[i] != WM_NONE && wm_unit_is_last_call(p->plan->in_unit, i))
			return true;
	return false;
}

static void place_exit(struct placing *p, const struct wm_dag_edge *edge, uint32_t e)
{
	uint32_t block = p->plan->dag.node_block[edge->from];
	struct wm_probe *probe = &p->program->events.exit[block];
	if (ends_at_call(p, block))
		return;
	if (edge->end == WM_END_RETURN) {
		append_end(p, probe, WM_ACTION_REPLY, e);
		place_tail_call(p, probe, block);
		return;
	}
	append_end(p, probe, WM_ACTION_COUNT_PAIR, e);
	append(p, probe, WM_ACTION_QUIT, 0, 0);
}

/* Begins a path at a landing pad.  If the call was crossed, no counted end precedes the path, and RESTART_IF, which does
 * not change what RESTART has set, counts it as resumed.  `site`: or WM_NONE. */
static void restart_at_pad(struct placing *p, struct wm_probe *probe, uint32_t edge, uint32_t site)
{
	uint32_t pair = add_pair(p, WM_PAIR_RESTART, edge);
	append(p, probe, WM_ACTION_RESTART, pair, 0);
	if (site != WM_NONE)
		append(p, probe, WM_ACTION_RESTART_IF, pair, site);
}

/* The edge to the landing pad of a call that may have been crossed: then the path has ended in the callee. */
static void place_pad(struct placing *p, const struct wm_dag_edge *edge, uint32_t e, uint32_t site)
{
	struct wm_probe *probe = &p->program->events.edge[edge->cfg_edge];
	uint32_t restart = p->plan->pairs->start_edge[p->plan->graph->edge_to[edge->cfg_edge]];
	if (edge->kind == WM_EDGE_STOP) {
		append(p, probe, WM_ACTION_COUNT_UNLESS, add_pair(p, WM_PAIR_INCREMENT, e), site);
		restart_at_pad(p, probe, restart, site);
		return;
	}
	append(p, probe, WM_ACTION_RESTART_IF, add_pair(p, WM_PAIR_RESTART, restart), site);
	if (is_chord(p, e))
		append(p, probe, WM_ACTION_ADD_UNLESS, add_pair(p, WM_PAIR_INCREMENT, e), site);
}

/* The same in schemes with pending paths, where a call that throws has ended the path whether it was crossed or not. */
static void place_pending_pad(struct placing *p, uint32_t cfg_edge)
{
	struct wm_probe *probe = &p->program->events.edge[cfg_edge];
	uint32_t pad = p->plan->graph->edge_to[cfg_edge];
	append(p, probe, WM_ACTION_LEFT, 0, 0);
	append(p, probe, WM_ACTION_RESUME, add_pair(p, WM_PAIR_RESTART, p->plan->pairs->start_edge[pad]), 0);
}

/* A control-flow edge.  A call that unwinds may leave its message in the mailbox, crossed or not: it may have called a
 * function that is not instrumented.  In schemes with cuts, paths have ended before or in every call. */
static void place_outside(struct placing *p, const struct wm_dag_edge *edge, uint32_t e)
{
	struct wm_probe *probe = &p->program->events.edge[edge->cfg_edge];
	uint32_t call = wm_unit_unwinding_call(p->plan->in_unit, edge->cfg_edge);
	if (call != WM_NONE)
		append(p, probe, WM_ACTION_CATCH, 0, 0);
	if (call != WM_NONE && p->program->scheme->cuts) {
		uint32_t pad = p->plan->graph->edge_to[edge->cfg_edge];
		restart_at_pad(p, probe, p->plan->pairs->start_edge[pad], p->program->site[call]);
	} else if (call != WM_NONE && p->program->pending[call] != WM_NONE) {
		place_pending_pad(p, edge->cfg_edge);
	} else if (call != WM_NONE && p->program->site[call] != WM_NONE) {
		place_pad(p, edge, e, p->program->site[call]);
	} else if (edge->kind == WM_EDGE_STOP) {
		append_end(p, probe, WM_ACTION_COUNT_PAIR, e);
		append(p, probe, WM_ACTION_RESTART, add_pair(p, WM_PAIR_RESTART, edge->restart), 0);
	} else if (is_chord(p, e)) {
		append(p, probe, WM_ACTION_ADD_PAIR, add_pair(p, WM_PAIR_INCREMENT, e), 0);
	}
}

static void append_local(
	struct placing *p, struct wm_probe *probe, enum wm_action_kind kind, uint32_t region, uint32_t value)
{
	struct wm_action action = wm_action(kind, value);
	action.region = (uint16_t)region;
	wm_probe_append(&p->program->events, probe, action);
}

static void place_inside(struct placing *p, const struct wm_dag_edge *edge, uint32_t e, uint32_t region)
{
	const uint32_t *value = p->program->regions.value;
	struct wm_probe *probe = &p->program->events.edge[edge->cfg_edge];
	if (edge->kind == WM_EDGE_STOP) {
		append_local(p, probe, WM_ACTION_REGION_COUNT, region, value[e]);
		append_local(p, probe, WM_ACTION_REGION_SET, region, value[edge->restart]);
	} else if (value[e]) {
		append_local(p, probe, WM_ACTION_REGION_ADD, region, value[e]);
	}
}

/* Regions are entered only at their heads. */
static void place_edge(struct placing *p, const struct wm_dag_edge *edge, uint32_t e)
{
	const struct wm_unit_regions *regions = &p->program->regions;
	const struct wm_graph *graph = p->plan->graph;
	struct wm_probe *probe = &p->program->events.edge[edge->cfg_edge];
	uint32_t from = regions->of[graph->edge_from[edge->cfg_edge]], to = regions->of[graph->edge_to[edge->cfg_edge]];
	if (from != WM_NONE && from == to) {
		place_inside(p, edge, e, from);
		return;
	}
	if (from != WM_NONE)
		append_local(p, probe, WM_ACTION_REGION_LEAVE, from, regions->value[e]);
	place_outside(p, edge, e);
	if (to != WM_NONE)
		append_local(p, probe, WM_ACTION_REGION_SET, to, 0);
}

static void add_local_pairs(struct placing *p)
{
	struct wm_unit_regions *regions = &p->program->regions;
	uint32_t index = 0;
	for (uint32_t r = 0; r < regions->count; r++) {
		regions->region[r].first_pair = p->program->first_pair + 2 * p->program->pair_count;
		for (uint32_t i = 0; i < regions->region[r].paths; i++)
			add_pair(p, WM_PAIR_LOCAL, index++);
	}
}

static void place_events(struct placing *p)
{
	const struct wm_dag *dag = &p->plan->dag;
	uint32_t entry = dag->first_edge[WM_DAG_START];
	struct wm_probe *probe = &p->program->events.entry;
	append(p, probe, WM_ACTION_TAKE_CALL, 0, 0);
	if (!p->plan->in_unit->call_count && probe->count)
		probe->action[0].flags |= WM_KEEPS_MAILBOX;
	if (is_chord(p, entry))
		append(p, probe, WM_ACTION_ADD_PAIR, add_pair(p, WM_PAIR_INCREMENT, entry), 0);
	for (uint32_t e = 0; e < dag->edge_count; e++) {
		const struct wm_dag_edge *edge = &dag->edge[e];
		if (edge->kind == WM_EDGE_EXIT)
			place_exit(p, edge, e);
		else if (edge->cfg_edge != WM_NONE)
			place_edge(p, edge, e);
	}
}

/* Whether the path goes on after the call, if it is stepped over. */
static bool is_passed(const struct placing *p, uint32_t i)
{
	return !wm_unit_is_last_call(p->plan->in_unit, i) &&
	       p->plan->dfs.position[p->plan->in_unit->call[i].block] != WM_NONE;
}

static void add_pending(struct placing *p)
{
	for (uint32_t i = 0; i < p->plan->in_unit->call_count; i++)
		p->program->pending[i] =
			p->program->scheme->pending && is_passed(p, i) ? add_pair(p, WM_PAIR_PENDING, i) : WM_NONE;
}

/* Schemes with pending paths.  A path does not end in setjmp, whose second return is a jump out of another call. */
static void place_wait(struct placing *p, uint32_t i)
{
	struct wm_call_probes *call = &p->program->call[i];
	uint32_t site = p->program->site[i], pair = p->program->pending[i];
	if (pair == WM_NONE)
		return;
	if (!p->plan->in_unit->call[i].twice)
		append(p, &call->before, site == WM_NONE ? WM_ACTION_WAIT : WM_ACTION_WAIT_UNLESS, pair, site);
	append(p, &call->after,
		p->plan->in_unit->call[i].twice ? WM_ACTION_LEFT
		: site == WM_NONE		? WM_ACTION_WAITED
						: WM_ACTION_WAITED_UNLESS,
		0, site);
}

static bool is_level_site(const struct placing *p, uint32_t i)
{
	return wm_unit_node_is_level(&p->levels, wm_plan_node(p->plan, p->plan->in_unit->call[i].block));
}

static void append_handover(struct placing *p, struct wm_probe *probe, enum wm_action_kind kind, uint32_t i)
{
	append(p, probe, kind, 0, p->program->site[i]);
	if (!p->program->events.failed && is_level_site(p, i))
		probe->action[probe->count - 1].flags |= WM_LEVEL;
}

/* A call that is never crossed cuts the path in schemes with cuts.  The exit of a block that does not return is its only edge,
 * so the number of a path that ends there is the number that the path has before the last call. */
static void place_call(struct placing *p, uint32_t i)
{
	struct wm_call_probes *call = &p->program->call[i];
	bool last = wm_unit_is_last_call(p->plan->in_unit, i);
	if (p->program->site[i] != WM_NONE) {
		append_handover(p, &call->before, last ? WM_ACTION_HAND_OVER_LAST : WM_ACTION_HAND_OVER, i);
		if (!last)
			append_handover(p, &call->after, WM_ACTION_TAKE_REPLY, i);
	} else if (p->program->scheme->cuts && is_passed(p, i)) {
		append(p, &call->before, WM_ACTION_COUNT_PAIR, add_pair(p, WM_PAIR_POTENTIAL, i), 0);
		append(p, &call->after, WM_ACTION_RESTART, add_pair(p, WM_PAIR_START, i), 0);
	}
}

static enum wm_status init_program(struct placing *p, struct wm_arena *arena)
{
	struct wm_unit_program *program = p->program;
	uint32_t calls = p->plan->in_unit->call_count;
	program->call = WM_NEW(arena, struct wm_call_probes, calls);
	program->site = WM_NEW(arena, uint32_t, calls);
	program->pending = WM_NEW(arena, uint32_t, calls);
	program->first_pair = WM_UNIT_HEADER_WORDS;
	if (!program->call || !program->site || !program->pending)
		return WM_NO_MEMORY;
	for (uint32_t i = 0; i < calls; i++) {
		bool may_cross = wm_plan_may_cross(p->plan, i);
		program->site[i] = may_cross ? program->first_pair : WM_NONE;
		program->first_pair += may_cross ? wm_unit_site_words(program->scheme) : 0;
	}
	return wm_probe_program_init(&program->events, p->plan->graph, arena);
}

bool wm_unit_word_is_fixed(const struct wm_unit_program *program, uint32_t index)
{
	bool may_cross = program->first_pair != WM_UNIT_HEADER_WORDS;
	if (may_cross || index < program->first_pair || index >= program->first_id)
		return false;
	switch (program->pair[(index - program->first_pair) / 2].kind) {
	case WM_PAIR_INCREMENT:
	case WM_PAIR_POTENTIAL:
	case WM_PAIR_PENDING:
		return true;
	case WM_PAIR_RESTART:
	case WM_PAIR_START:
		return !program->scheme->pieces; /* the id of the first piece depends on other functions */
	case WM_PAIR_LOCAL:
	case WM_PAIR_HELD:
		return false;
	}
	return false;
}

enum wm_status wm_unit_place(
	struct wm_unit_program *program, const struct wm_plan *plan, const bool *tree, struct wm_arena *arena)
{
	bool naive = !tree || !memchr(tree, true, plan->dag.edge_count * sizeof *tree);
	struct wm_unit_program made = {.scheme = plan->scheme, .tree = naive ? NULL : tree};
	struct placing p = {.plan = plan, .program = &made};
	if (init_program(&p, arena) != WM_OK || wm_unit_regions_make(&made.regions, plan, made.tree, arena) != WM_OK ||
		wm_unit_levels_make(&p.levels, &plan->dag, made.tree, arena) != WM_OK)
		return WM_NO_MEMORY;
	add_pending(&p);
	add_local_pairs(&p);
	place_events(&p);
	for (uint32_t i = 0; i < plan->in_unit->call_count; i++) {
		place_call(&p, i);
		place_wait(&p, i);
	}
	made.events.probe_count = wm_probe_program_count(&made.events, plan->graph);
	made.first_id = made.first_pair + 2 * made.pair_count;
	made.word_count = made.first_id + made.regions.cell_count;
	if (made.events.failed)
		return WM_NO_MEMORY;
	*program = made;
	return WM_OK;
}

/* ---- The table --------------------------------------------------------------------- */

struct filling {
	const struct wm_plan *plan;
	const struct wm_unit_program *program;
	const uint64_t *token;
	uint64_t *word;
	struct wm_pair *increment; /* per DAG edge */
	struct wm_pair *potential; /* per DAG node */
	struct wm_local_path *local; /* of all regions */
};

/* One half of the pairs: a, then b. */
static void span_half(struct filling *f, struct wm_spanning *spanning, int64_t *value, bool b)
{
	const struct wm_dag *dag = &f->plan->dag;
	for (uint32_t e = 0; e < dag->edge_count; e++)
		value[e] = (int64_t)(b ? f->plan->pairs->value[e].b : f->plan->pairs->value[e].a);
	wm_spanning_make(spanning, value, true);
	for (uint32_t node = 0; node < dag->node_count; node++)
		*(b ? &f->potential[node].b : &f->potential[node].a) = wm_spanning_potential(spanning, node);
}

static enum wm_status span(struct filling *f, struct wm_arena *arena)
{
	const struct wm_dag *dag = &f->plan->dag;
	int64_t *value = WM_NEW(arena, int64_t, dag->edge_count);
	struct wm_spanning spanning;
	if (!value || wm_spanning_init(&spanning, dag, arena) != WM_OK)
		return WM_NO_MEMORY;
	spanning.first = f->program->tree;
	span_half(f, &spanning, value, false);
	span_half(f, &spanning, value, true);
	for (uint32_t e = 0; e < dag->edge_count; e++)
		f->increment[e] = wm_pair_minus(wm_pair_plus(f->plan->pairs->value[e], f->potential[dag->edge[e].from]),
			f->potential[dag->edge[e].to]);
	return WM_OK;
}

static struct wm_pair potential_of(const struct filling *f, uint32_t site)
{
	const struct wm_call *call = &f->plan->in_unit->call[site];
	return f->potential[wm_plan_node(f->plan, call->block)];
}

/* The ⟨A, B⟩ with which a path begins again; with contexts, the number on entry is added when the program runs. */
static struct wm_pair restart_of(const struct filling *f, struct wm_pair pair)
{
	return (struct wm_pair){pair.a, pair.b + (f->plan->scheme->pieces ? f->plan->pairs->first_piece : 0)};
}

static struct wm_pair start_of(const struct filling *f, uint32_t site)
{
	return restart_of(f, wm_pair_minus(f->plan->pairs->site[site].start, potential_of(f, site)));
}

static struct wm_pair pending_of(const struct filling *f, uint32_t site)
{
	return wm_pair_plus(f->plan->pairs->site[site].behind, potential_of(f, site));
}

static struct wm_pair held_at(const struct filling *f, uint32_t site)
{
	bool known = f->plan->in_unit->call[site].callee != WM_NONE;
	return (struct wm_pair){known ? WM_HELD : 0, 0};
}

static void put(const struct filling *f, uint32_t at, struct wm_pair pair)
{
	f->word[at] = pair.a;
	f->word[at + 1] = pair.b;
}

static void fill_site(const struct filling *f, uint32_t i)
{
	const struct wm_site *site = &f->plan->pairs->site[i];
	uint32_t at = f->program->site[i];
	bool crossed = site->crossing == WM_CROSSED;
	if (at == WM_NONE)
		return;
	f->word[at + WM_SITE_TOKEN] = crossed ? f->token[f->plan->in_unit->call[i].callee] : 0;
	put(f, at + WM_SITE_BEHIND, site->behind);
	put(f, at + WM_SITE_POTENTIAL, potential_of(f, i));
	f->word[at + WM_SITE_EDGE_VALUE] = crossed && f->plan->scheme->pieces ? site->edge_value : 0;
	if (f->plan->scheme->cuts)
		put(f, at + WM_SITE_START, start_of(f, i));
}

static struct wm_pair pair_of(const struct filling *f, const struct wm_unit_pair *pair)
{
	switch (pair->kind) {
	case WM_PAIR_INCREMENT:
		return f->increment[pair->index];
	case WM_PAIR_RESTART:
		return restart_of(f, f->increment[pair->index]);
	case WM_PAIR_POTENTIAL:
		return potential_of(f, pair->index);
	case WM_PAIR_PENDING:
		return pending_of(f, pair->index);
	case WM_PAIR_HELD:
		return held_at(f, pair->index);
	case WM_PAIR_LOCAL:
		return f->local[pair->index].sum;
	case WM_PAIR_START:
		return start_of(f, pair->index);
	}
	return (struct wm_pair){0, 0};
}

/* A path that begins inside a region begins there as after RESTART. */
static enum wm_status follow_local(struct filling *f, struct wm_arena *arena)
{
	const struct wm_unit_regions *regions = &f->program->regions;
	uint32_t count = 0;
	for (uint32_t r = 0; r < regions->count; r++)
		count += regions->region[r].paths;
	struct wm_local_path *local = f->local = WM_NEW(arena, struct wm_local_path, count);
	if (!f->local)
		return WM_NO_MEMORY;
	for (uint32_t r = 0; r < regions->count; r++)
		for (uint32_t i = 0; i < regions->region[r].paths; i++, local++) {
			*local = wm_unit_region_follow(regions, f->plan, r, i, f->increment);
			if (i >= regions->region[r].entered)
				local->sum = restart_of(f, local->sum);
		}
	return WM_OK;
}

static void fill_ids(const struct filling *f)
{
	const struct wm_unit_regions *regions = &f->program->regions;
	const struct wm_local_path *local = f->local;
	uint64_t *id = f->word + f->program->first_id;
	for (uint32_t r = 0; r < regions->count; local += regions->region[r++].paths)
		for (uint32_t i = regions->region[r].entered; i < regions->region[r].paths; i++)
			*id++ = local[i].leaves ? UINT64_MAX : wm_pair_at(local[i].sum, f->plan->pairs->behind_exit);
}

static void fill(const struct filling *f)
{
	const struct wm_pairs *function = f->plan->pairs;
	bool pieces = f->plan->scheme->pieces;
	f->word[WM_UNIT_TOKEN] = f->token[f->plan->index];
	f->word[WM_UNIT_FIRST] = function->root ? function->first : WM_POISON;
	f->word[WM_UNIT_BEHIND_EXIT] = pieces ? function->behind_exit : 0;
	f->word[WM_UNIT_EXIT_VALUE] = (pieces ? function->exit_value : 0) | (function->root ? 0 : WM_POISON);
	for (uint32_t i = 0; i < f->plan->in_unit->call_count; i++)
		fill_site(f, i);
	for (uint32_t i = 0; i < f->program->pair_count; i++)
		put(f, f->program->first_pair + 2 * i, pair_of(f, &f->program->pair[i]));
	fill_ids(f);
}

enum wm_status wm_unit_table_fill(const struct wm_plan *plan, const struct wm_unit_program *program,
	const uint64_t *token, uint64_t *word, struct wm_arena *arena)
{
	struct filling f = {.plan = plan, .program = program, .token = token, .word = word};
	const struct wm_dag *dag = &plan->dag;
	f.increment = WM_NEW(arena, struct wm_pair, dag->edge_count);
	f.potential = WM_NEW(arena, struct wm_pair, dag->node_count);
	if (!f.increment || !f.potential)
		return WM_NO_MEMORY;
	memcpy(f.increment, plan->pairs->value, dag->edge_count * sizeof *f.increment);
	if ((program->tree && span(&f, arena) != WM_OK) || follow_local(&f, arena) != WM_OK)
		return WM_NO_MEMORY;
	fill(&f);
	return WM_OK;
}

/* ---- Ends of paths ---------------------------------------------------------------------- */

void wm_unit_ends_make(struct wm_unit_program *program, bool residual)
{
	struct wm_probe_program *events = &program->events;
	struct wm_probe end = {0}, cold = {0};
	wm_probe_append(events, &end, wm_action(residual ? WM_ACTION_TESTED : WM_ACTION_HASH, 0));
	wm_probe_append(events, &end, wm_action(WM_ACTION_CALL, 0));
	wm_probe_append(events, &cold, wm_action(WM_ACTION_COLD, 0));
	events->cold = end;
	events->cells.size = program->regions.cell_count;
	wm_program_add_end(events, end);
	wm_program_add_end(events, cold);
}

/* ---- All functions of a plan ------------------------------------------------------------ */

uint64_t wm_probed_cell(const struct wm_probed *probed, uint32_t cell)
{
	if (probed->unit)
		return probed->table[probed->unit->first_id + cell];
	return probed->counting->store == WM_COUNT_ARRAY ? cell : probed->program->cells.ids[cell];
}

static enum wm_status make_program(const struct wm_plan *plan, const struct wm_weights *weights,
	struct wm_unit_program *program, struct wm_arena *arena)
{
	bool *tree = weights ? WM_NEW(arena, bool, plan->dag.edge_count) : NULL;
	if (weights && (!tree || wm_unit_tree(plan, weights, tree, arena) != WM_OK))
		return WM_NO_MEMORY;
	return wm_unit_place(program, plan, tree, arena);
}

static enum wm_status make_code(const struct wm_plan *plan, const struct wm_weights *weights, const uint64_t *token,
	struct wm_probed *probed, struct wm_arena *arena)
{
	struct wm_unit_program *program = WM_NEW(arena, struct wm_unit_program, 1);
	if (!program || make_program(plan, weights, program, arena) != WM_OK)
		return WM_NO_MEMORY;
	uint64_t *table = WM_NEW(arena, uint64_t, program->word_count);
	wm_unit_ends_make(program, probed->counting->residual);
	probed->plan = plan;
	probed->program = &program->events;
	probed->unit = program;
	probed->table = table;
	return table && !program->events.failed ? wm_unit_table_fill(plan, program, token, table, arena) : WM_NO_MEMORY;
}

enum wm_status wm_unit_probes_make(const struct wm_unit_plan *plan, const struct wm_weights *weights,
	const struct wm_counting *counting, struct wm_probed **probed, struct wm_arena *arena)
{
	uint32_t count = plan->unit->function_count;
	uint64_t *token = WM_NEW(arena, uint64_t, count);
	struct wm_probed *made = WM_NEW(arena, struct wm_probed, count);
	enum wm_status status = token && made ? WM_OK : WM_NO_MEMORY;
	for (uint32_t f = 0; f < count && status == WM_OK; f++)
		token[f] = (uint64_t)f + 1;
	for (uint32_t f = 0; f < count && status == WM_OK; f++) {
		made[f].counting = counting ? counting : &wm_counting_across;
		status = make_code(&plan->function[f], weights ? &weights[f] : NULL, token, &made[f], arena);
	}
	if (status == WM_OK)
		*probed = made;
	return status;
}
