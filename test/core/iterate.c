/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/core/iterate.h"
#include <stdlib.h>
#include <string.h>

#define MAX_LENGTH 8192

/* ---- Loops ------------------------------------------------------------------ */

/* Blocks that are reached from `from` (or reach it, backwards) without going through `avoid`. */
static bool *reach(const struct iterate *it, uint32_t from, uint32_t avoid, bool backwards)
{
	const struct wm_graph *g = it->graph;
	bool *seen = calloc(g->block_count, sizeof *seen);
	seen[from] = from != avoid;
	for (bool changed = seen[from]; changed;) {
		changed = false;
		for (uint32_t e = 0; e < g->edge_count; e++) {
			uint32_t a = backwards ? g->edge_to[e] : g->edge_from[e],
				 b = backwards ? g->edge_from[e] : g->edge_to[e];
			if (!it->oracle->reached[g->edge_from[e]] || !seen[a] || b == avoid || seen[b])
				continue;
			seen[b] = changed = true;
		}
	}
	return seen;
}

static bool dominates(const struct iterate *it, uint32_t above, uint32_t below)
{
	bool *seen = reach(it, 0, above, false), reached = seen[below];
	free(seen);
	return above == below || !reached;
}

/* The body of the loop of this head if it is natural. */
static bool *natural_body(const struct iterate *it, uint32_t head)
{
	const struct wm_graph *g = it->graph;
	bool *body = calloc(g->block_count, sizeof *body);
	body[head] = true;
	for (uint32_t e = 0; e < g->edge_count; e++) {
		if (!it->oracle->back[e] || g->edge_to[e] != head)
			continue;
		if (!dominates(it, head, g->edge_from[e])) {
			free(body);
			return NULL;
		}
		bool *seen = reach(it, g->edge_from[e], head, true);
		for (uint32_t b = 0; b < g->block_count; b++)
			body[b] |= seen[b];
		free(seen);
	}
	return body;
}

static bool is_cut(const struct iterate *it, const bool *body)
{
	const struct wm_graph *g = it->graph;
	for (uint32_t e = 0; it->oracle->cut && e < g->edge_count; e++)
		if (it->oracle->cut[e] && (body[g->edge_from[e]] || body[g->edge_to[e]]))
			return true;
	return false;
}

/* Whether the body holds another head; of those that `own` names with k > 1 if it is given. */
static bool holds_head(const struct iterate *it, uint32_t head, const uint32_t *own)
{
	for (uint32_t b = 0; b < it->graph->block_count; b++)
		if (b != head && it->body[head][b] && it->oracle->head[b] && (!own || own[b] > 1))
			return true;
	return false;
}

static void iterate_loop(struct iterate *it, uint32_t head, uint32_t k)
{
	it->k[head] = k;
	for (uint32_t b = 0; b < it->graph->block_count; b++)
		if (it->body[head][b])
			it->of[b] = head;
}

static void choose(struct iterate *it, uint32_t k, const uint32_t *own, bool chosen)
{
	for (uint32_t h = 0; h < it->graph->block_count; h++) {
		uint32_t named = own ? own[h] : 0;
		if (!it->body[h] || is_cut(it, it->body[h]) || (named > 0) != chosen || (named ? named : k) < 2)
			continue;
		if (it->of[h] == WM_NONE && !holds_head(it, h, chosen ? own : NULL))
			iterate_loop(it, h, named ? named : k);
	}
}

static void init(struct iterate *it, const struct oracle *oracle)
{
	uint32_t blocks = oracle->graph->block_count;
	*it = (struct iterate){.oracle = oracle, .graph = oracle->graph};
	it->k = calloc(blocks, sizeof *it->k);
	it->of = malloc(blocks * sizeof *it->of);
	it->body = calloc(blocks, sizeof *it->body);
	memset(it->of, 0xff, blocks * sizeof *it->of);
	for (uint32_t b = 0; b < blocks; b++)
		if (oracle->head[b])
			it->body[b] = natural_body(it, b);
}

void iterate_init(struct iterate *it, const struct oracle *oracle, uint32_t k, const uint32_t *own)
{
	init(it, oracle);
	choose(it, k, own, true);
	choose(it, k, own, false);
}

