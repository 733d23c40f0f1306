/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/primes/prime.h"
#include "core/base/grow.h"
#include <stdlib.h>
#include <string.h>

/* ---- Finding --------------------------------------------------------------------------------- */

struct search {
	const struct wm_graph *graph;
	struct wm_arena *arena;
	struct wm_dfs dfs;
	uint32_t *first_pred, *pred; /* of reached blocks, by reached blocks */
	uint32_t *component; /* per block: its strongly connected component */
	bool inside; /* only blocks of the component of the first one are taken */
	bool *on_path;
	uint32_t *path, *next_edge; /* per block of the path: the out-edge to try next */
	uint32_t length, limit;
	uint64_t effort;
	size_t count, used; /* of the results: paths, and blocks of all of them */
	uint32_t *first, *block; /* heap */
	bool too_many, no_memory;
};

static bool is_reached(const struct search *s, uint32_t block)
{
	return s->dfs.position[block] != WM_NONE;
}

static enum wm_status find_predecessors(struct search *s)
{
	uint32_t blocks = s->graph->block_count, total = 0;
	s->first_pred = WM_NEW(s->arena, uint32_t, (size_t)blocks + 2);
	s->pred = WM_NEW(s->arena, uint32_t, s->graph->edge_count);
	if (!s->first_pred || !s->pred)
		return WM_NO_MEMORY;
	for (uint32_t e = 0; e < s->graph->edge_count; e++)
		s->first_pred[s->graph->edge_to[e] + 2] += is_reached(s, s->graph->edge_from[e]);
	for (uint32_t b = 0; b < blocks; b++)
		s->first_pred[b + 2] = total += s->first_pred[b + 2];
	for (uint32_t e = 0; e < s->graph->edge_count; e++)
		if (is_reached(s, s->graph->edge_from[e]))
			s->pred[s->first_pred[s->graph->edge_to[e] + 1]++] = s->graph->edge_from[e];
	return WM_OK;
}

/* Blocks in reverse postorder, and from each of them backwards (Kosaraju). */
static enum wm_status find_components(struct search *s)
{
	uint32_t *stack = WM_NEW(s->arena, uint32_t, s->graph->block_count), top = 0, count = 0;
	s->component = WM_NEW(s->arena, uint32_t, s->graph->block_count);
	if (!stack || !s->component)
		return WM_NO_MEMORY;
	for (uint32_t i = 0; i < s->dfs.reached; i++) {
		uint32_t from = s->dfs.reverse_postorder[i];
		if (s->component[from])
			continue;
		s->component[from] = ++count;
		stack[top++] = from;
		while (top) {
			uint32_t block = stack[--top];
			for (uint32_t k = s->first_pred[block]; k < s->first_pred[block + 1]; k++)
				if (!s->component[s->pred[k]]) {
					s->component[s->pred[k]] = count;
					stack[top++] = s->pred[k];
				}
		}
	}
	return WM_OK;
}

/* Whether control can come to a block from one that it does not lead to.  Then only cycles are prime paths from the block on. */
static bool is_led_to(const struct search *s, uint32_t block)
{
	for (uint32_t i = s->first_pred[block]; i < s->first_pred[block + 1]; i++)
		if (s->component[s->pred[i]] != s->component[block])
			return true;
	return false;
}

/* A block before the first one, that is not on the path, or is the last one, makes a longer simple path. */
static bool extends_left(const struct search *s)
{
	uint32_t head = s->path[0], last = s->path[s->length - 1];
	for (uint32_t i = s->first_pred[head]; i < s->first_pred[head + 1]; i++)
		if (!s->on_path[s->pred[i]] || (s->pred[i] == last && s->length > 1))
			return true;
	return false;
}

static void list(struct search *s, bool cycle)
{
	if (s->count >= s->limit) {
		s->too_many = true;
		return;
	}
	s->no_memory |= !WM_GROW(s->first, s->count);
	if (s->no_memory)
		return;
	s->first[s->count++] = (uint32_t)s->used;
	for (uint32_t i = 0; i < s->length + cycle && !s->no_memory; i++) {
		s->no_memory = !WM_GROW(s->block, s->used);
		if (!s->no_memory)
			s->block[s->used++] = s->path[i % s->length];
	}
}

