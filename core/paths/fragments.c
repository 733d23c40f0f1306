/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/paths/fragments.h"
#include "core/paths/pathset.h"
#include <stdlib.h>
#include <string.h>

struct part {
	const struct wm_fragment *fragment;
	uint64_t left; /* of its count */
	uint32_t next_first, next_last; /* the next part with the same first and last block; WM_NONE: no more */
};

struct joining {
	const struct wm_plan *plan;
	const struct wm_graph *graph;
	struct part *part; /* descending counts */
	uint32_t part_count;
	/* Per block: the parts that begin inside a path with it, and those that end inside a path with it. */
	uint32_t *first, *last;
	uint32_t *first_in, *next_in; /* the edges into a block, as a list */
	uint32_t *block; /* of the path under construction, which grows to both sides from the middle */
	uint32_t from, to, room;
	uint32_t *used; /* the parts of the path */
	uint32_t used_count;
	uint64_t most; /* times that its parts allow */
	bool chosen, assumed;
	struct wm_joined *joined;
};

static int compare_parts(const void *left, const void *right)
{
	const struct part *a = left, *b = right;
	if (a->fragment->count != b->fragment->count)
		return a->fragment->count < b->fragment->count ? 1 : -1;
	return a->fragment < b->fragment ? -1 : a->fragment > b->fragment;
}

static uint32_t first_block(const struct joining *j, uint32_t part)
{
	return j->part[part].fragment->block[0];
}

static uint32_t last_block(const struct joining *j, uint32_t part)
{
	return j->part[part].fragment->block[j->part[part].fragment->length - 1];
}

/* Descending counts: the lists are made from their ends. */
static void list_parts(struct joining *j)
{
	for (uint32_t i = j->part_count; i-- > 0;) {
		const struct wm_fragment *fragment = j->part[i].fragment;
		if (!fragment->begins) {
			j->part[i].next_first = j->first[first_block(j, i)];
			j->first[first_block(j, i)] = i;
		}
		if (!fragment->ends) {
			j->part[i].next_last = j->last[last_block(j, i)];
			j->last[last_block(j, i)] = i;
		}
	}
}

static void list_in_edges(struct joining *j)
{
	for (uint32_t e = j->graph->edge_count; e-- > 0;) {
		j->next_in[e] = j->first_in[j->graph->edge_to[e]];
		j->first_in[j->graph->edge_to[e]] = e;
	}
}

static bool is_along_edges(const struct joining *j, const struct wm_fragment *fragment)
{
	if (!fragment->length || fragment->length > j->graph->block_count + 1)
		return false;
	for (uint32_t i = 0; i < fragment->length; i++)
		if (fragment->block[i] >= j->graph->block_count)
			return false;
	for (uint32_t i = 1; i < fragment->length; i++) {
		uint32_t edge = wm_graph_find_edge(j->graph, fragment->block[i - 1], fragment->block[i]);
		if (edge == WM_NONE || (wm_plan_stops(j->plan, edge) && (i + 1 < fragment->length || !fragment->ends)))
			return false;
	}
	return true;
}

static enum wm_status begin_joining(
	struct joining *j, const struct wm_fragment *fragment, size_t count, struct wm_arena *arena)
{
	uint32_t blocks = j->graph->block_count, edges = j->graph->edge_count;
	if (count >= WM_NONE)
		return WM_NO_MEMORY;
	j->room = 4 * blocks + 8;
	j->part = WM_NEW(arena, struct part, count);
	j->first = WM_NEW(arena, uint32_t, 3 * (size_t)blocks + edges + 1);
	j->block = WM_NEW(arena, uint32_t, (size_t)j->room + 2 * (size_t)blocks + 2);
	if (!j->part || !j->first || !j->block)
		return WM_NO_MEMORY;
	memset(j->first, 0xff, (3 * (size_t)blocks + edges) * sizeof *j->first);
	j->last = j->first + blocks;
	j->first_in = j->last + blocks;
	j->next_in = j->first_in + blocks;
	j->used = j->block + j->room;
	for (size_t i = 0; i < count; i++) {
		if (!is_along_edges(j, &fragment[i]))
			return WM_BAD_PATH;
		if (fragment[i].count)
			j->part[j->part_count++] = (struct part){&fragment[i], fragment[i].count, WM_NONE, WM_NONE};
	}
	if (j->part_count)
		qsort(j->part, j->part_count, sizeof *j->part, compare_parts);
	list_parts(j);
	list_in_edges(j);
	return WM_OK;
}