void iterate_init_context(struct iterate *it, const struct oracle *oracle)
{
	init(it, oracle);
	it->context = true;
}

void iterate_release(struct iterate *it)
{
	for (uint32_t b = 0; b < it->graph->block_count; b++)
		free(it->body[b]);
	for (uint32_t i = 0; i < it->count; i++) {
		free(it->path[i].block);
		free(it->path[i].again);
	}
	free(it->path);
	free(it->body);
	free(it->of);
	free(it->k);
}

/* ---- A path that grows --------------------------------------------------------- */

/* What the definition asks of a path so far. */
struct state {
	uint32_t head; /* of the iterated loop that the path is in, or WM_NONE */
	uint32_t iteration; /* of that loop, from 1 */
	bool bound; /* it started at that head and must not leave before iteration k */
};

static bool stops(const struct iterate *it, uint32_t e)
{
	return it->oracle->back[e] || (it->oracle->cut && it->oracle->cut[e]);
}

static struct state state_at(const struct iterate *it, uint32_t block, bool started)
{
	uint32_t head = it->of[block];
	return (struct state){.head = head, .iteration = 1, .bound = started && head == block};
}

enum taken { NOT_ALLOWED, GOES_ON, ENDS };

static enum taken take(const struct iterate *it, struct state *state, uint32_t e)
{
	uint32_t to = it->graph->edge_to[e];
	if (state->head != WM_NONE && it->oracle->back[e] && to == state->head) {
		if (state->iteration == it->k[state->head])
			return ENDS;
		state->iteration++;
		return GOES_ON;
	}
	if (state->head != WM_NONE && !stops(it, e) && it->of[to] == state->head)
		return GOES_ON;
	if (state->head != WM_NONE && state->bound && state->iteration < it->k[state->head])
		return NOT_ALLOWED;
	if (stops(it, e))
		return ENDS;
	*state = state_at(it, to, false);
	return GOES_ON;
}

/* ---- Listing --------------------------------------------------------------------- */

struct frame {
	uint32_t block, turn, context; /* context: the choice made at this head, see below */
	struct state state;
};

struct lister {
	struct iterate *it;
	uint32_t limit, depth;
	enum wm_start start;
	struct frame stack[MAX_LENGTH];
};

static uint32_t fresh_of(const struct lister *l)
{
	const struct iterate *it = l->it;
	uint32_t fresh = 0, skip = l->stack[0].state.bound ? it->k[l->stack[0].block] - 1 : 0;
	for (uint32_t i = 0; i < l->depth; i++) {
		if (it->context ? l->stack[i].context : i && skip && l->stack[i].block == l->stack[0].block && skip--)
			fresh = i;
	}
	return fresh;
}

static bool record(struct lister *l, uint32_t last_edge)
{
	struct iterate *it = l->it;
	if (it->count == l->limit)
		return false;
	if (it->count == it->capacity) {
		it->capacity = it->capacity * 2 + 16;
		it->path = realloc(it->path, it->capacity * sizeof *it->path);
	}
	struct iterate_path *path = &it->path[it->count++];
	*path = (struct iterate_path){
		.length = l->depth, .last_edge = last_edge, .start = l->start, .fresh = fresh_of(l)};
	path->block = calloc(l->depth, sizeof *path->block);
	path->again = calloc(l->depth, sizeof *path->again);
	for (uint32_t i = 0; i < l->depth; i++) {
		path->block[i] = l->stack[i].block;
		path->again[i] = l->stack[i].context;
		if (path->again[i])
			path->start = WM_START_LOOP;
	}
	return true;
}

/* The turn-th edge by which a path may leave a block: those on which it goes on first. */
static uint32_t nth_edge(const struct iterate *it, const struct frame *frame, uint32_t turn, enum taken *taken)
{
	const struct wm_graph *g = it->graph;
	for (*taken = GOES_ON; *taken <= ENDS; ++*taken)
		for (uint32_t e = g->first_edge[frame->block]; e < g->first_edge[frame->block + 1]; e++) {
			struct state state = frame->state;
			if (take(it, &state, e) == *taken && turn-- == 0)
				return e;
		}
	return WM_NONE;
}

