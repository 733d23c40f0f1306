/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/probes/prefix_sums.h"
#include "core/scheme/kiter.h"

/* The registers along one way; a value that an action leaves undefined is not known. */
struct sum_registers {
	uint64_t r, l, outer;
	bool r_known, l_known, outer_known;
};

/* What holds at a node, by whichever way control came. */
struct arrival {
	uint64_t sum; /* of the values along one way */
	struct sum_registers reg; /* after the same way */
	bool single, many; /* one way leads here; several do */
	bool lost; /* sum minus r is not the same on all ways, or r is not known */
};

struct search {
	const struct wm_plan *plan;
	struct wm_probe_program *program;
	uint64_t mask; /* of the bits of the register that are those of S */
	uint32_t *next_stop, *first_stop; /* per DAG edge: the edges after which it begins a path, as lists */
	struct arrival *arrival; /* per node */
};

/* A path that leaves a region has the sum that the updates would have made which the region replaces, so that one way stands for
 * all. */
static void leave_region(const struct wm_probe_program *program, struct sum_registers *reg,
	const struct wm_action *action, uint64_t index)
{
	const struct wm_region *region = &program->region[action->region];
	bool came_in = index < region->entered;
	reg->r_known = index < region->paths && (!came_in || reg->outer_known) &&
		       (action->kind == WM_ACTION_LOCAL_LEAVE_AT || reg->l_known);
	reg->r = reg->r_known ? region->sum[index] + (came_in ? reg->outer : 0) : 0;
	reg->l_known = false;
}

/* `before`: on arrival at the node that the event leaves.  RESTORE is on edges that leave the second node of a loop head, and
 * gives r the value that it has on arrival there. */
static void run_action(const struct wm_probe_program *program, struct sum_registers *reg,
	const struct wm_action *action, const struct sum_registers *before)
{
	uint64_t value = (uint64_t)action->value;
	switch ((enum wm_action_kind)action->kind) {
	case WM_ACTION_SET:
		reg->r = value;
		reg->r_known = true;
		break;
	case WM_ACTION_ADD:
		reg->r += value;
		break;
	case WM_ACTION_RESTORE:
		reg->r = before->r;
		reg->r_known = before->r_known;
		break;
	case WM_ACTION_MARK: /* changes only the highest bit, which no sum has */
	case WM_ACTION_SAVE:
	case WM_ACTION_TRIP_BEGIN:
	case WM_ACTION_TRIP:
	case WM_ACTION_TRIP_END:
	case WM_ACTION_FRAME:
	case WM_ACTION_LAND:
		break;
	case WM_ACTION_LOCAL_ENTER:
		reg->outer = reg->r;
		reg->outer_known = reg->r_known;
		reg->r_known = false;
		break;
	case WM_ACTION_LOCAL_SET:
		reg->l = value;
		reg->l_known = true;
		break;
	case WM_ACTION_LOCAL_ADD:
		reg->l += value;
		break;
	case WM_ACTION_LOCAL_COUNT:
	case WM_ACTION_LOCAL_COUNT_AT:
		reg->l_known = false;
		break;
	case WM_ACTION_LOCAL_LEAVE:
		leave_region(program, reg, action, reg->l + value);
		break;
	case WM_ACTION_LOCAL_LEAVE_AT:
		leave_region(program, reg, action, value);
		break;
	case WM_ACTION_COUNT:
	case WM_ACTION_COUNT_AT:
	case WM_ACTION_ENTER:
	case WM_ACTION_PUSH:
	case WM_ACTION_LEAVE:
	case WM_ACTION_PIECE:
	case WM_ACTION_PIECE_AT:
		WM_END_ACTIONS(WM_CASE)
		WM_UNIT_ACTIONS(WM_CASE)
		reg->r_known = false;
		break;
	}
}

/* One way into the node to which a DAG edge leads, by the event whose probe this is. */
static void arrive(struct search *s, uint32_t e, const struct wm_probe *probe)
{
	const struct wm_dag_edge *edge = &s->plan->dag.edge[e];
	const struct arrival *from = &s->arrival[edge->from];
	struct arrival *to = &s->arrival[edge->to];
	uint64_t sum = from->sum + (uint64_t)s->plan->numbering.value[e];
	struct sum_registers reg = from->reg;
	reg.r_known &= !from->lost;
	for (uint32_t i = 0; probe && i < probe->count; i++)
		run_action(s->program, &reg, &probe->action[i], &from->reg);
	bool differs = ((sum - reg.r) ^ (to->sum - to->reg.r)) & s->mask;
	to->lost |= !reg.r_known || ((to->single || to->many) && differs);
	if (to->single || to->many)
		return;
	to->sum = sum;
	to->reg = reg;
}

