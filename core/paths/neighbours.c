/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One pass of the search finds all paths of one distance and one turn.  For each path q of
 * the set it computes, from the end of the DAG to its start, the set of distances from q that the ways from a node to the
 * end have: bit d of a mask is distance d.  With the masks, a depth-first search follows only edges that lead to
 * a path of the wanted distance, in the order of ids.
 */
#include "core/paths/neighbours.h"
#include "core/base/grow.h"
#include "core/base/search.h"
#include <stdlib.h>

/* What a path must still take. */
enum { NEED_WANTED = 1, NEED_FRESH = 2, NEEDS = 4 };

struct frame {
	uint32_t node, next; /* the next out-edge to try */
	uint32_t rest; /* of the distance */
	uint32_t common;
	uint8_t need;
	bool along; /* the path is a beginning of q so far */
	uint32_t fresh; /* the first fresh edge so far, or WM_NONE */
	uint64_t base; /* the least id of a path with this beginning */
	size_t first, end; /* the ids of the set with this beginning */
};

struct search {
	struct wm_neighbours *n;
	const struct wm_dag *dag;
	const struct wm_numbering *numbering;
	bool *taken; /* per edge: by a path of the set */
	bool *along; /* per edge: by q */
	uint64_t *mask[NEEDS]; /* per node */
	struct frame *frame;
	struct wm_path path; /* q */
	uint64_t q;
	uint64_t effort;
	size_t accepted, demoted;
	enum wm_status status;
	bool *told; /* per edge: a path whose first fresh edge it is was found at a lower distance */
	uint64_t *least; /* per edge, in a pass FIRST: the least id of such a path, or UINT64_MAX */
	/* of this pass */
	uint32_t distance;
	enum wm_turn turn;
	uint8_t need;
	uint64_t bound; /* higher ids are not needed */
	bool farther; /* there are paths of a higher distance */
};

static bool has(const bool *of_edge, uint32_t edge)
{
	return of_edge && of_edge[edge];
}

static bool decides(const struct search *s, uint32_t node)
{
	return s->dag->first_edge[node + 1] - s->dag->first_edge[node] > 1;
}

static uint32_t cost(const struct search *s, uint32_t edge)
{
	return !s->along[edge] && decides(s, s->dag->edge[edge].from);
}

static bool is_barred(const struct search *s, uint32_t edge)
{
	return has(s->n->avoided, edge) || (s->turn == WM_TURN_OLD && !s->taken[edge]);
}

static uint8_t gives(const struct search *s, uint32_t edge)
{
	return (has(s->n->wanted, edge) ? NEED_WANTED : 0) | (s->taken[edge] ? 0 : NEED_FRESH);
}

static void spend(struct search *s, uint64_t edges)
{
	s->n->stopped |= s->effort < edges;
	s->effort -= s->effort < edges ? s->effort : edges;
}

/* ---- The distances of the ways to the end --------------------------------------------------- */

static uint64_t mask_of(const struct search *s, uint32_t node, uint8_t need)
{
	uint64_t mask = node == WM_DAG_END && !need;
	for (uint32_t e = s->dag->first_edge[node]; e < s->dag->first_edge[node + 1]; e++)
		if (!is_barred(s, e))
			mask |= s->mask[need & ~gives(s, e)][s->dag->edge[e].to] << cost(s, e);
	return mask;
}

static void make_masks(struct search *s)
{
	for (uint32_t i = s->dag->node_count; i-- > 0;)
		for (uint8_t need = 0; need <= s->need; need++)
			if ((need & ~s->need) == 0)
				s->mask[need][s->dag->order[i]] = mask_of(s, s->dag->order[i], need);
	spend(s, s->dag->edge_count);
}

/* ---- What is found -------------------------------------------------------------------------- */

static bool is_of_pass(const struct search *s, const struct wm_neighbour *path)
{
	return path->distance == s->distance && path->turn == s->turn;
}

static void remove_at(struct wm_neighbours *n, size_t at)
{
	for (n->count--; at < n->count; at++)
		n->path[at] = n->path[at + 1];
}

/* Removes paths of the pass from its end until only `room` accepted ones are left, and then what is demoted behind
 * them. */