/* At the head of a natural loop a path with context goes on in the first iteration, or,
 * as its context, in a later one. */
static bool next_context(const struct lister *l, struct frame *top)
{
	bool more = l->it->context && l->it->body[top->block] && !top->context;
	top->context = more;
	top->turn = 0;
	return more;
}

static void push(struct lister *l, uint32_t block, struct state state)
{
	if (l->depth == MAX_LENGTH)
		abort();
	l->stack[l->depth++] = (struct frame){.block = block, .state = state};
}

static bool list_from(struct lister *l, uint32_t first, enum wm_start start)
{
	const struct iterate *it = l->it;
	bool fits = true;
	l->depth = 0;
	l->start = start;
	push(l, first, state_at(it, first, start == WM_START_LOOP));
	while (l->depth && fits) {
		struct frame *top = &l->stack[l->depth - 1];
		enum taken taken;
		uint32_t turn = top->turn++, e = nth_edge(it, top, turn, &taken);
		if (e == WM_NONE) {
			if (turn == 0 && it->graph->end[top->block] != WM_END_NONE)
				fits = record(l, WM_NONE);
			if (!next_context(l, top))
				l->depth--;
		} else if (taken == ENDS) {
			fits = record(l, e);
		} else {
			struct state state = top->state;
			take(it, &state, e);
			push(l, it->graph->edge_to[e], state);
		}
	}
	return fits;
}

/* Whether paths start at a block: after every back edge and cut, but for back edges
 * after which they keep a context. */
static bool starts_at(const struct iterate *it, uint32_t block, enum wm_start *start)
{
	const struct wm_graph *g = it->graph;
	bool loop = it->oracle->head[block] && !(it->context && it->body[block]), cut = false;
	for (uint32_t e = 0; it->oracle->cut && e < g->edge_count; e++)
		cut |= it->oracle->cut[e] && g->edge_to[e] == block;
	*start = loop ? WM_START_LOOP : WM_START_CUT;
	return loop || cut;
}

bool iterate_list(struct iterate *it, uint32_t limit)
{
	struct lister *l = calloc(1, sizeof *l);
	enum wm_start start;
	l->it = it;
	l->limit = limit;
	bool fits = list_from(l, 0, WM_START_ENTRY);
	for (uint32_t b = 0; b < it->graph->block_count && fits; b++)
		if (starts_at(it, b, &start))
			fits = list_from(l, b, start);
	free(l);
	return fits;
}

/* ---- Counting ---------------------------------------------------------------------- */

/* The current path. */
struct current {
	uint32_t length, fresh;
	const uint32_t *block;
	const bool *again; /* NULL: none is */
	enum wm_start start;
};

static bool is_path(const struct iterate_path *path, const struct current *c, uint32_t last_edge)
{
	for (uint32_t i = 0; path->length == c->length && i < c->length; i++)
		if (path->block[i] != c->block[i] || path->again[i] != (c->again && c->again[i]))
			return false;
	return path->length == c->length && path->last_edge == last_edge && path->fresh == c->fresh &&
	       (path->start == WM_START_ENTRY) == (c->start == WM_START_ENTRY);
}

static void count(const struct iterate *it, const struct current *c, uint32_t last_edge, uint64_t *counts)
{
	uint32_t i = 0;
	if (!counts)
		return;
	while (i < it->count && !is_path(&it->path[i], c, last_edge))
		i++;
	if (i == it->count)
		abort();
	counts[i]++;
}

static uint32_t edge_between(const struct iterate *it, uint32_t from, uint32_t to)
{
	uint32_t e = it->graph->first_edge[from];
	while (it->graph->edge_to[e] != to)
		e++;
	return e;
}

/* Counts or copies the path in which the walk ends. */
static void end_walk(
	const struct iterate *it, const struct current *c, bool left, uint64_t *counts, struct iterate_path *pending)
{
	if (left)
		count(it, c, WM_NONE, counts);
	if (!pending)
		return;
	*pending =
		(struct iterate_path){.length = c->length, .last_edge = WM_NONE, .fresh = c->fresh, .start = c->start};
	pending->block = memcpy(calloc(c->length, sizeof *c->block), c->block, c->length * sizeof *c->block);
}

