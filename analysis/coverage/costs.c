/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/coverage/costs.h"
#include "analysis/counts/idcounts.h"
#include "analysis/counts/sequences.h"
#include "analysis/replay/recording_walk.h"
#include "analysis/source/decision.h"
#include "core/base/search.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>

/* ---- What both have ------------------------------------------------------------------- */

const struct wm_map_line *wm_call_place(const struct wm_story_function *function, uint32_t site)
{
	const struct wm_map_function *map = function->map;
	if (site >= map->call_count)
		return NULL;
	const struct wm_map_block *block = &map->block[map->call[site].block];
	uint32_t line = map->call_line ? map->call_line[site] : 0;
	if (line && line <= block->line_count)
		return &block->line[line - 1];
	return wm_block_place(function, map->call[site].block);
}

static uint32_t add_node(struct wm_costs *costs, struct wm_cost_node node)
{
	WM_XGROW(costs->node, costs->node_count);
	costs->node[costs->node_count] = node;
	return (uint32_t)costs->node_count++;
}

static void add_place(struct wm_costs *costs, uint32_t node, uint32_t block, uint64_t blocks)
{
	if (!blocks)
		return;
	WM_XGROW(costs->place, costs->place_count);
	costs->place[costs->place_count++] =
		(struct wm_cost_place){node, wm_block_place(costs->node[node].function, block), blocks};
	if (__builtin_add_overflow(costs->blocks, blocks, &costs->blocks) || costs->blocks > INT64_MAX)
		wm_fail("more than 2^63-1 blocks were executed in these profiles; use fewer of them");
}