/* A restart may follow several events, but is one way. */
static void follow(struct search *s, uint32_t e)
{
	const struct wm_dag *dag = &s->plan->dag;
	struct arrival *to = &s->arrival[dag->edge[e].to];
	bool before = to->single || to->many;
	if (s->first_stop[e] == WM_NONE)
		arrive(s, e, wm_probe_of(s->program, dag, &dag->edge[e]));
	for (uint32_t stop = s->first_stop[e]; stop != WM_NONE; stop = s->next_stop[stop]) {
		arrive(s, e, wm_probe_of(s->program, dag, &dag->edge[stop]));
		to->single = true;
	}
	to->many = to->many || before || s->arrival[dag->edge[e].from].many;
	to->single = !to->many;
}

static enum wm_status search_init(struct search *s, struct wm_arena *arena)
{
	const struct wm_dag *dag = &s->plan->dag;
	s->arrival = WM_NEW(arena, struct arrival, dag->node_count);
	s->first_stop = WM_NEW(arena, uint32_t, dag->edge_count);
	s->next_stop = WM_NEW(arena, uint32_t, dag->edge_count);
	if (!s->arrival || !s->first_stop || !s->next_stop)
		return WM_NO_MEMORY;
	for (uint32_t e = 0; e < dag->edge_count; e++)
		s->first_stop[e] = s->next_stop[e] = WM_NONE;
	for (uint32_t e = 0; e < dag->edge_count; e++) {
		uint32_t restart = dag->edge[e].kind == WM_EDGE_STOP ? dag->edge[e].restart : WM_NONE;
		if (restart == WM_NONE)
			continue;
		s->next_stop[e] = s->first_stop[restart];
		s->first_stop[restart] = e;
	}
	s->arrival[WM_DAG_START].single = true;
	return WM_OK;
}

static void follow_all(struct search *s)
{
	const struct wm_dag *dag = &s->plan->dag;
	for (uint32_t i = 0; i < dag->node_count; i++)
		for (uint32_t e = dag->first_edge[dag->order[i]]; e < dag->first_edge[dag->order[i] + 1]; e++)
			if (dag->edge[e].to != WM_DAG_END)
				follow(s, e);
}

static struct wm_prefix_sum sum_at(const struct search *s, uint32_t node, uint8_t bits, enum wm_prefix_place place)
{
	const struct arrival *at = &s->arrival[node];
	if (!at->many)
		return (struct wm_prefix_sum){WM_PREFIX_CONSTANT, at->sum, 64};
	if (at->lost)
		return (struct wm_prefix_sum){WM_PREFIX_UNKNOWN, 0, 64};
	return (struct wm_prefix_sum){place, (at->sum - at->reg.r) & s->mask, bits};
}

static uint8_t bits_of(uint64_t mask)
{
	uint8_t bits = 0;
	for (; mask; mask >>= 1)
		bits++;
	return bits;
}

/* Fills in the blocks that `only` names, or all. */
static enum wm_status find(struct wm_prefix_sums *sums, struct search *s, const bool *only, enum wm_prefix_place place,
	struct wm_arena *arena)
{
	const struct wm_dag *dag = &s->plan->dag;
	enum wm_status status = search_init(s, arena);
	if (status != WM_OK)
		return status;
	follow_all(s);
	for (uint32_t node = 0; node < dag->node_count; node++)
		if (dag->node_block[node] != WM_NONE && (!only || only[dag->node_block[node]]))
			sums->block[dag->node_block[node]] = sum_at(s, node, bits_of(s->mask), place);
	return WM_OK;
}

/* ---- The second register --------------------------------------------------------------- */

static void keep_updates(void *closure, struct wm_probe *probe)
{
	uint32_t kept = 0;
	(void)closure;
	for (uint32_t i = 0; i < probe->count; i++)
		if (probe->action[i].kind != WM_ACTION_COUNT && probe->action[i].kind != WM_ACTION_COUNT_AT)
			probe->action[kept++] = probe->action[i];
	probe->count = kept;
}

static enum wm_status add_second(struct wm_prefix_sums *sums, const struct wm_plan *plan, const bool *needed,
	const struct wm_weights *weights, struct wm_arena *arena)
{
	struct wm_sums all = {.value = plan->numbering.value};
	struct search s = {.plan = plan, .mask = UINT64_MAX};
	sums->second = s.program = WM_NEW(arena, struct wm_probe_program, 1);
	if (!s.program)
		return WM_NO_MEMORY;
	enum wm_status status = wm_place_sums(plan, &all, WM_PLACE_OPTIMAL, weights, s.program, arena);
	if (status != WM_OK)
		return status;
	wm_each_probe(s.program, plan->graph, keep_updates, NULL);
	return find(sums, &s, needed, WM_PREFIX_SECOND, arena);
}

static bool has_sums(const struct wm_plan *plan)
{
	return !plan->iterations || !plan->iterations->count;
}