static void push(struct search *s, uint32_t block)
{
	s->path[s->length] = block;
	s->next_edge[s->length++] = s->graph->first_edge[block];
	s->on_path[block] = true;
	if (s->effort-- == 0)
		s->too_many = true;
}

/* Whether the path cannot be extended at its end. */
static bool ends_here(const struct search *s)
{
	uint32_t last = s->path[s->length - 1];
	for (uint32_t e = s->graph->first_edge[last]; e < s->graph->first_edge[last + 1]; e++)
		if (!s->on_path[s->graph->edge_to[e]] || s->graph->edge_to[e] == s->path[0])
			return false;
	return true;
}

/* Takes one step: along the next out-edge of the last block, or back. */
static void step(struct search *s)
{
	uint32_t last = s->path[s->length - 1], edge = s->next_edge[s->length - 1]++;
	if (edge == s->graph->first_edge[last + 1]) {
		s->on_path[last] = false;
		s->length--;
		return;
	}
	uint32_t to = s->graph->edge_to[edge];
	if (to == s->path[0])
		list(s, true);
	if (s->on_path[to] || (s->inside && s->component[to] != s->component[s->path[0]]))
		return;
	push(s, to);
	if (!s->inside && ends_here(s) && !extends_left(s))
		list(s, false);
}

static void find_from(struct search *s, uint32_t start)
{
	s->inside = is_led_to(s, start);
	push(s, start);
	if (ends_here(s) && !extends_left(s))
		list(s, false);
	while (s->length && !s->too_many && !s->no_memory)
		step(s);
	while (s->length)
		s->on_path[s->path[--s->length]] = false;
}

static void find_all(struct search *s)
{
	for (uint32_t b = 0; b < s->graph->block_count && !s->too_many && !s->no_memory; b++)
		if (is_reached(s, b))
			find_from(s, b);
}

static enum wm_status keep(struct search *s, struct wm_primes *primes)
{
	if (s->no_memory)
		return WM_NO_MEMORY;
	primes->too_many = s->too_many;
	primes->count = s->too_many ? 0 : (uint32_t)s->count;
	primes->first = WM_NEW(s->arena, uint32_t, (size_t)primes->count + 1);
	primes->block = WM_NEW(s->arena, uint32_t, s->too_many ? 0 : s->used);
	if (!primes->first || !primes->block)
		return WM_NO_MEMORY;
	if (!primes->count)
		return WM_OK;
	memcpy(primes->first, s->first, primes->count * sizeof *primes->first);
	memcpy(primes->block, s->block, s->used * sizeof *primes->block);
	primes->first[primes->count] = (uint32_t)s->used;
	return WM_OK;
}

enum wm_status wm_primes_find(
	struct wm_primes *primes, const struct wm_graph *graph, uint32_t limit, uint64_t effort, struct wm_arena *arena)
{
	struct search s = {.graph = graph, .arena = arena, .limit = limit, .effort = effort};
	*primes = (struct wm_primes){.graph = graph};
	enum wm_status status = wm_dfs_run(&s.dfs, graph, arena);
	if (status == WM_OK)
		status = find_predecessors(&s);
	if (status == WM_OK)
		status = find_components(&s);
	s.on_path = WM_NEW(arena, bool, graph->block_count);
	s.path = WM_NEW(arena, uint32_t, graph->block_count);
	s.next_edge = WM_NEW(arena, uint32_t, graph->block_count);
	if (status != WM_OK || !s.on_path || !s.path || !s.next_edge)
		return status != WM_OK ? status : WM_NO_MEMORY;
	find_all(&s);
	status = keep(&s, primes);
	free(s.first);
	free(s.block);
	return status;
}

/* ---- Counting -------------------------------------------------------------------------------- */

/*
 * The prime paths as a trie.  Prime paths are not parts of each other, so at most one ends at each position of a walk, and the node
 * of the longest suffix of the walk in the trie tells it.  The children of a node are by the out-edges of its block.
 */
struct wm_prime_trie {
	uint32_t count; /* nodes */
	uint32_t *block, *prime; /* per node; prime: the one that ends there, or WM_NONE */
	uint32_t *children; /* per node: the index of the child of its first out-edge in `child` */
	uint32_t *child; /* WM_NONE: none */
	uint32_t *fail; /* per node: the longest proper suffix in the trie; WM_NONE: none */
	uint32_t *root; /* per block: the node of the path of this block alone; WM_NONE: none */
	uint32_t *first_of; /* per block, and one more: index in `of` */
	uint32_t *of; /* nodes that are not roots, by block */
};

