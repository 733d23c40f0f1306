/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Not in the papers.  A single part of a function with many branches can give the function more paths than an array
 * can hold; its small hot loops would then pay for a hash table too.  But a path that begins at a loop head and ends
 * at a back edge of the same loop does not depend on the rest of the function, and within the loop there are few such
 * paths.
 *
 * A region is a natural loop that is treated as a function of its own, with a virtual entry before the head and a
 * virtual exit on every edge that leaves the loop.  It is numbered, and its probes are placed, by the same code as
 * any other graph.  A local index i stands for a part of a path whose contribution to the sum is known at compile
 * time:
 *     i < entered    the path began outside: the contribution is added to the value of r on entry (`outer`)
 *     otherwise      the path began inside: the contribution is its id, or r where the path leaves the region
 * So r is not touched inside a region.  The contributions are not derived from the numbering; they are found by
 * running the interpreter over every local path of the placed program.  So they are right for any placement.
 */
#include "core/probes/regions.h"
#include "core/probes/machine.h"
#include "core/probes/place.h"
#include "core/probes/trips.h"

/* Bounds compile time: a loop with more blocks does not become a region, but its inner loops may. */
#define MAX_BLOCKS 1024
/* A local path is run with two different values of r on entry, to find out whether its sum depends on r. */
#define FIRST_PROBE ((uint64_t)1 << 40)
#define SECOND_PROBE ((uint64_t)5 << 50)

struct regions {
	const struct wm_plan *plan;
	const struct wm_loops *loops;
	const struct wm_weights *weights;
	const bool *may_not_return;
	struct wm_region_limits limits; /* all_paths: what is left for further regions */
	struct wm_probe_program *program;
	struct wm_arena *arena;
	uint32_t *size; /* per loop: its blocks, with those of inner loops; above MAX_BLOCKS: it cannot be a region */
	uint32_t *first_block,
		*next_block; /* per loop, per block: lists of the blocks of a loop without those of inner loops */
	uint32_t *first_child, *next_child; /* per loop */
	uint32_t *first_in, *next_in; /* per loop, per edge: edges to its head that are not back edges */
	uint32_t *local; /* per block: its number in the current region, or WM_NONE */
	uint32_t *stack; /* loops */
};

/* The current region: the loop as a graph. */
struct work {
	uint32_t loop, head, block_count;
	uint32_t *block; /* per local block: the block of the function; WM_NONE: virtual */
	uint32_t exit_count;
	uint32_t *exit_edge; /* per virtual exit */
	struct wm_graph graph;
	struct wm_plan plan;
	struct wm_loops loops;
	struct wm_weights weights;
	bool *may_not_return;
	bool known; /* a path that enters the loop is one that begins at the head */
	uint32_t *restart_edge; /* per local block: an edge of the function that restarts there */
	struct wm_probe_program program;
};

/* ---- Which loops -------------------------------------------------------- */

static bool regions_alloc(struct regions *r)
{
	size_t loops = r->loops->count, blocks = r->plan->graph->block_count;
	r->size = WM_NEW(r->arena, uint32_t, loops);
	r->first_block = WM_NEW(r->arena, uint32_t, loops);
	r->first_child = WM_NEW(r->arena, uint32_t, loops);
	r->next_child = WM_NEW(r->arena, uint32_t, loops);
	r->stack = WM_NEW(r->arena, uint32_t, loops);
	r->first_in = WM_NEW(r->arena, uint32_t, loops);
	r->next_in = WM_NEW(r->arena, uint32_t, r->plan->graph->edge_count);
	r->next_block = WM_NEW(r->arena, uint32_t, blocks);
	r->local = WM_NEW(r->arena, uint32_t, blocks);
	r->program->region = WM_NEW(r->arena, struct wm_region, loops);
	return r->size && r->first_block && r->first_child && r->next_child && r->stack && r->first_in && r->next_in &&
	       r->next_block && r->local && r->program->region;
}

static void list_blocks(struct regions *r)
{
	for (uint32_t i = 0; i < r->loops->count; i++)
		r->first_block[i] = r->first_child[i] = r->first_in[i] = WM_NONE;
	for (uint32_t b = r->plan->graph->block_count; b-- > 0;) {
		uint32_t loop = r->loops->loop_of[b];
		r->local[b] = WM_NONE;
		if (loop == WM_NONE)
			continue;
		r->next_block[b] = r->first_block[loop];
		r->first_block[loop] = b;
		r->size[loop]++;
	}
}