static void drop_last(struct search *s)
{
	struct wm_neighbours *n = s->n;
	for (size_t i = n->count; i-- > 0;) {
		if (!is_of_pass(s, &n->path[i]))
			continue;
		if (!n->path[i].demoted && s->accepted <= n->most) {
			s->bound = n->path[i].id;
			return;
		}
		*(n->path[i].demoted ? &s->demoted : &s->accepted) -= 1;
		remove_at(n, i);
	}
}

static bool insert(struct search *s, size_t at, const struct wm_neighbour *path)
{
	struct wm_neighbours *n = s->n;
	if (!WM_GROW(n->path, n->count)) {
		s->status = WM_NO_MEMORY;
		return false;
	}
	for (size_t i = n->count++; i > at; i--)
		n->path[i] = n->path[i - 1];
	n->path[at] = *path;
	return true;
}

static size_t find(const struct wm_neighbours *n, uint64_t id)
{
	size_t at;
	WM_LOWER_BOUND(at, 0, n->count, n->path[at].id < id);
	return at;
}

/* A pass FIRST keeps only the path with the least id for each fresh edge. */
static void replace_first(struct search *s, const struct wm_neighbour *path)
{
	uint64_t *least = &s->least[path->fresh];
	if (*least != UINT64_MAX) {
		remove_at(s->n, find(s->n, *least));
		s->accepted--;
	}
	*least = path->id;
}

/* A path was found; those found before are in the order of their ids. */
static void take(struct search *s, const struct frame *end)
{
	struct wm_neighbours *n = s->n;
	struct wm_neighbour path = {.id = end->base, .nearest = s->q, .distance = s->distance, .common = end->common};
	size_t at = find(n, path.id);
	if (at < n->count && n->path[at].id == path.id) {
		if (n->path[at].distance == s->distance && path.common > n->path[at].common) {
			n->path[at].common = path.common;
			n->path[at].nearest = s->q;
		}
		return;
	}
	path.fresh = end->fresh;
	path.turn = s->turn;
	enum wm_verdict verdict = n->judge ? n->judge(n->closure, path.id) : WM_VERDICT_KEEP;
	path.demoted = verdict == WM_VERDICT_DEMOTE;
	if (verdict == WM_VERDICT_SKIP || !insert(s, at, &path))
		return;
	*(path.demoted ? &s->demoted : &s->accepted) += 1;
	if (!path.demoted && s->turn == WM_TURN_FIRST)
		replace_first(s, &path);
	n->stopped |= s->demoted >= WM_MOST_DEMOTED;
	if (!path.demoted && s->accepted >= n->most)
		drop_last(s);
}

/* Ends a pass FIRST: what is demoted and comes after the path of its fresh edge has another turn. */
static void settle_firsts(struct search *s)
{
	struct wm_neighbours *n = s->n;
	for (size_t i = n->count; i-- > 0;) {
		struct wm_neighbour *path = &n->path[i];
		if (!is_of_pass(s, path) || !path->demoted || path->id < s->least[path->fresh])
			continue;
		s->demoted--;
		remove_at(n, i);
	}
	for (uint32_t e = 0; e < s->dag->edge_count; e++) {
		s->told[e] |= s->least[e] != UINT64_MAX;
		s->least[e] = UINT64_MAX;
	}
}

/* ---- The ways to it ------------------------------------------------------------------------- */

static size_t lower_bound(const struct wm_neighbours *n, size_t first, size_t end, uint64_t id)
{
	size_t i;
	WM_LOWER_BOUND(i, first, end, n->set[i] < id);
	return i;
}

/* The frame after an edge; false: the edge leads to nothing that is sought. */
static bool follow(const struct search *s, const struct frame *from, uint32_t edge, struct frame *to)
{
	uint32_t node = s->dag->edge[edge].to, price = cost(s, edge);
	uint8_t need = from->need & ~gives(s, edge);
	if (is_barred(s, edge) || price > from->rest || !(s->mask[need][node] >> (from->rest - price) & 1))
		return false;
	*to = (struct frame){.node = node, .next = s->dag->first_edge[node], .rest = from->rest - price, .need = need};
	to->base = from->base + (uint64_t)s->numbering->value[edge];
	to->along = from->along && s->along[edge];
	to->common = from->common + to->along;
	to->fresh = from->fresh != WM_NONE || s->taken[edge] ? from->fresh : edge;
	if (s->turn == WM_TURN_FIRST && to->fresh != WM_NONE && (s->told[to->fresh] || to->base > s->least[to->fresh]))
		return false;
	uint64_t paths = s->numbering->node_paths[node];
	to->first = lower_bound(s->n, from->first, from->end, to->base);
	to->end = lower_bound(s->n, to->first, from->end, to->base + paths);
	return to->end - to->first < paths;
}

