/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/graph/supergraph.h"
#include "core/graph/inline_budget.h"

const char *wm_inline_choice_text(enum wm_inline_choice choice)
{
	switch (choice) {
	case WM_INLINE_DONE:
		return "it is inlined";
	case WM_INLINE_UNMARKED:
		return "the call site is not marked";
	case WM_INLINE_UNKNOWN_CALLEE:
		return "the callee is not known, not profiled in this file, or may be replaced by the linker";
	case WM_INLINE_RECURSIVE:
		return "the callee is recursive, and the chosen number of its copies is open";
	case WM_INLINE_TOO_LARGE:
		return "the function would become too large";
	case WM_INLINE_REFUSED:
		return "the compiler cannot inline the call";
	case WM_INLINE_IDLE:
		return "all calls of the function are inlined, so the function itself is not executed";
	case WM_INLINE_COLD:
		return "the code would become too large, and other calls are executed more often";
	case WM_INLINE_CHOICES:
		break;
	}
	return "unknown";
}

static uint32_t open_copies(const struct wm_origins *origins, uint32_t context, uint32_t function)
{
	uint32_t count = 0;
	for (; origins->context[context].parent != WM_NONE; context = origins->context[context].parent)
		count += origins->context[context].function == function;
	return count;
}

enum wm_inline_choice wm_inlining_choose(const struct wm_inlining *inlining, const struct wm_origins *origins,
	uint32_t context, uint32_t site, uint32_t blocks)
{
	uint32_t function = origins->context[context].function;
	const struct wm_call *call = &inlining->unit->function[function].call[site];
	if (!inlining->marked[function][site])
		return WM_INLINE_UNMARKED;
	if (call->callee == WM_NONE || call->opaque)
		return WM_INLINE_UNKNOWN_CALLEE;
	if (open_copies(origins, context, call->callee) >= inlining->most_copies)
		return WM_INLINE_RECURSIVE;
	if (wm_context_depth(origins, context) >= WM_CONTEXT_DEPTH)
		return WM_INLINE_TOO_LARGE;
	uint32_t added = inlining->unit->function[call->callee].graph->block_count;
	if (blocks > inlining->limit || added >= inlining->limit - blocks)
		return WM_INLINE_TOO_LARGE;
	bool affordable = !inlining->budget || wm_inline_budget_allows(inlining->budget, origins, context, site);
	return affordable ? WM_INLINE_DONE : WM_INLINE_COLD;
}

struct builder {
	const struct wm_inlining *inlining;
	struct wm_supergraph *made;
	struct wm_arena *arena;
	uint32_t context_capacity, choice_capacity, callee_capacity, first_capacity;
	uint32_t **first; /* per context, per block of its function: its first part */
	uint32_t *behind; /* per context: the block after its call */
	uint32_t *site; /* per block: the inlined call site with which it ends, or WM_NONE */
	uint32_t block_count; /* when all contexts are known, of the supergraph */
};

static const struct wm_unit_function *function_of(const struct builder *b, uint32_t context)
{
	return &b->inlining->unit->function[b->made->origins.context[context].function];
}

static bool add_context(struct builder *b, struct wm_context context)
{
	struct wm_origins *o = &b->made->origins;
	uint32_t count = o->context_count;
	struct wm_context *contexts =
		wm_arena_grow(b->arena, o->context, &b->context_capacity, count, sizeof *contexts);
	enum wm_inline_choice **choice =
		wm_arena_grow(b->arena, b->made->choice, &b->choice_capacity, count, sizeof *choice);
	uint32_t **callee = wm_arena_grow(b->arena, b->made->callee, &b->callee_capacity, count, sizeof *callee);
	uint32_t **first = wm_arena_grow(b->arena, b->first, &b->first_capacity, count, sizeof *first);
	if (!contexts || !choice || !callee || !first)
		return false;
	const struct wm_unit_function *f = &b->inlining->unit->function[context.function];
	o->context = contexts;
	b->made->choice = choice;
	b->made->callee = callee;
	b->first = first;
	contexts[count] = context;
	choice[count] = WM_NEW(b->arena, enum wm_inline_choice, f->call_count);
	callee[count] = WM_NEW(b->arena, uint32_t, f->call_count);
	first[count] = WM_NEW(b->arena, uint32_t, f->graph->block_count);
	o->context_count++;
	b->block_count += f->graph->block_count;
	return choice[count] && callee[count] && first[count];
}