static void list_entering_edges(struct regions *r)
{
	const struct wm_graph *graph = r->plan->graph;
	for (uint32_t e = graph->edge_count; e-- > 0;) {
		uint32_t loop = r->loops->loop_of[graph->edge_to[e]];
		if (loop == WM_NONE || r->loops->loop[loop].head != graph->edge_to[e] || r->plan->dfs.back_edge[e] ||
			r->plan->dfs.position[graph->edge_from[e]] == WM_NONE)
			continue;
		r->next_in[e] = r->first_in[loop];
		r->first_in[loop] = e;
	}
}

/* Parents precede their children, so in reverse order every loop is complete when it is added to its parent.  A loop
 * that must not be inside a region is given a size above MAX_BLOCKS. */
static void size_loops(struct regions *r)
{
	for (uint32_t i = r->loops->count; i-- > 0;) {
		const struct wm_loop *loop = &r->loops->loop[i];
		if (loop->irreducible || r->size[i] > MAX_BLOCKS)
			r->size[i] = MAX_BLOCKS + 1;
		if (loop->parent == WM_NONE)
			continue;
		r->size[loop->parent] += r->size[i];
		r->next_child[i] = r->first_child[loop->parent];
		r->first_child[loop->parent] = i;
	}
}

/* ---- A loop as a graph -------------------------------------------------- */

/* Local block 0 is the virtual entry, 1 the head. */
static void collect_blocks(struct regions *r, struct work *w, uint32_t loop)
{
	uint32_t depth = 0;
	w->loop = loop;
	w->head = r->loops->loop[loop].head;
	w->block[0] = WM_NONE;
	w->block[1] = w->head;
	r->local[w->head] = 1;
	w->block_count = 2;
	for (r->stack[depth++] = loop; depth;) {
		uint32_t i = r->stack[--depth];
		for (uint32_t b = r->first_block[i]; b != WM_NONE; b = r->next_block[b]) {
			if (b == w->head)
				continue;
			r->local[b] = w->block_count;
			w->block[w->block_count++] = b;
		}
		for (uint32_t child = r->first_child[i]; child != WM_NONE; child = r->next_child[child])
			r->stack[depth++] = child;
	}
}

static void forget(struct regions *r, const struct work *w)
{
	for (uint32_t i = 1; i < w->block_count; i++)
		r->local[w->block[i]] = WM_NONE;
}

static double entering_weight(const struct regions *r, const struct work *w)
{
	double sum = 0;
	for (uint32_t e = r->first_in[w->loop]; e != WM_NONE; e = r->next_in[e])
		sum += r->weights->edge[e];
	return sum;
}

static bool is_worth_it(const struct regions *r, const struct work *w)
{
	const struct wm_graph *graph = r->plan->graph;
	double ends = 0;
	for (uint32_t i = 1; i < w->block_count; i++)
		for (uint32_t e = graph->first_edge[w->block[i]]; e < graph->first_edge[w->block[i] + 1]; e++)
			if (r->local[graph->edge_to[e]] != WM_NONE && wm_plan_stops(r->plan, e))
				ends += r->weights->edge[e];
	return r->limits.ends == 0 || (ends > 0 && ends >= r->limits.ends * entering_weight(r, w));
}

static uint32_t count_exits(const struct regions *r, const struct work *w)
{
	const struct wm_graph *graph = r->plan->graph;
	uint32_t count = 0;
	for (uint32_t i = 1; i < w->block_count; i++)
		for (uint32_t e = graph->first_edge[w->block[i]]; e < graph->first_edge[w->block[i] + 1]; e++)
			count += r->local[graph->edge_to[e]] == WM_NONE;
	return count;
}