static void search_around(struct search *s)
{
	uint32_t depth = 0;
	s->frame[0] = (struct frame){.node = WM_DAG_START,
		.next = s->dag->first_edge[WM_DAG_START],
		.rest = s->distance,
		.need = s->need,
		.along = true,
		.fresh = WM_NONE,
		.end = s->n->set_count};
	if (!(s->mask[s->need][WM_DAG_START] >> s->distance & 1))
		return;
	while (s->status == WM_OK && !s->n->stopped) {
		struct frame *frame = &s->frame[depth];
		if (frame->next == s->dag->first_edge[frame->node + 1]) {
			if (depth-- == 0)
				return;
			continue;
		}
		spend(s, 1);
		uint32_t edge = frame->next++;
		if (!follow(s, frame, edge, &s->frame[depth + 1]))
			continue;
		if (s->frame[depth + 1].base > s->bound)
			return;
		if (s->frame[depth + 1].node == WM_DAG_END)
			take(s, &s->frame[depth + 1]);
		else
			depth++;
	}
}

static void mark(const struct search *s, bool *edges, bool value)
{
	for (uint32_t i = 0; i < s->path.length; i++)
		edges[s->path.edge[i]] = value;
}

/* Finds the paths of this distance and turn. */
static void search_pass(struct search *s, uint32_t distance, enum wm_turn turn)
{
	struct wm_neighbours *n = s->n;
	s->distance = distance;
	s->turn = turn;
	s->need = (n->wanted ? NEED_WANTED : 0) | (turn != WM_TURN_OLD ? NEED_FRESH : 0);
	s->bound = UINT64_MAX;
	for (size_t i = 0; i < n->set_count && s->status == WM_OK && !n->stopped; i++) {
		s->q = n->set[i];
		s->status = wm_dag_decode(s->dag, s->numbering, s->q, &s->path, NULL);
		if (s->status != WM_OK)
			return;
		mark(s, s->along, true);
		make_masks(s);
		s->farther |= s->mask[s->need][WM_DAG_START] >> distance > 1;
		search_around(s);
		mark(s, s->along, false);
	}
	if (turn == WM_TURN_FIRST)
		settle_firsts(s);
}

static bool is_done(const struct search *s)
{
	return s->status != WM_OK || s->n->stopped || s->accepted >= s->n->most || s->n->count >= s->n->outside;
}

static void search_all(struct search *s)
{
	s->farther = true;
	for (uint32_t distance = 1; distance <= WM_FARTHEST_NEIGHBOUR && s->farther && !is_done(s); distance++) {
		s->farther = false;
		for (enum wm_turn turn = WM_TURN_FIRST; turn <= WM_TURN_AGAIN && !is_done(s); turn++)
			search_pass(s, distance, turn);
	}
}

/* ---- Numbers -------------------------------------------------------------------------------- */

static bool is_sought(const struct search *s)
{
	bool wanted = !s->n->wanted;
	for (uint32_t i = 0; i < s->path.length; i++) {
		if (has(s->n->avoided, s->path.edge[i]))
			return false;
		wanted |= has(s->n->wanted, s->path.edge[i]);
	}
	return wanted;
}

/* How many paths avoid what is to be avoided and, if not `wanted`, all wanted edges too. */
static uint64_t count_paths(const struct search *s, bool wanted)
{
	for (uint32_t e = 0; e < s->dag->edge_count; e++)
		s->along[e] = !has(s->n->avoided, e) && (wanted || !has(s->n->wanted, e));
	uint64_t paths = wm_dag_paths_over(s->dag, s->along, s->mask[0]);
	for (uint32_t e = 0; e < s->dag->edge_count; e++)
		s->along[e] = false;
	return paths;
}