static bool choose_sites(struct builder *b, uint32_t context)
{
	const struct wm_unit_function *f = function_of(b, context);
	for (uint32_t i = 0; i < f->call_count; i++) {
		enum wm_inline_choice choice =
			wm_inlining_choose(b->inlining, &b->made->origins, context, i, b->block_count);
		b->made->choice[context][i] = choice;
		b->made->callee[context][i] = choice == WM_INLINE_DONE ? b->made->origins.context_count : WM_NONE;
		struct wm_context callee = {context, f->call[i].callee, f->call[i].block, f->call[i].position};
		if (choice == WM_INLINE_DONE && b->inlining->budget)
			wm_inline_budget_spend(b->inlining->budget, &b->made->origins, context, i);
		b->block_count += choice == WM_INLINE_DONE; /* the part after the call */
		if (choice == WM_INLINE_DONE && !add_context(b, callee))
			return false;
	}
	return true;
}

/* ---- Blocks --------------------------------------------------------------------------- */

/* Adds part number `part` of a block, which ends with an inlined call site, or with the block: WM_NONE. */
static void add_part(struct builder *b, uint32_t context, uint32_t block, uint32_t part, uint32_t site)
{
	struct wm_supergraph *made = b->made;
	uint32_t index = made->origins.block_count++;
	if (!part)
		b->first[context][block] = index;
	if (site != WM_NONE)
		b->behind[made->callee[context][site]] = index + 1;
	b->site[index] = site;
	made->origins.first_mark[index + 1] = index + 1;
	made->origins.mark[index] = (struct wm_mark){.context = context,
		.block = block,
		.behind = part > 0,
		.pad = !part && wm_unit_is_landing_pad(function_of(b, context), block)};
}

static void add_parts(struct builder *b, uint32_t context)
{
	const struct wm_unit_function *f = function_of(b, context);
	uint32_t site = 0;
	for (uint32_t block = 0; block < f->graph->block_count; block++) {
		uint32_t part = 0;
		for (; site < f->call_count && f->call[site].block == block; site++)
			if (b->made->callee[context][site] != WM_NONE)
				add_part(b, context, block, part++, site);
		add_part(b, context, block, part, WM_NONE);
	}
}

static enum wm_status make_blocks(struct builder *b)
{
	struct wm_origins *o = &b->made->origins;
	o->first_mark = WM_NEW(b->arena, uint32_t, b->block_count + 1);
	o->mark = WM_NEW(b->arena, struct wm_mark, b->block_count);
	b->site = WM_NEW(b->arena, uint32_t, b->block_count);
	b->behind = WM_NEW(b->arena, uint32_t, o->context_count);
	if (!o->first_mark || !o->mark || !b->site || !b->behind)
		return WM_NO_MEMORY;
	for (uint32_t c = 0; c < o->context_count; c++)
		add_parts(b, c);
	return WM_OK;
}

/* ---- Edges ----------------------------------------------------------------------------- */

/* Where an exception that is resumed in a context goes on: the last edge of the block of the nearest inlined invoke. */
static uint32_t landing_pad(const struct builder *b, uint32_t context)
{
	for (; context; context = b->made->origins.context[context].parent) {
		const struct wm_context *call = &b->made->origins.context[context];
		const struct wm_unit_function *f = function_of(b, call->parent);
		const struct wm_call *site = &f->call[wm_unit_first_call(f, call->block) + call->position];
		if (site->unwinds)
			return b->first[call->parent][f->graph->edge_to[f->graph->first_edge[call->block + 1] - 1]];
	}
	return WM_NONE;
}