/* ---- One path ------------------------------------------------------------------------------------- */

/* What can follow or precede at a gap. */
struct candidates {
	uint32_t most; /* the part with the most left; WM_NONE: none has any */
	uint32_t known; /* the part with the largest count */
	uint32_t edge; /* the first edge on which no path stops, from or to a reached block; WM_NONE: none */
	uint32_t count; /* parts that have any left */
};

static void consider(const struct joining *j, struct candidates *c, uint32_t part)
{
	if (c->known == WM_NONE || j->part[part].fragment->count > j->part[c->known].fragment->count)
		c->known = part;
	if (!j->part[part].left)
		return;
	c->count++;
	if (c->most == WM_NONE || j->part[part].left > j->part[c->most].left)
		c->most = part;
}

static struct candidates candidates_after(const struct joining *j, uint32_t block)
{
	struct candidates c = {WM_NONE, WM_NONE, WM_NONE, 0};
	for (uint32_t e = j->graph->first_edge[block]; e < j->graph->first_edge[block + 1]; e++) {
		if (wm_plan_stops(j->plan, e))
			continue;
		c.edge = c.edge == WM_NONE ? e : c.edge;
		for (uint32_t p = j->first[j->graph->edge_to[e]]; p != WM_NONE; p = j->part[p].next_first)
			consider(j, &c, p);
	}
	return c;
}

static struct candidates candidates_before(const struct joining *j, uint32_t block)
{
	struct candidates c = {WM_NONE, WM_NONE, WM_NONE, 0};
	for (uint32_t e = j->first_in[block]; e != WM_NONE; e = j->next_in[e]) {
		if (wm_plan_stops(j->plan, e) || j->plan->dfs.position[j->graph->edge_from[e]] == WM_NONE)
			continue;
		c.edge = c.edge == WM_NONE ? e : c.edge;
		for (uint32_t p = j->last[j->graph->edge_from[e]]; p != WM_NONE; p = j->part[p].next_last)
			consider(j, &c, p);
	}
	return c;
}

static void use_part(struct joining *j, uint32_t part)
{
	j->used[j->used_count++] = part;
	if (j->part[part].left < j->most)
		j->most = j->part[part].left;
}

static void append(struct joining *j, uint32_t part)
{
	const struct wm_fragment *fragment = j->part[part].fragment;
	memcpy(j->block + j->to, fragment->block, fragment->length * sizeof *j->block);
	j->to += fragment->length;
}

static void prepend(struct joining *j, uint32_t part)
{
	const struct wm_fragment *fragment = j->part[part].fragment;
	j->from -= fragment->length;
	memcpy(j->block + j->from, fragment->block, fragment->length * sizeof *j->block);
}

/* Whether the gap is decided by one of its sides: the other one has a choice of one.  */
static void note_choice(struct joining *j, const struct candidates *here, const struct candidates *there)
{
	j->chosen |= here->count > 1 && there->count > 1;
}

