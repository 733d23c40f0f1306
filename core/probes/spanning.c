/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/probes/spanning.h"
#include <string.h>

/* One record per node, since edges lead all over the memory of a large graph. */
struct wm_rooted { /* union-find over tree edges */
	uint32_t root;
	uint64_t offset; /* potential of the node minus that of its root */
};

/* ---- Weights and order ------------------------------------------------- */

/* Negative and undefined weights would break the order of the bit patterns. */
static double sane(double weight)
{
	return weight > 0 ? weight : 0;
}

static void weigh(struct wm_spanning *s, const struct wm_weights *weights)
{
	const struct wm_dag *dag = s->dag;
	for (uint32_t e = 0; e < dag->edge_count; e++) {
		double weight = sane(wm_weights_of(weights, dag, &dag->edge[e]));
		s->weight[e] += weight;
		if (dag->edge[e].kind == WM_EDGE_STOP)
			s->weight[dag->edge[e].restart] += weight;
	}
}

/* An edge below its key, which falls with the weight: the exponent and 21 bits of the
 * mantissa, more than any estimate is good for. */
static uint64_t sort_item(const struct wm_spanning *s, uint32_t e)
{
	uint64_t bits;
	memcpy(&bits, &s->weight[e], sizeof bits);
	return ~(bits >> 31) << 32 | e;
}

#define RADIX_BITS 11
#define RADIX (1u << RADIX_BITS)

/* Stable, by one digit of the key; three digits are the whole key. */
static void sort_digit(const uint64_t *from, uint64_t *to, uint32_t count, uint32_t *bucket, unsigned shift)
{
	memset(bucket, 0, (RADIX + 1) * sizeof *bucket);
	for (uint32_t i = 0; i < count; i++)
		bucket[(from[i] >> shift & (RADIX - 1)) + 1]++;
	for (uint32_t d = 0; d < RADIX; d++)
		bucket[d + 1] += bucket[d];
	for (uint32_t i = 0; i < count; i++)
		to[bucket[from[i] >> shift & (RADIX - 1)]++] = from[i];
}

enum wm_status wm_spanning_init(struct wm_spanning *spanning, const struct wm_dag *dag, struct wm_arena *arena)
{
	struct wm_spanning made = {.dag = dag,
		.sorted = WM_NEW(arena, uint32_t, dag->edge_count),
		.node = WM_NEW(arena, struct wm_rooted, dag->node_count)};
	if (!made.sorted || !made.node)
		return WM_NO_MEMORY;
	for (uint32_t e = 0; e < dag->edge_count; e++)
		made.sorted[e] = e;
	*spanning = made;
	return WM_OK;
}

enum wm_status wm_spanning_sort(
	struct wm_spanning *s, const struct wm_weights *weights, const int64_t *value, struct wm_arena *arena)
{
	uint32_t count = s->dag->edge_count, n = 0;
	uint64_t *item = WM_NEW(arena, uint64_t, count), *scratch = WM_NEW(arena, uint64_t, count);
	uint32_t *bucket = WM_NEW(arena, uint32_t, RADIX + 1);
	s->weight = WM_NEW(arena, double, count);
	if (!item || !scratch || !bucket || !s->weight)
		return WM_NO_MEMORY;
	weigh(s, weights);
	for (int zero = 1; zero >= 0; zero--)
		for (uint32_t e = 0; e < count; e++)
			if ((value[e] == 0) == zero)
				item[n++] = sort_item(s, e);
	sort_digit(item, scratch, count, bucket, 32);
	sort_digit(scratch, item, count, bucket, 32 + RADIX_BITS);
	sort_digit(item, scratch, count, bucket, 32 + 2 * RADIX_BITS);
	for (uint32_t i = 0; i < count; i++)
		s->sorted[i] = (uint32_t)scratch[i];
	return WM_OK;
}

/* ---- Trees and increments ------------------------------------------------- */

/* The node's root; *offset becomes its potential above that. */
static uint32_t find_root(struct wm_spanning *s, uint32_t node, uint64_t *offset)
{
	struct wm_rooted *at = &s->node[node];
	*offset = 0;
	while (at->root != node) {
		const struct wm_rooted *up = &s->node[at->root];
		at->offset += up->offset;
		at->root = up->root;
		*offset += at->offset;
		node = at->root;
		at = &s->node[node];
	}
	return node;
}

/* Takes from → to into the tree unless it closes a cycle. */
static bool join_trees(struct wm_spanning *s, uint32_t from, uint32_t to, uint64_t value)
{
	uint64_t above_from, above_to;
	uint32_t a = find_root(s, from, &above_from), b = find_root(s, to, &above_to);
	if (a == b)
		return false;
	s->node[b] = (struct wm_rooted){.root = a, .offset = above_from + value - above_to};
	s->trees--;
	return true;
}

static void note_taken(struct wm_spanning *s, uint32_t e, bool taken)
{
	if (s->taken)
		s->taken[e] = taken;
}

/* Whether an addition on the edge is an instruction of its own. */
static bool is_felt(const struct wm_spanning *s, uint32_t e)
{
	return s->dag->edge[e].kind == WM_EDGE_REAL || (s->adds && s->adds[e]);
}

static void join_edges(struct wm_spanning *s, const int64_t *value, bool first, bool real, bool other)
{
	for (uint32_t i = 0; i < s->dag->edge_count && s->trees > 1; i++) {
		uint32_t e = s->sorted[i];
		const struct wm_dag_edge *edge = &s->dag->edge[e];
		if ((s->first && s->first[e]) == first && (is_felt(s, e) ? real : other))
			note_taken(s, e, join_trees(s, edge->from, edge->to, (uint64_t)value[e]));
	}
}

/* No event could carry their increments. */
static void join_arrivals(struct wm_spanning *s, const int64_t *value)
{
	for (uint32_t e = 0; e < s->dag->edge_count; e++)
		if (s->dag->edge[e].kind == WM_EDGE_ARRIVE)
			note_taken(s, e, join_trees(s, s->dag->edge[e].from, s->dag->edge[e].to, (uint64_t)value[e]));
}

void wm_spanning_make(struct wm_spanning *s, const int64_t *value, bool real_first)
{
	s->trees = s->dag->node_count;
	for (uint32_t node = 0; node < s->trees; node++)
		s->node[node] = (struct wm_rooted){.root = node};
	join_trees(s, WM_DAG_END, WM_DAG_START, 0);
	join_arrivals(s, value);
	for (int first = s->first != NULL; first >= 0; first--) {
		join_edges(s, value, first, true, !real_first);
		if (real_first)
			join_edges(s, value, first, false, true);
	}
}

void wm_spanning_increments(struct wm_spanning *s, const int64_t *value, uint64_t *increment)
{
	for (uint32_t e = 0; e < s->dag->edge_count; e++) {
		uint64_t above_from, above_to;
		find_root(s, s->dag->edge[e].from, &above_from);
		find_root(s, s->dag->edge[e].to, &above_to);
		increment[e] = (uint64_t)value[e] + above_from - above_to;
	}
}

uint64_t wm_spanning_potential(struct wm_spanning *s, uint32_t node)
{
	uint64_t above_start, above_node;
	find_root(s, WM_DAG_START, &above_start);
	find_root(s, node, &above_node);
	return above_node - above_start;
}