static enum wm_status add_exit(
	const struct builder *b, struct wm_graph_builder *graph, uint32_t context, enum wm_end end)
{
	uint32_t to = WM_NONE;
	if (end == WM_END_RETURN && context)
		to = b->behind[context];
	else if (end == WM_END_UNWIND)
		to = landing_pad(b, context);
	return wm_graph_builder_add(graph, &to, to != WM_NONE, to == WM_NONE ? end : WM_END_NONE);
}

/* After an inlined invoke the landing pad is not reached: only the callee leads there. */
static uint32_t edges_behind(const struct builder *b, uint32_t index, uint32_t count)
{
	const struct wm_mark *mark = &b->made->origins.mark[index];
	const struct wm_unit_function *f = function_of(b, mark->context);
	return mark->behind && f->call[b->site[index - 1]].unwinds ? count - 1 : count;
}

static enum wm_status add_edges(
	const struct builder *b, struct wm_graph_builder *graph, uint32_t index, uint32_t *target)
{
	const struct wm_mark *mark = &b->made->origins.mark[index];
	const struct wm_graph *original = function_of(b, mark->context)->graph;
	uint32_t first = original->first_edge[mark->block], count = original->first_edge[mark->block + 1] - first;
	if (b->site[index] != WM_NONE) {
		uint32_t entry = b->first[b->made->callee[mark->context][b->site[index]]][0];
		return wm_graph_builder_add(graph, &entry, 1, WM_END_NONE);
	}
	if (!count)
		return add_exit(b, graph, mark->context, (enum wm_end)original->end[mark->block]);
	for (uint32_t i = 0; i < count; i++)
		target[i] = b->first[mark->context][original->edge_to[first + i]];
	return wm_graph_builder_add(graph, target, edges_behind(b, index, count), WM_END_NONE);
}

static uint32_t most_successors(const struct wm_unit *unit)
{
	uint32_t most = 1;
	for (uint32_t f = 0; f < unit->function_count; f++)
		most = unit->function[f].graph->edge_count > most ? unit->function[f].graph->edge_count : most;
	return most;
}

static enum wm_status make_edges(struct builder *b)
{
	struct wm_graph_builder graph;
	uint32_t count = b->made->origins.block_count;
	uint32_t *target = WM_NEW(b->arena, uint32_t, most_successors(b->inlining->unit));
	enum wm_status status = target ? wm_graph_builder_init(&graph, b->arena, count) : WM_NO_MEMORY;
	for (uint32_t i = 0; i < count && status == WM_OK; i++)
		status = add_edges(b, &graph, i, target);
	return status == WM_OK ? wm_graph_builder_finish(&graph, &b->made->graph) : status;
}

static bool choose_contexts(struct builder *b, uint32_t root)
{
	if (b->inlining->budget)
		wm_inline_budget_begin(b->inlining->budget, root);
	bool good = add_context(b, (struct wm_context){WM_NONE, root, WM_NONE, WM_NONE});
	for (uint32_t c = 0; good && c < b->made->origins.context_count; c++)
		good = choose_sites(b, c);
	return good;
}

enum wm_status wm_supergraph_choose(
	struct wm_supergraph *supergraph, const struct wm_inlining *inlining, uint32_t root, struct wm_arena *arena)
{
	struct wm_supergraph made = {0};
	struct builder b = {.inlining = inlining, .made = &made, .arena = arena};
	if (!choose_contexts(&b, root))
		return WM_NO_MEMORY;
	*supergraph = made;
	return WM_OK;
}

enum wm_status wm_supergraph_make(
	struct wm_supergraph *supergraph, const struct wm_inlining *inlining, uint32_t root, struct wm_arena *arena)
{
	struct wm_supergraph made = {0};
	struct builder b = {.inlining = inlining, .made = &made, .arena = arena};
	enum wm_status status = choose_contexts(&b, root) ? make_blocks(&b) : WM_NO_MEMORY;
	if (status == WM_OK)
		status = make_edges(&b);
	made.first = b.first;
	if (status == WM_OK)
		*supergraph = made;
	return status;
}