enum wm_status wm_prefix_sums_find(struct wm_prefix_sums *sums, const struct wm_plan *plan,
	const struct wm_probe_program *program, const struct wm_counting *counting, const bool *wanted,
	const struct wm_weights *weights, struct wm_arena *arena)
{
	uint32_t blocks = plan->graph->block_count;
	uint64_t width = counting->width == 32 ? UINT32_MAX : UINT64_MAX;
	struct search s = {plan, (struct wm_probe_program *)program, counting->id_mask & width, NULL, NULL, NULL};
	bool some = false, *needed = WM_NEW(arena, bool, blocks);
	*sums = (struct wm_prefix_sums){WM_NEW(arena, struct wm_prefix_sum, blocks), NULL};
	if (!sums->block || !needed)
		return WM_NO_MEMORY;
	for (uint32_t b = 0; b < blocks; b++)
		sums->block[b].bits = 64;
	if (!has_sums(plan))
		return WM_OK;
	enum wm_status status = find(sums, &s, NULL, WM_PREFIX_REGISTER, arena);
	for (uint32_t b = 0; b < blocks; b++)
		some |= needed[b] = weights && wanted[b] && sums->block[b].place == WM_PREFIX_UNKNOWN;
	return status == WM_OK && some ? add_second(sums, plan, needed, weights, arena) : status;
}

/* ---- Decoding ------------------------------------------------------------------------------ */

/* Its edges, and one more. */
static enum wm_status find_edges(
	const struct wm_plan *plan, uint32_t block, uint64_t sum, struct wm_path *edges, struct wm_arena *arena)
{
	uint64_t rest = sum;
	enum wm_status status = wm_dag_decode(&plan->dag, &plan->numbering, sum, edges, arena);
	if (status != WM_OK)
		return status;
	for (uint32_t i = 0; i < edges->length; i++) {
		rest -= (uint64_t)plan->numbering.value[edges->edge[i]];
		if (plan->dag.node_block[plan->dag.edge[edges->edge[i]].to] != block)
			continue;
		edges->length = i + 2;
		return rest ? WM_BAD_PATH : WM_OK;
	}
	return WM_BAD_PATH;
}

enum wm_status wm_prefix_only(const struct wm_plan *plan, uint32_t block, uint64_t *sum, struct wm_arena *arena)
{
	const struct wm_dag *dag = &plan->dag;
	uint8_t *ways = WM_NEW(arena, uint8_t, dag->node_count); /* 2: several */
	uint64_t *sums = WM_NEW(arena, uint64_t, dag->node_count);
	if (!ways || !sums)
		return WM_NO_MEMORY;
	ways[WM_DAG_START] = 1;
	for (uint32_t i = 0; i < dag->node_count; i++) {
		uint32_t node = dag->order[i];
		if (dag->node_block[node] == block && ways[node] == 1) {
			*sum = sums[node];
			return WM_OK;
		}
		for (uint32_t e = dag->first_edge[node]; ways[node] && e < dag->first_edge[node + 1]; e++) {
			uint32_t to = dag->edge[e].to;
			ways[to] = ways[to] || ways[node] == 2 ? 2 : ways[node];
			sums[to] = sums[node] + (uint64_t)plan->numbering.value[e];
		}
	}
	return WM_BAD_PATH;
}

enum wm_status wm_prefix_decode(
	const struct wm_plan *plan, uint32_t block, uint64_t sum, struct wm_block_path *path, struct wm_arena *arena)
{
	struct wm_path edges = {0};
	enum wm_status status = find_edges(plan, block, sum, &edges, arena);
	if (status != WM_OK)
		return status;
	*path = (struct wm_block_path){.last_edge = WM_NONE, .again = path->again};
	wm_plan_list_blocks(plan, &edges, path);
	return WM_OK;
}

enum wm_status wm_prefix_completions(
	const struct wm_plan *plan, const struct wm_prefix *prefix, struct wm_id_run *ids, struct wm_arena *arena)
{
	struct wm_path edges = {0};
	enum wm_status status = find_edges(plan, prefix->block, prefix->sum, &edges, arena);
	if (status != WM_OK)
		return status;
	uint32_t node = plan->dag.edge[edges.edge[edges.length - 2]].to;
	*ids = (struct wm_id_run){prefix->sum, plan->numbering.node_paths[node]};
	return WM_OK;
}

/* The path with the sum of the longer one as its id begins with both, if it begins with the prefix. */
enum wm_status wm_prefix_begins(const struct wm_plan *plan, const struct wm_prefix *prefix,
	const struct wm_prefix *longer, bool *begins, struct wm_arena *arena)
{
	struct wm_id_run ids;
	struct wm_block_path path = {0};
	enum wm_status status = wm_prefix_completions(plan, prefix, &ids, arena);
	if (status == WM_OK)
		status = wm_prefix_decode(plan, longer->block, longer->sum, &path, arena);
	if (status != WM_OK)
		return status;
	*begins = false;
	for (uint32_t i = 0; i < path.length && longer->sum >= ids.first && longer->sum - ids.first < ids.count; i++)
		*begins |= path.block[i] == prefix->block;
	return WM_OK;
}