static enum wm_status add_block(struct regions *r, struct work *w, struct wm_graph_builder *builder, uint32_t block)
{
	const struct wm_graph *graph = r->plan->graph;
	uint32_t first = graph->first_edge[block], count = graph->first_edge[block + 1] - first;
	uint32_t *successor = WM_NEW(r->arena, uint32_t, count);
	if (!successor)
		return WM_NO_MEMORY;
	for (uint32_t i = 0; i < count; i++) {
		successor[i] = r->local[graph->edge_to[first + i]];
		if (successor[i] != WM_NONE)
			continue;
		successor[i] = w->block_count + w->exit_count;
		w->exit_edge[w->exit_count++] = first + i;
	}
	return wm_graph_builder_add(builder, successor, count, WM_END_NONE);
}

static enum wm_status make_graph(struct regions *r, struct work *w)
{
	struct wm_graph_builder builder;
	uint32_t exits = count_exits(r, w), head = 1;
	w->exit_edge = WM_NEW(r->arena, uint32_t, exits);
	if (!w->exit_edge)
		return WM_NO_MEMORY;
	enum wm_status status = wm_graph_builder_init(&builder, r->arena, w->block_count + exits);
	if (status == WM_OK)
		status = wm_graph_builder_add(&builder, &head, 1, WM_END_NONE);
	for (uint32_t i = 1; i < w->block_count && status == WM_OK; i++)
		status = add_block(r, w, &builder, w->block[i]);
	for (uint32_t i = 0; i < exits && status == WM_OK; i++)
		status = wm_graph_builder_add(&builder, NULL, 0, WM_END_RETURN);
	return status == WM_OK ? wm_graph_builder_finish(&builder, &w->graph) : status;
}

/* The edge of the function to which a local edge corresponds; WM_NONE: the virtual one. */
static uint32_t global_edge(const struct regions *r, const struct work *w, uint32_t local_edge)
{
	uint32_t from = w->graph.edge_from[local_edge];
	if (from == 0)
		return WM_NONE;
	return r->plan->graph->first_edge[w->block[from]] + local_edge - w->graph.first_edge[from];
}

/* ---- Its plan ----------------------------------------------------------- */

static enum wm_status copy_cuts(const struct regions *r, struct work *w)
{
	w->plan.cut = WM_NEW(r->arena, bool, w->graph.edge_count);
	w->restart_edge = WM_NEW(r->arena, uint32_t, w->graph.block_count);
	if (!w->plan.cut || !w->restart_edge)
		return WM_NO_MEMORY;
	for (uint32_t e = 1; e < w->graph.edge_count; e++) {
		uint32_t edge = global_edge(r, w, e), to = w->graph.edge_to[e];
		/* The searches of the function and of the region must agree on the back edges. */
		if (w->plan.dfs.back_edge[e] != r->plan->dfs.back_edge[edge] && to < w->block_count)
			return WM_BAD_GRAPH;
		w->plan.cut[e] = r->plan->cut && r->plan->cut[edge] && to < w->block_count;
		if (w->plan.cut[e] || w->plan.dfs.back_edge[e])
			w->restart_edge[to] = edge;
	}
	return WM_OK;
}

static enum wm_status make_plan(struct regions *r, struct work *w)
{
	w->plan = (struct wm_plan){.graph = &w->graph, .scheme = &wm_scheme_acyclic};
	enum wm_status status = wm_dfs_run(&w->plan.dfs, &w->graph, r->arena);
	if (status == WM_OK)
		status = copy_cuts(r, w);
	if (status == WM_OK)
		status = w->plan.scheme->build(&w->plan, r->arena);
	if (status == WM_OK)
		status = wm_dag_number(&w->plan.dag, &w->plan.numbering, r->arena);
	uint64_t paths = w->plan.numbering.path_count;
	if (status == WM_OK && (paths > r->limits.paths || paths > r->limits.all_paths))
		status = WM_TOO_MANY;
	return status;
}

static enum wm_status make_weights(struct regions *r, struct work *w)
{
	w->weights.edge = WM_NEW(r->arena, double, w->graph.edge_count);
	w->weights.block = WM_NEW(r->arena, double, w->graph.block_count);
	w->may_not_return = WM_NEW(r->arena, bool, w->graph.block_count);
	if (!w->weights.edge || !w->weights.block || !w->may_not_return)
		return WM_NO_MEMORY;
	w->weights.entry = w->weights.edge[0] = w->weights.block[0] = entering_weight(r, w);
	for (uint32_t e = 1; e < w->graph.edge_count; e++)
		w->weights.edge[e] = r->weights->edge[global_edge(r, w, e)];
	for (uint32_t i = 1; i < w->block_count; i++) {
		w->weights.block[i] = r->weights->block[w->block[i]];
		w->may_not_return[i] = r->may_not_return && r->may_not_return[w->block[i]];
	}
	for (uint32_t i = 0; i < w->exit_count; i++)
		w->weights.block[w->block_count + i] = r->weights->edge[w->exit_edge[i]];
	return WM_OK;
}