/* Adds blocks up to the end of the path.  Edges on which no path stops form no cycle. */
static void extend_forwards(struct joining *j, uint32_t part)
{
	bool ends = j->part[part].fragment->ends;
	while (!ends) {
		uint32_t block = j->block[j->to - 1];
		struct candidates c = candidates_after(j, block);
		uint32_t next = c.most != WM_NONE ? c.most : c.known;
		if (c.most != WM_NONE) {
			struct candidates back = candidates_before(j, first_block(j, c.most));
			note_choice(j, &c, &back);
			use_part(j, c.most);
		} else if (c.edge != WM_NONE) {
			j->assumed = true;
		}
		if (next != WM_NONE) {
			append(j, next);
			ends = j->part[next].fragment->ends;
		} else if (c.edge != WM_NONE) {
			j->block[j->to++] = j->graph->edge_to[c.edge];
		} else { /* the exit, or edges on which paths stop */
			if (j->graph->first_edge[block] < j->graph->first_edge[block + 1])
				j->block[j->to++] = j->graph->edge_to[j->graph->first_edge[block]];
			ends = true;
		}
	}
}

static void extend_backwards(struct joining *j, uint32_t part)
{
	bool begins = j->part[part].fragment->begins;
	while (!begins) {
		struct candidates c = candidates_before(j, j->block[j->from]);
		uint32_t before = c.most != WM_NONE ? c.most : c.known;
		if (c.most != WM_NONE) {
			struct candidates on = candidates_after(j, last_block(j, c.most));
			note_choice(j, &c, &on);
			use_part(j, c.most);
		} else if (before != WM_NONE || c.edge != WM_NONE) {
			j->assumed = true;
		}
		if (before != WM_NONE) {
			prepend(j, before);
			begins = j->part[before].fragment->begins;
		} else if (c.edge != WM_NONE && !j->plan->dfs.is_head[j->block[j->from]]) {
			j->block[--j->from] = j->graph->edge_from[c.edge];
		} else {
			begins = true;
		}
	}
}

static uint64_t add_limited(uint64_t a, uint64_t b)
{
	uint64_t sum;
	return __builtin_add_overflow(a, b, &sum) || sum > INT64_MAX ? INT64_MAX : sum;
}

/* The path that has the most frequent part that is left. */
static void join_path(struct joining *j, uint32_t part)
{
	struct wm_joined *joined = j->joined;
	uint64_t id;
	j->from = j->to = j->room / 2;
	j->used_count = 0;
	j->most = UINT64_MAX;
	j->chosen = j->assumed = false;
	use_part(j, part);
	append(j, part);
	extend_forwards(j, part);
	extend_backwards(j, part);
	for (uint32_t i = 0; i < j->used_count; i++)
		j->part[j->used[i]].left -= j->most;
	if (wm_plan_encode(j->plan, j->block + j->from, j->to - j->from, &id) != WM_OK)
		return;
	joined->path[joined->count++] = (struct wm_id_count){id, j->most};
	joined->executions = add_limited(joined->executions, j->most);
	joined->chosen = add_limited(joined->chosen, j->chosen ? j->most : 0);
	joined->assumed = add_limited(joined->assumed, j->assumed ? j->most : 0);
}

static void add_equal(struct wm_joined *joined)
{
	size_t kept = 0;
	if (joined->count)
		qsort(joined->path, joined->count, sizeof *joined->path, wm_by_id);
	for (size_t i = 0; i < joined->count; i++) {
		if (kept && joined->path[kept - 1].id == joined->path[i].id)
			joined->path[kept - 1].count = add_limited(joined->path[kept - 1].count, joined->path[i].count);
		else
			joined->path[kept++] = joined->path[i];
	}
	joined->count = kept;
}

enum wm_status wm_fragments_join(struct wm_joined *joined, const struct wm_plan *plan,
	const struct wm_fragment *fragment, size_t count, struct wm_arena *arena)
{
	struct joining j = {.plan = plan, .graph = plan->graph, .joined = joined};
	struct wm_joined result = {.path = WM_NEW(arena, struct wm_id_count, count)};
	enum wm_status status = result.path ? begin_joining(&j, fragment, count, arena) : WM_NO_MEMORY;
	if (status != WM_OK)
		return status;
	*joined = result;
	/* Each path uses up at least one part, so there are at most as many paths as parts. */
	for (uint32_t i = 0; i < j.part_count; i++)
		while (j.part[i].left)
			join_path(&j, i);
	add_equal(joined);
	return WM_OK;
}