static int by_line(const struct wm_map_line *a, const struct wm_map_line *b)
{
	if (!a || !b)
		return (a != NULL) - (b != NULL);
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

static int by_place(const void *left, const void *right)
{
	const struct wm_cost_place *a = left, *b = right;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return by_line(a->line, b->line);
}

static int by_pointer(const void *a, const void *b)
{
	return ((uintptr_t)a > (uintptr_t)b) - ((uintptr_t)a < (uintptr_t)b);
}

/* The functions of a story are in one array, so the order of their addresses does not change. */
static int by_call(const void *left, const void *right)
{
	const struct wm_cost_call *a = left, *b = right;
	if (a->caller != b->caller)
		return by_pointer(a->caller, b->caller);
	if (a->site != b->site)
		return a->site < b->site ? -1 : 1;
	return by_pointer(a->callee, b->callee);
}

/* Sorts, and adds up the places on one line. */
static void finish(struct wm_costs *costs)
{
	size_t kept = 0;
	if (costs->place_count)
		qsort(costs->place, costs->place_count, sizeof *costs->place, by_place);
	for (size_t i = 0; i < costs->place_count; i++) {
		if (kept && by_place(&costs->place[kept - 1], &costs->place[i]) == 0)
			costs->place[kept - 1].blocks += costs->place[i].blocks;
		else
			costs->place[kept++] = costs->place[i];
	}
	costs->place_count = kept;
	if (costs->call_count)
		qsort(costs->call, costs->call_count, sizeof *costs->call, by_call);
}

void wm_costs_release(struct wm_costs *costs)
{
	free(costs->node);
	free(costs->place);
	free(costs->call);
	*costs = (struct wm_costs){0};
}

/* ---- Of a profile --------------------------------------------------------------------- */

struct direct_calls {
	const struct wm_flows *flows;
	struct wm_costs *costs;
	uint32_t *by_name; /* functions by program and name */
	size_t *first; /* per function, and one more: its calls in costs->call */
	uint32_t *callee; /* per call: its flow */
	uint64_t *self; /* per function: executed blocks */
	bool *outside; /* per function: it calls functions that are not known, through a pointer or in other code */
	bool unexplained; /* calls that are not known entered some function other than main */
};

static int compare_names(const struct wm_flows *flows, uint32_t a, uint32_t b)
{
	const struct wm_story_function *f = flows->flow[a].function, *g = flows->flow[b].function;
	if (f->program != g->program)
		return f->program < g->program ? -1 : 1;
	return strcmp(f->map->name, g->map->name);
}

static int by_name(const void *left, const void *right, void *flows)
{
	return compare_names(flows, *(const uint32_t *)left, *(const uint32_t *)right);
}

static const struct wm_story_function *named_function(const struct direct_calls *d, size_t i)
{
	return d->flows->flow[d->by_name[i]].function;
}

static bool is_before(const struct wm_story_function *f, size_t program, const char *name)
{
	return f->program != program ? f->program < program : strcmp(f->map->name, name) < 0;
}

/* The function that a name means in a binary: the one of the same module if several have the name.  WM_NONE: the binary does
 * not define it, or it is not clear which of them is meant. */
static uint32_t find_callee(const struct direct_calls *d, const struct wm_story_function *caller, const char *name)
{
	uint32_t found = WM_NONE;
	bool unclear = false;
	size_t i;
	WM_LOWER_BOUND(i, 0, d->flows->function_count, is_before(named_function(d, i), caller->program, name));
	for (; i < d->flows->function_count; i++) {
		const struct wm_story_function *f = named_function(d, i);
		if (f->program != caller->program || strcmp(f->map->name, name) != 0)
			break;
		if (f->module == caller->module)
			return d->by_name[i];
		unclear = found != WM_NONE;
		found = d->by_name[i];
	}
	return unclear ? WM_NONE : found;
}

/* The calls of a function.  What a function of another binary, or one that is not instrumented, calls shows in the entries of
 * its callees. */
static void add_calls(struct direct_calls *d, uint32_t index)
{
	const struct wm_flow *flow = &d->flows->flow[index];
	const struct wm_map_function *map = flow->function->map;
	d->first[index] = d->costs->call_count;
	for (uint32_t s = 0; flow->exact && s < map->call_count; s++) {
		const char *name = wm_map_callee(flow->function->module, &map->call[s]);
		uint32_t callee = name ? find_callee(d, flow->function, name) : WM_NONE;
		uint64_t count = flow->ran.block[map->call[s].block];
		if (callee == WM_NONE || !count || !d->flows->flow[callee].known)
			continue;
		WM_XGROW(d->callee, d->costs->call_count);
		WM_XGROW(d->costs->call, d->costs->call_count);
		d->callee[d->costs->call_count] = callee;
		d->costs->call[d->costs->call_count++] = (struct wm_cost_call){
			.caller = flow->function, .callee = d->flows->flow[callee].function, .site = s, .count = count};
	}
}

/* The functions to which calls lead from one function. */
struct reach {
	bool *in;
	uint32_t *list;
	uint32_t count;
	uint64_t *entered; /* per function: by calls among them */
};

/* False: the function is called recursively. */
static bool collect_reach(const struct direct_calls *d, uint32_t root, struct reach *reach)
{
	bool recursive = false;
	reach->count = 0;
	reach->list[reach->count++] = root;
	reach->in[root] = true;
	for (uint32_t i = 0; i < reach->count; i++)
		for (size_t c = d->first[reach->list[i]]; c < d->first[reach->list[i] + 1]; c++) {
			uint32_t callee = d->callee[c];
			recursive |= callee == root;
			reach->entered[callee] += d->costs->call[c].count;
			if (!reach->in[callee])
				reach->list[reach->count++] = callee;
			reach->in[callee] = true;
		}
	return !recursive;
}

/* The blocks that were executed in all activations of a function and in what they called; false: not known. */
static bool inclusive(const struct direct_calls *d, uint32_t root, struct reach *reach, uint64_t *blocks)
{
	bool known = collect_reach(d, root, reach);
	*blocks = 0;
	for (uint32_t i = 0; i < reach->count; i++) {
		uint32_t f = reach->list[i];
		known &= d->flows->flow[f].exact && !(d->outside[f] && d->unexplained) &&
			 (f == root || reach->entered[f] == d->flows->flow[f].ran.entries);
		*blocks += d->self[f];
	}
	for (uint32_t i = 0; i < reach->count; i++) {
		reach->in[reach->list[i]] = false;
		reach->entered[reach->list[i]] = 0;
	}
	return known;
}

/* Whether a call was made whose callee is not known: it may lead to any function that not only known calls enter. */
static bool calls_outside(const struct direct_calls *d, const struct wm_flow *flow)
{
	const struct wm_map_function *map = flow->function->map;
	for (uint32_t s = 0; s < map->call_count; s++) {
		const char *name = wm_map_callee(flow->function->module, &map->call[s]);
		if (flow->ran.block[map->call[s].block] && (!name || find_callee(d, flow->function, name) == WM_NONE))
			return true;
	}
	return false;
}

static bool is_main(const struct wm_flow *flow)
{
	return strcmp(flow->function->map->name, "main") == 0;
}

static void find_unexplained(struct direct_calls *d)
{
	uint64_t *entered = wm_xrealloc(NULL, d->flows->function_count + 1, sizeof *entered);
	memset(entered, 0, d->flows->function_count * sizeof *entered);
	for (size_t c = 0; c < d->costs->call_count; c++)
		entered[d->callee[c]] += d->costs->call[c].count;
	for (size_t i = 0; i < d->flows->function_count; i++) {
		const struct wm_flow *flow = &d->flows->flow[i];
		d->outside[i] = flow->known && calls_outside(d, flow);
		d->unexplained |= !is_main(flow) && (!flow->known || entered[i] != flow->ran.entries);
	}
	free(entered);
}

static void find_inclusive(struct direct_calls *d)
{
	size_t count = d->flows->function_count;
	struct reach reach = {.in = wm_xrealloc(NULL, count + 1, sizeof(bool)),
		.list = wm_xrealloc(NULL, count + 1, sizeof(uint32_t)),
		.entered = wm_xrealloc(NULL, count + 1, sizeof(uint64_t))};
	memset(reach.in, 0, (count + 1) * sizeof *reach.in);
	memset(reach.entered, 0, (count + 1) * sizeof *reach.entered);
	for (size_t c = 0; c < d->costs->call_count; c++) {
		struct wm_cost_call *call = &d->costs->call[c];
		if (call->count != d->flows->flow[d->callee[c]].ran.entries)
			continue;
		call->known = inclusive(d, d->callee[c], &reach, &call->blocks);
	}
	free(reach.in);
	free(reach.list);
	free(reach.entered);
}

static void sort_names(struct direct_calls *d)
{
	size_t count = d->flows->function_count;
	d->by_name = wm_xrealloc(NULL, count + 1, sizeof *d->by_name);
	for (size_t i = 0; i < count; i++)
		d->by_name[i] = (uint32_t)i;
	qsort_r(d->by_name, count, sizeof *d->by_name, by_name, (void *)d->flows);
}

static void add_function(struct direct_calls *d, uint32_t index)
{
	const struct wm_flow *flow = &d->flows->flow[index];
	uint32_t node = add_node(d->costs, (struct wm_cost_node){WM_NONE, WM_NONE, flow->function});
	for (uint32_t b = 0; b < flow->function->map->graph.block_count; b++)
		add_place(d->costs, node, b, wm_flow_entered(flow, b));
}

static void drop_calls(struct wm_costs *costs, const struct wm_function_filter *filter)
{
	size_t kept = 0;
	for (size_t c = 0; c < costs->call_count; c++)
		if (wm_filter_passes(filter, costs->call[c].caller))
			costs->call[kept++] = costs->call[c];
	costs->call_count = kept;
}

void wm_costs_of_flows(struct wm_costs *costs, const struct wm_flows *flows, const struct wm_function_filter *filter)
{
	size_t count = flows->function_count;
	struct direct_calls d = {.flows = flows, .costs = costs};
	*costs = (struct wm_costs){0};
	sort_names(&d);
	d.first = wm_xrealloc(NULL, count + 1, sizeof *d.first);
	d.self = wm_xrealloc(NULL, count + 1, sizeof *d.self);
	d.outside = wm_xrealloc(NULL, count + 1, sizeof *d.outside);
	for (size_t i = 0; i < count; i++) {
		const struct wm_flow *flow = &flows->flow[i];
		d.self[i] = 0;
		for (uint32_t b = 0; flow->known && b < flow->function->map->graph.block_count; b++)
			d.self[i] += wm_flow_entered(flow, b);
		add_calls(&d, (uint32_t)i);
	}
	d.first[count] = costs->call_count;
	find_unexplained(&d);
	find_inclusive(&d);
	drop_calls(costs, filter);
	for (size_t i = 0; i < flows->count; i++)
		if (flows->flow[i].known && flows->flow[i].function->map->graph.block_count &&
			wm_filter_passes(filter, flows->flow[i].function))
			add_function(&d, (uint32_t)i);
	free(d.by_name);
	free(d.first);
	free(d.callee);
	free(d.self);
	free(d.outside);
	finish(costs);
}

/* ---- Of a recording ------------------------------------------------------------------- */

/* An activation that is open. */
struct open_frame {
	uint32_t node, function;
	uint32_t site; /* the call in which it waits; WM_NONE: none */
	size_t call; /* by which it was called, plus 1; 0: not known */
};

struct recorded_costs {
	const struct wm_wpp_view *view;
	struct wm_costs *costs;
	struct wm_sequences nodes, places, calls; /* {parent, site, function}, {node, block}, {caller, site, callee} */
	struct wm_id_counts place_counts; /* by index in `places` */
	struct open_call {
		uint64_t open, since;
	} *open_call; /* per call */
	struct open_frame *frame;
	size_t depth;
	uint64_t clock; /* blocks that were executed so far in this walk */
	bool own;
};

static uint32_t find_node(struct recorded_costs *r, uint32_t function)
{
	for (size_t i = r->depth; i > 0; i--)
		if (r->frame[i - 1].function == function)
			return r->frame[i - 1].node;
	const struct open_frame *top = r->depth ? &r->frame[r->depth - 1] : NULL;
	uint64_t key[] = {top ? top->node : WM_NONE, top ? top->site : WM_NONE, function};
	size_t index = wm_sequences_index(&r->nodes, key, 3);
	if (index == r->costs->node_count)
		add_node(r->costs, (struct wm_cost_node){(uint32_t)key[0], (uint32_t)key[1], r->view->told[function]});
	return (uint32_t)index;
}

/* The call by which the activation on top calls a function, plus 1; 0: it waits in none. */
static size_t find_call(struct recorded_costs *r, uint32_t callee)
{
	const struct open_frame *top = r->depth ? &r->frame[r->depth - 1] : NULL;
	if (!top || top->site == WM_NONE)
		return 0;
	uint64_t key[] = {top->function, top->site, callee};
	size_t index = wm_sequences_index(&r->calls, key, 3);
	if (index == r->costs->call_count) {
		WM_XGROW(r->costs->call, index);
		WM_XGROW(r->open_call, index);
		r->open_call[index] = (struct open_call){0};
		r->costs->call[r->costs->call_count++] = (struct wm_cost_call){.caller = r->view->told[top->function],
			.callee = r->view->told[callee],
			.site = top->site,
			.known = true};
	}
	return index + 1;
}

/* `counted`: the call was made by this process. */
static void open_activation(struct recorded_costs *r, uint32_t function, bool counted)
{
	struct open_frame frame = {
		.node = find_node(r, function), .function = function, .site = WM_NONE, .call = find_call(r, function)};
	if (frame.call) {
		struct open_call *call = &r->open_call[frame.call - 1];
		r->costs->call[frame.call - 1].count += counted;
		call->since = call->open++ ? call->since : r->clock;
	}
	WM_XGROW(r->frame, r->depth);
	r->frame[r->depth++] = frame;
}

static void close_activation(struct recorded_costs *r)
{
	const struct open_frame *top = &r->frame[--r->depth];
	if (!top->call)
		return;
	struct open_call *call = &r->open_call[top->call - 1];
	if (--call->open == 0)
		r->costs->call[top->call - 1].blocks += r->clock - call->since;
}

static void enter_block(struct recorded_costs *r, uint32_t block)
{
	struct open_frame *top = &r->frame[r->depth - 1];
	top->site = WM_NONE;
	if (!r->own)
		return;
	uint64_t key[] = {top->node, block};
	r->clock++;
	wm_id_counts_add(&r->place_counts, wm_sequences_index(&r->places, key, 2), 1);
}

/* What the process did from which this one was forked costs this one nothing: the clock stands still until OWN. */
static void take(void *closure, const struct wm_walk_event *event)
{
	struct recorded_costs *r = closure;
	switch (event->kind) {
	case WM_WALK_BEGIN:
		r->own = false;
		r->clock = 0;
		break;
	case WM_WALK_OWN:
		r->own = true;
		break;
	case WM_WALK_END:
		while (r->depth)
			close_activation(r);
		break;
	case WM_WALK_ENTER:
	case WM_WALK_ADOPT:
		open_activation(r, event->function, r->own && event->kind == WM_WALK_ENTER);
		break;
	case WM_WALK_BLOCK:
		enter_block(r, event->block);
		break;
	case WM_WALK_CALL:
	case WM_WALK_STUCK:
		r->frame[r->depth - 1].site = event->call;
		break;
	case WM_WALK_BEHIND:
	case WM_WALK_CAUGHT:
	case WM_WALK_AGAIN:
		r->frame[r->depth - 1].site = WM_NONE;
		break;
	case WM_WALK_LEAVE:
	case WM_WALK_ABANDON:
		close_activation(r);
		break;
	case WM_WALK_SUBPATH:
	case WM_WALK_SPECIAL:
		break;
	}
}

void wm_costs_of_recording(struct wm_costs *costs, const struct wm_wpp_view *view)
{
	struct recorded_costs r = {.view = view, .costs = costs};
	*costs = (struct wm_costs){0};
	wm_wpp_walk(view, &(struct wm_sink){&r, take});
	wm_id_counts_sort(&r.place_counts, wm_by_id);
	for (size_t i = 0; i < r.place_counts.used; i++) {
		const uint64_t *key = r.places.name[r.place_counts.slot[i].id].piece;
		add_place(costs, (uint32_t)key[0], (uint32_t)key[1], r.place_counts.slot[i].count);
	}
	wm_sequences_release(&r.nodes);
	wm_sequences_release(&r.places);
	wm_sequences_release(&r.calls);
	wm_id_counts_release(&r.place_counts);
	free(r.open_call);
	free(r.frame);
	finish(costs);
}