static enum wm_status make_program(struct regions *r, struct work *w)
{
	enum wm_status status = make_weights(r, w);
	if (status == WM_OK)
		status = wm_place_sums(&w->plan, &(struct wm_sums){.value = w->plan.numbering.value}, WM_PLACE_OPTIMAL,
			&w->weights, &w->program, r->arena);
	if (status == WM_OK)
		status = wm_loops_run(&w->loops, &w->graph, &w->plan.dfs, r->arena);
	if (status == WM_OK)
		status = wm_place_trips(&w->plan, &w->loops, &w->weights, w->may_not_return, &w->program, r->arena);
	return status;
}

/* ---- What a local index stands for -------------------------------------- */

static void keep_count(void *closure, uint64_t id, uint64_t amount)
{
	(void)amount;
	*(uint64_t *)closure = id;
}

/* The edge of the function on which a local path ends; WM_NONE: it leaves the region. */
static uint32_t last_edge(const struct regions *r, const struct work *w, const struct wm_block_path *path)
{
	if (path->last_edge != WM_NONE)
		return global_edge(r, w, path->last_edge);
	uint32_t edge = w->exit_edge[path->block[path->length - 1] - w->block_count];
	return wm_plan_stops(r->plan, edge) ? edge : WM_NONE;
}

/* Runs the program of the function over a local path, beginning with the given r.  The result is the id that is
 * counted; if the path leaves the region, it is the value of r before the edge that leaves. */
static uint64_t follow(const struct regions *r, const struct work *w, const struct wm_block_path *path, uint64_t start)
{
	const struct wm_graph *graph = r->plan->graph;
	uint64_t counted = 0;
	struct wm_frame frame = {.r = start};
	struct wm_machine machine = {.probed = &(struct wm_probed){.plan = r->plan, .program = r->program},
		.counters = {.total = keep_count, .closure = &counted},
		.depth = 1,
		.frame = &frame};
	uint32_t i = path->block[0] == 0; /* after the virtual entry */
	frame.block = w->block[path->block[i]];
	if (i == 0) {
		frame.block = graph->edge_from[w->restart_edge[path->block[0]]];
		wm_machine_step(&machine, w->block[path->block[0]]);
	}
	while (++i < path->length && path->block[i] < w->block_count)
		wm_machine_step(&machine, w->block[path->block[i]]);
	uint32_t last = last_edge(r, w, path);
	if (last == WM_NONE)
		return frame.r;
	wm_machine_step(&machine, graph->edge_to[last]);
	return counted;
}

/* Finds out whether the sums of paths that enter and are counted depend on r.  Where a path leaves the region and r was
 * a constant, no action reads r. */
struct came_in {
	uint32_t relative, known;
};

/* r is a constant at the head only if all edges that enter the loop are cut edges.  Then a path begins there as after a
 * back edge. */
static enum wm_status find_sum(struct regions *r, struct work *w, struct wm_region *region, uint32_t index,
	uint32_t *blocks, struct came_in *came_in)
{
	struct wm_block_path path = {.block = blocks};
	enum wm_status status = wm_plan_decode(&w->plan, index, &path, r->arena);
	if (status != WM_OK)
		return status;
	uint64_t first = follow(r, w, &path, FIRST_PROBE), second = follow(r, w, &path, SECOND_PROBE);
	bool enters = path.block[0] == 0, relative = second - first == SECOND_PROBE - FIRST_PROBE;
	region->sum[index] = enters && relative ? first - FIRST_PROBE : first;
	region->end[index] = last_edge(r, w, &path);
	if (enters && region->end[index] != WM_NONE)
		*(relative ? &came_in->relative : &came_in->known) += 1;
	return WM_OK;
}