static uint32_t *new_words(struct wm_arena *arena, size_t count)
{
	uint32_t *word = WM_NEW(arena, uint32_t, count);
	if (word)
		memset(word, 0xff, count * sizeof *word);
	return word;
}

static uint32_t out_degree(const struct wm_graph *graph, uint32_t block)
{
	return graph->first_edge[block + 1] - graph->first_edge[block];
}

static uint32_t add_node(struct wm_prime_trie *t, const struct wm_graph *graph, uint32_t block)
{
	uint32_t made = t->count++;
	t->block[made] = block;
	t->children[made + 1] = t->children[made] + out_degree(graph, block);
	return made;
}

/* The child of a node for an edge of its block. */
static uint32_t *child_of(const struct wm_prime_trie *t, const struct wm_graph *graph, uint32_t node, uint32_t edge)
{
	return &t->child[t->children[node] + edge - graph->first_edge[t->block[node]]];
}

static void add_prime(struct wm_prime_trie *t, const struct wm_primes *primes, uint32_t p)
{
	const struct wm_graph *graph = primes->graph;
	const uint32_t *block = primes->block + primes->first[p];
	uint32_t length = primes->first[p + 1] - primes->first[p];
	if (t->root[block[0]] == WM_NONE)
		t->root[block[0]] = add_node(t, graph, block[0]);
	uint32_t node = t->root[block[0]];
	for (uint32_t i = 1; i < length; i++) {
		uint32_t *child = child_of(t, graph, node, wm_graph_find_edge(graph, block[i - 1], block[i]));
		if (*child == WM_NONE)
			*child = add_node(t, graph, block[i]);
		node = *child;
	}
	t->prime[node] = p;
}

/* The node after a block has been taken over an edge from a node; WM_NONE: no prime path has this suffix. */
static uint32_t advance(const struct wm_prime_trie *t, const struct wm_graph *graph, uint32_t node, uint32_t edge)
{
	while (node != WM_NONE) {
		uint32_t next = *child_of(t, graph, node, edge);
		if (next != WM_NONE)
			return next;
		node = t->fail[node];
	}
	return t->root[graph->edge_to[edge]];
}

/* Breadth first: the suffixes of a node are shorter than the node. */
static enum wm_status link_suffixes(struct wm_prime_trie *t, const struct wm_graph *graph, struct wm_arena *arena)
{
	uint32_t *queue = WM_NEW(arena, uint32_t, t->count), end = 0;
	if (!queue)
		return WM_NO_MEMORY;
	for (uint32_t b = 0; b < graph->block_count; b++)
		if (t->root[b] != WM_NONE)
			queue[end++] = t->root[b];
	for (uint32_t i = 0; i < end; i++)
		for (uint32_t e = graph->first_edge[t->block[queue[i]]]; e < graph->first_edge[t->block[queue[i]] + 1];
			e++) {
			uint32_t child = *child_of(t, graph, queue[i], e);
			if (child == WM_NONE)
				continue;
			uint32_t before = t->fail[queue[i]];
			t->fail[child] = before == WM_NONE ? t->root[graph->edge_to[e]] : advance(t, graph, before, e);
			queue[end++] = child;
		}
	return WM_OK;
}

/* Lists the nodes by their last blocks. */
static enum wm_status list_nodes(struct wm_prime_trie *t, const struct wm_graph *graph, struct wm_arena *arena)
{
	uint32_t blocks = graph->block_count, total = 0;
	t->first_of = WM_NEW(arena, uint32_t, (size_t)blocks + 2);
	t->of = WM_NEW(arena, uint32_t, t->count);
	if (!t->first_of || !t->of)
		return WM_NO_MEMORY;
	for (uint32_t n = 0; n < t->count; n++)
		t->first_of[t->block[n] + 2] += t->root[t->block[n]] != n;
	for (uint32_t b = 0; b < blocks; b++)
		t->first_of[b + 2] = total += t->first_of[b + 2];
	for (uint32_t n = 0; n < t->count; n++)
		if (t->root[t->block[n]] != n)
			t->of[t->first_of[t->block[n] + 1]++] = n;
	return WM_OK;
}

