/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/preferential/coding.h"
#include <math.h>

typedef unsigned __int128 wide;

static uint64_t divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

struct wm_fraction wm_range_probability(struct wm_range range)
{
	uint64_t size = range.high - range.low, common = divisor(range.whole, size);
	return (struct wm_fraction){size / common, range.whole / common};
}

static double bits_of(struct wm_range range)
{
	double p = (double)(range.high - range.low) / (double)range.whole;
	return p > 0 ? -p * log2(p) : 0;
}

double wm_entropy(const struct wm_range *range, uint32_t count)
{
	double sum = 0;
	for (uint32_t i = 0; i < count; i++)
		sum += bits_of(range[i]);
	return sum;
}

enum wm_status wm_model_acyclic(const struct wm_plan *plan, struct wm_range **range, struct wm_arena *arena)
{
	struct wm_range *made = WM_NEW(arena, struct wm_range, plan->dag.edge_count);
	const uint64_t *paths = plan->numbering.node_paths;
	if (!made)
		return WM_NO_MEMORY;
	for (uint32_t e = 0; e < plan->dag.edge_count; e++) {
		uint64_t low = (uint64_t)plan->numbering.value[e];
		const struct wm_dag_edge *edge = &plan->dag.edge[e];
		made[e] = (struct wm_range){low, low + paths[edge->to], paths[edge->from]};
	}
	*range = made;
	return WM_OK;
}

enum wm_status wm_model_entropy(
	const struct wm_dag *dag, const struct wm_range *range, double *bits, struct wm_arena *arena)
{
	double *chance = WM_NEW(arena, double, dag->node_count), sum = 0;
	if (!chance)
		return WM_NO_MEMORY;
	chance[WM_DAG_START] = 1;
	for (uint32_t i = 0; i < dag->node_count; i++) {
		uint32_t node = dag->order[i], first = dag->first_edge[node], count = dag->first_edge[node + 1] - first;
		sum += chance[node] * wm_entropy(&range[first], count);
		for (uint32_t e = first; e < first + count; e++)
			chance[dag->edge[e].to] +=
				chance[node] * (double)(range[e].high - range[e].low) / (double)range[e].whole;
	}
	*bits = sum;
	return WM_OK;
}

/* ---- Figure 10 as a model ---------------------------------------------------------- */

/* Sizes saturate: they only serve a model that is shown, and only in huge sets. */
static void add_size(uint64_t *sum, uint64_t size)
{
	*sum = *sum > INT64_MAX - size ? INT64_MAX : *sum + size;
}

/* Bottom-up as in the numbering itself; an interval is [low, high] per group. */
static void add_edge(const struct wm_groups *groups, uint64_t *low, uint64_t *high, uint64_t *size)
{
	for (uint32_t i = 0; i < groups->count; i++) {
		uint32_t child = groups->child[i], parent = groups->parent[i];
		add_size(size, high[child] - low[child] + 1);
		low[parent] = low[child] < low[parent] ? low[child] : low[parent];
		high[parent] = high[child] > high[parent] ? high[child] : high[parent];
	}
}

static void add_node(const struct wm_dag *dag, const struct wm_prefixes *prefixes, uint32_t node, uint64_t *low,
	uint64_t *high, struct wm_range *range)
{
	uint64_t sum = 0;
	uint32_t first = dag->first_edge[node], last = dag->first_edge[node + 1];
	for (uint32_t e = first; e < last; e++) {
		uint64_t size = 0;
		add_edge(&prefixes->edge[e], low, high, &size);
		range[e].low = sum;
		add_size(&sum, size);
		range[e].high = sum;
	}
	for (uint32_t e = first; e < last; e++)
		range[e].whole = sum ? sum : 1;
}

/* Whole ids will do for partial ones: a group's differ by the sum of its prefix only. */
enum wm_status wm_model_joined(const struct wm_plan *plan, const struct wm_preferential *preferential,
	struct wm_range **range, struct wm_arena *arena)
{
	uint32_t count = preferential->set->count;
	struct wm_prefixes prefixes;
	struct wm_range *made = WM_NEW(arena, struct wm_range, plan->dag.edge_count);
	uint64_t *low = WM_NEW(arena, uint64_t, count), *high = WM_NEW(arena, uint64_t, count);
	if (!made || !low || !high)
		return WM_NO_MEMORY;
	enum wm_status status = wm_prefixes_make(&prefixes, plan, preferential->set, arena);
	if (status != WM_OK)
		return status;
	for (uint32_t i = 0; i < count; i++)
		low[i] = high[i] = preferential->id[i];
	for (uint32_t i = plan->dag.node_count; i-- > 0;)
		add_node(&plan->dag, &prefixes, plan->dag.order[i], low, high, made);
	*range = made;
	return WM_OK;
}