static enum wm_status find_sums(struct regions *r, struct work *w, struct wm_region *region)
{
	struct came_in came_in = {0};
	uint32_t *blocks = WM_NEW(r->arena, uint32_t, w->plan.dag.node_count);
	enum wm_status status = blocks ? WM_OK : WM_NO_MEMORY;
	for (uint32_t i = 0; i < region->paths && status == WM_OK; i++)
		status = find_sum(r, w, region, i, blocks, &came_in);
	w->known = came_in.known > 0;
	return status == WM_OK && came_in.known && came_in.relative ? WM_BAD_GRAPH : status;
}

static enum wm_status describe_region(struct regions *r, struct work *w, struct wm_region *region)
{
	const struct wm_dag *dag = &w->plan.dag;
	*region = (struct wm_region){.paths = (uint32_t)w->plan.numbering.path_count, .entering = w->weights.entry};
	region->entered = (uint32_t)w->plan.numbering.node_paths[dag->edge[dag->first_edge[WM_DAG_START]].to];
	region->sum = WM_NEW(r->arena, uint64_t, region->paths);
	region->end = WM_NEW(r->arena, uint32_t, region->paths);
	return region->sum && region->end ? find_sums(r, w, region) : WM_NO_MEMORY;
}

/* ---- Rewriting the function's program ------------------------------------ */

/* The same action on l instead of r.  Inside a region, placement makes no other actions. */
static struct wm_action translate(const struct regions *r, struct wm_action action, bool leaving)
{
	action.region = (uint16_t)r->program->region_count;
	if (wm_action_rows[action.kind].operands & WM_HAS_TRIP)
		action.value += r->program->trip_loop_count;
	else if (action.kind == WM_ACTION_SET)
		action.kind = WM_ACTION_LOCAL_SET;
	else if (action.kind == WM_ACTION_ADD)
		action.kind = WM_ACTION_LOCAL_ADD;
	else if (action.kind == WM_ACTION_COUNT)
		action.kind = leaving ? WM_ACTION_LOCAL_LEAVE : WM_ACTION_LOCAL_COUNT;
	else if (action.kind == WM_ACTION_COUNT_AT)
		action.kind = leaving ? WM_ACTION_LOCAL_LEAVE_AT : WM_ACTION_LOCAL_COUNT_AT;
	return action;
}

static void append_local(const struct regions *r, struct wm_probe *to, const struct wm_probe *from, bool leaving)
{
	for (uint32_t i = 0; i < from->count; i++)
		wm_probe_append(r->program, to, translate(r, from->action[i], leaving));
}

/* A path that ends on the edge has been counted by its local index. */
static void append_outside(const struct regions *r, struct wm_probe *to, const struct wm_probe *from, bool counted)
{
	for (uint32_t i = 0; i < from->count; i++) {
		bool counts = from->action[i].kind == WM_ACTION_COUNT || from->action[i].kind == WM_ACTION_COUNT_AT;
		if (!(counted && counts))
			wm_probe_append(r->program, to, from->action[i]);
	}
}

static void rewrite_inside(struct regions *r, const struct work *w)
{
	for (uint32_t e = 1; e < w->graph.edge_count; e++) {
		uint32_t edge = global_edge(r, w, e), to = w->graph.edge_to[e];
		struct wm_probe *probe = &r->program->edge[edge], outside = *probe;
		*probe = (struct wm_probe){0};
		append_local(r, probe, &w->program.edge[e], false);
		if (to < w->block_count)
			continue;
		append_local(r, probe, &w->program.exit[to], !wm_plan_stops(r->plan, edge));
		append_outside(r, probe, &outside, wm_plan_stops(r->plan, edge));
	}
}

/* The value of l after a back edge to the head.  There is such an edge, and it sets l, because local paths that enter
 * the region have other indices. */
static struct wm_action restart(const struct work *w)
{
	struct wm_action action = wm_action(WM_ACTION_SET, 0);
	for (uint32_t e = 1; e < w->graph.edge_count; e++) {
		const struct wm_probe *probe = &w->program.edge[e];
		for (uint32_t i = 1; i < probe->count && w->graph.edge_to[e] == 1; i++)
			if (probe->action[i].kind == WM_ACTION_SET)
				action = probe->action[i];
	}
	return action;
}