/* How many children all nodes may have. */
static size_t most_children(const struct wm_primes *primes)
{
	size_t total = 0;
	for (uint32_t i = 0; primes->count && i < primes->first[primes->count]; i++)
		total += out_degree(primes->graph, primes->block[i]);
	return total;
}

static struct wm_prime_trie *new_trie(const struct wm_primes *primes, struct wm_arena *arena)
{
	size_t most = primes->count ? primes->first[primes->count] : 0;
	struct wm_prime_trie *t = WM_NEW(arena, struct wm_prime_trie, 1);
	if (!t)
		return NULL;
	*t = (struct wm_prime_trie){.block = new_words(arena, most),
		.prime = new_words(arena, most),
		.fail = new_words(arena, most),
		.children = WM_NEW(arena, uint32_t, most + 1),
		.child = new_words(arena, most_children(primes)),
		.root = new_words(arena, primes->graph->block_count)};
	return t->block && t->prime && t->fail && t->children && t->child && t->root ? t : NULL;
}

enum wm_status wm_prime_counter_init(
	struct wm_prime_counter *counter, const struct wm_primes *primes, struct wm_arena *arena)
{
	*counter = (struct wm_prime_counter){primes, WM_NEW(arena, uint64_t, primes->count),
		WM_NEW(arena, bool, primes->count), new_trie(primes, arena)};
	if (!counter->count || !counter->open || !counter->trie)
		return WM_NO_MEMORY;
	for (uint32_t p = 0; p < primes->count; p++)
		add_prime(counter->trie, primes, p);
	enum wm_status status = link_suffixes(counter->trie, primes->graph, arena);
	return status == WM_OK ? list_nodes(counter->trie, primes->graph, arena) : status;
}

/* Follows, from a node that ends with the first block of a part, the part as far as a prime path has it. */
static void open_from(struct wm_prime_counter *counter, const struct wm_walk_part *part, uint32_t node)
{
	const struct wm_prime_trie *t = counter->trie;
	const struct wm_graph *graph = counter->primes->graph;
	for (uint32_t i = 0; node != WM_NONE; i++) {
		if (i >= part->fresh && t->prime[node] != WM_NONE)
			counter->open[t->prime[node]] = true;
		if (i + 1 >= part->length)
			return;
		uint32_t edge = wm_graph_find_edge(graph, part->block[i], part->block[i + 1]);
		node = edge == WM_NONE ? WM_NONE : *child_of(t, graph, node, edge);
	}
}

static void add(uint64_t *sum, uint64_t count)
{
	if (__builtin_add_overflow(*sum, count, sum))
		*sum = UINT64_MAX;
}

enum wm_status wm_prime_count(struct wm_prime_counter *counter, const struct wm_walk_part *part)
{
	const struct wm_prime_trie *t = counter->trie;
	const struct wm_graph *graph = counter->primes->graph;
	if (!part->length || !counter->primes->count)
		return WM_OK;
	uint32_t first = part->block[0], node = t->root[first];
	for (uint32_t i = t->first_of[first]; !part->whole && i < t->first_of[first + 1]; i++)
		open_from(counter, part, t->of[i]);
	for (uint32_t i = 0;; i++) {
		if (i >= part->fresh && node != WM_NONE && t->prime[node] != WM_NONE)
			add(&counter->count[t->prime[node]], part->count);
		if (i + 1 == part->length)
			return WM_OK;
		uint32_t edge = wm_graph_find_edge(graph, part->block[i], part->block[i + 1]);
		if (edge == WM_NONE)
			return WM_BAD_PATH;
		node = advance(t, graph, node, edge);
	}
}

enum wm_status wm_prime_step(struct wm_prime_counter *counter, struct wm_prime_walk *walk, uint32_t block, bool counts)
{
	const struct wm_prime_trie *t = counter->trie;
	const struct wm_graph *graph = counter->primes->graph;
	uint32_t edge = walk->begun ? wm_graph_find_edge(graph, walk->block, block) : WM_NONE;
	bool bad = walk->begun && edge == WM_NONE;
	uint32_t node = edge == WM_NONE ? t->root[block] : advance(t, graph, walk->node, edge);
	*walk = (struct wm_prime_walk){true, block, node};
	if (counts && node != WM_NONE && t->prime[node] != WM_NONE)
		add(&counter->count[t->prime[node]], 1);
	return bad ? WM_BAD_PATH : WM_OK;
}