/* ---- The coder ------------------------------------------------------------------------ */

/* The ids of the paths of the set whose acyclic ids are in [first, behind), as [low, high). */
static struct wm_interval interval_of(const struct wm_preferential *p, uint64_t first, uint64_t behind)
{
	struct wm_interval interval = {UINT64_MAX, 0};
	for (uint32_t i = 0; i < p->set->count; i++) {
		if (p->set->id[i] < first || p->set->id[i] >= behind)
			continue;
		interval.low = p->id[i] < interval.low ? p->id[i] : interval.low;
		interval.high = p->id[i] + 1 > interval.high ? p->id[i] + 1 : interval.high;
	}
	return interval;
}

struct wm_range wm_model_range(
	const struct wm_plan *plan, const struct wm_preferential *preferential, uint64_t prefix, uint32_t edge)
{
	const uint64_t *paths = plan->numbering.node_paths;
	uint64_t value = (uint64_t)plan->numbering.value[edge], all = paths[plan->dag.edge[edge].from],
		 through = paths[plan->dag.edge[edge].to];
	if (!preferential)
		return (struct wm_range){value, value + through, all};
	struct wm_interval before = interval_of(preferential, prefix, prefix + all),
			   behind = interval_of(preferential, prefix + value, prefix + value + through);
	if (behind.low >= behind.high)
		return (struct wm_range){0, 0, 1};
	return (struct wm_range){behind.low - before.low, behind.high - before.low, before.high - before.low};
}

struct wm_interval wm_interval_narrow(struct wm_interval in, struct wm_range by)
{
	uint64_t n = in.high - in.low;
	uint64_t low = (uint64_t)((wide)by.low * n / by.whole);
	uint64_t high = (uint64_t)(((wide)by.high * n + by.whole - 1) / by.whole);
	return (struct wm_interval){in.low + low, in.low + high};
}

static enum wm_status begin_coding(struct wm_coding *coding, const struct wm_plan *plan,
	const struct wm_preferential *preferential, struct wm_arena *arena)
{
	coding->plan = plan;
	coding->preferential = preferential;
	coding->size = preferential ? preferential->span : plan->numbering.path_count;
	coding->length = 0;
	if (!coding->step)
		coding->step = WM_NEW(arena, struct wm_coding_step, plan->dag.node_count);
	return coding->step ? WM_OK : WM_NO_MEMORY;
}

struct wm_coding_step wm_coding_next(const struct wm_coding *coding, uint32_t edge)
{
	const struct wm_coding_step *last = coding->length ? &coding->step[coding->length - 1] : NULL;
	struct wm_interval in = last ? last->interval : (struct wm_interval){0, coding->size};
	uint64_t prefix = last ? last->prefix + (uint64_t)coding->plan->numbering.value[last->edge] : 0;
	struct wm_range range = wm_model_range(coding->plan, coding->preferential, prefix, edge);
	return (struct wm_coding_step){edge, prefix, range, wm_interval_narrow(in, range)};
}

enum wm_status wm_coding_encode(struct wm_coding *coding, const struct wm_plan *plan,
	const struct wm_preferential *preferential, const struct wm_path *path, struct wm_arena *arena)
{
	enum wm_status status = begin_coding(coding, plan, preferential, arena);
	if (status != WM_OK)
		return status;
	for (uint32_t i = 0; i < path->length; i++) {
		struct wm_coding_step step = wm_coding_next(coding, path->edge[i]);
		if (step.range.low == step.range.high)
			return WM_BAD_PATH;
		coding->step[coding->length++] = step;
	}
	coding->id = path->length ? coding->step[path->length - 1].interval.low : 0;
	return WM_OK;
}

/* The symbol whose interval holds the number; false: none has it. */
static bool decode_symbol(struct wm_coding *coding, uint32_t node)
{
	const struct wm_dag *dag = &coding->plan->dag;
	for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++) {
		struct wm_coding_step step = wm_coding_next(coding, e);
		if (coding->id < step.interval.low || coding->id >= step.interval.high)
			continue;
		coding->step[coding->length++] = step;
		return true;
	}
	return false;
}

enum wm_status wm_coding_decode(struct wm_coding *coding, const struct wm_plan *plan,
	const struct wm_preferential *preferential, uint64_t id, struct wm_arena *arena)
{
	enum wm_status status = begin_coding(coding, plan, preferential, arena);
	if (status != WM_OK)
		return status;
	coding->id = id;
	for (uint32_t node = WM_DAG_START; node != WM_DAG_END;) {
		if (!decode_symbol(coding, node))
			return WM_BAD_PATH;
		node = plan->dag.edge[coding->step[coding->length - 1].edge].to;
	}
	return WM_OK;
}