static void count_outside(struct search *s)
{
	struct wm_neighbours *n = s->n;
	n->sought = count_paths(s, true) - (n->wanted ? count_paths(s, false) : 0);
	n->outside = n->sought;
	for (size_t i = 0; i < n->set_count && s->status == WM_OK; i++) {
		s->status = wm_dag_decode(s->dag, s->numbering, n->set[i], &s->path, NULL);
		if (s->status != WM_OK)
			return;
		mark(s, s->taken, true);
		n->outside -= is_sought(s);
	}
}

static int by_order(const void *left, const void *right)
{
	const struct wm_neighbour *a = left, *b = right;
	if (a->demoted != b->demoted)
		return a->demoted ? 1 : -1;
	if (a->distance != b->distance)
		return a->distance < b->distance ? -1 : 1;
	if (a->turn != b->turn)
		return a->turn < b->turn ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

enum wm_status wm_neighbours_find(struct wm_neighbours *neighbours, struct wm_arena *arena)
{
	const struct wm_dag *dag = &neighbours->plan->dag;
	struct search s = {.n = neighbours, .dag = dag, .numbering = &neighbours->plan->numbering};
	s.effort = neighbours->effort;
	s.taken = WM_NEW(arena, bool, dag->edge_count);
	s.along = WM_NEW(arena, bool, dag->edge_count);
	s.frame = WM_NEW(arena, struct frame, (size_t)dag->node_count + 1);
	s.path.edge = WM_NEW(arena, uint32_t, dag->node_count);
	s.told = WM_NEW(arena, bool, dag->edge_count);
	s.least = WM_NEW(arena, uint64_t, dag->edge_count);
	bool memory = s.taken && s.along && s.frame && s.path.edge && s.told && s.least;
	for (int i = 0; i < NEEDS; i++)
		memory &= (s.mask[i] = WM_NEW(arena, uint64_t, dag->node_count)) != NULL;
	neighbours->path = NULL;
	neighbours->count = 0;
	neighbours->stopped = false;
	if (!memory)
		return WM_NO_MEMORY;
	for (uint32_t e = 0; e < dag->edge_count; e++)
		s.least[e] = UINT64_MAX;
	count_outside(&s);
	search_all(&s);
	if (s.status != WM_OK) {
		free(neighbours->path);
		neighbours->path = NULL;
		neighbours->count = 0;
	} else if (neighbours->count) {
		qsort(neighbours->path, neighbours->count, sizeof *neighbours->path, by_order);
	}
	return s.status;
}

/* Compares the path, whose edges are marked, with q. */
static void compare_with(const struct search *s, const struct wm_path *path, struct wm_neighbour *found)
{
	uint32_t distance = 0, common = 0;
	mark(s, s->along, true);
	for (uint32_t i = 0; i < path->length; i++)
		distance += cost(s, path->edge[i]);
	mark(s, s->along, false);
	while (common < path->length && common < s->path.length && path->edge[common] == s->path.edge[common])
		common++;
	if (distance > found->distance || (distance == found->distance && common <= found->common))
		return;
	found->distance = distance;
	found->common = common;
	found->nearest = s->q;
}

enum wm_status wm_neighbours_measure(
	const struct wm_neighbours *neighbours, struct wm_neighbour *path, struct wm_arena *arena)
{
	const struct wm_dag *dag = &neighbours->plan->dag;
	struct search s = {.dag = dag, .numbering = &neighbours->plan->numbering};
	struct wm_path own = {0};
	s.along = WM_NEW(arena, bool, dag->edge_count);
	s.taken = WM_NEW(arena, bool, dag->edge_count);
	s.path.edge = WM_NEW(arena, uint32_t, dag->node_count);
	if (!s.along || !s.taken || !s.path.edge)
		return WM_NO_MEMORY;
	s.status = wm_dag_decode(dag, s.numbering, path->id, &own, arena);
	path->distance = UINT32_MAX;
	path->common = 0;
	path->fresh = WM_NONE;
	for (size_t i = 0; i < neighbours->set_count && s.status == WM_OK; i++) {
		s.q = neighbours->set[i];
		s.status = wm_dag_decode(dag, s.numbering, s.q, &s.path, NULL);
		if (s.status == WM_OK) {
			compare_with(&s, &own, path);
			mark(&s, s.taken, true);
		}
	}
	for (uint32_t i = 0; s.status == WM_OK && i < own.length && path->fresh == WM_NONE; i++)
		path->fresh = s.taken[own.edge[i]] ? WM_NONE : own.edge[i];
	return s.status;
}