static void begin_inside(struct regions *r, const struct work *w, struct wm_probe *probe)
{
	const struct wm_probe *first = &w->program.edge[0];
	wm_probe_append(r->program, probe, translate(r, restart(w), false));
	for (uint32_t i = 0; i < first->count; i++)
		if (first->action[i].kind == WM_ACTION_TRIP_BEGIN)
			wm_probe_append(r->program, probe, translate(r, first->action[i], false));
}

static void rewrite_entering(struct regions *r, const struct work *w, uint32_t edge)
{
	struct wm_probe *probe = &r->program->edge[edge];
	if (w->known) {
		begin_inside(r, w, probe);
		return;
	}
	struct wm_action enter = wm_action(WM_ACTION_LOCAL_ENTER, 0);
	enter.region = (uint16_t)r->program->region_count;
	wm_probe_append(r->program, probe, enter);
	append_local(r, probe, &w->program.entry, false);
	append_local(r, probe, &w->program.edge[0], false);
}

static enum wm_status take_trips(struct regions *r, const struct work *w)
{
	struct wm_probe_program *program = r->program;
	size_t count = program->trip_loop_count + (size_t)w->program.trip_loop_count;
	struct wm_trip_loop *all = WM_NEW(r->arena, struct wm_trip_loop, count);
	if (!all)
		return WM_NO_MEMORY;
	for (size_t i = 0; i < count; i++) {
		bool old = i < program->trip_loop_count;
		all[i] = old ? program->trip_loop[i] : w->program.trip_loop[i - program->trip_loop_count];
		if (old)
			continue;
		all[i].region = program->region_count;
		all[i].back_edge = global_edge(r, w, all[i].back_edge);
	}
	program->trip_loop = all;
	program->trip_loop_count = (uint32_t)count;
	return WM_OK;
}

static enum wm_status rewrite(struct regions *r, const struct work *w)
{
	rewrite_inside(r, w);
	for (uint32_t e = r->first_in[w->loop]; e != WM_NONE; e = r->next_in[e])
		rewrite_entering(r, w, e);
	return take_trips(r, w);
}

static enum wm_status try_loop(struct regions *r, uint32_t loop)
{
	struct work w = {.block = WM_NEW(r->arena, uint32_t, r->size[loop] + 2)};
	if (!w.block)
		return WM_NO_MEMORY;
	collect_blocks(r, &w, loop);
	enum wm_status status = is_worth_it(r, &w) ? make_graph(r, &w) : WM_UNKNOWN;
	if (status == WM_OK)
		status = make_plan(r, &w);
	if (status == WM_OK)
		status = make_program(r, &w);
	if (status == WM_OK)
		status = describe_region(r, &w, &r->program->region[r->program->region_count]);
	if (status == WM_OK)
		status = rewrite(r, &w);
	forget(r, &w);
	return status;
}

enum wm_status wm_place_regions(const struct wm_plan *plan, const struct wm_loops *loops,
	const struct wm_weights *weights, const bool *may_not_return, struct wm_region_limits limits,
	struct wm_probe_program *program)
{
	struct regions r = {.plan = plan,
		.loops = loops,
		.weights = weights,
		.may_not_return = may_not_return,
		.limits = limits,
		.program = program,
		.arena = program->arena};
	bool *inside = WM_NEW(program->arena, bool, loops->count);
	if (!plan->events_are_edges)
		return WM_OK;
	if (!inside || !regions_alloc(&r))
		return WM_NO_MEMORY;
	list_blocks(&r);
	list_entering_edges(&r);
	size_loops(&r);
	for (uint32_t i = 0; i < loops->count && program->region_count < UINT16_MAX; i++) {
		uint32_t parent = loops->loop[i].parent;
		inside[i] = parent != WM_NONE && inside[parent];
		if (inside[i] || loops->loop[i].head == 0 || r.size[i] > MAX_BLOCKS)
			continue;
		enum wm_status status = try_loop(&r, i);
		if (status == WM_NO_MEMORY)
			return status;
		if (status != WM_OK)
			continue;
		inside[i] = true;
		r.limits.all_paths -= program->region[program->region_count++].paths;
	}
	return program->failed ? WM_NO_MEMORY : WM_OK;
}