/* Where the iterations of the loop that the walk is in began. */
struct traversal {
	uint32_t head, count, *begin;
};

static void count_iterations(const struct iterate *it, const uint32_t *walk, uint32_t length, bool left,
	uint64_t *counts, struct iterate_path *pending)
{
	struct traversal t = {.begin = calloc(length + 1, sizeof *t.begin)};
	struct current c = {.block = walk, .start = WM_START_ENTRY};
	t.head = it->of[walk[0]];
	t.begin[t.count++] = 0;
	for (uint32_t i = 0; i + 1 < length; i++) {
		uint32_t e = edge_between(it, walk[i], walk[i + 1]), since = 0;
		bool own = t.head != WM_NONE && it->oracle->back[e] && walk[i + 1] == t.head;
		for (uint32_t j = 0; own && j < t.count; j++)
			since += walk + t.begin[j] >= c.block;
		c.length++;
		if (stops(it, e) && (!own || since == it->k[t.head])) {
			count(it, &c, e, counts);
			uint32_t begin = own ? t.begin[t.count - (it->k[t.head] - 1)] : i + 1;
			c = (struct current){.length = i + 1 - begin, .fresh = i + 1 - begin, .block = walk + begin};
			c.start = WM_START_LOOP;
		}
		if (!own && (stops(it, e) || it->of[walk[i + 1]] != t.head)) {
			t.head = it->of[walk[i + 1]];
			t.count = 0;
			t.begin[t.count++] = i + 1;
		} else if (own) {
			t.begin[t.count++] = i + 1;
		}
	}
	c.length++;
	end_walk(it, &c, left, counts, pending);
	free(t.begin);
}

struct context {
	uint32_t length, *block;
	bool *again;
};

static void keep(struct context *context, const struct context *path)
{
	free(context->block);
	free(context->again);
	context->length = path->length;
	context->block =
		memcpy(calloc(path->length + 1, sizeof *path->block), path->block, path->length * sizeof *path->block);
	context->again =
		memcpy(calloc(path->length + 1, sizeof *path->again), path->again, path->length * sizeof *path->again);
}

static void recall(struct context *path, const struct context *context)
{
	path->length = context->length;
	memcpy(path->block, context->block, context->length * sizeof *path->block);
	memcpy(path->again, context->again, context->length * sizeof *path->again);
}

static void count_contexts(const struct iterate *it, const uint32_t *walk, uint32_t length, bool left, uint64_t *counts,
	struct iterate_path *pending)
{
	struct context path = {0, calloc(length + 1, sizeof *path.block), calloc(length + 1, sizeof *path.again)};
	struct context *saved = calloc(it->graph->block_count, sizeof *saved);
	struct current c = {.block = path.block, .again = path.again, .start = WM_START_ENTRY};
	for (uint32_t i = 0; i < length; i++) {
		uint32_t e = i ? edge_between(it, walk[i - 1], walk[i]) : WM_NONE, at = walk[i];
		bool keeps = i && it->oracle->back[e] && it->body[at];
		if (i && stops(it, e)) {
			c.length = path.length;
			count(it, &c, e, counts);
			path.length = 0;
			if (keeps)
				recall(&path, &saved[at]);
			c.fresh = path.length;
			c.start = WM_START_LOOP;
		}
		if (it->body[at] && !keeps)
			keep(&saved[at], &path);
		path.again[path.length] = keeps;
		path.block[path.length++] = at;
	}
	c.length = path.length;
	end_walk(it, &c, left, counts, pending);
	for (uint32_t b = 0; b < it->graph->block_count; b++) {
		free(saved[b].block);
		free(saved[b].again);
	}
	free(saved);
	free(path.block);
	free(path.again);
}

void iterate_count(const struct iterate *it, const uint32_t *walk, uint32_t length, bool left, uint64_t *counts)
{
	(it->context ? count_contexts : count_iterations)(it, walk, length, left, counts, NULL);
}

void iterate_pending(const struct iterate *it, const uint32_t *walk, uint32_t length, struct iterate_path *pending)
{
	(it->context ? count_contexts : count_iterations)(it, walk, length, false, NULL, pending);
}
